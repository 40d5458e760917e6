package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.Checks.Check;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckTimesTest {
  @TempDir Path root;

  private List<Check> checks() throws IOException {
    StringBuilder yaml = new StringBuilder("protocol: toy\nclaims:\n");
    yaml.append("  TOY: {kind: claimed, section: \"1\", text: \"It works.\"}\nchecks:\n");
    for (String check :
        List.of(
            "id: slow-small, module: Slow, expect: holds, states: [1000, 1000]",
            "id: slow-large, module: Slow, expect: holds, states: [50000, 50000]",
            "id: fast-small, module: Fast, expect: holds, states: [10000, 12000]",
            "id: fast-large, module: Fast, expect: holds, states: [100000, 120000]",
            "id: new, module: New, expect: holds, states: [1100, 1100]",
            "id: red, module: Fast, expect: \"violates: OneInv\", invariants: [OneInv]",
            "id: redder, module: Fast, expect: \"violates: OneInv\", invariants: [OneInv]")) {
      yaml.append("  - {").append(check);
      yaml.append(", lane: nightly, claims: [TOY], why: \"It is one.\"}\n");
    }
    Path file = Files.createDirectories(root.resolve("specs/toy")).resolve("checks.yaml");
    Files.writeString(file, yaml);
    return new Workspace(root).protocols().get(0).checks();
  }

  @Test
  void whatNobodyTimedTakesWhatItsStatesTakeInItsModule() throws IOException {
    Map<String, Long> timed =
        Map.of("toy/slow-small", 1500L, "toy/fast-small", 1500L, "toy/red", 700L);
    Map<String, Long> expected = new TreeMap<>(timed);
    expected.put("toy/slow-large", 50_500L);
    expected.put("toy/fast-large", 10_500L);
    // 11,000 timed states took 2 s.
    expected.put("toy/new", 700L);
    expected.put("toy/redder", 700L);
    assertThat(CheckTimes.expected(checks(), c -> timed.getOrDefault(c.name(), 0L)))
        .isEqualTo(expected);
  }

  /** They say nothing of what a state takes. */
  @Test
  void checksThatTookNoTimeMakeNoOtherCheap() throws IOException {
    Map<String, Long> timed = Map.of("toy/slow-small", 400L, "toy/fast-small", 300L);
    Map<String, Long> expected =
        CheckTimes.expected(checks(), c -> timed.getOrDefault(c.name(), 0L));
    assertThat(expected.get("toy/slow-large")).isGreaterThan(10_000);
  }

  @Test
  void whereNothingIsTimedLargerChecksTakeLonger() throws IOException {
    Map<String, Long> expected = CheckTimes.expected(checks(), c -> 0);
    assertThat(expected).containsEntry("toy/red", 0L);
    assertThat(expected.get("toy/slow-large")).isGreaterThan(expected.get("toy/slow-small"));
  }
}
