package dev.plumbline.parts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ForecastTest {
  private static Forecast forecast() {
    Map<String, Long> parts = new LinkedHashMap<>();
    for (int i = 1; i <= 8; i++) {
      parts.put("part " + i, 60_000L);
    }
    Forecast forecast = new Forecast();
    forecast.add("check", parts, parts, 1);
    Map<String, Long> seeds = Map.of("seeds 1-20", 120_000L, "seeds 21-40", 0L);
    forecast.add("simulate", seeds, seeds, 1);
    return forecast;
  }

  @Test
  void eachMachineTakesWhatItsPartsTook() {
    assertThat(forecast().machines(1)).containsExactly(600_000L);
    assertThat(forecast().machines(2).stream().mapToLong(m -> m).sum()).isEqualTo(600_000L);
    assertThat(forecast().machines(2)).allMatch(m -> m >= 240_000L);
    // No machine is done before the longest part is.
    assertThat(forecast().machines(50)).contains(120_000L).allMatch(m -> m <= 180_000L);
  }

  @Test
  void whatNobodyHasTimedIsNamed() {
    assertThat(forecast().text(List.of(1, 50)))
        .contains("       1  0h10m00s")
        .contains("9 parts are timed; the longest: simulate: seeds 1-20, 0h02m00s")
        .contains("not timed, and not counted: 1 parts", "1 of 2: simulate");
  }

  @Test
  void whatIsReckonedCountsAndIsNamed() {
    Forecast forecast = new Forecast();
    Map<String, Long> timed = Map.of("a", 100_000L, "b", 90_000L, "c", 0L, "d", 0L);
    Map<String, Long> expected = Map.of("a", 100_000L, "b", 90_000L, "c", 110_000L, "d", 0L);
    forecast.add("check", timed, expected, 2);
    // Two parts at a time take half as long as one after the other, and no part is done faster.
    assertThat(forecast.machines(1)).containsExactly(150_000L);
    assertThat(forecast.machines(3)).containsExactlyInAnyOrder(110_000L, 100_000L, 90_000L);
    assertThat(forecast.text(List.of(1)))
        .contains("2 parts are timed; the longest: check: c, 0h01m50s")
        .contains("not timed, and reckoned at 0h01m50s: 1 parts", "1 of 4: check")
        .contains("not timed, and not counted: 1 parts");
    JsonNode json = forecast.json(List.of(1));
    assertThat(json.at("/reckoned/check").asInt()).isEqualTo(1);
    assertThat(json.at("/untimed/check").asInt()).isEqualTo(1);
  }

  @Test
  void partsThatNobodyTimedTakeWhatOthersOfTheirKindTook() {
    Map<String, Long> timed = new LinkedHashMap<>();
    timed.put("run 1", 10L);
    timed.put("run 2", 30L);
    timed.put("run 3", 20L);
    timed.put("run 4", 0L);
    timed.put("dig 1", 7L);
    timed.put("dig 2", 0L);
    timed.put("fly 1", 0L);
    Map<String, Long> expected = new LinkedHashMap<>(timed);
    expected.putAll(Map.of("run 4", 20L, "dig 2", 7L));
    assertThat(Costs.expected(timed, part -> part.substring(0, 3))).isEqualTo(expected);
  }

  @Test
  void eachMachineIsToldWhatItDoes() {
    Forecast forecast = forecast();
    Map<String, Long> besides = new LinkedHashMap<>();
    List.of("a", "b", "c").forEach(p -> besides.put(p, 1000L));
    forecast.addInTurn("besides", besides);
    assertThat(forecast.text(List.of(1, 2)))
        .contains("     2/2  ")
        .doesNotContain("1/1")
        .containsPattern("1/2  0h0\\dm\\d\\ds +\\d+  (check|simulate): ");
    JsonNode plans = forecast.json(List.of(1, 2)).path("plans");
    assertThat(plans.at("/0/millis").asLong()).isEqualTo(603_000);
    List<String> parts = new ArrayList<>();
    List<String> second = new ArrayList<>();
    plans.at("/1/shards").forEach(s -> s.path("parts").forEach(p -> parts.add(name(p))));
    plans.at("/1/shards/1/parts").forEach(p -> second.add(name(p)));
    assertThat(parts).hasSize(13).doesNotHaveDuplicates();
    assertThat(second).contains("besides b").doesNotContain("besides a", "besides c");
    assertThat(forecast.json(List.of(1)).at("/longest/part").asText()).isEqualTo("seeds 1-20");
    assertThat(forecast.json(List.of(1)).at("/untimed/simulate").asInt()).isEqualTo(1);
  }

  private static String name(JsonNode part) {
    return part.path("stage").asText() + " " + part.path("part").asText();
  }
}
