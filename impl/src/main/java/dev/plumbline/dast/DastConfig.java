package dev.plumbline.dast;

import java.util.List;
import java.util.stream.Stream;

/**
 * Periods of the protocol, microseconds, and what else its processes are told.
 *
 * @param tellMicros a process tells its region its clock this often
 * @param resendMicros what was not answered is sent again after this long
 * @param rttMicros a manager's estimate of a round trip before it measured one
 * @param suspectMicros a member that is silent for so long is removed; 0 if nodes are never
 *     replaced
 * @param partBytes a new replica gets a checkpoint that is longer, by an estimate, in parts
 * @param asPublished published behaviours in place of repairs, of {@link #BEHAVIOURS}
 */
public record DastConfig(
    long tellMicros,
    long resendMicros,
    long rttMicros,
    long suspectMicros,
    long partBytes,
    List<String> asPublished) {
  /** A thirtieth of the longest message that processes take. */
  public static final long PART_BYTES = 1 << 20;

  /** The longest time: sums with clocks' readings do not overflow. */
  private static final long LONGEST = 1_000_000_000_000L;

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

  /**
   * Without the repair CommittedWins: a CRT of a removed coordinator is aborted, even if a member
   * has committed it.
   */
  public static final String COMMITTED_ABORTED = "committed-aborted";

  /** Without the repair ReportAll: a removed node's committed IRTs are not reported. */
  public static final String COMMITTED_UNREPORTED = "committed-unreported";

  /** Without the repair Inherit: nobody tells others of a removed node's transactions. */
  public static final String LEGACY_UNTOLD = "legacy-untold";

  /** Without the repair AddVote: a new replica starts where its manager's clock was. */
  public static final String JOIN_LOW = "join-low";

  /** Without the repair KeepAnticipated: a new manager knows the old one's clock alone. */
  public static final String ANTICIPATED_LOST = "anticipated-lost";

  /**
   * Without the repair ReportOwn: members report IRTs of the removed node alone, and its
   * acknowledgements count until the change is taken.
   */
  public static final String OWN_UNREPORTED = "own-unreported";

  /**
   * Without the repair ReportOwnCrt: a CRT that a member coordinates is known to those alone who
   * kept its commit, whoever of them is removed.
   */
  public static final String OWN_CRT_UNREPORTED = "own-crt-unreported";

  /**
   * Without the repair ReportPart: a region forgets a CRT of another region whose voters are
   * replaced one by one.
   */
  public static final String PART_UNREPORTED = "part-unreported";

  /**
   * Without the repair KeepPrepared: a CRT that a member coordinates and has not decided is known
   * to those alone who keep it, whoever of them is removed.
   */
  public static final String PREPARED_FORGOTTEN = "prepared-forgotten";

  /** Without the repair ViewVotes: votes of different views make a majority. */
  public static final String VOTES_MIXED = "votes-mixed";

  /** Those of failover, which matter where nodes may be replaced. */
  static final List<String> FAILOVER =
      List.of(
          ANTICIPATED_LOST,
          COMMITTED_ABORTED,
          COMMITTED_UNREPORTED,
          JOIN_LOW,
          LEGACY_UNTOLD,
          OWN_CRT_UNREPORTED,
          OWN_UNREPORTED,
          PART_UNREPORTED,
          PREPARED_FORGOTTEN,
          VOTES_MIXED);

  /** All published behaviours. */
  public static final List<String> BEHAVIOURS =
      Stream.concat(
              Stream.of(EQUAL_TIMES, LATE_PREPARE, STRETCHED_LOW, STRETCHED_STAYS),
              FAILOVER.stream())
          .sorted()
          .toList();

  public DastConfig {
    within("partBytes", partBytes, 1, 2 * PART_BYTES);
    within("tellMicros", tellMicros, 1, LONGEST);
    within("resendMicros", resendMicros, 1, LONGEST);
    within("rttMicros", rttMicros, 0, LONGEST);
    within("suspectMicros", suspectMicros, 0, LONGEST);
    asPublished = List.copyOf(asPublished);
  }

  /** Without replacement of nodes. */
  public DastConfig(long tellMicros, long resendMicros, long rttMicros, List<String> asPublished) {
    this(tellMicros, resendMicros, rttMicros, 0, PART_BYTES, asPublished);
  }

  private static void within(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " is " + value + "; it is from " + least + " to " + most);
    }
  }

  boolean failover() {
    return suspectMicros > 0;
  }

  boolean repaired(String behaviour) {
    return !asPublished.contains(behaviour);
  }
}
