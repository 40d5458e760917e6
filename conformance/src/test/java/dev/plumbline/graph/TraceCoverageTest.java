package dev.plumbline.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.sim.FaultKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
      c.count(kind, List.of("M.Always", "Stutter"));
    }
    c.count(FaultKind.CRASH, List.of("M.OnCrash"));
    return c;
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
