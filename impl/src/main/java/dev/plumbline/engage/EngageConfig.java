package dev.plumbline.engage;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * How the machines are configured. Times are microseconds.
 *
 * @param cluster tells the clocks of one cluster from another's
 * @param tree the number of the tree that a node starts with at least: a broker that takes the
 *     place of one that is lost for good gets a higher one than any before
 * @param flushMicros how long a broker holds a metadata flush (III-F); between cloudlets without
 *     brokers, how often they flush
 * @param resendMicros after which what was not acknowledged is sent again
 * @param largestValue of an object, characters
 * @param versions how many updates of an object a cloudlet keeps
 * @param asPublished repairs that are switched off, by their names in the specifications, and
 *     readings of the text
 * @param seals by which cloudlets know that clients' clocks are theirs
 */
public record EngageConfig(
    long cluster,
    long tree,
    long flushMicros,
    long resendMicros,
    int largestValue,
    int versions,
    List<String> asPublished,
    Seals seals) {

  /** News of an update raises its source's entry alone. */
  public static final String OWN_ENTRY = "ownEntry";

  /** An entry stops short of updates that still wait. */
  public static final String HOLD_FLUSH = "holdFlush";

  /** Concurrent updates of an object are ordered alike everywhere. */
  public static final String TOTAL_ORDER = "totalOrder";

  /** Clocks are left out only while the cloudlet's clock covers them. */
  public static final String COVERED = "covered";

  /** A write always brings the clocks. */
  public static final String SEND_ON_WRITE = "sendOnWrite";

  /** A client's next update is tagged with all that its last was tagged with. */
  public static final String KEEP_TAG = "keepTag";

  /** Links resend what was not acknowledged. */
  public static final String RESEND = "resend";

  /** A broker keeps its pending flushes on disk. */
  public static final String DURABLE_BROKER = "durableBroker";

  /** A cloudlet keeps its clock and its queue on disk. */
  public static final String DURABLE_CLOUDLET = "durableCloudlet";

  /** The reading that an update is applied when it comes. */
  public static final String AT_ONCE = "at-once";

  /** The reading that clients always send their clocks. */
  public static final String CLOCKS_ALWAYS = "clocks-always";

  /** The reading that a flush between cloudlets carries the whole clock. */
  public static final String FLUSH_STATE = "flush-state";

  /** Repairs of what clients are promised. */
  public static final List<String> SESSION_REPAIRS =
      List.of(OWN_ENTRY, HOLD_FLUSH, TOTAL_ORDER, COVERED, SEND_ON_WRITE, KEEP_TAG);

  /** Those, and repairs of how notifications reach everybody. */
  public static final List<String> REPAIRS =
      both(SESSION_REPAIRS, RESEND, DURABLE_BROKER, DURABLE_CLOUDLET);

  /** Everything that {@link #asPublished} may name. */
  public static final List<String> BEHAVIOURS = both(REPAIRS, AT_ONCE, CLOCKS_ALWAYS, FLUSH_STATE);

  public EngageConfig {
    asPublished = List.copyOf(asPublished);
    if (flushMicros < 0 || resendMicros < 1 || largestValue < 1 || versions < 1 || tree < 1) {
      throw new IllegalArgumentException(
          "a flush waits 0 µs at least; resending, values, versions and trees need 1 at least");
    }
  }

  private static List<String> both(List<String> some, String... others) {
    return Stream.concat(some.stream(), Stream.of(others)).toList();
  }

  /** The same, with this repair switched off as well. */
  public EngageConfig without(String repair) {
    List<String> off = new ArrayList<>(asPublished);
    off.add(repair);
    return new EngageConfig(
        cluster, tree, flushMicros, resendMicros, largestValue, versions, off, seals);
  }

  /** The same, for a node that starts with this tree at least. */
  public EngageConfig inTree(long number) {
    return new EngageConfig(
        cluster, number, flushMicros, resendMicros, largestValue, versions, asPublished, seals);
  }

  boolean repaired(String repair) {
    return !asPublished.contains(repair);
  }

  boolean reads(String reading) {
    return asPublished.contains(reading);
  }
}
