package dev.plumbline.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Code of no one protocol, which names none: what belongs to a protocol stands in its wing. */
final class SharedCode {
  static final List<String> PARTS =
      List.of(
          "impl/src/main/java",
          "impl/node/src/main/java",
          "conformance/src/main",
          "jepsen/src/main",
          "jepsen/suites",
          "plumb");

  private SharedCode() {}

  /** A line that names a protocol, of a file below the root. */
  record Naming(Path file, int line, String text) {
    @Override
    public String toString() {
      return file + ":" + line + ": " + text;
    }
  }

  /** Whether a folder of the path, or a registration of services, is a protocol's own. */
  private static boolean inWing(Path file, List<String> protocols) {
    for (Path part : file) {
      String name = part.toString();
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

  /**
   * Where shared code names one of some protocols.
   *
   * @param parts files and folders below the root; those that are not there have no code
   * @param wings protocols whose folders are not shared
   */
  static List<Naming> namings(
      Path root, List<String> parts, List<String> wings, List<String> protocols)
      throws IOException {
    List<Pattern> patterns = protocols.stream().map(SharedCode::named).toList();
    List<Naming> found = new ArrayList<>();
    for (String part : parts) {
      if (Files.notExists(root.resolve(part))) {
        continue;
      }
      try (Stream<Path> files = Files.walk(root.resolve(part))) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          Path relative = root.relativize(file);
          if (!inWing(relative, wings)) {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
              String line = lines.get(i);
              if (patterns.stream().anyMatch(p -> p.matcher(line).find())) {
                found.add(new Naming(relative, i + 1, line.strip()));
              }
            }
          }
        }
      }
    }
    return found;
  }
}
