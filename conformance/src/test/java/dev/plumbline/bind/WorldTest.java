package dev.plumbline.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Corpora;
import dev.plumbline.graph.Corpus;
import dev.plumbline.graph.Outbox;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.StateGraph.Label;
import dev.plumbline.graph.Values;
import dev.plumbline.k2.K2Message;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Term;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
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
      SpecAdapter world = corpora.adapter(module, Optional.empty()).orElseThrow();
      world.reset(corpus.states().get(behaviour[0]));
      assertThat(stale(world)).as(module).isEmpty();
      for (int i = 1; i < behaviour.length; i += 2) {
        Label label = corpus.labels().get(behaviour[i]);
        ObjectNode before = corpus.states().get(behaviour[i - 1]);
        world.apply(label.action(), label.parameters(), before);
        assertThat(stale(world)).as("%s, %s", module, label).isEmpty();
      }
    }
  }

  private static List<String> stale(SpecAdapter adapter) {
    return adapter instanceof BothWays both ? both.stale() : ((World) adapter).stale();
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
    pair.apply("Count", Values.F.objectNode().put("c", "b"), Values.F.objectNode());
    SpecAdapter adapter = pair;
    assertThat(adapter.variables()).containsExactly("own", "sum");
    assertThat(adapter.project(0)).isEqualTo(Values.F.objectNode().put("a", 0).put("b", 1));
    return pair.stale();
  }

  @Test
  void aMessageIsDeliveredToWhomItWasSentAlone() {
    List<Input> got = new ArrayList<>();
    Place backup = new Place("backup", NodeSpec.of("backup", "backup", "here", 1, 0)) {};
    backup.machine = (input, clock, effects) -> got.add(input);
    Message entry = new K2Message.BatchRequest(1);
    backup.deliver(new Outbox.Sent("primary", "backup", entry), ClockReading.local(0));
    assertThat(got).containsExactly(new Input.Deliver("primary", entry));
    assertThatThrownBy(
            () ->
                backup.deliver(new Outbox.Sent("primary", "bakcup", entry), ClockReading.local(0)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("primary sent BatchRequest")
        .hasMessageEndingWith("to bakcup, not to backup");
    assertThat(got).hasSize(1);
  }

  /** Counts how often it wakes, which it does at a timer that it may set. */
  private static final class Sleepers extends World {
    private record Wake() implements Timer {}

    private static final class Sleeper extends Place {
      int woken;

      Sleeper(Object name, boolean sets) {
        super(name, NodeSpec.of((String) name, "sleeper", "here", 1, 0));
        machine =
            (input, clock, effects) -> {
              if (input instanceof Input.TimerFired) {
                woken++;
              }
              if (sets) {
                effects.setTimer(new Wake(), 1);
              }
            };
      }
    }

    private final Group<Sleeper> sleepers;

    Sleepers(boolean sets) {
      super(null);
      sleepers = group((name, n) -> new Sleeper(name, sets));
      function("woken", sleepers, s -> IntNode.valueOf(s.woken));
      on("Start", p -> sleepers.get("a").start(sleepers.get("a").machine, ClockReading.local(0)));
      on("Wake", p -> sleepers.get("a").fire(new Wake(), ClockReading.local(0)));
      on("WakeAlone", p -> new Sleeper("b", sets).fire(new Wake(), ClockReading.local(0)));
      on(
          "WakeWatched",
          p -> watched(new Sleeper("c", sets)).fire(new Wake(), ClockReading.local(0)));
      on("MayWake", p -> sleepers.get("a").fireIfSet(new Wake(), ClockReading.local(0)));
    }

    @Override
    protected void open(ObjectNode initial) {
      open(sleepers, initial.get("woken"));
    }
  }

  @Test
  void aTimerThatNobodyHasSetChangesNothing() {
    ObjectNode asleep = Values.F.objectNode();
    asleep.set("woken", Values.F.objectNode().put("a", 0));
    World sets = new Sleepers(true);
    sets.reset(asleep);
    sets.apply("Start", Values.F.objectNode(), asleep);
    sets.apply("Wake", Values.F.objectNode(), asleep);
    assertThat(sets.variables()).containsExactly("woken");
    assertThat(sets.project(0)).isEqualTo(Values.F.objectNode().put("a", 1));

    World forgets = new Sleepers(false);
    forgets.reset(asleep);
    forgets.apply("Start", Values.F.objectNode(), asleep);
    forgets.apply("MayWake", Values.F.objectNode(), asleep);
    assertThat(forgets.variables()).containsExactly("woken");
    assertThat(forgets.project(0)).isEqualTo(Values.F.objectNode().put("a", 0));
    assertThatThrownBy(() -> forgets.apply("Wake", Values.F.objectNode(), asleep))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a timer changes something that is not set: [a's Wake[]]");
  }

  /** Else a timer that its machine forgot to set would pass at a place of no group. */
  @Test
  void aPlaceOfNoGroupHasItsTimersWatched() {
    ObjectNode asleep = Values.F.objectNode();
    asleep.set("woken", Values.F.objectNode().put("a", 0));
    World forgets = new Sleepers(false);
    forgets.reset(asleep);
    assertThatThrownBy(() -> forgets.apply("WakeAlone", Values.F.objectNode(), asleep))
        .hasMessage("the world of b has to watch its timers");
    forgets.apply("WakeWatched", Values.F.objectNode(), asleep);
    ObjectNode other = Values.F.objectNode();
    other.set("woken", Values.F.objectNode().put("a", 1));
    assertThatThrownBy(() -> forgets.apply("WakeWatched", Values.F.objectNode(), other))
        .hasMessage("a timer changes something that is not set: [c's Wake[]]");
  }

  /** Three places, of which one is of no group, and the last is nobody's. */
  private static final class Post extends World {
    final List<String> got = new ArrayList<>();
    private final Group<Place> boxes = group((name, n) -> box((String) name));

    Post() {
      super(null);
      on("Send", p -> deliver(new Outbox.Sent("a", p.get("to").textValue(), ENTRY), CLOCK));
    }

    private Place box(String name) {
      Place box = new Place(name, NodeSpec.of(name, "box", "here", 1, 0)) {};
      box.machine = (input, clock, effects) -> got.add(name);
      return box;
    }

    @Override
    protected void open(ObjectNode initial) {
      open(boxes, Values.F.objectNode().put("a", 0).put("b", 0));
      known(box("c"));
      boxes.get("b").machine = null;
    }
  }

  private static final Message ENTRY = new K2Message.BatchRequest(1);
  private static final ClockReading CLOCK = ClockReading.local(0);

  @Test
  void whatIsSentGoesToWhoHasTheRole() {
    Post post = new Post();
    post.reset(Values.F.objectNode());
    for (String to : List.of("a", "b", "c", "d")) {
      post.apply("Send", Values.F.objectNode().put("to", to), Values.F.objectNode());
    }
    assertThat(post.got).as("b's machine is gone, d is nobody").containsExactly("a", "c");
  }

  /** A binding with a name as somebody typed it. */
  private static final class Typed extends Binding {
    Typed(Consumer<Binding> name) {
      super("Mvto", "specs/k2", Settings.repaired(Protocols.named("k2").clockBounds()));
      name.accept(this);
      readBy(
          (log, room) -> {
            throw new AssertionError("what no module has asks nothing of anybody");
          });
    }

    @Override
    protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
      return new Pair(true);
    }
  }

  private static Arguments typed(Consumer<Binding> name, String said) {
    return Arguments.of(name, said);
  }

  static List<Arguments> typed() {
    return List.of(
        typed(b -> b.always("ReadFlor"), "repair \"ReadFlor\".* mean ReadFloor"),
        typed(b -> b.repair("ReadFlor", "old"), "repair \"ReadFlor\".* mean ReadFloor"),
        typed(b -> b.probes(Set.of("msg"), Set.of()), "variable \"msg\""),
        typed(b -> b.probes(Set.of(), Set.of("Begn")), "action \"Begn\".* mean Begin"),
        typed(b -> b.handles("HandleRed"), "action \"HandleRed\".* mean HandleRead"),
        typed(b -> b.begins("timer", "Begn"), "action \"Begn\".* mean Begin"),
        typed(b -> b.begins("timr", "Begin"), "cause \"timr\".* mean timer"),
        typed(b -> b.self("d", "Begn"), "action \"Begn\".* mean Begin"),
        typed(b -> b.self("nobody_"), "parameter \"nobody_\""),
        typed(b -> b.also("Mvto.Begn", "", "BeginShows"), "action \"Begn\".* mean Begin"),
        typed(b -> b.also("Mvto.Begin", "", "BeginShow"), "operator \"BeginShow\".* BeginShows"),
        typed(b -> b.shows("Mvto.Begn", "BeginShows"), "action \"Begn\".* mean Begin"),
        typed(b -> b.shows("Mvto.Begin", "BeginShow"), "operator \"BeginShow\".* BeginShows"),
        typed(b -> b.before("Mvto.Begin", "Forgt"), "operator \"Forgt\".* mean Forget"),
        typed(b -> b.after("Mvto.Begn", "Forget"), "action \"Begn\".* mean Begin"),
        typed(b -> b.messages("msg", "m"), "variable \"msg\""),
        typed(b -> b.ghost("txnn.phase", "why"), "variable \"txnn\""),
        typed(b -> b.given("expeled", "why"), "variable \"expeled\".* mean expelled"),
        typed(b -> b.forgotten("tolld", Term.of(0)), "variable \"tolld\""),
        typed(b -> b.invariant("Inv51"), "invariant \"Inv51\""),
        typed(b -> b.shown("frst"), "part of a state \"frst\""),
        typed(b -> b.names(Shape.PLAIN, "frst"), "name \"frst\""),
        typed(b -> b.argument("flor", e -> null), "parameter \"flor\""));
  }

  @ParameterizedTest
  @MethodSource("typed")
  void aNameThatNoModuleHasIsNamed(Consumer<Binding> name, String said) {
    Constants model = new Constants(Map.of("Repairs", "{\"ReadFloor\"}"));
    Binding typed = new Typed(name);
    for (ThrowingCallable use :
        List.<ThrowingCallable>of(
            () -> typed.machines(model, Optional.empty()), () -> typed.read(null, 1))) {
      assertThatThrownBy(use)
          .isInstanceOfSatisfying(
              InputError.class,
              e ->
                  assertThat(e.describe())
                      .containsPattern("(?s)WorldTest.Typed declares the " + said)
                      .contains("which no module in specs/k2 has"));
    }
  }

  @Test
  void namesThatModulesHaveAreTaken() {
    Constants model = new Constants(Map.of("Repairs", "{\"ReadFloor\"}"));
    Consumer<Binding> names =
        b -> {
          b.always("ReadFloor");
          b.probes(Set.of("msgs"), Set.of("Begin"));
          b.begins("timer", "Begin");
          b.shows("Mvto.Begin", "BeginShows");
          b.ghost("txn.phase", "why");
        };
    assertThat(new Typed(names).machines(model, Optional.empty())).isNotNull();
  }

  /** A module need not have the constant. */
  @Test
  void aBindingWithoutRepairsAsksForNone() {
    Binding none = new Typed(b -> {});
    assertThat(none.machines(new Constants(Map.of()), Optional.empty())).isNotNull();
    assertThat(none.asPublished(new Constants(Map.of()))).isEmpty();
  }

  /** A counter that counts by as much as the model says. */
  private static final class Told extends Binding {
    private final String by;

    Told(String by) {
      super("Mvto", "specs/k2", null);
      this.by = by;
      given("step", "the environment's");
    }

    @Override
    protected World world(Constants model, Optional<SeededBug> bug) {
      return new World(this) {
        private int count;

        {
          variable("count", () -> count);
          on("Count", p -> count += given(by).intValue());
          outside("Tick");
        }

        @Override
        protected void open(ObjectNode initial) {
          count = 0;
        }
      };
    }
  }

  private static int counted(String by) {
    World world = new Told(by).world(null, Optional.empty());
    assertThat(world.variables()).containsExactly("count");
    assertThat(world.given()).containsExactly("step");
    assertThat(world.ghosts()).containsEntry("step", "the environment's");
    ObjectNode state = Values.F.objectNode().put("count", 7).put("step", 2);
    world.reset(state);
    world.apply("Tick", Values.F.objectNode(), state);
    world.apply("Count", Values.F.objectNode(), state.deepCopy().put("step", 3));
    return world.project(0).intValue();
  }

  @Test
  void whatIsGivenIsTakenFromTheModelAndNothingElse() {
    assertThat(counted("step")).isEqualTo(3);
    assertThatThrownBy(() -> counted("count"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("count is not given");
  }

  @Test
  void aFunctionThatDependsOnMoreThanItSaysIsFound() {
    assertThat(stale(true)).isEmpty();
    assertThat(stale(false)).containsExactly("sum");
  }
}
