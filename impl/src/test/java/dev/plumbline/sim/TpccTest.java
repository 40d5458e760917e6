package dev.plumbline.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.Node;
import dev.plumbline.dast.Piece;
import dev.plumbline.dast.Procedure;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.system.DastSystem;
import dev.plumbline.dast.system.TpccLoad;
import dev.plumbline.dast.tpcc.Consistency;
import dev.plumbline.dast.tpcc.Table;
import dev.plumbline.dast.tpcc.Tpcc;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class TpccTest {
  private static final DastSystem DAST = new DastSystem();
  private static final Settings SETTINGS =
      new Settings(
          DAST.clockBounds(), new TreeSet<>(), new TreeMap<>(Map.of("tellMicros", 5_000L)));

  @Test
  void allTransactionsOfTheMixAreAnsweredAndOnlyThoseAcrossRegionsTakeRoundTrips() {
    List<LoadRun.Sample> samples =
        LoadRun.of(DAST, SETTINGS, 1, List.of(), 4, 6_000_000, new TpccLoad(SETTINGS));
    assertThat(samples.stream().map(LoadRun.Sample::kind).collect(Collectors.toSet()))
        .containsExactlyInAnyOrderElementsOf(TpccLoad.KINDS);
    assertThat(samples)
        .allMatch(s -> s.latencyMicros() > 150_000 == s.kind().endsWith("CRT"), "by kind");
  }

  /** These clients ask once. */
  private static Set<FaultKind> withoutCrashes(Set<FaultKind> kinds) {
    return kinds.stream().filter(k -> k != FaultKind.CRASH).collect(Collectors.toSet());
  }

  private static List<String> violations(DastSystem system, long seed) {
    FaultPlan plan =
        FaultGenerator.generate(
            seed,
            system.topology(SETTINGS),
            FaultGenerator.Limits.of(system, SETTINGS),
            withoutCrashes(system.tolerated()),
            Set.of(),
            500_000,
            4_000_000);
    assertThat(plan.faults()).isNotEmpty();
    LoadRun.Rest rest = LoadRun.toRest(system, SETTINGS, seed, plan, 3, new TpccLoad(SETTINGS));
    assertThat(rest.unanswered()).as("clients without an answer").isZero();
    assertThat(rest.samples()).hasSizeGreaterThan(100);
    assertThat(system.violations(rest.machines(), SETTINGS)).isEmpty();
    return Consistency.violations(
        rest.machines().entrySet().stream()
            .filter(machine -> machine.getKey().endsWith("n1"))
            .map(machine -> ((Node) machine.getValue()).store())
            .toList());
  }

  @Test
  void tpccIsConsistentUnderTheToleratedFaults() {
    for (long seed = 1; seed <= 3; seed++) {
      assertThat(violations(DAST, seed)).as("seed %s", seed).isEmpty();
    }
  }

  @Test
  void aPaymentThatForgetsItsDistrictIsFound() {
    DastSystem forgetful =
        new DastSystem() {
          @Override
          protected Procedures procedures(int shards) {
            return forgetful(super.procedures(shards), shards);
          }
        };
    assertThat(violations(forgetful, 1))
        .anyMatch(violation -> violation.contains("sum of district year-to-date"))
        .noneMatch(violation -> violation.contains("order"));
  }

  /** The procedures, but a local payment by id does not write its district. */
  private static Procedures forgetful(Procedures right, int shards) {
    Piece local = right.named(Tpcc.PAYMENT_BY_ID).piece(Tpcc.LOCAL);
    Piece.Body body =
        (store, steps, inputs) -> {
          Piece.Effect effect = local.body().run(store, steps, inputs);
          Map<Long, List<Long>> writes = new TreeMap<>(effect.writes());
          writes.keySet().removeIf(key -> Table.of(key, shards) == Table.DISTRICT);
          return new Piece.Effect(true, effect.seen(), writes, effect.outputs());
        };
    List<Piece> pieces = new ArrayList<>(right.named(Tpcc.PAYMENT_BY_ID).pieces());
    pieces.set(pieces.indexOf(local), new Piece(Tpcc.LOCAL, List.of(), List.of(), body));
    Procedures wrong = new Procedures();
    for (String name :
        List.of(
            Tpcc.NEW_ORDER,
            Tpcc.PAYMENT_BY_NAME,
            Tpcc.ORDER_STATUS,
            Tpcc.DELIVERY,
            Tpcc.STOCK_LEVEL)) {
      wrong.register(right.named(name));
    }
    wrong.register(new Procedure(Tpcc.PAYMENT_BY_ID, pieces));
    return wrong;
  }
}
