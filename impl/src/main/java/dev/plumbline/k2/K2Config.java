package dev.plumbline.k2;

import java.util.List;
import java.util.stream.LongStream;

/**
 * How the machines are configured. Times are microseconds.
 *
 * @param ttlMicros how long a batch may be used, and how far its timestamps reach (section 4.3)
 * @param stepMicros distance of two timestamps of a batch
 * @param epsilonMicros a TrueTime interval is at most twice this wide
 * @param driftPpm bound of an interval clock's rate error, parts per million
 * @param epochMicros length of an epoch (section 6.3)
 * @param leaseMicros how long a data node may answer reads after it renewed its lease (section 5.3)
 * @param batchRetryMicros after which an unanswered request for a batch is sent again; twice that
 *     after the second, and so on up to the TTL, within which an answer is of use
 * @param resendMicros after which other unanswered messages are sent again
 * @param heartbeatMicros between two heartbeats of a coordinator
 * @param suspectMicros of silence after which a recorder suspects a coordinator (section 5.3)
 * @param patienceMicros without a client's request after which its transaction is given up
 * @param asPublished repairs that are switched off, by their names in the specifications, and
 *     readings of the text
 */
public record K2Config(
    long ttlMicros,
    long stepMicros,
    long epsilonMicros,
    long driftPpm,
    long epochMicros,
    long leaseMicros,
    long batchRetryMicros,
    long resendMicros,
    long heartbeatMicros,
    long suspectMicros,
    long patienceMicros,
    List<String> asPublished) {

  /** A reply of an oracle counts only for the request that it answers, once. */
  public static final String TIE_REPLY = "TieReply";

  /** The TTL is counted by the slowest clock allowed. */
  public static final String DRIFT_MARGIN = "DriftMargin";

  /** A timestamp names its issuer, which never issues one twice. */
  public static final String NAME_ISSUER = "NameIssuer";

  /** A recovered data node starts its read trackers above all reads that the old one served. */
  public static final String READ_FLOOR = "ReadFloor";

  /** A PUSHWS about an unknown transaction creates its record. */
  public static final String PUSH_REGISTERS = "PushRegisters";

  /** A transaction that wrote in an epoch above the ceiling of its timestamp is aborted. */
  public static final String CLOSE_EPOCHS = "CloseEpochs";

  /** The reading that a read enters the tracker when it is answered. */
  public static final String TRACK_AT_REPLY = "track-at-reply";

  /** Everything that {@link #asPublished} may name. */
  public static final List<String> BEHAVIOURS =
      List.of(
          TIE_REPLY,
          DRIFT_MARGIN,
          NAME_ISSUER,
          READ_FLOOR,
          PUSH_REGISTERS,
          CLOSE_EPOCHS,
          TRACK_AT_REPLY);

  private static final long MILLION = 1_000_000;

  public K2Config {
    asPublished = List.copyOf(asPublished);
    if (ttlMicros < 1 || stepMicros < 1 || epochMicros < 1 || leaseMicros < 1) {
      throw new IllegalArgumentException("TTL, step, epoch and lease need at least 1 µs each");
    }
    if (LongStream.of(
            batchRetryMicros, resendMicros, heartbeatMicros, suspectMicros, patienceMicros)
        .anyMatch(micros -> micros < 0)) {
      throw new IllegalArgumentException("every time has to be 0 µs at least");
    }
  }

  /** The repaired protocol with the paper's figures (sections 4.3, 6.3). */
  public static K2Config standard() {
    return new K2Config(
        100, 1, 100, 200, 100_000, 300_000, 5_000, 250_000, 100_000, 500_000, 1_500_000, List.of());
  }

  /** The same, with these repairs switched off. */
  public K2Config asPublished(List<String> behaviours) {
    return new K2Config(
        ttlMicros,
        stepMicros,
        epsilonMicros,
        driftPpm,
        epochMicros,
        leaseMicros,
        batchRetryMicros,
        resendMicros,
        heartbeatMicros,
        suspectMicros,
        patienceMicros,
        behaviours);
  }

  boolean repaired(String repair) {
    return !asPublished.contains(repair);
  }

  boolean tracksAtReply() {
    return asPublished.contains(TRACK_AT_REPLY);
  }

  /** The local time in which at least {@code micros} pass, whatever the clock does (4.2). */
  long waitAtLeast(long micros) {
    return micros + ceilDiv(micros * driftPpm, MILLION);
  }

  /** The local time in which at most {@code micros} pass; without margin as published (4.3). */
  long waitAtMost(long micros) {
    return repaired(DRIFT_MARGIN) ? micros - ceilDiv(micros * driftPpm, MILLION) : micros;
  }

  /**
   * CWT of section 4.4 in local time. Readings are rounded down, so that readings this far apart
   * may be up to 1 µs less; that the last timestamp of a batch is a step below its end covers it.
   */
  long commitWait() {
    return waitAtLeast(2 * (ttlMicros + epsilonMicros));
  }

  /** The local time after which a lease of another node, with another clock, is surely over. */
  long leaseOver() {
    return ceilDiv((leaseMicros + 1) * (MILLION + driftPpm), MILLION - driftPpm) + 1;
  }

  /** The promised end of an epoch, reference time (6.3). */
  long promised(long epoch) {
    return epoch * epochMicros;
  }

  /** The least epoch that ends at or after a timestamp (6.4). */
  long ceiling(Timestamp ts) {
    long whole = Math.floorDiv(ts.micros(), epochMicros);
    return Math.floorMod(ts.micros(), epochMicros) == 0 ? whole : whole + 1;
  }

  private static long ceilDiv(long dividend, long divisor) {
    return -Math.floorDiv(-dividend, divisor);
  }
}
