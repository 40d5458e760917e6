package dev.plumbline.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import dev.plumbline.sim.Judge.Ruling;
import dev.plumbline.sim.Judge.Verdict;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What is said of runs of wrong machines, beside what their histories show. */
class RunJudgesTest {

  /** A wrong machine in place of the toy's primary. */
  private record Wrong(Function<Machine, Machine> made) implements SeededBug {
    @Override
    public String protocol() {
      return "toy";
    }

    @Override
    public String name() {
      return "wrong";
    }

    @Override
    public String description() {
      return "made for a test";
    }

    @Override
    public Machine machine(NodeSpec node, Topology topology, Settings settings, Machine correct) {
      return node.kind().equals("primary") ? made.apply(correct) : correct;
    }
  }

  private static RunResult run(Function<Machine, Machine> made) {
    return SimulationRun.of(
        SimulationRunTest.config(7, "list-append", Optional.of(new Wrong(made))));
  }

  private static Ruling again(RunResult result) {
    return new Again(Set.of(7L)).judge(result);
  }

  @Test
  void aMachineThatHashesItsObjectsGivesAnotherRun() {
    RunResult result =
        run(
            correct ->
                (input, now, effects) -> {
                  if (input instanceof Input.ClientRequest
                      && (System.identityHashCode(new Object()) & 1) == 0) {
                    return;
                  }
                  correct.handle(input, now, effects);
                });
    assertThat(again(result).verdict()).isEqualTo(Verdict.FAILS);
    assertThat(again(result).detail()).contains("identity hash").contains("another operation");
  }

  @Test
  void aCorrectMachineGivesTheSameRun() {
    RunResult result = run(correct -> correct);
    assertThat(again(result)).isEqualTo(new Ruling(Again.NAME, Verdict.HOLDS, ""));
    assertThat(new Again(Set.of(8L)).judge(result).verdict()).isEqualTo(Verdict.NOT_RUN);
    assertThat(new SomeCommit().judge(result).verdict()).isEqualTo(Verdict.HOLDS);
  }

  @Test
  void whereOnlyTheLastReadsCommitNobodyCanTell() {
    AtomicInteger asked = new AtomicInteger();
    RunResult result =
        run(
            correct ->
                (input, now, effects) -> {
                  if (input instanceof Input.ClientRequest && asked.incrementAndGet() <= 200) {
                    return;
                  }
                  correct.handle(input, now, effects);
                });
    assertThat(result.stats().committed()).isPositive();
    assertThat(new SomeCommit().judge(result).verdict()).isEqualTo(Verdict.UNKNOWN);
  }

  private static int endless(int depth) {
    return depth < 0 ? depth : 1 + endless(depth / 2);
  }

  @Test
  void aMachineWithoutEndIsAFailedRun() {
    RunResult result = run(correct -> (input, now, effects) -> endless(1));
    assertThat(result.violations())
        .singleElement()
        .asString()
        .startsWith("primary threw java.lang.StackOverflowError");
  }

  private record Unheard() {}

  @Test
  void anAnswerThatTheClientDoesNotKnowIsAFailedRun() {
    RunResult result =
        run(
            correct ->
                (input, now, effects) -> {
                  if (input instanceof Input.ClientRequest request) {
                    effects.reply(request.requestId(), new Unheard());
                  } else {
                    correct.handle(input, now, effects);
                  }
                });
    assertThat(result.violations())
        .singleElement()
        .asString()
        .startsWith("the client of process ")
        .contains("ClassCastException");
  }
}
