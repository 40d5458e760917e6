package dev.plumbline.bugs.dast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.sim.Campaign;
import dev.plumbline.sim.FaultKind;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.dast.DastSystem;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Seeded bugs show in what clients see. Seeds were searched for. */
class DastBugsTest {
  private static final DastSystem DAST = new DastSystem();
  private static final Campaign CAMPAIGN = new Campaign(Judges.all(DAST), 1);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "always-covered | 2 | bank | 120 | loss,duplicate,delay,reorder,partition,pause,clock | bank total",
        "clock-ahead | 4 | bank | 120 | loss,duplicate,delay,reorder,partition,pause,clock | serializable",
        "ignored-votes | 1 | list-append | 120 | loss,duplicate,delay,reorder,partition,pause,clock | serializable",
        "no-notes | 1 | bank | 200 | loss,partition,delay | serializable"
      })
  void theJudgesCatch(
      String name, long seed, String workload, int transactions, String faults, String judge) {
    SeededBug bug =
        Protocols.bugs("dast", DastBugsTest.class.getClassLoader()).stream()
            .filter(candidate -> candidate.name().equals(name))
            .findFirst()
            .orElseThrow();
    Set<FaultKind> kinds = FaultKind.parse(faults, DAST.tolerated());
    assertThat(failing(config(seed, workload, transactions, kinds, Optional.of(bug))))
        .contains(judge);
    assertThat(failing(config(seed, workload, transactions, kinds, Optional.empty()))).isEmpty();
  }

  private static RunConfig config(
      long seed,
      String workload,
      int transactions,
      Set<FaultKind> faults,
      Optional<SeededBug> bug) {
    return new RunConfig(
        DAST,
        seed,
        transactions,
        workload,
        faults,
        Set.of(),
        new TreeSet<>(),
        new TreeMap<>(),
        bug,
        Optional.empty(),
        false);
  }

  private static List<String> failing(RunConfig config) {
    return CAMPAIGN.report(config).judgements().stream()
        .filter(judgement -> judgement.verdict() == Judge.Verdict.FAILS)
        .map(Judge.Judgement::judge)
        .toList();
  }
}
