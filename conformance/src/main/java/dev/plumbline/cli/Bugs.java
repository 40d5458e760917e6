package dev.plumbline.cli;

import dev.plumbline.protocol.Near;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.tlc.InputError;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Seeded bugs from a jar or a folder of classes. */
final class Bugs {
  private Bugs() {}

  /** Where they are; {@code path} null stands for the repository's own. */
  static Path from(Path path) {
    return path == null
        ? Places.root().resolve(own() ? "target/bugs" : "impl/bugs/target/classes")
        : Places.fromCaller(path);
  }

  /** Whether this is a project of its own, with one part for all its code. */
  private static boolean own() {
    return !Files.exists(Places.root().resolve("impl"));
  }

  /** All of a protocol's; {@code path} null stands for the repository's own. */
  static List<SeededBug> all(String protocol, Path path) {
    Path from = from(path);
    if (!Files.isRegularFile(from) && !Files.isDirectory(from)) {
      throw new InputError(
          from.toString(), 0, "no seeded bugs here", "build them, or name them with --bugs");
    }
    try {
      URL[] urls = {from.toUri().toURL()};
      // The loader that knows the protocol's machines, which is not always this class's own.
      ClassLoader machines = Thread.currentThread().getContextClassLoader();
      return Protocols.bugs(protocol, new URLClassLoader(urls, machines));
    } catch (MalformedURLException e) {
      throw new InputError(from.toString(), 0, e.getMessage(), "name a jar or a folder");
    }
  }

  /** True when there is such a list of runs. */
  static boolean listed(String protocol) {
    return Files.isRegularFile(table(protocol));
  }

  /** Where a protocol's runs are listed, each in a line that {@link BugRun} reads. */
  static Path table(String protocol) {
    String resources = own() ? "src/bugs/resources" : "impl/bugs/src/main/resources";
    return Places.root().resolve(resources).resolve("bugs").resolve(protocol + ".csv");
  }

  /** The bug of that name; empty if {@code name} is null. */
  static Optional<SeededBug> find(String protocol, String name, Path path) {
    if (name == null) {
      return Optional.empty();
    }
    List<SeededBug> bugs = all(protocol, path);
    Optional<SeededBug> found = bugs.stream().filter(b -> b.name().equals(name)).findFirst();
    if (bugs.isEmpty()) {
      throw new InputError(
          from(path).toString(),
          0,
          "there is no seeded bug of " + protocol,
          "name a jar or a folder of classes that has some with --bugs");
    }
    if (found.isEmpty()) {
      List<String> names = bugs.stream().map(SeededBug::name).toList();
      throw new InputError(
          "",
          0,
          protocol + " has no seeded bug \"" + name + "\"",
          Near.to(name, names).map(n -> "did you mean " + n + "? ").orElse("")
              + "there are "
              + String.join(", ", names));
    }
    return found;
  }
}
