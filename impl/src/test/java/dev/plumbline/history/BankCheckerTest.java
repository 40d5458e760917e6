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

  @Test
  void largeBalancesDoNotWrapAround() {
    open(-1, 1);
    read(-1L, 1L);
    read(Long.MIN_VALUE, Long.MIN_VALUE);
    assertThat(judge().outcome()).isEqualTo(Outcome.INVALID);
  }

  @Test
  void aValueThatAnIndeterminateTransferOverwroteItselfIsNeverSeen() {
    open(10, 20);
    unknown(4, new ObservedMicroOp.Write(0L, 5L), new ObservedMicroOp.Write(0L, 6L));
    read(5L, 20L);
    assertThat(witness(recorder.history())).isEqualTo(Outcome.INVALID);
  }

  @Test
  void anIndeterminateTransferDoesNotHideThatTwoOthersShareAPlace() {
    ClaimedTimestamp place = ClaimedTimestamp.of(7);
    write(1, place);
    unknown(7, new ObservedMicroOp.Write(0L, 5L));
    write(2, place);
    assertThat(witness(recorder.history())).isEqualTo(Outcome.INVALID);
  }

  @Test
  void anIndeterminateTransferThatWasSeenSharesNoPlaceEither() {
    write(1, ClaimedTimestamp.of(7));
    unknown(7, new ObservedMicroOp.Write(0L, 5L));
    History unseen = recorder.history();
    assertThat(witness(unseen)).isEqualTo(Outcome.VALID);
    recorder.invoke(4, now++, List.of(new ObservedMicroOp.Read(0L, null)));
    recorder.ok(4, now++, List.of(new ObservedMicroOp.Read(0L, 5L)), ClaimedTimestamp.of(9));
    assertThat(witness(recorder.history())).isEqualTo(Outcome.INVALID);
  }

  @Test
  void whatAWriterWithoutAPlaceMayHaveWrittenProvesNothingOfAnIndeterminateTransfer() {
    write(5, null);
    recorder.invoke(0, now++, List.of(new ObservedMicroOp.Read(0L, null)));
    recorder.ok(0, now++, List.of(new ObservedMicroOp.Read(0L, 5L)), ClaimedTimestamp.of(9));
    unknown(1, new ObservedMicroOp.Write(0L, 5L));
    assertThat(witness(recorder.history())).isEqualTo(Outcome.UNKNOWN);
  }

  private void write(long value, ClaimedTimestamp place) {
    List<ObservedMicroOp> write = List.of(new ObservedMicroOp.Write(0L, value));
    recorder.invoke(0, now++, write);
    recorder.ok(0, now++, write, place);
  }

  private void unknown(long place, ObservedMicroOp... writes) {
    long process = 100 + now;
    recorder.invoke(process, now++, List.of(writes));
    recorder.info(process, now++, ClaimedTimestamp.of(place), "timeout");
  }

  private static Outcome witness(History history) {
    return WitnessChecker.check(history, DataModel.BANK, Model.STRICT_SERIALIZABLE).outcome();
  }
}
