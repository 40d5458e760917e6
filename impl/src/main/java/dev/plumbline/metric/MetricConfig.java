package dev.plumbline.metric;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * How the machines are configured. Times are microseconds.
 *
 * @param tables all there are of whole transactions, in the order in which own() locks their keys
 * @param leaseMicros after which without a heartbeat the store takes a lock away
 * @param heartbeatMicros how often a holder says that it is there
 * @param resendMicros after which what was not answered is sent again
 * @param patienceMicros how long a process waits for a lock
 * @param alpha transactions after which a process gives its tables back
 * @param asPublished repairs that are switched off, by their names in the specifications
 */
public record MetricConfig(
    List<String> tables,
    long leaseMicros,
    long heartbeatMicros,
    long resendMicros,
    long patienceMicros,
    long alpha,
    List<String> asPublished) {

  private static final int SHARED = 1 << 16;

  /** Writes are ordered by lock reference, not by the clients' clocks. */
  public static final String REF_STAMP = "refStamp";

  /** After a forced release the next holder writes the newest value back before anything else. */
  public static final String SYNC = "sync";

  /** Replicas refuse smaller references than the one that synchronized. */
  public static final String FENCE = "fence";

  /** A later query keeps the locks and moves the tables used so far. */
  public static final String HOLD = "hold";

  /** A later query's own() returns a nack when a table in use was taken over. */
  public static final String UNBROKEN = "unbroken";

  /** own() gives back what stays in older entries. */
  public static final String SINGLE = "single";

  /** A read-only transaction ends with a critical operation. */
  public static final String READ_CHECK = "readCheck";

  /** Populate replaces a table whose records did not all come from the log. */
  public static final String REBUILD = "rebuild";

  /** The local tx-queue is emptied on restart and on a nack. */
  public static final String DISCARD = "discard";

  /** A request that is in the log is answered from there. */
  public static final String DEDUPE = "dedupe";

  /** Once the append is sent, a failure is reported as unknown. */
  public static final String UNKNOWN = "unknown";

  /** Everything that {@link #asPublished} may name. */
  public static final List<String> BEHAVIOURS =
      List.of(
          REF_STAMP,
          SYNC,
          FENCE,
          HOLD,
          UNBROKEN,
          SINGLE,
          READ_CHECK,
          REBUILD,
          DISCARD,
          DEDUPE,
          UNKNOWN);

  public MetricConfig {
    tables = List.copyOf(tables);
    asPublished = List.copyOf(asPublished);
    if (leaseMicros < 1 || heartbeatMicros < 1 || resendMicros < 1 || patienceMicros < 1) {
      throw new IllegalArgumentException("every time has to be 1 µs at least");
    } else if (alpha < 1 || tables.isEmpty()) {
      throw new IllegalArgumentException("there is a table at least, and alpha is 1 at least");
    }
  }

  /** The same, with this repair switched off as well. */
  public MetricConfig without(String repair) {
    List<String> off = new ArrayList<>(asPublished);
    off.add(repair);
    return new MetricConfig(
        tables, leaseMicros, heartbeatMicros, resendMicros, patienceMicros, alpha, off);
  }

  /** Whether a repair is in force. */
  public boolean repaired(String repair) {
    return !asPublished.contains(repair);
  }

  /** The key of a table, which names its latest entry. */
  public static String tableKey(String table) {
    return "table " + table;
  }

  /** The key of an entry. */
  public static String entryKey(Uuid entry) {
    return "entry " + entry;
  }

  /** The entry that initialization makes for a table; tables that are not listed share some. */
  public Uuid first(String table) {
    int listed = tables.indexOf(table);
    return new Uuid(0, listed < 0 ? -1L - Math.floorMod(table.hashCode(), SHARED) : listed + 1L);
  }

  /** In which order tables' keys are locked: those that are listed, then others by their names. */
  Comparator<String> order() {
    return Comparator.comparingInt(
            (String t) -> tables.contains(t) ? tables.indexOf(t) : tables.size())
        .thenComparing(Comparator.naturalOrder());
  }
}
