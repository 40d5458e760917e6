package dev.plumbline.validate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MergedLogTest {
  @TempDir Path folder;

  private void write(String file, int... numbers) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int n : numbers) {
      lines.append(
          "{\"n\":" + n + ",\"node\":\"a\",\"at\":" + n + ",\"local\":1,\"action\":\"X\"}\n");
    }
    Files.writeString(folder.resolve(file), lines);
  }

  @Test
  void aNodesFilesAreOneLog() throws IOException {
    write("a.10.ndjson", 4);
    write("a.2.ndjson", 3);
    write("a.ndjson", 1, 2);
    List<MergedLog.Entry> entries = MergedLog.read(List.of(folder)).entries();
    assertThat(entries).extracting(e -> e.event().n()).containsExactly(1L, 2L, 3L, 4L);
    assertThat(entries.get(2).file()).endsWith("a.2.ndjson");
    assertThat(entries).extracting(MergedLog.Entry::line).containsExactly(1, 2, 1, 1);
  }

  @Test
  void aMissingFileOfANodeIsAnError() throws IOException {
    write("a.ndjson", 1);
    write("a.3.ndjson", 3);
    assertThatThrownBy(() -> MergedLog.read(List.of(folder)))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("a.3.ndjson:1");
  }

  @Test
  void whatComesAfterTheFirstEventsIsLeftOut() throws IOException {
    write("a.2.ndjson", 3, 4);
    write("a.ndjson", 1, 2);
    for (int most = 1; most <= 4; most++) {
      MergedLog log = MergedLog.read(List.of(folder), most);
      assertThat(log.entries()).hasSize(most);
      assertThat(log.left()).isEqualTo(4 - most);
    }
    assertThat(MergedLog.read(List.of(folder), 3).prefix(1).left()).isEqualTo(3);
  }

  private static String objection(Path logs) {
    try {
      MergedLog.read(List.of(logs));
      return "none";
    } catch (InputError e) {
      return e.describe();
    }
  }

  /** One of the two would be left out. */
  @Test
  void twoFilesThatAreTheSamePartAreAnError() throws IOException {
    write("a.ndjson", 1, 2);
    write("a.1.ndjson", 1);
    assertThat(objection(folder))
        .contains("a.1.ndjson: is part 1 of a node's log, and so is ")
        .contains("a.ndjson\n  remedy: leave one of them out");
  }

  @Test
  void aNumberThatIsADateIsPartOfTheName() throws IOException {
    write("a.20261129120000.ndjson", 1, 2);
    assertThat(MergedLog.read(List.of(folder)).entries()).hasSize(2);
  }

  /** Who opens a pipe that nobody writes to is not interrupted. */
  @Test
  void aPipeAmongLogsIsNotWaitedFor() throws Exception {
    write("a.ndjson", 1);
    Path pipe = folder.resolve("b.ndjson");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    for (Path named : List.of(folder, pipe)) {
      assertThat(CompletableFuture.supplyAsync(() -> objection(named)))
          .succeedsWithin(Duration.ofSeconds(20))
          .asString()
          .contains("b.ndjson: is a pipe or a device, where a log is needed");
    }
  }
}
