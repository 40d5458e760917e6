package dev.plumbline.engage.binding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.LackingRepair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** ENGAGE's machines follow stored behaviours, and do not if they lack a repair. */
class EngageReplayTest {
  private static final Conformance ENGAGE = Conformance.named("engage");

  @Test
  void machinesFollowEveryStoredBehaviour() {
    for (String corpus : ENGAGE.corpusModules().keySet()) {
      assertThat(LackingRepair.replay(ENGAGE, corpus, "none")).as(corpus).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "BrokerCausality, holdFlush",
    "BrokerCausality, durableBroker",
    "BrokerCausality, durableCloudlet",
    "BrokerCausality-tag, keepTag",
    "SessionGuarantees, holdFlush",
    "FlushClock, holdFlush"
  })
  void machinesWithoutARepairDiffer(String corpus, String repair) {
    assertThat(LackingRepair.replay(ENGAGE, corpus, repair)).isPresent();
  }
}
