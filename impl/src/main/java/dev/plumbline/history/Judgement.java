package dev.plumbline.history;

import java.util.List;
import java.util.Locale;

/**
 * What one judge says about a history.
 *
 * @param judge who: witness, bank, adya or elle
 * @param subject what was put before it, such as "serializable, snapshot reads included"
 * @param outcome its verdict
 * @param reason one line: why it is unknown or did not run; else empty
 * @param anomalies what it objects to, the first in the history's order first, at most {@link
 *     #SHOWN}
 * @param count how many it found in all
 */
public record Judgement(
    String judge,
    String subject,
    Outcome outcome,
    String reason,
    List<Anomaly> anomalies,
    long count) {

  /** How many anomalies a judgement spells out. */
  public static final int SHOWN = 10;

  /** A verdict. */
  public enum Outcome {
    VALID,
    INVALID,
    /** The judge ran and cannot tell. */
    UNKNOWN,
    /** The judge did not look. */
    NOT_RUN;

    /** The name in reports. */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /**
   * One objection.
   *
   * @param kind a short name
   * @param text what was expected and what was found, in words
   * @param operations the indices of the operations concerned
   */
  public record Anomaly(String kind, String text, List<Long> operations) {}

  static Judgement notRun(String judge, String subject, String reason) {
    return new Judgement(judge, subject, Outcome.NOT_RUN, reason, List.of(), 0);
  }

  /**
   * The verdict of several judges: invalid if one objects, else unknown if one cannot tell, else
   * valid; {@code NOT_RUN} if nobody looked.
   */
  public static Outcome join(List<Judgement> judgements) {
    for (Outcome outcome : List.of(Outcome.INVALID, Outcome.UNKNOWN, Outcome.VALID)) {
      if (judgements.stream().anyMatch(judgement -> judgement.outcome() == outcome)) {
        return outcome;
      }
    }
    return Outcome.NOT_RUN;
  }
}
