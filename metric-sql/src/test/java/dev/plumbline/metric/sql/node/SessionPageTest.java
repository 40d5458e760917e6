package dev.plumbline.metric.sql.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The session in the documents, followed to the letter: it starts a cluster by {@code ./plumb}. */
@Tag("slow")
class SessionPageTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final long SECONDS = 180;

  @TempDir Path folder;

  /** A command of the page, and what the page says that it shows. */
  private record Step(String command, List<String> shown) {}

  private static List<Step> steps() throws IOException {
    List<Step> steps = new ArrayList<>();
    for (String line : Files.readAllLines(ROOT.resolve("docs/metric-session.md"))) {
      if (line.startsWith("$ ./plumb ")) {
        steps.add(new Step(line.substring(2), new ArrayList<>()));
      } else if (line.startsWith("|") || line.startsWith("+")) {
        steps.get(steps.size() - 1).shown.add(line);
      }
    }
    return steps;
  }

  /** Only the cluster's folder is another, so that a user's own cluster stays. */
  private String run(String command) throws IOException, InterruptedException {
    Path out = folder.resolve("out");
    Process p =
        new ProcessBuilder("sh", "-c", command + " --dir " + folder.resolve("cluster"))
            .directory(ROOT.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    boolean ended = p.waitFor(SECONDS, TimeUnit.SECONDS);
    p.destroyForcibly();
    String said = Files.readString(out, StandardCharsets.UTF_8);
    assertThat(ended).as(command + "\n" + said).isTrue();
    assertThat(p.exitValue()).as(command + "\n" + said).isZero();
    return said;
  }

  @Test
  void everyCommandShowsWhatThePageSays() throws IOException, InterruptedException {
    List<Step> steps = steps();
    assertThat(steps).hasSize(5);
    assertThat(steps.stream().mapToInt(s -> s.shown.size()).sum()).isPositive();
    boolean up = false;
    try {
      for (Step step : steps) {
        String said = run(step.command);
        up = !step.command.contains("cluster down");
        assertThat(said.lines().map(String::stripTrailing)).containsAll(step.shown);
      }
    } finally {
      if (up) {
        run("./plumb cluster down metric");
      }
    }
  }
}
