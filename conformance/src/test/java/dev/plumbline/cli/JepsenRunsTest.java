package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several commands share the folder of runs. */
class JepsenRunsTest {
  @TempDir Path output;

  private JepsenRuns runs() {
    return new JepsenRuns(output.resolve("jepsen"), output.resolve("reports"));
  }

  private Path run(String name) throws IOException {
    return Files.createDirectories(output.resolve("jepsen/k2").resolve(name));
  }

  /** The storage of another run's nodes makes and deletes files all the time. */
  @Test
  void aRunThatGoesOnMayChangeMeanwhile() throws Exception {
    Path going = run("20260102-1");
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> other =
        CompletableFuture.runAsync(
            () -> {
              try {
                for (int i = 0; !over.get(); i++) {
                  Files.write(going.resolve(i % 200 + ".sst"), new byte[0]);
                  Files.deleteIfExists(going.resolve((i + 100) % 200 + ".sst"));
                }
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    try {
      for (int i = 0; i < 300; i++) {
        runs().prune(1);
      }
    } finally {
      over.set(true);
    }
    other.join();
    assertThat(going).exists();
  }

  @Test
  void twoMayMakeRoomAtOnce() throws Exception {
    for (int i = 0; i < 100; i++) {
      Path run = run("20260101-" + i);
      Files.writeString(run.resolve("history.edn"), "{}");
      Files.writeString(run.resolve("result.json"), "{}");
    }
    CompletableFuture<Void> other = CompletableFuture.runAsync(this::pruneAll);
    pruneAll();
    other.join();
    assertThat(output.resolve("jepsen/k2")).isEmptyDirectory();
  }

  private void pruneAll() {
    try {
      runs().prune(1);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void aLongRunGoesOnAsLongAsItsHistoryGrows() throws IOException {
    Path run = run("20260101-1");
    Files.writeString(run.resolve("history.edn"), "{}");
    Files.setLastModifiedTime(run, FileTime.from(Instant.now().minus(Duration.ofHours(5))));
    runs().prune(1);
    assertThat(run).exists();
    Files.setLastModifiedTime(
        run.resolve("history.edn"), FileTime.from(Instant.now().minus(Duration.ofHours(5))));
    runs().prune(1);
    assertThat(run).doesNotExist();
  }
}
