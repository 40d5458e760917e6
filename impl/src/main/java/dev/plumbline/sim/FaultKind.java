package dev.plumbline.sim;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The kinds of fault that {@code --faults} names. */
public enum FaultKind {
  LOSS,
  DUPLICATE,
  DELAY,
  REORDER,
  PARTITION,
  CRASH,
  PAUSE,
  /** TrueTime intervals anywhere within their bound; interval clocks drifting up to theirs. */
  CLOCK,
  FAILOVER;

  /** {@code all}, {@code none}, or kinds separated by commas. */
  public static Set<FaultKind> parse(String list) {
    if (list.equals("all")) {
      return EnumSet.allOf(FaultKind.class);
    }
    Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
    if (list.equals("none")) {
      return kinds;
    }
    for (String name : list.split(",", -1)) {
      kinds.add(
          Arrays.stream(values())
              .filter(kind -> kind.toString().equals(name.strip()))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "no fault kind \""
                              + name
                              + "\"; there are all, none, "
                              + Arrays.stream(values())
                                  .map(FaultKind::toString)
                                  .collect(Collectors.joining(", ")))));
    }
    return kinds;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
