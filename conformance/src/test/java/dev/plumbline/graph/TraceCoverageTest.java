package dev.plumbline.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.SimulationRun;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.LogVerdict;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.Validator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceCoverageTest {
  @TempDir Path root;

  private TraceCoverage coverage(String... waivers) throws IOException {
    Path folder = Files.createDirectories(root.resolve("specs/p"));
    StringBuilder yaml = new StringBuilder("traces:\n");
    for (int i = 0; i < waivers.length; i += 2) {
      yaml.append("  - {action: ").append(waivers[i]).append(", faults: \"");
      yaml.append(waivers[i + 1]).append("\", reason: r}\n");
    }
    Files.writeString(folder.resolve("coverage.yaml"), yaml);
    TraceCoverage c = new TraceCoverage(Coverage.read(root, "p"), List.of("M.Always", "M.OnCrash"));
    for (FaultKind kind : FaultKind.values()) {
      c.count(kind, 1, verdict(Map.of("Always", 2, "Elsewhere", 1), Optional.empty()));
    }
    c.count(FaultKind.CRASH, 1, verdict(Map.of("OnCrash", 1), Optional.empty()));
    return c;
  }

  private static LogVerdict verdict(
      Map<String, Integer> taken, Optional<LogVerdict.Rejection> rejection) {
    return new LogVerdict("M", 9, 9, taken, 1, "", 0, rejection);
  }

  @Test
  void aMisspeltKeyIsNoWaiver() throws IOException {
    Path file = Files.createDirectories(root.resolve("specs/p")).resolve("coverage.yaml");
    for (String wrong :
        List.of(
            "trace: []",
            "lockstep: {wavied: []}",
            "traces: [{action: M.A, fault: '*', reason: r}]",
            "corpus: [{action: M.A, reasons: r}]")) {
      Files.writeString(file, wrong);
      assertThatThrownBy(() -> Coverage.read(root, "p"))
          .isInstanceOf(InputError.class)
          .hasMessageContaining("unknown key ")
          .extracting(e -> ((InputError) e).describe())
          .asString()
          .contains("coverage.yaml:1: ", "did you mean ");
    }
  }

  @Test
  void seedsBeginWhereTheFileSays() throws IOException {
    Path file = Files.createDirectories(root.resolve("specs/p")).resolve("coverage.yaml");
    Files.writeString(file, "seeds: {pause: 11}");
    Coverage c = Coverage.read(root, "p");
    assertThat(c.firstSeed(FaultKind.PAUSE)).isEqualTo(11);
    assertThat(c.firstSeed(FaultKind.LOSS)).isEqualTo(1);
    for (String wrong : List.of("seeds: {rain: 1}", "seeds: {pause: 0}")) {
      Files.writeString(file, wrong);
      assertThatThrownBy(() -> Coverage.read(root, "p"))
          .isInstanceOf(InputError.class)
          .extracting(e -> ((InputError) e).file())
          .isEqualTo(file.toString());
    }
  }

  @Test
  void stepsOfARejectedLogDoNotCount() throws IOException {
    Files.createDirectories(root.resolve("specs/p"));
    TraceCoverage c = new TraceCoverage(Coverage.read(root, "p"), List.of("M.Always"));
    TraceEvent event =
        new TraceEvent(
            1, "n", "n", 1, 1, "M.Gone", Map.of(), Optional.empty(), "", List.of(), 0, Map.of());
    LogVerdict.Rejection rejection =
        new LogVerdict.Rejection(
            8,
            MergedLog.of(Map.of("n.ndjson", List.of(event))).entries().get(0),
            "Gone",
            "not enabled",
            false,
            Map.of(),
            List.of(),
            1,
            List.of(),
            List.of());
    for (FaultKind kind : FaultKind.values()) {
      c.count(kind, 7, verdict(Map.of("Always", 8), Optional.of(rejection)));
    }
    assertThat(c.counts().get("M.Always")).isEmpty();
    assertThat(c.problems())
        .contains(
            "the log of seed 7 under loss alone is no behaviour of M",
            "no trace under loss alone takes M.Always");
  }

  /** Of a log that is none the run is to blame, so that coverage fails and says why. */
  @ParameterizedTest
  @CsvSource({
    "'\"at\":', '\"at\":1', '\"at\" goes back'",
    "'\"action\":', '\"act\":', 'no field \"act\"; an event has'",
    "'(\"Mvto.IssueWrite\",\"args\":\\{)[^}]*', $1, 'Mvto.IssueWrite has no argument t'"
  })
  void aLogThatIsNoneIsAProblem(String text, String by, String why) throws IOException {
    Files.createDirectories(root.resolve("specs/p"));
    TraceCoverage c = new TraceCoverage(Coverage.read(root, "p"), List.of());
    RunResult run =
        SimulationRun.of(
            new RunConfig(
                Protocols.named("k2"),
                3,
                20,
                "list-append",
                Set.of(),
                Set.of(),
                new TreeSet<>(),
                new TreeMap<>(),
                Optional.empty(),
                Optional.empty(),
                true));
    TreeMap<String, byte[]> traces = new TreeMap<>();
    run.traces()
        .forEach(
            (node, log) ->
                traces.put(
                    node,
                    new String(log, StandardCharsets.UTF_8)
                        .replaceFirst(text, by)
                        .getBytes(StandardCharsets.UTF_8)));
    c.add(
        FaultKind.LOSS,
        Conformance.named("k2"),
        new Validator(Path.of("..")),
        new RunResult(
            run.config(), run.plan(), run.history(), traces, run.violations(), run.stats()));
    assertThat(c.problems())
        .singleElement()
        .asString()
        .startsWith("the log of seed 3 under loss alone is no log: ")
        .contains(why);
  }

  @Test
  void anActionWithoutAStepUnderAFaultIsAProblem() throws IOException {
    assertThat(coverage().problems())
        .hasSize(FaultKind.values().length - 1)
        .contains("no trace under loss alone takes M.OnCrash");
  }

  @Test
  void waiversCloseTheGap() throws IOException {
    assertThat(
            coverage(
                    "M.OnCrash",
                    "loss, duplicate, delay, reorder, partition, pause, clock, failover")
                .problems())
        .isEmpty();
  }

  @Test
  void aWaiverMayNameAllActionsOfAModule() throws IOException {
    assertThat(coverage("M.*", "loss").problems())
        .hasSize(FaultKind.values().length - 1)
        .doesNotContain("no trace under loss alone takes M.OnCrash")
        .contains(
            "coverage.yaml waives M.Always under loss, but traces take it: remove the waiver");
    assertThat(coverage("Gone.*", "loss").problems())
        .contains(
            "coverage.yaml waives Gone.* under loss, but the specification has no such action");
  }

  @Test
  void aWaiverThatIsNotNeededOrMeansNothingIsAProblem() throws IOException {
    assertThat(coverage("M.Always", "loss", "M.OnCrash", "*,rain", "M.Gone", "*").problems())
        .containsExactlyInAnyOrder(
            "coverage.yaml waives M.Always under loss, but traces take it: remove the waiver",
            "coverage.yaml waives M.Gone under *, but the specification has no such action",
            "coverage.yaml waives M.OnCrash under *, but traces take it under [crash]: narrow the"
                + " waiver",
            "coverage.yaml waives M.OnCrash under rain, which is no kind of fault");
  }
}
