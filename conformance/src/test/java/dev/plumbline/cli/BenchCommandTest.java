package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** What the bench measures is processor time: a machine that gives little of it misses nothing. */
class BenchCommandTest {
  private static void burn(long nanos) {
    long end = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() + nanos;
    while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() < end) {
      Thread.onSpinWait();
    }
  }

  private static long starved() {
    try {
      Thread.sleep(60);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    burn(10_000_000);
    return 1;
  }

  @Test
  void aWindowIsOfProcessorTime() {
    assertThat(BenchCommand.repeated(50_000_000, BenchCommandTest::starved))
        .as("a window of 50 ms by the clock would be over after the first")
        .isBetween(3L, 5L);
  }

  @Test
  void aBudgetIsMissedByProcessorTimeAlone() {
    BenchCommand.Figure waited = BenchCommand.measure("waited", 20, BenchCommandTest::starved);
    assertThat(waited.wall()).isGreaterThan(0.06);
    assertThat(waited.met()).as("one in 10 ms, though it took 70").isTrue();
    BenchCommand.Figure slow =
        BenchCommand.measure(
            "slow",
            20,
            () -> {
              burn(70_000_000);
              return 1;
            });
    assertThat(slow.met()).isFalse();
  }
}
