package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.ClockReading;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClocksTest {
  @Test
  void driftChangesTheRateAndNotTheReading() {
    Clocks clocks = new Clocks(false, 100, 0L, null, 0, 5_000);
    assertThat(clocks.local(1_000_000)).isEqualTo(1_005_000);
    clocks.drift(1_000_000, -200);
    assertThat(clocks.local(1_000_000)).isEqualTo(1_005_000);
    assertThat(clocks.local(2_000_000)).isEqualTo(2_005_000 - 200);
    assertThat(clocks.read(2_000_000).hasTrueTime()).isFalse();
  }

  @Test
  void aTimerIsNotDueBeforeTheClockReadsSo() {
    Clocks clocks = new Clocks(false, 100, 0L, null, 0, 0);
    clocks.drift(0, -200);
    long due = clocks.local(1_000) + 1_000_000;
    long wait = clocks.until(due, 1_000);
    assertThat(clocks.local(1_000 + wait)).isGreaterThanOrEqualTo(due);
    assertThat(clocks.until(due, 2_000_000)).isZero();
  }

  @Test
  void aTimerOfAClockThatStandsStillIsNeverDue() {
    Clocks clocks = new Clocks(false, 100, 0L, null, 0, 0);
    clocks.drift(0, -1_000_000);
    assertThat(clocks.local(1_000_000)).isZero();
    assertThat(clocks.until(1, 1_000_000)).isGreaterThan(1_000_000_000L);
    assertThat(clocks.until(0, 1_000_000)).isZero();
  }

  @Test
  void trueTimeHoldsTheReferenceWithinTheBound() {
    Clocks clocks = new Clocks(true, 100, 0L, null, 0, 0);
    clocks.shift(-100, 100, 0);
    ClockReading reading = clocks.read(10_000);
    assertThat(reading.lowMicros()).isEqualTo(9_800);
    assertThat(reading.upMicros()).isEqualTo(10_000);
  }

  @Test
  void aStrobeGoesToAndFro() {
    Clocks clocks = new Clocks(true, 100, 0L, null, 0, 0);
    clocks.shift(40, 100, 1_000);
    assertThat(clocks.shift(500)).isEqualTo(40);
    assertThat(clocks.shift(1_500)).isEqualTo(-40);
    clocks.shift(0, -1, 0);
    assertThat(clocks.shift(1_500)).isZero();
    assertThat(clocks.read(0).upMicros()).as("half the bound, as at the start").isEqualTo(50);
  }

  @Test
  void trueTimeIsReadOffTheWallClockWhereThatMayBeSkewed() {
    ClockPair both = ClockPair.now();
    long now = both.monotonic() / 1000;
    long origin = both.monotonic() - 10_000_000_000L;
    // As if the wall clock had been set forward by five seconds since the origin.
    long wallOrigin = both.wall() - 15_000_000;
    Clocks clocks = new Clocks(true, 100, origin, wallOrigin, 0, 0);
    assertThat(clocks.reference(now)).isEqualTo(10_000_000);
    assertThat(clocks.skew()).isBetween(4_999_900L, 5_000_100L);
    assertThat(clocks.read(now).lowMicros()).isBetween(14_999_850L, 15_000_050L);
    Clocks unskewed = new Clocks(true, 100, origin, null, 0, 0);
    assertThat(unskewed.skew()).isZero();
    assertThat(unskewed.read(now).lowMicros()).isEqualTo(9_999_950);
  }

  @Test
  void withoutAnOriginTheReferenceIsTheWallClock() {
    Clocks clocks = new Clocks(true, 100, null, null, 0, 0);
    long before = System.currentTimeMillis() * 1000;
    ClockReading reading = clocks.read(Clocks.monotonic());
    long after = (System.currentTimeMillis() + 1) * 1000;
    assertThat(reading.upMicros()).isBetween(before, after + 50);
    assertThat(reading.upMicros() - reading.lowMicros()).isEqualTo(100);
  }

  /** A node that need not wait would ask its clock again and again. */
  @Test
  void aTimeFarAwayIsWaitedFor() {
    Clocks clocks = new Clocks(false, 0, 0L, null, 0, 0);
    for (long due : List.of(1L << 44, 1L << 60, Long.MAX_VALUE - 1)) {
      assertThat(clocks.until(due, 1_000)).as("%d", due).isGreaterThan(1L << 43);
    }
  }
}
