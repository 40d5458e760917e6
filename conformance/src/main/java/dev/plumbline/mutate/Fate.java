package dev.plumbline.mutate;

import java.util.Locale;

/** What became of a mutant. Only {@link #KILLED} speaks for the properties. */
enum Fate {
  /** A named property is violated. */
  KILLED,
  /** No property is violated although it takes steps that the original doesn't. */
  SURVIVES,
  /** No property was violated until the limit; it takes steps that the original doesn't. */
  TIME_OUT,
  /** Each of its steps is the original's and some are missing: safety properties cannot object. */
  LOSES_BEHAVIOUR,
  /** Its steps are the original's, in every model that judges. */
  SAME_GRAPH,
  /** No model that judges ever evaluates what it changes: nothing was asked. */
  UNREACHED,
  /** A model that judges evaluates what it changes, and nothing else was asked. */
  REACHED,
  /**
   * Before any property is violated TLC cannot evaluate one, or an action; or an assumption fails.
   */
  EVALUATION_ERROR,
  DOES_NOT_PARSE;

  /** True when the mutant needs a reason in mutants.yaml. */
  boolean open() {
    return this == SURVIVES || this == TIME_OUT || this == UNREACHED;
  }

  @Override
  public String toString() {
    return this == TIME_OUT ? "time-out" : name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
