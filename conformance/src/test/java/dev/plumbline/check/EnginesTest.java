package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two engines that say another thing of a check are told apart. */
class EnginesTest {
  private static JsonNode report(String verdict, long distinct) {
    ObjectNode report = new ObjectMapper().createObjectNode();
    report
        .putArray("results")
        .addObject()
        .put("protocol", "toy")
        .put("check", "repaired")
        .put("verdict", verdict)
        .put("distinct", distinct);
    return report;
  }

  @ParameterizedTest
  @CsvSource({
    "holds, 20, true",
    "holds, 19, false",
    "FAILED, 20, false",
    "environment, 20, false"
  })
  void verdictAndStatesAreCompared(String verdict, long distinct, boolean agrees) {
    Engines engines = new Engines(report("holds", 20), report(verdict, distinct));
    assertThat(engines.agree()).isEqualTo(agrees);
    assertThat(engines.table()).contains(agrees ? "1 of 1 checks agree" : "toy/repaired");
  }

  @Test
  void aSearchThatFailsMayTakeAnotherWay() {
    assertThat(new Engines(report("violated", 5), report("violated", 7)).agree()).isTrue();
  }

  @Test
  void aCheckThatOneEngineDidNotRunDiffers() {
    JsonNode nothing = new ObjectMapper().createObjectNode();
    assertThat(new Engines(report("holds", 20), nothing).agree()).isFalse();
    assertThat(new Engines(nothing, nothing).agree()).isFalse();
  }
}
