package dev.plumbline.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.Node;
import dev.plumbline.dast.Piece;
import dev.plumbline.dast.Procedure;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.system.DastSystem;
import dev.plumbline.dast.system.Payments;
import dev.plumbline.dast.system.TpcA;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.Settings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TpcATest {
  private static final DastSystem DAST = new DastSystem();
  private static final int SHARDS = 6;
  private static final Settings SETTINGS =
      new Settings(
          DAST.clockBounds(), new TreeSet<>(), new TreeMap<>(Map.of("tellMicros", 5_000L)));

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.5, 1.0})
  void theTenthIsDrawnTenToTheExponentTimesLessOften(double exponent) {
    Zipf zipf = new Zipf(100, exponent);
    SplittableRandom random = new SplittableRandom(1);
    int[] drawn = new int[100];
    IntStream.range(0, 200_000).forEach(i -> drawn[zipf.next(random)]++);
    assertThat((double) drawn[0] / drawn[9])
        .isBetween(0.9 * factor(exponent), 1.1 * factor(exponent));
    assertThat(drawn[99]).isPositive();
  }

  private static double factor(double exponent) {
    return Math.pow(10, exponent);
  }

  private static LoadRun.Rest run(DastSystem system) {
    FaultPlan plan =
        FaultGenerator.generate(
            1,
            system.topology(SETTINGS),
            FaultGenerator.Limits.of(system, SETTINGS),
            Set.of(FaultKind.LOSS, FaultKind.DUPLICATE, FaultKind.REORDER),
            Set.of(),
            500_000,
            3_000_000);
    return LoadRun.toRest(system, SETTINGS, 1, plan, 3, new TpcA(SETTINGS, 1.0));
  }

  private static List<Long> balances(LoadRun.Rest rest) {
    return TpcA.balances(
        rest.machines().entrySet().stream()
            .filter(machine -> machine.getKey().endsWith("n1"))
            .map(machine -> ((Node) machine.getValue()).store())
            .toList(),
        SHARDS);
  }

  @Test
  void branchesTellersAndAccountsHaveTheSameBalance() {
    LoadRun.Rest rest = run(DAST);
    assertThat(rest.unanswered()).isZero();
    assertThat(rest.samples().stream().map(LoadRun.Sample::kind))
        .contains(Payments.IRT, Payments.CRT);
    double crossing =
        rest.samples().stream().filter(s -> s.kind().equals(Payments.CRT)).count()
            / (double) rest.samples().size();
    assertThat(crossing).isBetween(0.08, 0.22);
    List<Long> balances = balances(rest);
    assertThat(balances.get(0)).isPositive();
    assertThat(balances).containsOnly(balances.get(0));
  }

  @Test
  void aTransactionThatForgetsARowIsSeenInTheBalances() {
    DastSystem forgetful =
        new DastSystem() {
          @Override
          protected Procedures procedures(int shards) {
            Piece right =
                super.procedures(shards).named(Procedures.ACCESS).piece(Procedures.ACCESS);
            Piece.Body body =
                (store, steps, inputs) -> {
                  Piece.Effect all = right.body().run(store, steps, inputs);
                  Map<Long, List<Long>> writes = new TreeMap<>(all.writes());
                  writes.keySet().retainAll(Set.of(steps.get(0).key()));
                  return new Piece.Effect(true, all.seen(), writes, all.outputs());
                };
            Procedures wrong = new Procedures();
            wrong.register(
                new Procedure(
                    Procedures.ACCESS,
                    List.of(new Piece(Procedures.ACCESS, List.of(), List.of(), body))));
            return wrong;
          }
        };
    assertThat(Set.copyOf(balances(run(forgetful)))).hasSizeGreaterThan(1);
  }
}
