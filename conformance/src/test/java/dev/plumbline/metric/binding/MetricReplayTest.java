package dev.plumbline.metric.binding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.LackingRepair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Metric's machines follow stored behaviours, and do not if they lack a repair. */
class MetricReplayTest {
  private static final Conformance METRIC = Conformance.named("metric");

  @Test
  void machinesFollowEveryStoredBehaviour() {
    for (String corpus : METRIC.corpusModules().keySet()) {
      assertThat(LackingRepair.replay(METRIC, corpus, "none")).as(corpus).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Ownership, hold",
    "Ownership, unbroken",
    "Ownership-apart, single",
    "RedoLog, readCheck",
    "RedoLog, discard",
    "RedoLog, unknown",
    "RedoLog-retry, rebuild",
    "RedoLog-retry, dedupe",
    "RedoLog-retry, discard",
    "RedoLog-retry, unknown"
  })
  void machinesWithoutARepairDiffer(String corpus, String repair) {
    assertThat(LackingRepair.replay(METRIC, corpus, repair)).isPresent();
  }
}
