package dev.plumbline.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.ClockReading;
import org.junit.jupiter.api.Test;

class RigClocksTest {
  @Test
  void driftChangesTheRateAndNotTheReading() {
    RigClocks clocks = new RigClocks(false, 100, 0, 5_000);
    assertThat(clocks.local(1_000_000)).isEqualTo(1_005_000);
    clocks.drift(1_000_000, -200);
    assertThat(clocks.local(1_000_000)).isEqualTo(1_005_000);
    assertThat(clocks.local(2_000_000)).isEqualTo(2_005_000 - 200);
    assertThat(clocks.read(2_000_000).hasTrueTime()).isFalse();
  }

  @Test
  void aTimerIsNotDueBeforeTheClockReadsSo() {
    RigClocks clocks = new RigClocks(false, 100, 0, 0);
    clocks.drift(0, -200);
    long due = clocks.local(1_000) + 1_000_000;
    long wait = clocks.until(due, 1_000);
    assertThat(clocks.local(1_000 + wait)).isGreaterThanOrEqualTo(due);
    assertThat(clocks.until(due, 2_000_000)).isZero();
  }

  @Test
  void trueTimeHoldsTheReferenceWithinTheBound() {
    RigClocks clocks = new RigClocks(true, 100, 0, 0);
    clocks.shift(-100, 100, 0);
    ClockReading reading = clocks.read(10_000);
    assertThat(reading.lowMicros()).isEqualTo(9_800);
    assertThat(reading.upMicros()).isEqualTo(10_000);
  }

  @Test
  void aStrobeGoesToAndFro() {
    RigClocks clocks = new RigClocks(true, 100, 0, 0);
    clocks.shift(40, 100, 1_000);
    assertThat(clocks.shift(500)).isEqualTo(40);
    assertThat(clocks.shift(1_500)).isEqualTo(-40);
    clocks.shift(0, -1, 0);
    assertThat(clocks.shift(1_500)).isZero();
    assertThat(clocks.read(0).upMicros()).as("half the bound, as at the start").isEqualTo(50);
  }
}
