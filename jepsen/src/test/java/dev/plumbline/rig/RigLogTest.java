package dev.plumbline.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.k2.K2Record;
import java.io.IOException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RigLogTest {
  private static final Record RECORD = new K2Record.EpochCut(7);

  @TempDir Path folder;

  private void write(Record... records) throws IOException {
    try (RigLog log = new RigLog(folder, "dn")) {
      log.append(List.of(records), "{\"n\":1}\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
  }

  private Path file() {
    return folder.resolve("dn.log");
  }

  @Test
  void recordsSurviveAndEachOpeningHasAHigherEpoch() throws IOException {
    write(RECORD, new K2Record.LeaseRenewed());
    try (RigLog again = new RigLog(folder, "dn")) {
      assertThat(again.epoch()).isEqualTo(2);
      assertThat(again.records()).containsExactly(RECORD, new K2Record.LeaseRenewed());
      assertThat(again.lastTrace()).isEqualTo("{\"n\":1}\n");
    }
    try (RigLog third = new RigLog(folder, "dn")) {
      assertThat(third.epoch()).isEqualTo(3);
      assertThat(third.lastTrace()).as("the last opening's steps").isEmpty();
    }
  }

  @Test
  void whatWasNotSyncedIsThrownAway() throws IOException {
    write(RECORD);
    Files.writeString(file(), "{\"records\":[],\"trace\":\"\"}\n{\"rec", StandardOpenOption.APPEND);
    assertThat(RigLog.discardUnsynced(folder, "dn")).isEqualTo(31);
    assertThat(RigLog.discardUnsynced(folder, "dn")).isZero();
    try (RigLog again = new RigLog(folder, "dn")) {
      assertThat(again.records()).containsExactly(RECORD);
    }
  }

  @Test
  void aHalfWrittenLineIsNoStep() throws IOException {
    write(RECORD);
    Files.writeString(file(), "{\"records\":[", StandardOpenOption.APPEND);
    try (RigLog again = new RigLog(folder, "dn")) {
      assertThat(again.records()).containsExactly(RECORD);
    }
    try (RigLog third = new RigLog(folder, "dn")) {
      assertThat(third.epoch()).isEqualTo(3);
    }
  }

  @Test
  void twoProcessesCannotHaveOneLog() throws IOException {
    try (RigLog first = new RigLog(folder, "dn")) {
      assertThat(first.epoch()).isEqualTo(1);
      assertThatThrownBy(() -> new RigLog(folder, "dn"))
          .isInstanceOfAny(IOException.class, OverlappingFileLockException.class);
    }
  }

  @Test
  void nothingIsThereToThrowAwayBeforeTheFirstStart() throws IOException {
    assertThat(RigLog.discardUnsynced(folder, "none")).isZero();
  }
}
