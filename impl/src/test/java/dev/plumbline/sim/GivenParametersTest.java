package dev.plumbline.sim;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.GivenParameters;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class GivenParametersTest {
  private static final ProtocolSystem METRIC = Protocols.named("metric");

  @Test
  void aNameThatThereIsNotIsRefusedWithTheNearest() {
    assertThatThrownBy(
            () ->
                GivenParameters.demand(
                    METRIC, new TreeMap<>(Map.of("alpha", 1L, "leaseMicro", 1L))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "metric has no parameter \"leaseMicro\", did you mean leaseMicros? it has alpha, cass");
    assertThatThrownBy(() -> GivenParameters.demand(METRIC, Map.of("nosuch", 1L)))
        .hasMessageStartingWith("metric has no parameter \"nosuch\"; it has alpha");
  }

  @Test
  void aValueWithWhichSumsOverflowIsRefused() {
    GivenParameters.demand(METRIC, Map.of("leaseMicros", GivenParameters.MOST));
    assertThatThrownBy(() -> GivenParameters.demand(METRIC, Map.of("leaseMicros", Long.MAX_VALUE)))
        .hasMessage("leaseMicros is 9223372036854775807, and at most 1000000000000 makes sense");
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
              protocol.identity(1L << 53),
              protocol.sqlSide().map(ProtocolSystem.SqlSide::parameters).orElse(Map.of()))) {
        assertThatCode(() -> GivenParameters.demand(protocol, own)).doesNotThrowAnyException();
      }
    }
    var outside = METRIC.outsideDatabase(Map.of("cassandra", 1L)).orElseThrow();
    GivenParameters.demand(METRIC, outside.process());
    GivenParameters.demand(METRIC, outside.cluster());
  }
}
