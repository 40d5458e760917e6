package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MachineLoadTest {
  @Test
  void theKernelsTablesAreRead() {
    assertThat(MachineLoad.ticks("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 1 1 1\n"))
        .isEqualTo(new MachineLoad.Ticks(1_000, 850));
    assertThat(MachineLoad.ticks("")).isEqualTo(new MachineLoad.Ticks(0, 0));
    assertThat(MachineLoad.runnable("12.00 9.10 5.30 41/1200 99\n")).isEqualTo(41);
  }

  @Test
  void manyWhoWaitAndNothingIdleIsStarvation() {
    assertThat(new MachineLoad.Load(10, 2, 40, 0.0).starved()).isTrue();
    assertThat(new MachineLoad.Load(10, 2, 40, 0.3).starved()).as("idle processors").isFalse();
    assertThat(new MachineLoad.Load(10, 2, 4, 0.0).starved()).as("busy").isFalse();
    assertThat(new MachineLoad.Load(10, 2, 40, 0.0).text())
        .isEqualTo("2 processors, 40.0 threads wanted one on average, 0% idle");
  }

  @Test
  void patienceNeverRunsFasterThanTime() throws InterruptedException {
    try (MachineLoad load = MachineLoad.sampled()) {
      Thread.sleep(700);
      assertThat(load.patience()).isPositive().isLessThanOrEqualTo(load.soFar().seconds());
      assertThat(load.soFar().processors()).isPositive();
    }
  }
}
