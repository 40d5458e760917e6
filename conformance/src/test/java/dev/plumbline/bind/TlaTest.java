package dev.plumbline.bind;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Words as TLA+'s text. */
class TlaTest {
  @Test
  void wordsHaveOneText() {
    assertThat(Tla.of("a \"b\" \\c")).isEqualTo("\"a \\\"b\\\" \\\\c\"");
    assertThat(Tla.of(List.of(1, 2L, true))).isEqualTo("<<1, 2, TRUE>>");
    assertThat(Tla.of(Set.of("b", "a"))).isEqualTo("{\"a\", \"b\"}");
    assertThat(Tla.of(Map.of("writes", Set.of(), "reads", List.of())))
        .isEqualTo("[reads |-> <<>>, writes |-> {}]");
    assertThat(Tla.of(Tla.range(-2, -1))).isEqualTo("-2 .. -1");
  }

  @Test
  void functionsAreGivenPointByPointOrByCases() {
    Map<String, Object> ranks = new TreeMap<>(Map.of("a", 1, "b", List.of(0, 2)));
    assertThat(Tla.function(ranks).tla()).isEqualTo("\"a\" :> 1 @@ \"b\" :> <<0, 2>>");
    assertThat(Tla.cases("T", ranks).tla())
        .isEqualTo("CASE T = \"a\" -> 1 [] T = \"b\" -> <<0, 2>>");
  }
}
