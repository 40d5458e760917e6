package dev.plumbline.protocol;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
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

  /** The kind of a fault. */
  public static FaultKind of(Fault fault) {
    return switch (FaultPlan.kind(fault)) {
      case "true-time", "drift" -> CLOCK;
      default -> valueOf(FaultPlan.kind(fault).toUpperCase(Locale.ROOT));
    };
  }

  /** {@code all}, {@code none}, or kinds separated by commas. */
  public static Set<FaultKind> parse(String list) {
    return parse(list, EnumSet.allOf(FaultKind.class));
  }

  /**
   * The same for a protocol that tolerates some kinds only.
   *
   * @throws IllegalArgumentException for an unknown kind, or one that is not tolerated
   */
  public static Set<FaultKind> parse(String list, Set<FaultKind> tolerated) {
    if (list.equals("all")) {
      return tolerated;
    }
    Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
    if (list.equals("none")) {
      return kinds;
    }
    for (String name : list.split(",", -1)) {
      FaultKind named =
          Arrays.stream(values())
              .filter(kind -> kind.toString().equals(name.strip()))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "no fault kind \""
                              + name
                              + "\""
                              + Near.hint(name.strip(), names())
                              + " there are all, none, "
                              + String.join(", ", names())));
      if (!tolerated.contains(named)) {
        throw new IllegalArgumentException(
            "this implementation does not tolerate the fault "
                + named
                + "; it tolerates "
                + tolerated.stream().map(FaultKind::toString).collect(Collectors.joining(", ")));
      }
      kinds.add(named);
    }
    return kinds;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  private static List<String> names() {
    return Arrays.stream(values()).map(FaultKind::toString).toList();
  }
}
