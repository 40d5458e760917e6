package dev.plumbline.check;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Expect;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.Part;
import dev.plumbline.protocol.Near;
import dev.plumbline.tlc.Checker.Outcome;
import dev.plumbline.tlc.Checker.Taken;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The judgement on one check.
 *
 * @param verdict holds, violated, reached or sampled where that was expected, else FAILED; not run
 *     without the tool; environment where this machine kept the check from a verdict
 * @param message what happened, for a failed check and for one not run; why a sample says little
 * @param counterexample file of the trace relative to the repository, or empty
 */
public record Result(
    String protocol,
    String check,
    String module,
    boolean main,
    String lane,
    String engine,
    String expect,
    List<String> claims,
    String finding,
    String why,
    String verdict,
    String message,
    long generated,
    long distinct,
    int depth,
    long millis,
    boolean cached,
    List<Taken> actions,
    String counterexample,
    ObjectNode manifest) {
  public boolean failed() {
    return verdict.equals("FAILED");
  }

  /** What machines share and a merge joins. */
  Part part() {
    return new Part(protocol + "/" + check, ending(), verdict, message, Math.max(0, millis));
  }

  /** What {@link #exit} says of it, so that a merge says what one machine would. */
  private Ending ending() {
    if (verdict.equals("not run")) {
      return Ending.NOT_RUN;
    } else if (environment()) {
      return Ending.ENVIRONMENT;
    }
    return failed() ? Ending.VIOLATED : Ending.HOLDS;
  }

  /** This machine kept the check from a verdict: a full disk, a killed process. */
  public boolean environment() {
    return verdict.equals("environment");
  }

  /** The exit code that speaks for all: 1 where a check failed, else 3 where the machine did. */
  public static int exit(List<Result> results) {
    return results.stream().anyMatch(Result::failed)
        ? 1
        : results.stream().anyMatch(Result::environment) ? 3 : 0;
  }

  /** Judges what came out against what the check expects. */
  static Result judge(
      Plan plan, Outcome o, boolean cached, String counterexample, ObjectNode manifest) {
    List<String> faults = new ArrayList<>();
    String verdict = verdict(plan, o, faults);
    return of(
        plan.check,
        faults.isEmpty() ? verdict : "FAILED",
        String.join("; ", faults.isEmpty() ? plan.doubts() : faults),
        o,
        cached,
        counterexample,
        manifest);
  }

  static Result notRun(Plan plan, String message, ObjectNode manifest) {
    return without(plan, "not run", message, manifest);
  }

  static Result environment(Plan plan, String message, ObjectNode manifest) {
    return without(plan, "environment", message, manifest);
  }

  private static Result without(Plan plan, String verdict, String message, ObjectNode manifest) {
    Outcome none = new Outcome("", "", "", -1, -1, -1, 0, List.of(), null, List.of(), 0, "");
    return of(plan.check, verdict, message, none, false, "", manifest);
  }

  private static Result of(
      Check c,
      String verdict,
      String message,
      Outcome o,
      boolean cached,
      String counterexample,
      ObjectNode manifest) {
    return new Result(
        c.protocol(),
        c.id(),
        c.module(),
        c.main(),
        c.lane(),
        c.engine(),
        c.expectation(),
        c.claims(),
        c.finding(),
        c.why(),
        verdict,
        message,
        o.generated(),
        o.distinct(),
        o.depth(),
        o.millis(),
        cached,
        o.actions(),
        counterexample,
        manifest);
  }

  private static String verdict(Plan plan, Outcome o, List<String> faults) {
    Check c = plan.check;
    String violated = violated(plan, o);
    if (c.expect() == Expect.HOLDS) {
      if (o.outcome().equals("limit")) {
        faults.add(
            "given up at %,d distinct states; the band ends at %,d"
                .formatted(o.distinct(), c.high()));
        return "";
      }
      if (!o.outcome().equals("ok")) {
        faults.add(violated);
        return "";
      }
      if (c.engine().equals("tlc")) {
        band(c, o, faults);
        coverage(c, o, faults);
      }
      return c.engine().equals("simulate") ? "sampled" : "holds";
    }
    boolean reach = c.expect() == Expect.REACHES;
    if (o.outcome().equals("limit")) {
      faults.add(
          "given up: %s within %,d distinct states, more than such a search should take; if it does, add states: [1, HIGH] to the check"
              .formatted(
                  c.target() + (reach ? " is not reached" : " is not violated"), o.distinct()));
    } else if (o.outcome().equals("ok")) {
      faults.add(
          reach ? c.target() + " is not reached" : c.target() + " holds, expected to be violated");
    } else if (!violated.equals((reach ? "PlumbUnreached" : c.target()) + " is violated")) {
      faults.add(
          violated
              + (reach ? " before " + c.target() + " was reached" : ", expected: " + c.target()));
    }
    return reach ? "reached" : "violated";
  }

  /** What went wrong in the model, in words; "NAME is violated" for a property. */
  private static String violated(Plan plan, Outcome o) {
    return switch (o.outcome()) {
      case "invariant", "step", "temporal" -> property(plan, o) + " is violated";
      case "deadlock" -> "the model deadlocks";
      case "assumption" -> "an ASSUME is false: " + o.property();
      default -> "TLC stopped: " + o.message().replaceAll("\\s+", " ");
    };
  }

  /** What is violated; of several temporal properties TLC does not say which. */
  static String property(Plan plan, Outcome o) {
    if (!o.outcome().equals("temporal")) {
      return o.property();
    }
    List<String> live =
        plan.config.list("PROPERTY").stream().filter(p -> !p.endsWith("Step")).toList();
    return live.size() == 1 ? live.get(0) : "one of " + String.join(", ", live);
  }

  private static void band(Check c, Outcome o, List<String> faults) {
    if (o.distinct() < c.low() || o.distinct() > c.high()) {
      faults.add(
          "%,d distinct states lie outside the band [%,d, %,d]"
              .formatted(o.distinct(), c.low(), c.high()));
    }
  }

  private static void coverage(Check c, Outcome o, List<String> faults) {
    Set<String> taken = new HashSet<>();
    Set<String> all = new TreeSet<>();
    for (Taken t : o.actions()) {
      all.add(t.action());
      if (t.taken() != 0) {
        taken.add(t.action());
      }
    }
    List<String> demanded =
        c.coverage() != null ? c.coverage() : o.actions().stream().map(Taken::action).toList();
    List<String> dead =
        demanded.stream().filter(a -> !taken.contains(a) && !c.waive().containsKey(a)).toList();
    if (!dead.isEmpty()) {
      faults.add("never taken: " + String.join(", ", dead));
    }
    for (String w : c.waive().keySet()) {
      if (!all.contains(w)) {
        faults.add(
            "waived is %s, no action of Next: %s"
                .formatted(w, Near.remedy(w, all, "there are " + String.join(", ", all))));
      } else if (taken.contains(w)) {
        faults.add("waived without need: " + w);
      }
    }
  }
}
