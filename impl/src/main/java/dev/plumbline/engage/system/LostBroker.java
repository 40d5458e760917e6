package dev.plumbline.engage.system;

import dev.plumbline.engage.Broker;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import java.util.List;
import java.util.function.LongFunction;

/**
 * A broker that is lost for good whenever it crashes, its disk with it: who takes its place begins
 * a new tree (repair {@code newTree}), whose number is that of its incarnation. So there may be one
 * such broker in a tree.
 */
final class LostBroker implements Machine {
  private final LongFunction<Broker> successors;
  private Broker broker;

  /**
   * @param successors makes a broker that starts with a tree of this number
   */
  LostBroker(LongFunction<Broker> successors) {
    this.successors = successors;
  }

  /** Who has the place now; null before the first start. */
  Broker broker() {
    return broker;
  }

  @Override
  public void handle(Input input, ClockReading clock, Effects effects) {
    if (input instanceof Input.Start start) {
      broker = successors.apply(start.epoch());
      broker.handle(new Input.Start(1, List.of()), clock, effects);
    } else {
      broker.handle(input, clock, effects);
    }
  }
}
