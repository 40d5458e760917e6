package dev.plumbline.node;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What the suites bring about inside a node: clocks that drift or jump, links that are slow, and,
 * where packets cannot be filtered, messages that are not let in.
 */
final class Faults {
  private static final long MOST_PPM = 1_000_000;
  private static final long MOST_MICROS = 3_600_000_000L;

  private final Set<String> cut = ConcurrentHashMap.newKeySet();
  private volatile double loss;

  /**
   * Brings faults about, or ends them. What is absent stays as it is.
   *
   * @param drift of the interval clock, ppm
   * @param shift of the clock, microseconds
   * @param half half width of the clock's interval, microseconds; -1 if it stays
   * @param strobe period in which the shift changes its sign, microseconds; 0 for never
   * @param cut nodes whose messages are not let in
   * @param loss share of messages that are not let in
   * @param slow what is added before sending, microseconds
   * @param probe nodes that are sent a probe now, so that a cut is seen there
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Command(
      Long drift,
      Long shift,
      Long half,
      Long strobe,
      List<String> cut,
      Double loss,
      Long slow,
      List<String> probe) {

    Command {
      within("drift", drift, -MOST_PPM, MOST_PPM);
      within("shift", shift, -MOST_MICROS, MOST_MICROS);
      within("half", half, -1, MOST_MICROS);
      within("strobe", strobe, 0, MOST_MICROS);
      within("slow", slow, 0, MOST_MICROS);
      if (loss != null && !(loss >= 0 && loss <= 1)) {
        throw new IllegalArgumentException("loss is not between 0 and 1");
      } else if ((half != null || strobe != null) && shift == null) {
        throw new IllegalArgumentException("half and strobe go with a shift");
      } else if (cut != null && cut.contains(null)) {
        throw new IllegalArgumentException("cut names nobody");
      } else if (probe != null && probe.contains(null)) {
        throw new IllegalArgumentException("probe names nobody");
      }
    }

    private static void within(String name, Long value, long least, long most) {
      if (value != null && (value < least || value > most)) {
        throw new IllegalArgumentException(name + " is not between " + least + " and " + most);
      }
    }
  }

  /** Whether messages of this node are not let in. */
  boolean cuts(String node) {
    return cut.contains(node);
  }

  /** Whether the next message is to be lost. */
  boolean loses() {
    return loss > 0 && ThreadLocalRandom.current().nextDouble() < loss;
  }

  void apply(Command command, Clocks clocks, Transport transport) {
    if (command.drift != null) {
      clocks.drift(Clocks.monotonic(), command.drift);
    }
    if (command.shift != null) {
      clocks.shift(
          command.shift,
          command.half == null ? -1 : command.half,
          command.strobe == null ? 0 : command.strobe);
    }
    if (command.cut != null) {
      cut.retainAll(command.cut);
      cut.addAll(command.cut);
    }
    if (command.loss != null) {
      loss = command.loss;
    }
    if (command.slow != null) {
      transport.slow(command.slow);
    }
    if (command.probe != null) {
      command.probe.forEach(transport::probe);
    }
  }
}
