package dev.plumbline.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.protocol.FaultKind;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.LogVerdict;
import dev.plumbline.validate.MergedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
