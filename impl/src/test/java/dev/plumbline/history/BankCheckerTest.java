package dev.plumbline.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.history.Judgement.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

class BankCheckerTest {
  private final HistoryRecorder recorder = new HistoryRecorder();
  private long now;

  private void open(long first, long second) {
    List<ObservedMicroOp> writes =
        List.of(new ObservedMicroOp.Write(0L, first), new ObservedMicroOp.Write(1L, second));
    recorder.invoke(0, now++, writes);
    recorder.ok(0, now++, writes, ClaimedTimestamp.of(now));
  }

  private void read(Long first, Long second) {
    recorder.invoke(
        1, now++, List.of(new ObservedMicroOp.Read(0L, null), new ObservedMicroOp.Read(1L, null)));
    recorder.ok(
        1,
        now++,
        List.of(new ObservedMicroOp.Read(0L, first), new ObservedMicroOp.Read(1L, second)),
        ClaimedTimestamp.of(now));
  }

  private Judgement judge() {
    return BankChecker.check(recorder.history());
  }

  @Test
  void acceptsOneTotal() {
    read(null, null);
    open(10, 20);
    read(10L, 20L);
    read(13L, 17L);
    assertThat(judge().outcome()).isEqualTo(Outcome.VALID);
  }

  @Test
  void objectsToAnotherTotal() {
    open(10, 20);
    read(10L, 20L);
    read(13L, 20L);
    Judgement judgement = judge();
    assertThat(judgement.outcome()).isEqualTo(Outcome.INVALID);
    assertThat(judgement.anomalies().get(0).text())
        .contains("operation 5 saw a total of 33 instead of 30");
  }

  @Test
  void objectsToHalfAnOpening() {
    open(10, 20);
    read(10L, null);
    assertThat(judge().outcome()).isEqualTo(Outcome.INVALID);
  }

  @Test
  void cannotTellWithoutAReadOfAllAccounts() {
    open(10, 20);
    assertThat(judge().outcome()).isEqualTo(Outcome.UNKNOWN);
  }

  @Test
  void indeterminateTransferIsToldFromTheBalancesReadNext() {
    open(10, 20);
    recorder.invoke(
        2,
        now++,
        List.of(new ObservedMicroOp.Write(0L, null), new ObservedMicroOp.Write(1L, null)));
    recorder.info(
        2,
        now++,
        List.of(new ObservedMicroOp.Write(0L, 5L), new ObservedMicroOp.Write(1L, 25L)),
        ClaimedTimestamp.of(now),
        "timeout");
    read(5L, 25L);
    read(5L, 25L);
    History took = recorder.history();
    assertThat(witness(took)).isEqualTo(Outcome.VALID);
    read(10L, 20L);
    assertThat(witness(recorder.history())).isEqualTo(Outcome.INVALID);
  }

  private static Outcome witness(History history) {
    return WitnessChecker.check(history, DataModel.BANK, Model.STRICT_SERIALIZABLE).outcome();
  }
}
