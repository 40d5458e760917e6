package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.k2.K2Timer;
import dev.plumbline.trace.TraceWriter;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a log says a step began with. */
class StepTest {
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "a:1, '', '\"recv\":\"a:1\"', by",
        "-, timer, '\"by\":\"timer\"', recv",
        "-, '', '\"by\":\"store\"', recv"
      })
  void aStepHasAMessageOrACause(String recv, String cause, String said, String not) {
    Step step = new Step(1, true);
    step.trace("Module.Action", Map.of(), Map.of());
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    TraceWriter trace = new TraceWriter("n", "n", log);
    step.log(trace, 1, recv, cause, "n", 1);
    trace.flush();
    assertThat(log.toString(StandardCharsets.UTF_8))
        .contains(said)
        .doesNotContain("\"" + not + "\":");
  }

  @Test
  void aTimerForTheEndOfTimeIsNotDueBefore() {
    Step step = new Step(1_000, false);
    step.setTimer(new K2Timer.ReplayNext(), Long.MAX_VALUE);
    step.setTimer(new K2Timer.ReplayNext(), Long.MAX_VALUE - 1_001);
    assertThat(step.alarms).allSatisfy(a -> assertThat(a.due()).isGreaterThan(1L << 62));
    step.cancelTimer(new K2Timer.ReplayNext());
    assertThat(step.alarms.get(0)).as("it is not cancelled").isNotEqualTo(step.alarms.get(2));
  }
}
