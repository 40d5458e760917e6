package dev.plumbline.site;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;

/** The Javadoc of the project's modules. */
public final class Javadoc {
  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

  private Javadoc() {}

  /** The folders of the modules that the project's build names. */
  static List<String> modules(Path root) throws IOException {
    return MODULE
        .matcher(Files.readString(root.resolve("pom.xml"), StandardCharsets.UTF_8))
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  /** What it said, if it failed; nothing where the pages were written. */
  public static Optional<String> write(Path root, Path to) throws IOException, Sphinx.Lacking {
    ToolProvider tool =
        ToolProvider.findFirst("javadoc")
            .orElseThrow(
                () -> new Sphinx.Lacking("no javadoc in this Java", "use a JDK, not a JRE"));
    List<String> sources = new ArrayList<>();
    List<String> classes = new ArrayList<>(List.of(System.getProperty("java.class.path")));
    for (String module : modules(root)) {
      Path source = root.resolve(module).resolve("src/main/java");
      if (Files.isDirectory(source)) {
        sources.add(source.toString());
      }
      // What the build wrote for a program of a class path of its own.
      Path own = root.resolve(module).resolve("target/classpath.txt");
      if (Files.isRegularFile(own)) {
        classes.add(Files.readString(own, StandardCharsets.UTF_8).strip());
      }
    }
    Files.createDirectories(to);
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("-quiet", "-Xdoclint:none", "-notimestamp", "-encoding", "UTF-8"));
    arguments.addAll(List.of("-windowtitle", "Plumbline", "-doctitle", "Plumbline"));
    arguments.addAll(List.of("-classpath", String.join(File.pathSeparator, classes)));
    arguments.addAll(List.of("-sourcepath", String.join(File.pathSeparator, sources)));
    arguments.addAll(List.of("-subpackages", "dev.plumbline", "-d", to.toString()));
    StringWriter said = new StringWriter();
    PrintWriter print = new PrintWriter(said);
    int exit = tool.run(print, print, arguments.toArray(String[]::new));
    return exit == 0
        ? Optional.empty()
        : Optional.of(said.toString().lines().limit(20).collect(Collectors.joining("\n")));
  }
}
