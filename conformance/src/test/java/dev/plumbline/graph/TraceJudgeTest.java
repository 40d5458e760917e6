package dev.plumbline.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.sim.Judge.Ruling;
import dev.plumbline.sim.Judge.Verdict;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.SimulationRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceJudgeTest {
  private static RunResult run(boolean traced) {
    return SimulationRun.of(
        new RunConfig(
            Protocols.named("k2"),
            1,
            20,
            "list-append",
            FaultKind.parse("all"),
            Set.of(),
            new TreeSet<>(),
            new TreeMap<>(),
            Optional.empty(),
            Optional.empty(),
            traced));
  }

  private static List<Ruling> judge(RunResult result) {
    return judge(Path.of(".."), result);
  }

  private static List<Ruling> judge(Path root, RunResult result) {
    return TraceJudge.all(root, result.config().protocol()).stream()
        .map(judge -> judge.judge(result))
        .toList();
  }

  private static List<Ruling> without(RunResult run, String action) {
    TreeMap<String, byte[]> traces = new TreeMap<>();
    run.traces()
        .forEach(
            (node, log) ->
                traces.put(
                    node,
                    new String(log, StandardCharsets.UTF_8)
                        .replace("\"action\":\"" + action + "\"", "\"action\":\"Stutter\"")
                        .getBytes(StandardCharsets.UTF_8)));
    return judge(
        new RunResult(
            run.config(), run.plan(), run.history(), traces, run.violations(), run.stats()));
  }

  @Test
  void aRunHoldsOnEveryModule() {
    assertThat(judge(run(true)))
        .hasSizeGreaterThanOrEqualTo(2)
        .allMatch(judgement -> judgement.verdict() == Verdict.HOLDS)
        .extracting(Ruling::judge)
        .contains("traces: Mvto", "traces: TimestampBatching");
  }

  @Test
  void aMissingStepFailsItsModuleAndSaysWhere() {
    assertThat(without(run(true), "Mvto.IssueWrite"))
        .filteredOn(judgement -> judgement.verdict() == Verdict.FAILS)
        .anySatisfy(
            judgement -> {
              assertThat(judgement.judge()).isEqualTo("traces: Mvto");
              assertThat(judgement.detail()).contains("REJECTED at").contains(".ndjson:");
            });
  }

  @Test
  void anUntracedRunIsNotRun() {
    assertThat(judge(run(false)))
        .isNotEmpty()
        .allMatch(judgement -> judgement.verdict() == Verdict.NOT_RUN);
  }

  /** That a specification cannot be read is no fault of the run. */
  @Test
  void aSpecificationThatCannotBeReadTellsNothing(@TempDir Path root) throws IOException {
    for (String folder : List.of("k2", "common")) {
      Path to = Files.createDirectories(root.resolve("specs").resolve(folder));
      try (Stream<Path> files = Files.list(Path.of("../specs").resolve(folder))) {
        for (Path file : files.filter(f -> f.toString().matches(".*\\.(tla|cfg)")).toList()) {
          Files.copy(file, to.resolve(file.getFileName()));
        }
      }
    }
    Path broken = root.resolve("specs/k2/Mvto.tla");
    Files.writeString(broken, Files.readString(broken).replace("\nVARIABLES", "\nVARIABLLES"));

    assertThat(judge(root, run(true)))
        .filteredOn(judgement -> judgement.verdict() != Verdict.HOLDS)
        .singleElement()
        .satisfies(
            judgement -> {
              assertThat(judgement.verdict()).isEqualTo(Verdict.UNKNOWN);
              assertThat(judgement.judge()).isEqualTo("traces: Mvto");
              assertThat(judgement.detail()).contains("Mvto.tla");
            });
  }
}
