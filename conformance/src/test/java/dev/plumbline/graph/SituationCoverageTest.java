package dev.plumbline.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Situation;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class SituationCoverageTest {
  private static final Situation RARE =
      new Situation("rare", "something rare", log -> false, (t, r, from, until) -> List.of());

  private static List<String> problems(Map<String, String> waived, OptionalLong seed) {
    SituationCoverage coverage = new SituationCoverage(waived);
    coverage.note(RARE, seed);
    return coverage.problems();
  }

  @Test
  void whatNoRunShowsIsAProblemUnlessItIsWaived() {
    assertThat(problems(Map.of(), OptionalLong.empty()))
        .containsExactly("no run comes into rare: something rare");
    assertThat(problems(Map.of("rare", "why"), OptionalLong.empty())).isEmpty();
    assertThat(problems(Map.of(), OptionalLong.of(3))).isEmpty();
  }

  @Test
  void waiversThatAreNotNeededOrNameNothingAreProblems() {
    assertThat(problems(Map.of("rare", "why"), OptionalLong.of(3)))
        .containsExactly("coverage.yaml waives rare, but seed 3 shows it: remove the waiver");
    assertThat(problems(Map.of("rarer", "why"), OptionalLong.of(3)))
        .containsExactly("coverage.yaml waives rarer, but there is no such situation");
  }

  @Test
  void protocolsWithMachinesNameTheirSituations() {
    for (String protocol : List.of("k2", "dast")) {
      List<Situation> all = Protocols.named(protocol).situations();
      assertThat(all).hasSizeGreaterThanOrEqualTo(5);
      assertThat(all).extracting(Situation::name).doesNotHaveDuplicates();
      assertThat(all).noneMatch(s -> s.seen().test(List.of()));
    }
  }
}
