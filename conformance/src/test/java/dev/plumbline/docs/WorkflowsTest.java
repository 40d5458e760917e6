package dev.plumbline.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

/** What no linter of GitHub's workflows sees. */
class WorkflowsTest {
  private static final Path WORKFLOWS = Path.of("../.github/workflows");

  static List<Path> workflows() throws IOException {
    try (Stream<Path> files = Files.list(WORKFLOWS)) {
      List<Path> all = files.sorted().toList();
      assertThat(all).isNotEmpty();
      return all;
    }
  }

  private static Map<?, ?> map(Object o) {
    return o instanceof Map<?, ?> m ? m : Map.of();
  }

  /** All steps, each with the name of its job; a job that is a workflow of this folder has none. */
  private static List<Map.Entry<String, Map<?, ?>>> steps(Map<?, ?> workflow) {
    List<Map.Entry<String, Map<?, ?>>> all = new ArrayList<>();
    map(workflow.get("jobs"))
        .forEach(
            (name, job) -> {
              String called = String.valueOf(map(job).get("uses"));
              if (map(job).containsKey("uses")) {
                assertThat(called).startsWith("./.github/workflows/");
                assertThat(WORKFLOWS.resolve(Path.of(called).getFileName())).exists();
                return;
              }
              for (Object step : (List<?>) map(job).get("steps")) {
                all.add(Map.entry((String) name, map(step)));
              }
            });
    return all;
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void stepsAreWhatTheySeem(Path file) throws IOException {
    Map<?, ?> workflow = new Yaml().load(Files.readString(file));
    // Without a name GitHub's shell has no pipefail: a pipe is green if its last command is.
    assertThat(map(map(workflow.get("defaults")).get("run")).get("shell")).isEqualTo("bash");
    assertThat(workflow.get("permissions")).isIn(Map.of(), Map.of("contents", "read"));
    Map<String, String> cached = new HashMap<>();
    for (Map.Entry<String, Map<?, ?>> e : steps(workflow)) {
      Map<?, ?> step = e.getValue();
      Map<?, ?> with = map(step.get("with"));
      String uses = String.valueOf(step.get("uses"));
      String run = String.valueOf(step.get("run"));
      assertThat(step.containsKey("continue-on-error")).as(step.toString()).isFalse();
      assertThat(run).as("an expression is pasted into the script").doesNotContain("${{");
      if (step.containsKey("uses")) {
        assertThat(uses).matches("[a-z/-]+@[0-9a-f]{40}");
      }
      if (uses.startsWith("actions/cache")) {
        // A cache is found only by those who name the same paths as who saved it.
        String key = String.valueOf(with.get("key")).replaceFirst("\\$\\{\\{.*", "");
        String path = String.valueOf(with.get("path"));
        assertThat(cached.merge(key, path, (a, b) -> a)).as(key).isEqualTo(path);
      }
      Map<?, ?> job = map(map(workflow.get("jobs")).get(e.getKey()));
      if (uses.startsWith("actions/upload-artifact") && job.containsKey("strategy")) {
        assertThat(String.valueOf(with.get("name"))).as("each cell has its own").contains("${{");
      }
    }
  }
}
