package dev.plumbline.engage.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ItineraryTest {
  private static final List<String> CLOUDLETS = List.of("c1", "c2", "c3");

  private static List<String> walk(Itinerary itinerary, int operations) {
    return Stream.generate(itinerary::next).limit(operations).toList();
  }

  @Test
  void aClientLeavesAndReturns() {
    List<String> walk = walk(new Itinerary("c1", CLOUDLETS, 3, 2, 5), 500);

    for (int i = 0; i < walk.size(); i++) {
      if (i % 5 < 3) {
        assertThat(walk.get(i)).isEqualTo("c1");
      } else {
        assertThat(walk.get(i)).isIn("c2", "c3").isEqualTo(walk.get(i - i % 5 + 3));
      }
    }
    assertThat(walk).contains("c2", "c3");
  }

  @Test
  void oneWithNothingToDoElsewhereStays() {
    assertThat(walk(new Itinerary("c1", CLOUDLETS, 3, 0, 5), 50)).containsOnly("c1");
    assertThat(walk(new Itinerary("c1", List.of("c1"), 3, 2, 5), 50)).containsOnly("c1");
    assertThatThrownBy(() -> new Itinerary("c1", CLOUDLETS, 0, 2, 5))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
