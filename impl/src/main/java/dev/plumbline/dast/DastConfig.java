package dev.plumbline.dast;

import java.util.List;

/**
 * Periods of the protocol, microseconds.
 *
 * @param tellMicros a process tells its region its clock this often
 * @param resendMicros what was not answered is sent again after this long
 * @param rttMicros a manager's estimate of a round trip before it measured one
 * @param suspectMicros a member that is silent for so long is removed; 0 if nodes are never
 *     replaced
 * @param stepwise a node does nothing of its own accord after an input: whoever drives it asks for
 *     each step of the specification ({@link DastTimer.Tell}, {@link DastTimer.Execute}, and an own
 *     acknowledgement to commit an IRT); otherwise it commits, tells and executes at once
 * @param asPublished published behaviours in place of repairs, of {@link #BEHAVIOURS}
 */
public record DastConfig(
    long tellMicros,
    long resendMicros,
    long rttMicros,
    long suspectMicros,
    boolean stepwise,
    List<String> asPublished) {
  /** Without the repair Follow: a stretched clock is not moved by those of its region. */
  public static final String STRETCHED_STAYS = "stretched-stays";

  /** Without the repair Vote: a CRT waits at its anticipated timestamp even if that is over. */
  public static final String LATE_PREPARE = "late-prepare";

  /**
   * Without the repair Climb: a clock that meets the head of waitQ stays where it was last read.
   */
  public static final String STRETCHED_LOW = "stretched-low";

  /** Without the repair Apart: two CRTs may have the same commit time. */
  public static final String EQUAL_TIMES = "equal-times";

  /** All published behaviours. */
  public static final List<String> BEHAVIOURS =
      List.of(EQUAL_TIMES, LATE_PREPARE, STRETCHED_LOW, STRETCHED_STAYS);

  public DastConfig {
    asPublished = List.copyOf(asPublished);
  }

  /** Without replacement of nodes. */
  public DastConfig(long tellMicros, long resendMicros, long rttMicros, List<String> asPublished) {
    this(tellMicros, resendMicros, rttMicros, 0, false, asPublished);
  }

  boolean failover() {
    return suspectMicros > 0;
  }

  boolean repaired(String behaviour) {
    return !asPublished.contains(behaviour);
  }
}
