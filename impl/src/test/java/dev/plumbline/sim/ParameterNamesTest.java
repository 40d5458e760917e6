package dev.plumbline.sim;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.ParameterNames;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ParameterNamesTest {
  private static final ProtocolSystem METRIC = Protocols.named("metric");

  @Test
  void aNameThatThereIsNotIsRefusedWithTheNearest() {
    assertThatThrownBy(() -> ParameterNames.demand(METRIC, List.of("alpha", "leaseMicro")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "metric has no parameter \"leaseMicro\", did you mean leaseMicros? it has alpha, cass");
    assertThatThrownBy(() -> ParameterNames.demand(METRIC, Set.of("nosuch")))
        .hasMessageStartingWith("metric has no parameter \"nosuch\"; it has alpha");
  }

  /** Configurations of nodes hold them. */
  @Test
  void whatAProtocolGivesItselfItHas() {
    for (ProtocolSystem protocol : Protocols.all()) {
      for (Map<String, Long> own :
          List.of(
              protocol.processParameters(),
              protocol.clusterParameters(),
              protocol.parametersUnder(EnumSet.allOf(FaultKind.class)),
              protocol.identity(7),
              protocol.sqlSide().map(ProtocolSystem.SqlSide::parameters).orElse(Map.of()))) {
        assertThatCode(() -> ParameterNames.demand(protocol, own.keySet()))
            .doesNotThrowAnyException();
      }
    }
    var outside = METRIC.outsideDatabase(Map.of("cassandra", 1L)).orElseThrow();
    ParameterNames.demand(METRIC, outside.process().keySet());
    ParameterNames.demand(METRIC, outside.cluster().keySet());
  }
}
