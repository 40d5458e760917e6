package dev.plumbline.k2.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.k2.K2Config;
import dev.plumbline.protocol.BrokenAssumption;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.sim.Campaign;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.SimulationRun;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** K2 under faults, judged by what clients saw. Seeds of must-fail runs were searched for. */
class K2SimulationTest {
  private static final Campaign CAMPAIGN = new Campaign(Judges.all(), 1);

  private static RunConfig config(ProtocolSystem protocol, long seed, String workload) {
    return new RunConfig(
        protocol,
        seed,
        120,
        workload,
        EnumSet.allOf(FaultKind.class),
        Set.of(),
        new TreeSet<>(),
        new TreeMap<>(),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  private static List<String> failing(RunConfig config) {
    return CAMPAIGN.report(config).judgements().stream()
        .filter(judgement -> judgement.verdict() == Judge.Verdict.FAILS)
        .map(judgement -> judgement.judge() + ": " + judgement.detail())
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"list-append", "rw-register", "bank"})
  void everythingHoldsUnderAllFaults(String workload) {
    for (long seed = 1; seed <= 4; seed++) {
      RunResult result = SimulationRun.of(config(new K2System(), seed, workload));
      assertThat(result.stats().committed()).as("seed %s", seed).isGreaterThan(80);
      assertThat(CAMPAIGN.report(result).judgements())
          .as("seed %s", seed)
          .noneMatch(judgement -> judgement.verdict() == Judge.Verdict.FAILS);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void everythingHoldsWithBadClocksAndLongBatches(long seed) {
    assertThat(failing(config(new K2Stress(), seed, "list-append"))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(BrokenAssumption.class)
  void aBrokenClockAssumptionIsCaught(BrokenAssumption assumption) {
    boolean caught = false;
    for (long seed = 1; seed <= 5 && !caught; seed++) {
      RunConfig config = config(new K2System(), seed, "list-append");
      caught =
          !failing(
                  new RunConfig(
                      config.protocol(),
                      seed,
                      200,
                      config.workload(),
                      Set.of(),
                      Set.of(assumption),
                      config.asPublished(),
                      config.parameters(),
                      Optional.empty(),
                      Optional.empty(),
                      false))
              .isEmpty();
    }
    assertThat(caught).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          CloseEpochs | 1 | list-append | none | 200 | epochMicros=200000 ttlMicros=1000 | stale read
          TieReply | 3 | list-append | delay,reorder | 200 | ttlMicros=5000 | real-time inversion
          ReadFloor | 20 | bank | failover,delay,crash | 200 | leaseMicros=20000 | wrong read
          PushRegisters | 67 | rw-register | loss,crash | 200 | resendMicros=1000000 | still wait
      """)
  void aPublishedBehaviourFailsWhereItsRepairHolds(
      String behaviour,
      long seed,
      String workload,
      String faults,
      int transactions,
      String parameters,
      String objection) {
    TreeSet<String> published = new TreeSet<>(List.of(behaviour.split("\\+", -1)));
    assertThat(K2Config.BEHAVIOURS).containsAll(published);
    RunConfig broken =
        new RunConfig(
            new K2System(),
            seed,
            transactions,
            workload,
            FaultKind.parse(faults),
            Set.of(),
            published,
            parameters(parameters),
            Optional.empty(),
            Optional.empty(),
            false);
    assertThat(failing(broken)).anyMatch(failure -> failure.contains(objection));
    RunConfig repaired =
        new RunConfig(
            broken.protocol(),
            seed,
            transactions,
            workload,
            broken.faults(),
            Set.of(),
            new TreeSet<>(),
            broken.parameters(),
            Optional.empty(),
            Optional.empty(),
            false);
    assertThat(failing(repaired)).isEmpty();
  }

  /** {@code name=number} pairs, apart by blanks; {@code -} for none. */
  private static SortedMap<String, Long> parameters(String text) {
    if (text.equals("-")) {
      return new TreeMap<>();
    }
    return List.of(text.split(" ", -1)).stream()
        .map(pair -> pair.split("=", -1))
        .collect(
            Collectors.toMap(
                pair -> pair[0], pair -> Long.valueOf(pair[1]), (a, b) -> a, TreeMap::new));
  }
}
