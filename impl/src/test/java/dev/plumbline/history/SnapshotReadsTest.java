package dev.plumbline.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.history.Judgement.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two snapshot reads at one timestamp beside an append whose place nobody knows. */
class SnapshotReadsTest {
  @Test
  void snapshotReadsAtOneTimestampMustSeeTheSameInEitherOrder() {
    assertThat(outcome(List.of(), List.of(1L))).isEqualTo(Outcome.INVALID);
    assertThat(outcome(List.of(1L), List.of())).isEqualTo(Outcome.INVALID);
    assertThat(outcome(List.of(1L), List.of(1L))).isEqualTo(Outcome.VALID);
    assertThat(outcome(List.of(), List.of())).isEqualTo(Outcome.VALID);
  }

  @Test
  void nothingIsSaidOfSnapshotReadsWhereThereIsNone() {
    HistoryRecorder recorder = new HistoryRecorder();
    List<ObservedMicroOp> append = List.of(new ObservedMicroOp.Append(0L, 1));
    recorder.invoke(0, 1, append);
    recorder.ok(0, 2, append, ClaimedTimestamp.of(5));
    Judgement judgement =
        WitnessChecker.check(recorder.history(), DataModel.LIST_APPEND, Model.SNAPSHOT_READS);
    assertThat(judgement.outcome()).isEqualTo(Outcome.NOT_RUN);
  }

  private static Outcome outcome(List<Long> first, List<Long> second) {
    HistoryRecorder recorder = new HistoryRecorder();
    recorder.invoke(0, 1, List.of(new ObservedMicroOp.Append(0L, 1)));
    recorder.info(0, 2, null, "no answer");
    ClaimedTimestamp at = ClaimedTimestamp.of(5);
    for (List<Long> saw : List.of(first, second)) {
      recorder.invokeSnapshotRead(1, 3, List.of(new ObservedMicroOp.Read(0L, null)), at);
      recorder.ok(1, 4, List.of(new ObservedMicroOp.Read(0L, saw)), null);
    }
    return WitnessChecker.check(
            recorder.history(), DataModel.LIST_APPEND, Model.STRICT_SERIALIZABLE)
        .outcome();
  }
}
