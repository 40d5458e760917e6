package dev.plumbline.check;

import dev.plumbline.check.Checks.Check;
import dev.plumbline.parts.Costs;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * What checks are expected to take. Those that nobody has timed are reckoned by the states of their
 * band, as the timed checks of the same module took for theirs.
 */
public final class CheckTimes {
  /** Milliseconds that a check takes for its first state. */
  private static final long START = 500;

  /** Distinct states that timed checks must have, so that their times say what a state takes. */
  private static final long ENOUGH = 1000;

  /** Milliseconds a state where nothing is timed at all. */
  private static final double A_STATE = 0.3;

  private CheckTimes() {}

  /**
   * Milliseconds by the names of the checks. One that is not timed and has no band takes the median
   * of the timed ones that have none, and 0 where there are none.
   *
   * @param timed milliseconds of a check; less than 1 where nobody knows
   */
  public static Map<String, Long> expected(Collection<Check> checks, ToLongFunction<Check> timed) {
    double any = aState(checks, timed, A_STATE);
    Map<String, Double> byModule = new LinkedHashMap<>();
    Map<String, Long> unbanded = new LinkedHashMap<>();
    Map<String, Long> expected = new LinkedHashMap<>();
    for (Check c : checks) {
      long known = timed.applyAsLong(c);
      expected.put(c.name(), known);
      if (c.low() <= 0) {
        unbanded.put(c.name(), known);
      } else if (known < 1) {
        double rate =
            byModule.computeIfAbsent(
                module(c),
                module ->
                    aState(
                        checks.stream().filter(o -> module(o).equals(module)).toList(),
                        timed,
                        any));
        expected.put(c.name(), START + Math.round(c.low() * rate));
      }
    }
    expected.putAll(Costs.expected(unbanded, name -> ""));
    return expected;
  }

  private static String module(Check check) {
    return check.protocol() + "/" + check.module();
  }

  /** Milliseconds that timed checks took for each of their states. */
  private static double aState(
      Collection<Check> checks, ToLongFunction<Check> timed, double otherwise) {
    List<Check> known =
        checks.stream().filter(c -> c.low() > 0 && timed.applyAsLong(c) > 0).toList();
    long states = known.stream().mapToLong(Check::low).sum();
    long millis = known.stream().mapToLong(c -> Math.max(0, timed.applyAsLong(c) - START)).sum();
    return states < ENOUGH || millis == 0 ? otherwise : (double) millis / states;
  }
}
