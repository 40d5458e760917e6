package dev.plumbline.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that asks a black-box checker, and is stopped meanwhile. */
@Timeout(120)
class StoppedCheckerTest {
  /**
   * After which who has started a process waits for it, also where there is little processor time.
   */
  private static final long STARTED_MILLIS = 2000;

  private static final String ASKED = "asked";

  @TempDir Path folder;

  private Process asks;
  private ProcessHandle checker;

  /** Asks a checker that takes a minute. */
  static final class Asks {
    private Asks() {}

    public static void main(String[] args) throws IOException {
      Path folder = Path.of(args[0]);
      String script = "echo $$ >" + folder.resolve(ASKED) + "; exec sleep 60";
      BlackBox.run(List.of("sh", "-c", script), folder);
    }
  }

  @BeforeEach
  void ask() throws Exception {
    asks =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Asks.class.getName(),
                folder.toString())
            .start();
    Path asked = folder.resolve(ASKED);
    while (!Files.exists(asked) || Files.readString(asked).isBlank()) {
      Thread.sleep(20);
    }
    checker = ProcessHandle.of(Long.parseLong(Files.readString(asked).strip())).orElseThrow();
    Thread.sleep(STARTED_MILLIS);
  }

  @AfterEach
  void end() {
    asks.destroyForcibly();
    checker.destroyForcibly();
  }

  @Test
  void theCheckerEndsWithIt() throws Exception {
    asks.destroy();
    assertThat(asks.waitFor()).isEqualTo(143);
    assertThat(checker.onExit()).succeedsWithin(10, TimeUnit.SECONDS);
  }
}
