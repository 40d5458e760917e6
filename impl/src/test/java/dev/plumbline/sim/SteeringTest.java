package dev.plumbline.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Situation;
import dev.plumbline.sim.toy.ToySystem;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/** What no run has shown yet is provoked, and nothing else. */
class SteeringTest {
  private static final ToySystem TOY = new ToySystem();
  private static final Situation RESTART = TOY.situations().get(0);

  @Test
  void whatWasNotSeenIsProvokedUntilItIs() {
    Steering steering = new Steering(TOY);
    RunConfig config = config(1, Set.of(FaultKind.CRASH));
    assertThat(provoked(steering.steer(config).plan().orElseThrow())).isTrue();

    RunResult quiet = SimulationRun.of(config(2, Set.of()));
    assertThat(steering.add(quiet)).isEmpty();
    assertThat(steering.unseen()).containsExactly(RESTART);
    assertThat(steering.seed(RESTART)).isEmpty();

    RunResult crashed = SimulationRun.of(steering.steer(config(3, Set.of(FaultKind.CRASH))));
    assertThat(steering.add(crashed)).containsExactly(RESTART);
    assertThat(steering.add(crashed)).isEmpty();
    assertThat(steering.seed(RESTART)).hasValue(3);
    assertThat(steering.steer(config).plan()).hasValue(SimulationRun.plan(config, List.of()));
  }

  @Test
  void nothingIsProvokedWithFaultsThatWereNotAskedFor() {
    RunConfig config = config(1, Set.of(FaultKind.LOSS));
    assertThat(provoked(new Steering(TOY).steer(config).plan().orElseThrow())).isFalse();
  }

  @Test
  void nothingIsProvokedThatTheProtocolDoesNotBear() {
    assertThat(provoked(plan((node, others) -> true))).isTrue();
    assertThat(provoked(plan((node, others) -> false))).isFalse();
  }

  private static FaultPlan plan(BiPredicate<NodeSpec, Set<NodeSpec>> mayCrash) {
    return FaultGenerator.generate(
        1,
        TOY.topology(null),
        new FaultGenerator.Limits(TOY.clockBounds(), mayCrash, 0),
        Set.of(FaultKind.CRASH),
        Set.of(),
        List.of(RESTART),
        0,
        1_000_000);
  }

  /** No round of planned faults has a crash that is as short. */
  private static boolean provoked(FaultPlan plan) {
    return plan.faults().stream()
        .anyMatch(
            f ->
                f instanceof Fault.Crash crash
                    && crash.node().equals("backup")
                    && crash.until() - crash.at() == ToySystem.PROVOKED_MICROS);
  }

  private static RunConfig config(long seed, Set<FaultKind> faults) {
    return RunConfig.plain(TOY, seed, 20, faults);
  }
}
