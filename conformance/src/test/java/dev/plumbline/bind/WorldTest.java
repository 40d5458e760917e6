package dev.plumbline.bind;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Corpora;
import dev.plumbline.graph.Corpus;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.StateGraph.Label;
import dev.plumbline.graph.Values;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A variable that is not read again is what it was. */
class WorldTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final int STEPS = 3_000;

  static List<String> protocols() {
    return Conformance.all().stream().map(Conformance::protocol).toList();
  }

  @ParameterizedTest
  @MethodSource("protocols")
  void whatDoesNotChangeIsNotReadAgain(String protocol) {
    Conformance conformance = Conformance.named(protocol);
    Corpora corpora = new Corpora(ROOT, conformance);
    for (String module : conformance.corpusModules().keySet()) {
      if (corpora.adapter(module, Optional.empty()).isPresent()) {
        look(module, corpora);
      }
    }
  }

  private static void look(String module, Corpora corpora) {
    Corpus corpus = corpora.stored(module);
    int every = 1 + corpus.steps() / STEPS;
    for (int b = 0; b < corpus.behaviours().size(); b += every) {
      int[] behaviour = corpus.behaviours().get(b);
      World world = (World) corpora.adapter(module, Optional.empty()).orElseThrow();
      world.reset(corpus.states().get(behaviour[0]));
      assertThat(world.stale()).as(module).isEmpty();
      for (int i = 1; i < behaviour.length; i += 2) {
        Label label = corpus.labels().get(behaviour[i]);
        world.apply(label.action(), label.parameters());
        assertThat(world.stale()).as("%s, %s", module, label).isEmpty();
      }
    }
  }

  /** Two counters; what one shows may depend on the other. */
  private static final class Pair extends World {
    private final Group<Counter> counters = group((name, n) -> new Counter(name));

    Pair(boolean declared) {
      super(null);
      if (declared) {
        function("sum", counters, c -> sum(), counters);
      } else {
        function("sum", counters, c -> sum());
      }
      function("own", counters, c -> IntNode.valueOf(c.count));
      on("Count", p -> counters.get(p.get("c")).count());
    }

    private static final class Counter extends Place {
      int count;

      Counter(Object name) {
        super(name, null);
      }

      void count() {
        count++;
        changed();
      }
    }

    private IntNode sum() {
      return IntNode.valueOf(counters.all().stream().mapToInt(c -> c.count).sum());
    }

    @Override
    protected void open(ObjectNode initial) {
      open(counters, initial.get("own"));
    }
  }

  private static List<String> stale(boolean declared) {
    World pair = new Pair(declared);
    ObjectNode own = Values.F.objectNode().put("a", 0).put("b", 0);
    pair.reset(Values.F.objectNode().set("own", own));
    pair.stale();
    pair.apply("Count", Values.F.objectNode().put("c", "b"));
    SpecAdapter adapter = pair;
    assertThat(adapter.variables()).containsExactly("own", "sum");
    assertThat(adapter.project(0)).isEqualTo(Values.F.objectNode().put("a", 0).put("b", 1));
    return pair.stale();
  }

  @Test
  void aFunctionThatDependsOnMoreThanItSaysIsFound() {
    assertThat(stale(true)).isEmpty();
    assertThat(stale(false)).containsExactly("sum");
  }
}
