package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

class ProcedureTest {
  private static Piece piece(String name, List<String> inputs, List<String> outputs) {
    return new Piece(
        name,
        inputs,
        outputs,
        (store, steps, in) -> new Piece.Effect(true, List.of(), Map.of(), Map.of()));
  }

  @Test
  void valuesThatFlowInACircleAreRefusedWithTheCycle() {
    assertThatThrownBy(
            () ->
                new Procedure(
                    "swap",
                    List.of(
                        piece("free", List.of(), List.of()),
                        piece("left", List.of("b"), List.of("a")),
                        piece("right", List.of("a"), List.of("b")))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("swap: values flow in a circle: left <- right <- left");
  }

  @Test
  void aValueThatNobodyGivesIsRefused() {
    assertThatThrownBy(
            () -> new Procedure("pay", List.of(piece("credit", List.of("covered"), List.of()))))
        .hasMessage("pay: credit needs covered, which 0 pieces give");
  }

  @Test
  void aNameIsRegisteredOnce() {
    Procedures procedures = Procedures.standard();
    Procedure again = new Procedure(Procedures.ACCESS, List.of());
    assertThatThrownBy(() -> procedures.register(again)).hasMessageContaining("access");
  }

  @Test
  void aTransferThatIsNotCoveredWritesNothingAndSaysSo() {
    Piece debit = Procedures.standard().named(Procedures.TRANSFER).piece(Procedures.DEBIT);
    List<Long> ten = List.of(0L, 10L);
    Piece.Effect enough =
        debit.body().run(k -> ten, List.of(new Step(0, Step.Kind.ADD, 1, -10)), Map.of());
    Piece.Effect tooMuch =
        debit.body().run(k -> ten, List.of(new Step(0, Step.Kind.ADD, 1, -11)), Map.of());
    assertThat(enough.writes()).containsEntry(1L, List.of(0L, 0L));
    assertThat(enough.outputs()).containsEntry("covered", 1L);
    assertThat(tooMuch.applied()).isFalse();
    assertThat(tooMuch.writes()).isEmpty();
    assertThat(tooMuch.outputs()).containsEntry("covered", 0L);
  }

  private static Piece.Effect run(
      String procedure, String piece, LongFunction<List<Long>> store, Step... steps) {
    Piece found = Procedures.standard().named(procedure).piece(piece);
    return found.body().run(store, List.of(steps), Map.of("covered", 1L, "found", 1L));
  }

  @Test
  void aStepThatDoesNotSuitChangesNothing() {
    List<Long> list = List.of(1L, 10L);
    List<Long> number = List.of(0L, 10L);
    for (List<String> piece :
        List.of(
            List.of(Procedures.ACCESS, Procedures.ACCESS),
            List.of(Procedures.TRANSFER, Procedures.CREDIT),
            List.of(Procedures.BY_NAME, Procedures.LOOKUP),
            List.of(Procedures.BY_NAME, Procedures.BOOK))) {
      Piece.Effect effect =
          run(
              piece.get(0),
              piece.get(1),
              key -> key == 1 ? list : key == 2 ? number : List.of(),
              new Step(0, Step.Kind.ADD, 1, 5),
              new Step(1, Step.Kind.WRITE, 1, 5),
              new Step(2, Step.Kind.APPEND, 2, 5),
              new Step(3, Step.Kind.WRITE, 3, 5));
      assertThat(effect.applied()).as("%s", piece).isTrue();
      assertThat(effect.seen()).containsExactly(list, list, number, List.of(0L, 5L));
      assertThat(effect.writes()).isEqualTo(Map.of(1L, list, 2L, number, 3L, List.of(0L, 5L)));
    }
  }

  @Test
  void nothingIsPaidFromAList() {
    Piece.Effect effect =
        run(
            Procedures.TRANSFER,
            Procedures.DEBIT,
            key -> List.of(1L, 10L),
            new Step(0, Step.Kind.ADD, 1, -5));
    assertThat(effect.applied()).isFalse();
    assertThat(effect.writes()).isEmpty();
    assertThat(effect.outputs()).containsEntry("covered", 0L);
  }
}
