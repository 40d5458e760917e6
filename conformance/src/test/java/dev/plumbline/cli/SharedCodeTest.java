package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What belongs to one protocol stands in its wing: shared code names none. */
class SharedCodeTest {
  private static final Path ROOT = Path.of("..");
  private static final List<String> CODE =
      List.of(
          "impl/src/main/java",
          "impl/node/src/main/java",
          "conformance/src/main",
          "jepsen/src/main",
          "jepsen/suites",
          "plumb");

  private static List<String> protocols() throws IOException {
    try (Stream<Path> folders = Files.list(ROOT.resolve("specs"))) {
      return folders
          .filter(f -> Files.exists(f.resolve("checks.yaml")))
          .map(f -> f.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  /** Whether a folder of the path, or a registration of services, is a protocol's own. */
  private static boolean inWing(Path file, List<String> protocols) {
    for (Path part : file) {
      String name = part.toString().replaceFirst("conf$", "");
      if (protocols.contains(name) || name.equals("META-INF")) {
        return true;
      }
    }
    return false;
  }

  /** A name in lower case is one where code has it: in quotes, or as a part of a package. */
  private static Pattern named(String protocol) {
    String capital = protocol.substring(0, 1).toUpperCase(Locale.ROOT) + protocol.substring(1);
    return Pattern.compile(
        "\\b(%s|%s)\\b|\\b%s[A-Z]|\"[^\"]*\\b%s\\b[^\"]*\"|\\.%s\\."
            .formatted(protocol.toUpperCase(Locale.ROOT), capital, capital, protocol, protocol));
  }

  private static List<String> namings(Path root, List<String> parts, List<String> protocols)
      throws IOException {
    List<String> found = new ArrayList<>();
    for (String part : parts) {
      try (Stream<Path> files = Files.walk(root.resolve(part))) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          Path relative = root.relativize(file);
          if (!inWing(relative, protocols)) {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
              String line = lines.get(i);
              if (protocols.stream().anyMatch(p -> named(p).matcher(line).find())) {
                found.add(relative + ":" + (i + 1) + ": " + line.strip());
              }
            }
          }
        }
      }
    }
    return found;
  }

  @Test
  void sharedCodeNamesNoProtocol() throws IOException {
    assertThat(protocols()).contains("k2", "dast", "metric");
    assertThat(namings(ROOT, CODE, protocols())).isEmpty();
  }

  @Test
  void aNameOutsideItsWingIsFound(@TempDir Path temp) throws IOException {
    List<String> lines =
        List.of(
            "if (protocol.equals(\"k2\")) {",
            "import dev.plumbline.sim.k2.System;",
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
