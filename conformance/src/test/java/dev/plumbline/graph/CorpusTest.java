package dev.plumbline.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Spec;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CorpusTest {
  private static final Path SPECS = Path.of("src/test/resources/specs");
  private static final Path ROOT = Path.of("..");

  private static Spec spec() {
    return Spec.load(
        SPECS.resolve("toy/MCTwoPhase.tla"),
        SPECS.resolve("toy/MCTwoPhase.cfg"),
        List.of(SPECS.resolve("common")));
  }

  private static StateGraph toy() {
    return StateGraph.walk(spec(), new StateGraph.Probes(Set.of("msgs"), Set.of()), 100);
  }

  @Test
  void behavioursTakeEveryStep() {
    StateGraph g = toy();
    Set<String> taken = new HashSet<>();
    for (List<Integer> path : g.covering()) {
      int at = path.get(0);
      for (int e : path.subList(1, path.size())) {
        taken.add(at + "/" + e);
        at = g.edges(at).get(e).to();
      }
    }
    assertThat(g.size()).isEqualTo(20);
    assertThat(taken).hasSize(g.edgeCount());
  }

  @Test
  void textIsTheSameEachTimeAndReadsBackAsItWas() {
    StateGraph g = toy();
    String text = Corpus.text("toy", g);
    assertThat(Corpus.text("toy", toy())).isEqualTo(text);
    Corpus read = Corpus.parse("toy", text);
    for (int n = 0; n < g.size(); n++) {
      assertThat(read.states().get(n)).isEqualTo(g.state(n));
    }
    assertThat(read.behaviours()).hasSize(g.covering().size());
    assertThat(read.rejected()).isNotEmpty();
  }

  @Test
  void aBrokenLineIsNamed() {
    String text = Corpus.text("toy", toy()).replaceFirst("behaviours\n0 ", "behaviours\nx ");
    assertThatThrownBy(() -> Corpus.parse("toy.txt", text))
        .isInstanceOfSatisfying(
            InputError.class, e -> assertThat(e.describe()).startsWith("toy.txt:"));
  }

  @Test
  void aFileThatIsCutOffIsNamed() {
    String text = Corpus.text("toy", toy());
    int last = text.lastIndexOf('\n', text.length() - 2) + 1;
    for (String cut :
        List.of(
            text.substring(0, text.length() - 1),
            text.substring(0, last),
            text.substring(0, text.length() - 1) + " 0\n",
            text.substring(0, text.indexOf("behaviours\n")),
            "# toy\n",
            "")) {
      assertThatThrownBy(() -> Corpus.parse("toy.txt", cut))
          .as(cut)
          .isInstanceOfSatisfying(
              InputError.class,
              e -> assertThat(e.describe()).startsWith("toy.txt:").contains("it is cut off"));
    }
  }

  @Test
  void whereACorpusDiffersIsShownAsActionsAndStates(@TempDir Path folder) throws IOException {
    String text = Corpus.text("toy", toy());
    Corpus corpus = Corpus.parse("toy", text);
    Path file = Files.writeString(folder.resolve("toy.txt"), text);
    Corpora.Generated now = new Corpora.Generated("toy", 0, 0, 0, text, file, List.of());
    assertThat(now.compare()).isEmpty();

    String action = corpus.labels().get(corpus.behaviours().get(0)[1]).action();
    Files.writeString(file, text.replace("\n" + action + " ", "\nOther "));
    assertThat(String.join("\n", now.compare()))
        .contains("behaviour 0, step 1: " + action + " ")
        .containsPattern("[(]action[)]\n +expected " + action + " .*\n +got +Other ");

    String name = corpus.states().get(0).fieldNames().next();
    Files.writeString(
        file, text.replaceFirst("states\n" + name + "=\\S+", "states\n" + name + "=99"));
    assertThat(String.join("\n", now.compare()))
        .contains("behaviour 0, step 0: Init")
        .containsPattern(name + "\n +expected .*\n +got +99");
  }

  @Test
  void aBehaviourThatGoesOnInOneCorpusAloneIsADifference() {
    String text = Corpus.text("toy", toy());
    Corpus corpus = Corpus.parse("toy", text);
    List<String> cut =
        text.substring(text.indexOf("behaviours\n"))
            .lines()
            .skip(1)
            .filter(line -> line.split(" ").length > 3)
            .map(
                line ->
                    text.replace("\n" + line + "\n", "\n" + line.replaceFirst("( \\d+){2}$", "\n")))
            .filter(CorpusTest::whole)
            .toList();
    assertThat(cut).isNotEmpty();
    for (String shorter : cut) {
      Corpus less = Corpus.parse("toy", shorter);
      assertThat(corpus.difference(less).orElseThrow().variables().get(0).got())
          .isEqualTo("(none)");
      assertThat(less.difference(corpus).orElseThrow().variables().get(0).expected())
          .isEqualTo("(none)");
    }
  }

  private static boolean whole(String text) {
    try {
      Corpus.parse("toy", text);
      return true;
    } catch (InputError e) {
      return false;
    }
  }

  @Test
  void variablesThatTheSpecificationDoesNotHaveAreNamedWithTheirAdapter() {
    Corpus corpus = stored();
    ObjectNode first = corpus.states().get(0);
    first.set("recrod", first.remove("record"));
    assertThatThrownBy(() -> new Replay(corpus, mvto()))
        .hasMessageContaining("MvtoBinding$")
        .hasMessageContaining("does not: [record]")
        .hasMessageContaining("lacks variables of the specification: [recrod]");
  }

  @Test
  void aModelThatOutgrowsItsLimitIsAnError() {
    assertThatThrownBy(() -> StateGraph.walk(spec(), new StateGraph.Probes(Set.of(), Set.of()), 5))
        .isInstanceOf(InputError.class);
  }

  private static SpecAdapter mvto() {
    return new Corpora(ROOT, Conformance.named("k2"))
        .adapter("Mvto", Optional.empty())
        .orElseThrow();
  }

  private static Corpus stored() {
    return new Corpora(ROOT, Conformance.named("k2")).stored("Mvto");
  }

  @Test
  void theMachinesReplayEveryBehaviour() {
    Corpus corpus = stored();
    Replay.Outcome o = new Replay(corpus, mvto()).run();
    assertThat(o.difference()).isEmpty();
    assertThat(o.steps()).isEqualTo(corpus.steps());
    assertThat(o.refusals()).isPositive();
  }

  @Test
  void oneWrongValueOfTheSpecificationIsFoundWhereItIs() {
    Corpus corpus = stored();
    int state = corpus.behaviours().get(0)[6];
    corpus.states().get(state).set("record", TextNode.valueOf("nonsense"));
    Difference d = new Replay(corpus, mvto()).run().difference().orElseThrow();
    assertThat(d.variables()).extracting(Difference.Variable::name).containsExactly("record");
    assertThat(String.join("\n", d.lines())).contains("nonsense");
  }

  /** K2's machines, of which a test changes something. */
  private static class Changed implements SpecAdapter {
    private final SpecAdapter machines = mvto();

    @Override
    public String[] variables() {
      return machines.variables();
    }

    @Override
    public Set<String> given() {
      return machines.given();
    }

    @Override
    public void reset(ObjectNode initial) {
      machines.reset(initial);
    }

    @Override
    public void apply(String action, ObjectNode parameters, ObjectNode before) {
      machines.apply(action, parameters, before);
    }

    @Override
    public Map<String, String> ghosts() {
      return machines.ghosts();
    }

    @Override
    public JsonNode project(int variable) {
      return machines.project(variable);
    }
  }

  /** Machines that skip the first action. */
  private static final class Lossy extends Changed {
    private boolean skipped;

    @Override
    public void apply(String action, ObjectNode parameters, ObjectNode before) {
      if (skipped) {
        super.apply(action, parameters, before);
      }
      skipped = true;
    }
  }

  /** Whoever measures processor time measures that of its own thread. */
  @Test
  void replayOnThisThreadTakesItsTime() {
    Set<Thread> threads = new HashSet<>();
    Replay.Outcome o =
        new Replay(
                stored(),
                new Changed() {
                  @Override
                  public void apply(String action, ObjectNode parameters, ObjectNode before) {
                    threads.add(Thread.currentThread());
                    super.apply(action, parameters, before);
                  }
                })
            .runHere();
    assertThat(o.difference()).isEmpty();
    assertThat(threads).containsExactly(Thread.currentThread());
  }

  @Test
  void machinesThatSkipOneStepAreCaughtThere() {
    Replay.Outcome o = new Replay(stored(), new Lossy()).run();
    Difference d = o.difference().orElseThrow();
    assertThat(d.where()).isEqualTo("behaviour 0, step 1");
  }

  /** Machines whose second step comes to no end until they are let go. */
  private static final class Endless extends Changed {
    private volatile boolean letGo;
    private boolean first = true;

    @Override
    public void apply(String action, ObjectNode parameters, ObjectNode before) {
      if (first) {
        first = false;
        super.apply(action, parameters, before);
        return;
      }
      while (!letGo && !Thread.interrupted()) {
        Thread.onSpinWait();
      }
    }
  }

  /** Behaviours without what machines have to refuse. */
  private static Corpus stepsAlone() {
    Corpus corpus = stored();
    corpus.rejected().clear();
    return corpus;
  }

  @Test
  @Timeout(60)
  void aStepThatDoesNotEndIsNamed() {
    // What lies between steps may take its time.
    CompletableFuture<String> between =
        CompletableFuture.supplyAsync(
            () -> new Watch().await(CorpusTest::slowly, at -> "given up"));
    Endless machines = new Endless();
    long begin = System.nanoTime();
    Difference d = new Replay(stepsAlone(), machines).run().difference().orElseThrow();
    machines.letGo = true;
    assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.SECONDS.toNanos(Watch.PATIENCE));
    assertThat(d.where()).isEqualTo("behaviour 0, step 2");
    assertThat(d.path()).hasSize(2).endsWith(d.label());
    assertThat(d.variables().get(0).got())
        .startsWith("none within 10 s: it is in ")
        .contains("CorpusTest$Endless.apply(CorpusTest.java:");
    assertThat(between.join()).isEqualTo("done");
  }

  private static String slowly() {
    try {
      TimeUnit.SECONDS.sleep(Watch.PATIENCE + 2);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return "done";
  }

  /** Where memory lacks, nothing is known of the machines. */
  @Test
  void anErrorIsNoDifference() {
    Replay replay =
        new Replay(
            stored(),
            new Changed() {
              @Override
              public void apply(String action, ObjectNode parameters, ObjectNode before) {
                throw new OutOfMemoryError("for this test");
              }
            });
    assertThatThrownBy(replay::run).isInstanceOf(OutOfMemoryError.class);
  }

  /** A behaviour, a place in it, and how many steps come before. */
  private record Spot(int behaviour, int at, int steps) {
    String where(int further) {
      return "behaviour %d, step %d".formatted(behaviour, at / 2 + further);
    }
  }

  /** Where machines have to refuse something, or do so before a state that was not seen yet. */
  private static Spot refusal(Corpus corpus, boolean before) {
    Set<Integer> seen = new HashSet<>();
    int steps = 0;
    for (int b = 0; b < corpus.behaviours().size(); b++) {
      int[] behaviour = corpus.behaviours().get(b);
      for (int at = 0; at < behaviour.length; at += 2) {
        steps += at > 0 ? 1 : 0;
        seen.add(behaviour[at]);
        boolean fits = !before || (at + 2 < behaviour.length && !seen.contains(behaviour[at + 2]));
        if (fits && corpus.rejected().containsKey(behaviour[at])) {
          return new Spot(b, at, steps);
        }
      }
    }
    throw new AssertionError("nothing is refused");
  }

  @Test
  void aStepAfterWhatWasRefusedIsNoneThatHadToBe() {
    Corpus corpus = stored();
    Spot spot = refusal(corpus, true);
    int next = corpus.behaviours().get(spot.behaviour())[spot.at() + 2];
    corpus.states().get(next).put("record", "nonsense");
    Difference d = new Replay(corpus, mvto()).run().difference().orElseThrow();
    assertThat(d.where()).isEqualTo(spot.where(1));
    assertThat(d.refused()).isFalse();
  }

  /** What actions were asked for; machines' own fields begin anew with each behaviour. */
  private static int taken;

  @Test
  void whatHadToBeRefusedAndWasNotIsSaid() {
    Corpus corpus = stored();
    Spot spot = refusal(corpus, false);
    taken = 0;
    Difference d =
        new Replay(
                corpus,
                new Changed() {
                  @Override
                  public void apply(String action, ObjectNode parameters, ObjectNode before) {
                    if (taken++ == spot.steps()) {
                      throw new IllegalStateException("it does not know that");
                    }
                    super.apply(action, parameters, before);
                  }
                })
            .run()
            .difference()
            .orElseThrow();
    int state = corpus.behaviours().get(spot.behaviour())[spot.at()];
    assertThat(d.where()).isEqualTo(spot.where(0));
    assertThat(d.label())
        .isEqualTo(corpus.labels().get(corpus.rejected().get(state)[0]).toString());
    assertThat(d.refused()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"TimestampBatching", "EpochCut", "EpochVisibility"})
  void theMachinesOfOtherModulesReplayTheirs(String module) {
    Conformance k2 = Conformance.named("k2");
    Corpora corpora = new Corpora(ROOT, k2);
    Corpus corpus = corpora.stored(module);
    SpecAdapter adapter = corpora.adapter(module, Optional.empty()).orElseThrow();
    Replay.Outcome o = new Replay(corpus, adapter).run();
    assertThat(o.difference()).isEmpty();
    assertThat(o.steps()).isEqualTo(corpus.steps());
    assertThat(o.refusals()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({
    "TimestampBatching, expired-batch, Assign",
    "TimestampBatching, no-commit-wait, End",
    "EpochVisibility, wrong-epoch, Tell",
    "EpochVisibility, early-replica, ReplicaRead"
  })
  void aSeededBugIsCaughtAtItsAction(String module, String name, String action) throws Exception {
    URL[] urls = {ROOT.resolve("impl/bugs/target/classes").toUri().toURL()};
    SeededBug bug =
        Protocols.bugs("k2", new URLClassLoader(urls, getClass().getClassLoader())).stream()
            .filter(b -> b.name().equals(name))
            .findFirst()
            .orElseThrow();
    Conformance k2 = Conformance.named("k2");
    Corpora corpora = new Corpora(ROOT, k2);
    SpecAdapter adapter = corpora.adapter(module, Optional.of(bug)).orElseThrow();
    Replay.Outcome o = new Replay(corpora.stored(module), adapter).run();
    assertThat(o.difference().orElseThrow().label()).startsWith(action + " ");
  }
}
