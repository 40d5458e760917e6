package dev.plumbline.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class ClockTest {

  @Property
  void stayWithinDriftWhateverTheChanges(
      @ForAll @LongRange(min = 0, max = 1_000_000_000) long origin,
      @ForAll @IntRange(min = -200, max = 200) int before,
      @ForAll @IntRange(min = -200, max = 200) int after,
      @ForAll @LongRange(min = 1, max = 10_000_000) long first,
      @ForAll @LongRange(min = 1, max = 10_000_000) long second) {
    IntervalClock clock = new IntervalClock(origin);
    clock.drift(0, before);
    clock.drift(first, after);
    long elapsed = clock.read(first + second) - clock.read(0);
    double real = first + second;
    assertThat((double) elapsed).isBetween(real * (1 - 200e-6) - 1, real * (1 + 200e-6) + 1);
  }

  @Property
  void whenReadsIsTheFirstTimeThatShowsTheReading(
      @ForAll @IntRange(min = -900_000, max = 9_000_000) int ppm,
      @ForAll @LongRange(min = 0, max = 1_000_000) long wait) {
    IntervalClock clock = new IntervalClock(12_345);
    clock.drift(7, ppm);
    long reading = clock.read(100) + wait;
    long when = clock.whenReads(100, reading);
    assertThat(clock.read(when)).isGreaterThanOrEqualTo(reading);
    if (when > 100) {
      assertThat(clock.read(when - 1)).isLessThan(reading);
    }
  }

  @Test
  void aClockThatStandsStillIsRefused() {
    assertThatThrownBy(() -> new IntervalClock(0).drift(0, -1_000_000))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
