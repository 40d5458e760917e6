package dev.plumbline.purity.pure;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Timer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What a protocol package may do. */
class Pure implements Machine {
  static final long WAIT_MICROS = 10;
  static final List<String> NAMES = List.of("a", "b");

  enum Phase {
    ON,
    OFF
  }

  record Tick(Phase phase) implements Timer {}

  private final TreeMap<String, Long> seen = new TreeMap<>();

  @Override
  public void handle(Input input, ClockReading clock, Effects effects) {
    String text = input + "!";
    switch (input instanceof Input.Start ? Phase.ON : Phase.OFF) {
      case ON -> effects.setTimer(new Tick(Phase.ON), WAIT_MICROS);
      case OFF -> seen.put(text, clock.localMicros());
    }
    effects.trace(
        NAMES.stream().map(String::trim).collect(Collectors.joining()), Map.of("n", seen.size()));
  }
}
