package dev.plumbline.audit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where TLA+ modules define their operators. */
final class DefinitionPlaces {
  private static final Pattern DEFINITION =
      Pattern.compile("^(?:LOCAL )?(\\w+)(?:\\([^)]*\\))?\\s*==(?!=)", Pattern.MULTILINE);

  private final Path root;
  private final Map<Path, Map<String, Integer>> files = new HashMap<>();

  DefinitionPlaces(Path root) {
    this.root = root;
  }

  /** File and line, from the repository's root, of the first of these modules that defines it. */
  Optional<String> place(String operator, List<Path> modules) {
    return modules.stream()
        .filter(m -> m.toString().endsWith(".tla"))
        .filter(m -> of(m).containsKey(operator))
        .map(m -> relative(root, m) + ":" + of(m).get(operator))
        .findFirst();
  }

  private Map<String, Integer> of(Path module) {
    return files.computeIfAbsent(module, DefinitionPlaces::read);
  }

  private static Map<String, Integer> read(Path module) {
    try {
      String text = Files.readString(module, StandardCharsets.UTF_8);
      Map<String, Integer> lines = new HashMap<>();
      Matcher m = DEFINITION.matcher(text);
      while (m.find()) {
        int line = 1 + (int) text.substring(0, m.start()).chars().filter(c -> c == '\n').count();
        lines.putIfAbsent(m.group(1), line);
      }
      return lines;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A file as it is named from the repository's root. */
  static String relative(Path root, Path file) {
    Path whole = file.toAbsolutePath().normalize();
    Path base = root.toAbsolutePath().normalize();
    return (whole.startsWith(base) ? base.relativize(whole) : whole).toString().replace('\\', '/');
  }
}
