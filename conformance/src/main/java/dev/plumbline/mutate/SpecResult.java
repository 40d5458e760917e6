package dev.plumbline.mutate;

import java.util.Map;

/**
 * What the checks say about one mutant.
 *
 * @param properties each property that judged it: killed, holds, or open where a limit or an error
 *     came first
 * @param note what else is worth knowing: the first foreign step, an error, a missed band
 * @param reason from mutants.yaml, or empty
 */
record SpecResult(
    Mutant mutant, Fate verdict, Map<String, String> properties, String note, String reason) {

  boolean killedBy(String property) {
    return "killed".equals(properties.get(property));
  }

  /** Survives and nobody has argued why. */
  boolean unanswered() {
    return verdict.open() && reason.isEmpty();
  }

  /** Has a reason in mutants.yaml, and is judged not to need it. */
  boolean needless() {
    return !verdict.open() && !reason.isEmpty() && verdict != Fate.REACHED;
  }
}
