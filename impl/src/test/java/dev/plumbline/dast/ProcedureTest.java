package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
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
}
