package dev.plumbline.engage.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.history.ClaimedTimestamp;
import dev.plumbline.history.Guarantee;
import dev.plumbline.history.HistoryRecorder;
import dev.plumbline.history.Judgement;
import dev.plumbline.history.ObservedMicroOp;
import dev.plumbline.history.Visit;
import dev.plumbline.protocol.Settings;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CounterCheckerTest {
  private static final EngageSystem ENGAGE = new EngageSystem();

  private final HistoryRecorder history = new HistoryRecorder();
  private long time;
  private long process;

  private void write(String session, long number, Guarantee... asks) {
    List<ObservedMicroOp> ops = List.of(new ObservedMicroOp.Write(7L, number));
    history.invoke(process, ++time, ops, new Visit(session, "c1", Set.of(asks), false));
    history.ok(process, ++time, ops, new ClaimedTimestamp(List.of(number)));
  }

  private void lost(String session, long number) {
    List<ObservedMicroOp> ops = List.of(new ObservedMicroOp.Write(7L, number));
    Visit visit = new Visit(session, "c1", Set.of(Guarantee.MONOTONIC_WRITES), false);
    history.invoke(process, ++time, ops, visit);
    history.info(process, ++time, ops, null, "no answer");
    process++;
  }

  private void read(String session, Long shown, boolean last, Guarantee... asks) {
    Visit visit = new Visit(session, "c2", Set.of(asks), last);
    history.invoke(process, ++time, List.of(new ObservedMicroOp.Read(7L, null)), visit);
    history.ok(process, ++time, List.of(new ObservedMicroOp.Read(7L, shown)), null);
  }

  private Judgement judged() {
    return new CounterChecker().check(history.history(), Settings.repaired(ENGAGE.clockBounds()));
  }

  private void counted() {
    write("a", 1, Guarantee.MONOTONIC_WRITES);
    write("a", 2, Guarantee.MONOTONIC_WRITES);
    write("a", 3, Guarantee.MONOTONIC_WRITES);
  }

  @Test
  void aCounterThatGoesUpIsFine() {
    counted();
    read("b", 1L, false, Guarantee.MONOTONIC_READS);
    read("b", 3L, false, Guarantee.MONOTONIC_READS);
    read("b", 2L, false);
    read("a", 3L, false, Guarantee.READ_YOUR_WRITES);
    read("b", 3L, true);

    assertThat(judged().outcome()).isEqualTo(Judgement.Outcome.VALID);
  }

  @Test
  void oneThatGoesBackIsCaught() {
    counted();
    read("b", 3L, false);
    read("b", 2L, false, Guarantee.MONOTONIC_READS);

    assertThat(judged().anomalies())
        .singleElement()
        .extracting(Judgement.Anomaly::text)
        .asString()
        .contains("shows 2 in counter 7 at c2; what its session was shown before is 3");
  }

  @Test
  void anOwnerThatDoesNotSeeItsNumberIsCaught() {
    counted();
    read("a", 2L, false, Guarantee.READ_YOUR_WRITES);

    assertThat(judged().outcome()).isEqualTo(Judgement.Outcome.INVALID);
  }

  @Test
  void aLastNumberThatIsMissedInTheEndIsCaught() {
    counted();
    read("b", 2L, true);

    assertThat(judged().outcome()).isEqualTo(Judgement.Outcome.INVALID);
  }

  @Test
  void aLostIncrementMayOrMayNotCount() {
    counted();
    lost("a", 4);
    read("b", 3L, true);
    read("b", 4L, true);

    assertThat(judged().outcome()).isEqualTo(Judgement.Outcome.VALID);
  }

  @Test
  void whatIsNoCounterIsNotJudged() {
    counted();
    write("b", 9, Guarantee.MONOTONIC_WRITES);
    read("b", 1L, true);

    assertThat(judged().outcome()).isEqualTo(Judgement.Outcome.NOT_RUN);
  }

  @Test
  void whoDoesNotAskForMonotonicWritesHasNoCounter() {
    counted();
    write("a", 4, Guarantee.READ_YOUR_WRITES);

    assertThat(judged().outcome()).isEqualTo(Judgement.Outcome.NOT_RUN);
  }
}
