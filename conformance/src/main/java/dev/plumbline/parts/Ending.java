package dev.plumbline.parts;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** How a part ended. Five outcomes of what ran, never mixed, and {@link #NOT_RUN} for the rest. */
public enum Ending {
  HOLDS,
  /** Something that should hold does not. */
  VIOLATED,
  /** Judges cannot tell, or the input is broken so that nothing was decided. */
  UNKNOWN,
  /** The time allowed was over first. */
  TIME_OUT,
  /** The machine lacks something or failed. */
  ENVIRONMENT,
  /** Nothing was tried: an optional tool is absent, or there is nothing to run yet. */
  NOT_RUN;

  /** By weight: of two reports of one part the weightier one counts. */
  private static final List<Ending> RISING =
      List.of(NOT_RUN, HOLDS, TIME_OUT, UNKNOWN, ENVIRONMENT, VIOLATED);

  /**
   * What an exit code says: a command's, or an entry point's, which has 124 where its time was over
   * and else that of whoever ended it.
   */
  public static Ending of(int exit) {
    return switch (exit) {
      case -1 -> NOT_RUN;
      case 0 -> HOLDS;
      case 1 -> VIOLATED;
      case 2, 4 -> UNKNOWN;
      case 124 -> TIME_OUT;
      default -> ENVIRONMENT;
    };
  }

  /**
   * The exit code of a run with these outcomes: a violation outweighs all, then the environment.
   */
  public static int exit(Iterable<Ending> outcomes) {
    int exit = 0;
    for (Ending o : outcomes) {
      exit =
          switch (o) {
            case VIOLATED -> 1;
            case ENVIRONMENT -> exit == 1 ? 1 : 3;
            case UNKNOWN, TIME_OUT -> exit == 0 ? 4 : exit;
            case HOLDS, NOT_RUN -> exit;
          };
    }
    return exit;
  }

  /** Whether it outweighs another one; what ran outweighs what did not. */
  public boolean worse(Ending other) {
    return RISING.indexOf(this) > RISING.indexOf(other);
  }

  /** In words, as reports have it. */
  public static Ending parse(String words) {
    return Arrays.stream(values())
        .filter(e -> e.toString().equals(words))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no outcome \""
                        + words
                        + "\"; there are "
                        + Arrays.stream(values())
                            .map(Ending::toString)
                            .collect(Collectors.joining(", "))));
  }

  @Override
  public String toString() {
    return this == TIME_OUT ? "time-out" : name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
