package dev.plumbline.k2;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.SpecAction;
import java.util.Map;

/** A TTC oracle server (K2, sections 2.2 and 4.2). Stateless. */
public class Oracle implements Machine {
  private final long number;

  /**
   * @param number breaks ties between timestamps
   */
  public Oracle(long number) {
    this.number = number;
  }

  @Override
  public final void handle(Input input, ClockReading clock, Effects effects) {
    if (input instanceof Input.Deliver deliver
        && deliver.message() instanceof K2Message.BatchRequest request
        && clock.hasTrueTime()) {
      oracleReply(deliver.from(), request, clock, effects);
    }
  }

  @SpecAction("TimestampBatching.OracleReply")
  protected void oracleReply(
      String from, K2Message.BatchRequest request, ClockReading clock, Effects effects) {
    effects.send(from, new K2Message.BatchReply(request.id(), number, clock.upMicros()));
    if (effects.tracing()) {
      effects.trace(
          "TimestampBatching.OracleReply",
          Map.of(
              "o", number,
              "q", Map.of("coordinator", from, "id", request.id()),
              "up", clock.upMicros()));
    }
  }
}
