package dev.plumbline.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class EventQueueTest {
  private record Seen(long at, int order) {}

  @Property
  void eventsHappenByTimeThenByOrderOfScheduling(
      @ForAll List<@IntRange(min = 0, max = 20) Integer> times) {
    EventQueue queue = new EventQueue();
    List<Seen> seen = new ArrayList<>();
    List<Seen> expected = new ArrayList<>();
    for (int i = 0; i < times.size(); i++) {
      Seen event = new Seen(times.get(i), i);
      expected.add(event);
      queue.at(event.at(), () -> seen.add(event));
    }
    expected.sort(Comparator.comparingLong(Seen::at).thenComparingInt(Seen::order));
    while (!queue.isEmpty()) {
      queue.step();
    }
    assertThat(seen).isEqualTo(expected);
  }

  @Test
  void thePastIsRefused() {
    EventQueue queue = new EventQueue();
    queue.at(5, () -> {});
    queue.step();
    assertThatThrownBy(() -> queue.at(4, () -> {})).isInstanceOf(IllegalArgumentException.class);
  }
}
