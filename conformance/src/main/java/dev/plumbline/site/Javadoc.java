package dev.plumbline.site;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The Javadoc of the project's modules. */
public final class Javadoc {
  private Javadoc() {}

  /** What it said, if it failed; nothing where the pages were written. */
  public static Optional<String> write(Path root, Path to) throws IOException, Sphinx.Lacking {
    ToolProvider tool =
        ToolProvider.findFirst("javadoc")
            .orElseThrow(
                () -> new Sphinx.Lacking("no javadoc in this Java", "use a JDK, not a JRE"));
    List<String> sources =
        Stream.of("impl", "impl/node", "impl/bugs", "conformance")
            .map(m -> root.resolve(m).resolve("src/main/java"))
            .filter(Files::isDirectory)
            .map(Path::toString)
            .toList();
    Files.createDirectories(to);
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("-quiet", "-Xdoclint:none", "-notimestamp", "-encoding", "UTF-8"));
    arguments.addAll(List.of("-windowtitle", "Plumbline", "-doctitle", "Plumbline"));
    arguments.addAll(List.of("-classpath", System.getProperty("java.class.path")));
    arguments.addAll(List.of("-sourcepath", String.join(java.io.File.pathSeparator, sources)));
    arguments.addAll(List.of("-subpackages", "dev.plumbline", "-d", to.toString()));
    StringWriter said = new StringWriter();
    PrintWriter print = new PrintWriter(said);
    int exit = tool.run(print, print, arguments.toArray(String[]::new));
    return exit == 0
        ? Optional.empty()
        : Optional.of(said.toString().lines().limit(20).collect(Collectors.joining("\n")));
  }
}
