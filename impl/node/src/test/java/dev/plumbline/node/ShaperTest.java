package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
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

  private static final int MIB = 1 << 20;
  private static final String DROPPED = "plumb_dropped_total{queue=\"shaper\"}";

  private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor();
  private final Metrics metrics = new Metrics();
  private final AtomicInteger there = new AtomicInteger();

  @AfterEach
  void stop() {
    loop.shutdownNow();
  }

  @Test
  void whatWaitsIsBoundedInBytes() {
    Shaper shaper = new Shaper(Map.of("b", 60_000_000L), 0, Map.of(), loop, metrics);
    for (int i = 0; i < 200; i++) {
      shaper.send("b", MIB, own -> there.incrementAndGet());
    }
    assertThat(metrics.count(DROPPED)).isBetween(100L, 199L);
    shaper.send("c", MIB, own -> there.incrementAndGet());
    assertThat(there).as("what need not wait is not dropped").hasValue(1);
  }

  /** Beside shorter ones, too: there are always some. */
  @Test
  void theLongestMessageIsTaken() {
    Shaper shaper = new Shaper(Map.of("b", 60_000_000L), 0, Map.of(), loop, metrics);
    shaper.send("b", 100, own -> there.incrementAndGet());
    shaper.send("b", Frame.LARGEST, own -> there.incrementAndGet());
    assertThat(metrics.count(DROPPED)).isZero();
  }

  @Test
  void whatIsDroppedTakesNoTimeOfALink() {
    Shaper shaper = new Shaper(Map.of(), 8, Map.of("b", 8L), loop, metrics);
    for (int i = 0; i < 200; i++) {
      shaper.send("b", MIB, own -> there.incrementAndGet());
    }
    long sent = 200 - metrics.count(DROPPED);
    long now = System.nanoTime() / 1_000;
    assertThat(shaper.turn("c", 1, now)).as("a byte a microsecond").isLessThan(sent * MIB + MIB);
    assertThat(shaper.turn("b", 1, now)).isLessThan((sent + 1) * MIB + MIB);
  }
}
