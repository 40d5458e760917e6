package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What belongs to one protocol stands in its wing: shared code names none. */
class SharedCodeTest {
  private static final Path ROOT = Path.of("..");

  private static List<String> protocols() throws IOException {
    try (Stream<Path> folders = Files.list(ROOT.resolve("specs"))) {
      return folders
          .filter(f -> Files.exists(f.resolve("checks.yaml")))
          .map(f -> f.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  private static List<String> namings(Path root, List<String> parts, List<String> protocols)
      throws IOException {
    return SharedCode.namings(root, parts, protocols, protocols).stream()
        .map(SharedCode.Naming::toString)
        .toList();
  }

  @Test
  void sharedCodeNamesNoProtocol() throws IOException {
    assertThat(protocols()).contains("k2", "dast", "metric");
    assertThat(namings(ROOT, SharedCode.PARTS, protocols())).isEmpty();
  }

  @Test
  void aNameOutsideItsWingIsFound(@TempDir Path temp) throws IOException {
    List<String> lines =
        List.of(
            "if (protocol.equals(\"k2\")) {",
            "import dev.plumbline.k2.system.System;",
            "new K2System()",
            "// as DAST has it",
            "description = \"k2, dast\")",
            "class MetricSystem",
            "(def default \"metric\")");
    Path shared = Files.createDirectories(temp.resolve("code/cli"));
    for (String line : lines) {
      Files.write(shared.resolve("Shared.java"), List.of(line));
      assertThat(namings(temp, List.of("code"), List.of("dast", "k2", "metric")))
          .as(line)
          .containsExactly("code/cli/Shared.java:1: " + line);
    }
    Files.write(shared.resolve("Shared.java"), List.of("/** The value of a metric's label. */"));
    Path wing = Files.createDirectories(temp.resolve("code/k2"));
    Files.write(wing.resolve("Own.java"), lines);
    assertThat(namings(temp, List.of("code"), List.of("dast", "k2", "metric"))).isEmpty();
  }
}
