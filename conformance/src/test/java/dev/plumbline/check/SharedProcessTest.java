package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.Child.ChildFailed;
import dev.plumbline.check.Child.Span;
import dev.plumbline.tlc.Checker.Job;
import dev.plumbline.tlc.Checker.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that share a process come out as if each had one of its own, to the last state. */
class SharedProcessTest {
  @TempDir Path root;

  private final Map<String, Job> jobs = new TreeMap<>();

  /** A module of one variable, with its configuration. */
  private void model(String name, String extend, String body, String config) throws IOException {
    Path module = root.resolve(name + ".tla");
    Path cfg = root.resolve(name + ".cfg");
    Files.writeString(
        module,
        "---- MODULE " + name + " ----\nEXTENDS " + extend + "\nVARIABLE x\n" + body + "\n====\n");
    Files.writeString(cfg, "INIT Init\nNEXT Next\n" + config + "\n");
    jobs.put(
        name,
        new Job(
            name,
            module.toString(),
            cfg.toString(),
            List.of(),
            root.resolve(name + ".log").toString(),
            root.resolve(name + ".meta").toString(),
            1,
            config.contains("DEADLOCK"),
            null,
            0));
  }

  /** TLC orders strings by when it first met them: both have a counterexample of their own. */
  private void models() throws IOException {
    String next = "Next == x' \\in {\"left\", \"right\"}\nInv == x = \"\"\n";
    model("ALeft", "Naturals", "Init == x \\in {\"left\", \"right\"}\n" + next, "INVARIANT Inv");
    model("BRight", "Naturals", "Init == x \\in {\"right\", \"left\"}\n" + next, "INVARIANT Inv");
    model(
        "CSteps",
        "Integers",
        "Init == x = 0\nUp == x < 5 /\\ x' = x + 1\nDown == x > 0 /\\ x' = 0\n"
            + "Next == Up \\/ Down\nUpStep == [][x' > x]_x",
        "PROPERTY UpStep");
    model(
        "DHolds",
        "Naturals",
        "CONSTANT N\nInit == x = 0\nUp == x < N /\\ x' = x + 1\nDown == x > 0 /\\ x' = x - 1\n"
            + "Next == Up \\/ Down\nInv == x \\in 0..N",
        "CONSTANT N = 7\nINVARIANT Inv");
    model(
        "EHolds",
        "Naturals, Sequences",
        "N == {\"left\"}\nInit == x = <<>>\nAdd(n) == Len(x) < 3 /\\ x' = Append(x, n)\n"
            + "Next == \\E n \\in N \\cup {\"b\", \"a\"} : Add(n)\nInv == Len(x) <= 3",
        "INVARIANT Inv");
    model(
        "FStops", "Naturals", "Init == x = 0\nNext == x < 2 /\\ x' = x + 1", "CHECK_DEADLOCK TRUE");
    model("GBroken", "Naturals", "Init == x = 0\nNext == x' = x[1]", "");
    model("HUnknown", "Naturals", "Init == x = 0\nNext == x' = unknown", "");
    model("IFalse", "Naturals", "ASSUME 1 = 2\nInit == x = 0\nNext == x' = 0", "");
  }

  private Outcome run(Child child, String name, Span span) throws ChildFailed {
    Outcome o = child.run(jobs.get(name), span, p -> {});
    return new Outcome(
        o.outcome(),
        o.property(),
        o.message(),
        o.generated(),
        o.distinct(),
        o.depth(),
        0,
        o.actions(),
        o.trace(),
        o.sequences(),
        o.loop(),
        o.version());
  }

  @Test
  void noRunDependsOnThoseBeforeIt() throws IOException, ChildFailed {
    models();
    Map<String, Outcome> alone = new TreeMap<>();
    for (String name : jobs.keySet()) {
      try (Child child = new Child(root.resolve("alone.err"), 200)) {
        alone.put(name, run(child, name, Span.BRIEF));
      }
    }
    assertThat(alone.values().stream().map(Outcome::outcome))
        .containsExactly(
            "invariant",
            "invariant",
            "step",
            "ok",
            "ok",
            "deadlock",
            "error",
            "error",
            "assumption");
    assertThat(alone.get("ALeft").trace()).isNotEqualTo(alone.get("BRight").trace());
    List<String> order = new ArrayList<>(jobs.keySet());
    order.addAll(jobs.keySet());
    for (int round = 0; round < 2; round++) {
      try (Child child = new Child(root.resolve("shared.err"), 200)) {
        for (String name : order) {
          assertThat(run(child, name, Span.SHARED)).as(name).isEqualTo(alone.get(name));
        }
      }
      Collections.reverse(order);
    }
  }
}
