package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of kept cluster runs says what each did and how to repeat it, or complains. */
class RunTableTest {
  private static final String RUN =
      """
      {"protocol": "p", "workload": "bank", "verdict": "unknown",
       "command": "./plumb jepsen p --workload bank --seconds 20 --seed 7",
       "operations": {"committed": 1234, "aborted": 5, "unknown": 6,
         "latencyMillis": {"median": 7.4, "p99": 80.6},
         "faults": [{"kind": "kill"}, {"kind": "clock"}, {"kind": "kill"}]},
       "run": {"load": {"runnable": 3.25}},
       "judges": [
         {"judge": "witness", "subject": "order", "verdict": "valid", "reason": ""},
         {"judge": "elle", "subject": "order", "verdict": "not run", "reason": "missing"},
         {"judge": "progress", "subject": "some", "verdict": "unknown", "reason": "2 | 3"}],
       "manifest": {"commit": "0123456789", "dirty": true,
         "machine": {"cores": 2, "memory": 1000}}}
      """;

  @TempDir Path folder;

  private void run(String name, String text) throws IOException {
    Path run = Files.createDirectories(folder.resolve("p").resolve(name));
    Files.writeString(run.resolve("result.json"), text);
  }

  @Test
  void aRowHasVerdictObjectionsAndHowToRepeatTheRun() throws IOException {
    run("1", RUN);
    run("2", RUN.replace("\"unknown\", \"reason\"", "\"valid\", \"reason\""));
    Files.createDirectories(folder.resolve("p/going-on"));
    RunTable table = new RunTable(folder);
    assertThat(table.page())
        .contains("## p\n")
        .contains(
            "| bank | 7 | unknown (progress, some: unknown, 2 / 3) | 1,234 | 5 | 6 | 7, 81"
                + " | 1 clock, 2 kill | 3.3 | 0123456+ | 2 cores, 1,000 MB | `--seconds 20` |\n")
        .contains("| bank | 7 | unknown | 1,234 |");
    assertThat(table.json()).hasSize(2);
    assertThat(table.json().get(0).path("command").asText()).endsWith("--seed 7");
  }

  @Test
  void aRunThatCannotBeRepeatedIsNotListed() throws IOException {
    run("1", RUN.replace("\"commit\": \"0123456789\", ", ""));
    assertThatThrownBy(() -> new RunTable(folder))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("without its command and commit");
    run("1", "{");
    assertThatThrownBy(() -> new RunTable(folder))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("no JSON");
    assertThat(new RunTable(folder.resolve("missing")).isEmpty()).isTrue();
  }
}
