package dev.plumbline.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.history.HistoryFiles;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.sim.toy.ToySystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulationRunTest {
  @TempDir Path directory;

  static RunConfig config(long seed, String workload, Optional<SeededBug> bug) {
    return new RunConfig(
        new ToySystem(),
        seed,
        100,
        workload,
        EnumSet.allOf(FaultKind.class),
        Set.of(),
        new TreeSet<>(),
        new TreeMap<>(),
        bug,
        Optional.empty(),
        true);
  }

  static SeededBug halfDurable() {
    return Protocols.bugs("toy", SimulationRunTest.class.getClassLoader()).get(0);
  }

  @Test
  void aSeedReplaysByteForByte() throws IOException {
    RunResult first = SimulationRun.of(config(7, "list-append", Optional.empty()));
    RunResult second = SimulationRun.of(config(7, "list-append", Optional.empty()));

    assertThat(bytes(second)).isEqualTo(bytes(first));
    assertThat(second.traces().keySet()).isEqualTo(first.traces().keySet());
    first.traces().forEach((node, log) -> assertThat(second.traces().get(node)).isEqualTo(log));
    assertThat(bytes(SimulationRun.of(config(8, "list-append", Optional.empty()))))
        .isNotEqualTo(bytes(first));
  }

  /** Another JVM salts its immutable sets and maps, and hashes its objects, differently. */
  @Test
  void aSeedReplaysInAnotherJvm() throws IOException, InterruptedException {
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Fingerprint.class.getName(),
                "7")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String printed = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(other.waitFor()).isZero();
    assertThat(printed.strip())
        .isEqualTo(Fingerprint.of(SimulationRun.of(config(7, "list-append", Optional.empty()))));
  }

  @Test
  void aStoredPlanReplaysByteForByte() throws IOException {
    RunResult first = SimulationRun.of(config(7, "bank", Optional.empty()));
    FaultPlan stored = FaultPlan.fromJson(first.plan().toJson());
    RunResult second = SimulationRun.of(first.config().with(stored, 100));

    assertThat(stored).isEqualTo(first.plan());
    assertThat(bytes(second)).isEqualTo(bytes(first));
  }

  /** Of every protocol, with what its situations ask for and clocks beyond their bounds. */
  @Test
  void everyPlanThatIsMadeCanBeReadBack() throws IOException {
    for (ProtocolSystem protocol : Protocols.all()) {
      for (long seed = 1; seed <= 2_000; seed++) {
        RunConfig config =
            new RunConfig(
                protocol,
                seed,
                10,
                protocol.workloads().get(0),
                protocol.tolerated(),
                protocol.assumptions(),
                new TreeSet<>(),
                new TreeMap<>(),
                Optional.empty(),
                Optional.empty(),
                false);
        FaultPlan plan = SimulationRun.plan(config, protocol.situations());
        assertThat(FaultPlan.fromJson(plan.toJson())).isEqualTo(plan);
      }
    }
  }

  @Test
  void theCorrectProtocolPassesUnderAllFaults() throws InterruptedException {
    List<RunConfig> configs =
        LongStream.range(0, 30).mapToObj(seed -> config(seed, "bank", Optional.empty())).toList();
    List<Campaign.Report> reports = new ArrayList<>();
    new Campaign(Judges.all(), 2).run(configs, reports::add);

    assertThat(reports).hasSize(30).noneMatch(Campaign.Report::failed);
    TreeSet<String> kinds = new TreeSet<>();
    reports.forEach(report -> kinds.addAll(report.stats().faults().keySet()));
    assertThat(kinds)
        .containsExactly(
            "crash",
            "delay",
            "drift",
            "duplicate",
            "failover",
            "loss",
            "partition",
            "pause",
            "reorder");
    assertThat(reports).anyMatch(report -> report.stats().unknown() > 0);
    assertThat(reports.stream().flatMap(r -> r.stats().actions().keySet().stream()))
        .contains("Crash", "Restart", "Fenced", "Lose", "Run", "Hold", "Answer", "Resend");
  }

  @Test
  void aSeededBugIsCaughtAndShrunk() {
    Campaign campaign = new Campaign(Judges.all(), 1);
    RunResult failing =
        LongStream.range(0, 30)
            .mapToObj(seed -> SimulationRun.of(config(seed, "bank", Optional.of(halfDurable()))))
            .filter(result -> campaign.report(result).failed())
            .findFirst()
            .orElseThrow();
    Shrinker shrinker =
        new Shrinker(candidate -> campaign.report(candidate).failed(), 200, line -> {});

    RunConfig smallest = shrinker.shrink(failing.config(), failing.plan());

    FaultPlan plan = smallest.plan().orElseThrow();
    assertThat(plan.faults())
        .hasSizeLessThanOrEqualTo(2)
        .hasSizeLessThan(failing.plan().faults().size());
    assertThat(smallest.transactions()).isLessThan(100);
    assertThat(campaign.report(smallest).failed()).isTrue();
    assertThat(campaign.report(smallest.with(plan.with(List.of()), 100)).failed()).isFalse();
  }

  private byte[] bytes(RunResult result) throws IOException {
    Path file = directory.resolve("history.edn");
    HistoryFiles.write(file, result.history().ops());
    return Files.readAllBytes(file);
  }
}
