package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.k2.K2Record;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableLogTest {
  private static final Record FIRST = new K2Record.EpochCut(7);
  private static final Record SECOND = new K2Record.EpochCut(8);

  @TempDir Path folder;

  private static byte[] trace(int n) {
    return ("{\"n\":" + n + "}\n").getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void recordsSurviveInOrderAndEachOpeningHasAHigherEpoch() throws IOException {
    try (DurableLog log = new DurableLog(folder)) {
      assertThat(log.epoch()).isEqualTo(1);
      assertThat(log.records()).isEmpty();
      log.append(List.of(FIRST, new K2Record.LeaseRenewed()), trace(1));
      log.append(List.of(SECOND), trace(2));
      assertThat(log.syncs()).isEqualTo(3);
    }
    try (DurableLog again = new DurableLog(folder)) {
      assertThat(again.epoch()).isEqualTo(2);
      assertThat(again.records()).containsExactly(FIRST, new K2Record.LeaseRenewed(), SECOND);
      again.forget();
      assertThat(again.records()).isEmpty();
      assertThat(again.earlier()).isEqualTo(3);
      assertThat(again.lastTrace()).isEqualTo("{\"n\":2}\n");
      again.append(List.of(FIRST), trace(3));
    }
    try (DurableLog third = new DurableLog(folder)) {
      assertThat(third.records()).hasSize(4).endsWith(SECOND, FIRST);
    }
    try (DurableLog fourth = new DurableLog(folder)) {
      assertThat(fourth.lastTrace()).as("the last opening's steps").isEmpty();
      assertThat(fourth.epoch()).isEqualTo(4);
    }
  }

  /** A process that syncs one record, writes another, and ends on the spot. */
  public static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws IOException {
      DurableLog log = new DurableLog(Path.of(args[0]));
      log.append(List.of(FIRST), trace(1));
      log.write(List.of(SECOND), trace(2));
      Runtime.getRuntime().halt(9);
    }
  }

  @Test
  void whatWasNotSyncedDiesWithTheProcess() throws Exception {
    Process victim =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                // What it unpacks and never deletes goes with the folder.
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                System.getProperty("java.class.path"),
                Victim.class.getName(),
                folder.toString())
            .inheritIO()
            .start();
    assertThat(victim.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(victim.exitValue()).isEqualTo(9);
    assertThat(DurableLog.unsyncedBytes(folder)).isPositive();
    try (DurableLog log = new DurableLog(folder)) {
      assertThat(log.records()).containsExactly(FIRST);
      assertThat(log.lastTrace()).isEqualTo("{\"n\":1}\n");
      assertThat(log.epoch()).isEqualTo(2);
    }
    assertThat(DurableLog.unsyncedBytes(folder)).isZero();
  }

  @Test
  void twoCannotHaveOneLog() throws IOException {
    try (DurableLog log = new DurableLog(folder)) {
      assertThat(log.epoch()).isEqualTo(1);
      assertThatThrownBy(() -> new DurableLog(folder))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(folder.toString());
    }
  }

  @Test
  void nothingIsUnsyncedBeforeTheFirstStart() throws IOException {
    assertThat(DurableLog.unsyncedBytes(folder)).isZero();
  }
}
