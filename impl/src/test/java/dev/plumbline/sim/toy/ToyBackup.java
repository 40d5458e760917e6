package dev.plumbline.sim.toy;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import java.util.Map;
import java.util.TreeSet;

/** Remembers which transactions it holds and says so. */
final class ToyBackup implements Machine {
  private final TreeSet<Long> held = new TreeSet<>();

  /** A transaction that the backup holds. */
  record Holds(long number) {}

  @Override
  public void handle(Input input, ClockReading clock, Effects effects) {
    if (input instanceof Input.Start start) {
      start.durable().forEach(record -> held.add(((Holds) record).number()));
    } else if (input instanceof Input.Deliver deliver
        && deliver.message() instanceof ToyPrimary.Replicate replicate) {
      if (held.add(replicate.number())) {
        effects.persist(new Holds(replicate.number()));
      }
      effects.send(deliver.from(), new ToyPrimary.Held(replicate.number()));
      effects.trace("Hold", Map.of("number", replicate.number()));
    }
  }

  int size() {
    return held.size();
  }
}
