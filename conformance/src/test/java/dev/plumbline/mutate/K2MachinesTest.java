package dev.plumbline.mutate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Corpora;
import dev.plumbline.graph.Difference;
import dev.plumbline.graph.Replay;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.sim.FaultKind;
import dev.plumbline.sim.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.SimulationRun;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.trace.TraceReader;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel;
import dev.plumbline.validate.Validator;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What must kill the mutants of K2's machines: the specification, in both directions. */
@Tag("conformance")
class K2MachinesTest {
  private static final Path ROOT = Path.of("..");
  private static final int TRANSACTIONS = 60;

  @Test
  void behavioursOfTheSpecificationReplayOnTheMachines() {
    Conformance k2 = Conformance.named("k2");
    int replayed = 0;
    Corpora corpora = new Corpora(ROOT, k2);
    for (String module : k2.corpusModules().keySet()) {
      Optional<SpecAdapter> adapter = corpora.adapter(module, Optional.empty());
      if (adapter.isPresent()) {
        replayed++;
        Replay.Outcome o = new Replay(corpora.stored(module), adapter.get()).run();
        assertThat(o.difference().map(Difference::lines)).as(module).isEmpty();
      }
    }
    assertThat(replayed).isPositive();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void logsOfSimulatedRunsAreBehavioursOfTheSpecification(long seed) {
    RunConfig config =
        new RunConfig(
            Protocols.named("k2"),
            seed,
            TRANSACTIONS,
            "list-append",
            FaultKind.parse("all"),
            Set.of(),
            new TreeSet<>(),
            new TreeMap<>(),
            Optional.empty(),
            Optional.empty(),
            true);
    RunResult run = SimulationRun.of(config);
    assertThat(run.violations()).isEmpty();
    Map<String, List<TraceEvent>> logs = new TreeMap<>();
    run.traces().forEach((node, log) -> logs.put(node, TraceReader.read(node, log)));
    MergedLog merged = MergedLog.of(logs);
    for (TraceModel model : Conformance.named("k2").traceModels(config.settings())) {
      assertThat(new Validator(ROOT).validate(model, merged).accepted())
          .as(model.module())
          .isTrue();
    }
  }
}
