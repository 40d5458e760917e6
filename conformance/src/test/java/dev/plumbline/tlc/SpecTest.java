package dev.plumbline.tlc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tlc2.value.impl.FcnLambdaValue;
import tlc2.value.impl.RecordValue;
import tlc2.value.impl.SetEnumValue;
import tlc2.value.impl.TupleValue;
import tlc2.value.impl.Value;

class SpecTest {
  private static final Path SPECS = Path.of("src/test/resources/specs");
  private static final List<Path> LIBRARY = List.of(SPECS.resolve("common"));

  private static Spec toy() {
    return Spec.load(
        SPECS.resolve("toy/MCTwoPhase.tla"), SPECS.resolve("toy/MCTwoPhase.cfg"), LIBRARY);
  }

  private static Spec written(Path folder, String module, String config) throws IOException {
    return Spec.load(
        Files.writeString(folder.resolve("Written.tla"), module),
        Files.writeString(folder.resolve("Written.cfg"), config),
        List.of(SPECS.resolve("toy"), SPECS.resolve("common")));
  }

  @Test
  void statesAreJsonWithSortedKeys() {
    Spec spec = toy();
    assertThat(spec.variables()).containsExactly("decision", "msgs", "state");
    assertThat(spec.initialStates()).hasSize(1);
    assertThat(spec.initialStates().get(0).json().toString())
        .isEqualTo(
            "{\"decision\":\"none\",\"msgs\":[],\"state\":{\"r1\":\"working\",\"r2\":\"working\"}}");
  }

  @Test
  void stepsCarryTheParametersOfConstantAndStateDependentQuantifiers() {
    Spec spec = toy();
    Set<String> seen = new TreeSet<>();
    Set<Spec.State> states = new HashSet<>(spec.initialStates());
    ArrayDeque<Spec.State> queue = new ArrayDeque<>(states);
    while (!queue.isEmpty()) {
      for (Spec.Step step : spec.steps(queue.poll())) {
        seen.add(step.action() + step.parameters());
        if (states.add(step.to())) {
          queue.add(step.to());
        }
      }
    }
    assertThat(spec.actions())
        .containsExactly("Vote", "DecideCommit", "DecideAbort", "Learn", "Restart");
    assertThat(seen)
        .contains(
            "Vote{\"p\":\"r1\",\"yes\":true}",
            "DecideCommit{}",
            "Learn{\"m\":{\"dst\":\"r1\",\"outcome\":\"commit\",\"src\":\"coord\",\"type\":\"decide\"}}")
        .noneMatch(s -> s.startsWith("Restart") || s.startsWith("Next"));
    assertThat(states).hasSize(20);
  }

  @Test
  void constantsThatTheModuleDoesNotTakeAreRefused(@TempDir Path folder) {
    String module =
        """
        ---- MODULE Written ----
        EXTENDS Naturals
        CONSTANT Limit
        VARIABLE n
        ASSUME Limit > 3
        Spec == n = Limit /\\ [][FALSE]_n
        ====
        """;
    assertThatCode(() -> written(folder, module, "SPECIFICATION Spec\nCONSTANT Limit = 4\n"))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> written(folder, module, "SPECIFICATION Spec\nCONSTANT Limit = 3\n"))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("the assumption at Written.tla:5 is false: Limit > 3");
  }

  @Test
  void onlyWantedCallsAreExpanded() {
    Spec spec = toy();
    Spec.State start = spec.initialStates().get(0);
    assertThat(
            spec.steps(
                start, c -> c.action().equals("Vote") && c.parameter("p").textValue().equals("r2")))
        .hasSize(2)
        .allMatch(s -> s.parameters().get("p").textValue().equals("r2"));
  }

  /** As in models of random behaviours, where a constraint would end them. */
  @Test
  void conjunctsThatRestrictNextDoNotHideTheActionsNames(@TempDir Path folder) throws IOException {
    String module =
        """
        ---- MODULE Written ----
        EXTENDS MCTwoPhase
        RestrictedSpec == Init /\\ [][Next /\\ decision' = decision /\\ vars' # vars]_vars
        ====
        """;
    String config = Files.readString(SPECS.resolve("toy/MCTwoPhase.cfg"));
    Spec spec = written(folder, module, config.replace("MCSpec", "RestrictedSpec"));
    Spec.State start = spec.initialStates().get(0);
    List<Spec.Step> steps = spec.steps(start);
    assertThat(steps).hasSize(4).allMatch(step -> step.action().equals("Next"));
    for (Spec.Step step : steps) {
      Spec.Step named = spec.between(start.tlc, step.to().tlc);
      assertThat(named.action()).isEqualTo("Vote");
      assertThat(named.to()).isEqualTo(step.to());
    }
  }

  /**
   * A function on pairs, inside of a value, is made when it is asked for. What made it is kept till
   * then.
   */
  @Test
  void aPlainStateHoldsNoneOfThoseBeforeIt(@TempDir Path folder) throws IOException {
    String module =
        """
        ---- MODULE Written ----
        EXTENDS Naturals
        VARIABLE f
        Init == f = <<[k \\in {1} \\X {1, 2} |-> 0], {}, 1..2>>
        More == [k \\in {1} \\X {1, 2} |-> f[1][k] + 1]
        Next == f' = <<More, {[k \\in {1} \\X {1, 2} |-> {f[1][k]}]}, [n |-> More]>>
        Spec == Init /\\ [][Next]_f
        ====
        """;
    Spec spec = written(folder, module, "SPECIFICATION Spec\n");
    Spec.State state = spec.initialStates().get(0);
    for (int i = 0; i < 3; i++) {
      state = spec.apply(state, "Next", List.of()).get(0);
    }
    assertThat(parts(state)).contains(FcnLambdaValue.class);

    Spec.State plain = state.plain();

    assertThat(parts(plain)).isNotEmpty().doesNotContain(FcnLambdaValue.class);
    assertThat(plain).isEqualTo(state);
    assertThat(plain.json()).isEqualTo(state.json());
    assertThat(plain.json().toString()).contains("[1,1]", "3", "2").doesNotContain("4");
  }

  /** What the parts of variable f are made of; f is a tuple of a function, a set and a record. */
  private static List<Class<?>> parts(Spec.State state) {
    Value[] f = ((TupleValue) state.get("f").value).elems;
    return Stream.of(f[0], ((SetEnumValue) f[1]).elems.elementAt(0), ((RecordValue) f[2]).values[0])
        .<Class<?>>map(Value::getClass)
        .toList();
  }

  @Test
  void predicatesAreEvaluatedByName() {
    Spec spec = toy();
    Spec.State start = spec.initialStates().get(0);
    assertThat(spec.holds("AgreementInv", start)).isTrue();
    assertThat(spec.holds("CommitReach", start)).isFalse();
    assertThatThrownBy(() -> spec.holds("NoSuchInv", start))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("NoSuchInv");
  }

  @Test
  void aSpecificationLoadedEarlierRefusesToAnswer() {
    Spec first = toy();
    toy();
    assertThatThrownBy(first::initialStates).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void theSequencesAmongArraysAreKnown(@TempDir Path folder) throws IOException {
    String module =
        """
        ---- MODULE Written ----
        EXTENDS Integers
        VARIABLES a, b, c
        Init == /\\ a = [n \\in {1, 2} |-> <<{n}, "x">>]
                /\\ b = {[t |-> <<1>>, s |-> {}], [t |-> {1}, s |-> 1 .. 2]}
                /\\ c = [n \\in {"k", "l"} |-> <<>>]
        Next == UNCHANGED <<a, b, c>>
        ====
        """;
    Map<String, Boolean> arrays = new TreeMap<>();
    written(folder, module, "INIT Init NEXT Next").initialStates().get(0).arrays(arrays);
    assertThat(arrays)
        .containsOnly(
            Map.entry("a", true),
            Map.entry("a[]", true),
            Map.entry("a[][]", false),
            Map.entry("b", false),
            Map.entry("b[].t", false),
            Map.entry("b[].s", false),
            Map.entry("c.k", true),
            Map.entry("c.l", true));
  }

  @Test
  void namesOfAnEarlierSpecificationDoNotLeakIntoTheNext() {
    Path slots = SPECS.resolve("slots");
    Spec.load(slots.resolve("First.tla"), slots.resolve("First.cfg"), LIBRARY);
    Spec second = Spec.load(slots.resolve("Second.tla"), slots.resolve("Second.cfg"), LIBRARY);
    Spec.State start = second.initialStates().get(0);
    assertThat(second.evaluate("alpha", start)).hasToString("[20,\"alpha\"]");
    assertThat(second.evaluate("beta", start)).hasToString("[10,\"beta\"]");
  }

  @Test
  void modulesListOperatorsWithCommentsAndLines() {
    Modules.Module m = Modules.parse(SPECS.resolve("toy/MCTwoPhase.tla"), LIBRARY);
    assertThat(m.constants()).containsOnlyKeys("Participant", "Repairs");
    assertThat(m.variables()).containsOnlyKeys("state", "decision", "msgs");
    Modules.Operator vote = m.operators().get("Vote");
    assertThat(vote.parameters()).containsExactly("p", "yes");
    assertThat(vote.level()).isEqualTo(2);
    assertThat(vote.module()).isEqualTo("TwoPhase");
    assertThat(vote.comment()).contains("A participant votes yes");
  }

  /** SANY fails with a NullPointerException there. */
  @ParameterizedTest
  @ValueSource(strings = {"", "\n\n", "not a module", "--- MODULE Base ----\n===="})
  void aFileWithoutAModuleIsNamed(String text, @TempDir Path folder) throws IOException {
    Path base = folder.resolve("Base.tla");
    Path user = folder.resolve("User.tla");
    Files.writeString(base, text);
    Files.writeString(user, "---- MODULE User ----\nEXTENDS Naturals, Base\n====\n");
    for (Path asked : List.of(base, user)) {
      assertThatThrownBy(() -> Modules.parse(asked, List.of()))
          .isInstanceOfSatisfying(
              InputError.class, e -> assertThat(e.file()).isEqualTo(base.toString()))
          .hasMessage("holds no module");
    }
  }
}
