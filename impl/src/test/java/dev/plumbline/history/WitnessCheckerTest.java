package dev.plumbline.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.history.Judgement.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the claimed order cannot tell: an append at 5, and then a read that does not see it. */
class WitnessCheckerTest {
  private static Judgement staleRead(ClaimedTimestamp place, Model model) {
    HistoryRecorder recorder = new HistoryRecorder();
    List<ObservedMicroOp> append = List.of(new ObservedMicroOp.Append(0L, 1));
    recorder.invoke(0, 1, append);
    recorder.ok(0, 2, append, ClaimedTimestamp.of(5));
    recorder.invoke(1, 3, List.of(new ObservedMicroOp.Read(0L, null)));
    recorder.ok(1, 4, List.of(new ObservedMicroOp.Read(0L, List.of())), place);
    return WitnessChecker.check(recorder.history(), DataModel.LIST_APPEND, model);
  }

  @Test
  void aReaderThatClaimsNoPlaceMayHaveReadAnything() {
    Judgement judgement = staleRead(null, Model.STRICT_SERIALIZABLE);
    assertThat(judgement.outcome()).isEqualTo(Outcome.UNKNOWN);
    assertThat(judgement.reason()).contains("operation 3").contains("claims no place");
  }

  @Test
  void aWrongOrderProvesNothingOfAModelThatAsksForNone() {
    ClaimedTimestamp late = ClaimedTimestamp.of(6);
    assertThat(staleRead(late, Model.SERIALIZABLE).outcome()).isEqualTo(Outcome.INVALID);
    assertThat(staleRead(late, Model.STRONG_SESSION_SERIALIZABLE).outcome())
        .isEqualTo(Outcome.INVALID);
    for (Model weaker : List.of(Model.SNAPSHOT_ISOLATION, Model.READ_COMMITTED, Model.PREFIX)) {
      assertThat(staleRead(late, weaker).outcome()).as(weaker.word()).isEqualTo(Outcome.UNKNOWN);
    }
  }

  /** The reader began first; its place is the writer's, and so behind it. */
  @Test
  void aReaderAtAWritersPlaceStandsBehindIt() {
    HistoryRecorder recorder = new HistoryRecorder();
    List<ObservedMicroOp> append = List.of(new ObservedMicroOp.Append(0L, 1));
    recorder.invoke(1, 1, List.of(new ObservedMicroOp.Read(0L, null)));
    recorder.invoke(0, 2, append);
    recorder.ok(0, 3, append, ClaimedTimestamp.of(5));
    recorder.ok(1, 4, List.of(new ObservedMicroOp.Read(0L, List.of(1L))), ClaimedTimestamp.of(5));
    assertThat(
            WitnessChecker.check(
                    recorder.history(), DataModel.LIST_APPEND, Model.STRICT_SERIALIZABLE)
                .outcome())
        .isEqualTo(Outcome.VALID);
  }

  /** In the middle of a transfer the total is another. */
  @Test
  void whatATransferReadsOfItselfIsNoTotal() {
    HistoryRecorder recorder = new HistoryRecorder();
    List<ObservedMicroOp> all =
        List.of(new ObservedMicroOp.Read(0L, 10L), new ObservedMicroOp.Read(1L, 10L));
    List<ObservedMicroOp> transfer =
        List.of(
            new ObservedMicroOp.Write(0L, 5L),
            new ObservedMicroOp.Read(0L, 5L),
            new ObservedMicroOp.Read(1L, 10L),
            new ObservedMicroOp.Write(1L, 15L));
    for (List<ObservedMicroOp> done : List.of(all, transfer)) {
      recorder.invoke(0, 1, done);
      recorder.ok(0, 1, done, null);
    }
    assertThat(BankChecker.check(recorder.history()).outcome()).isEqualTo(Outcome.VALID);
  }
}
