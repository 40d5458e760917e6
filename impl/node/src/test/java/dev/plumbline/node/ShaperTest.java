package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;

class ShaperTest {
  private static final ScheduledExecutorService UNUSED = null;

  private static Shaper shaper(long upMbps, Map<String, Long> downMbps) {
    return new Shaper(Map.of(), upMbps, downMbps, UNUSED, new Metrics());
  }

  @Test
  void withoutLimitsNothingWaits() {
    assertThat(shaper(0, Map.of()).turn("b", 1 << 20, 5)).isZero();
  }

  @Test
  void messagesLeaveOneAfterTheOther() {
    Shaper shaper = shaper(8, Map.of());

    assertThat(shaper.turn("b", 1_000, 0)).as("a byte a microsecond").isEqualTo(1_000);
    assertThat(shaper.turn("c", 1_000, 0)).isEqualTo(2_000);
    assertThat(shaper.turn("b", 1_000, 500)).isEqualTo(2_500);
    assertThat(shaper.turn("b", 1_000, 10_000)).as("the link is free again").isEqualTo(1_000);
  }

  @Test
  void aReceiversLinkHoldsBackWhatGoesThere() {
    Shaper shaper = shaper(8_000, Map.of("b", 8L));

    assertThat(shaper.turn("b", 1_000, 0)).isEqualTo(1_001);
    assertThat(shaper.turn("b", 1_000, 0)).isEqualTo(2_001);
    assertThat(shaper.turn("c", 1_000, 0)).as("no limit known").isEqualTo(3);
  }
}
