package dev.plumbline.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Lines of files by protocol and part, blank lines and comments included. */
final class LineTable {
  private static final String JAVA = "src/main/java/dev/plumbline";
  private static final String BINDING = "Binding.java";

  private LineTable() {}

  /** The table, of the tree as it is. */
  static String of(Path root) {
    Path impl = root.resolve("impl").resolve(JAVA);
    Path conformance = root.resolve("conformance").resolve(JAVA);
    StringBuilder s = new StringBuilder();
    s.append("protocol    machines   glue   glue/machines   trace and corpus models\n");
    TreeMap<String, String> bindings = new TreeMap<>();
    for (Path protocol : list(root.resolve("specs"), f -> f.getParent().endsWith("specs"))) {
      String name = protocol.getFileName().toString();
      long machines =
          lines(impl.resolve(name), f -> true)
              - lines(impl.resolve(name).resolve("system"), f -> true);
      if (machines == 0) {
        continue;
      }
      Path own = conformance.resolve(name).resolve("binding");
      long glue = lines(own, f -> true);
      long models = lines(protocol, f -> f.matches("Trace.*|corpus-.*"));
      s.append(
          String.format(
              Locale.ROOT,
              "%-10s %,9d %,6d %15.2f %25d%n",
              name,
              machines,
              glue,
              glue / (double) machines,
              models));
      for (Path file : list(own, f -> f.toString().endsWith(BINDING))) {
        String module = file.getFileName().toString().replace(BINDING, "");
        // What reads logs and what drives machines may be files of their own.
        long parts = lines(own, f -> f.matches(module + "(Binding|Reading|World)\\.java"));
        bindings.put(
            name + "/" + module, String.format(Locale.ROOT, "%,6d %,8d", parts, count(file)));
      }
    }
    s.append("\nbinding of a module               lines  in MODULEBinding\n");
    bindings.forEach((module, n) -> s.append(String.format(Locale.ROOT, "%-32s %s%n", module, n)));
    s.append(
        String.format(
            Locale.ROOT, "%-32s %,6d%n", "shared", lines(conformance.resolve("bind"), f -> true)));
    return s.toString();
  }

  private static long lines(Path folder, Predicate<String> which) {
    return list(folder, f -> Files.isRegularFile(f) && which.test(f.getFileName().toString()))
        .stream()
        .mapToLong(LineTable::count)
        .sum();
  }

  private static long count(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> list(Path folder, Predicate<Path> which) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(which).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
