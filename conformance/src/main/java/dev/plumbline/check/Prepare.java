package dev.plumbline.check;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.tlc.Checker;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Makes checks start faster, after a build: a class path of jars and an archive of the classes that
 * one small check loads spare a checking process a seventh of its processor time, and the command
 * that drives it two thirds of what passes before a check begins. Leaves the options for them in
 * {@code checker.args} and {@code check.args} of the build folder; without these they start all the
 * same.
 */
public final class Prepare {
  private Prepare() {}

  /**
   * Prepares the checking processes of a repository.
   *
   * @param args the repository's root and the build folder
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Path root = Path.of(args[0]);
    Path build = Path.of(args[1]);
    Path jars = Files.createTempDirectory(build, "jars-");
    removeOthers(build, jars);
    String classPath = jars(System.getProperty("java.class.path"), jars);
    Path archive = jars.resolve("classes.jsa");
    train(root, jars, classPath, archive);
    if (!Files.isRegularFile(archive)) {
      System.err.println("the checking process left no archive");
      System.exit(1);
    }
    Path checker = options("checker.args", archive, classPath, build);
    Path driver = jars.resolve("check.jsa");
    drive(root, checker, classPath, driver);
    if (Files.isRegularFile(driver)) {
      options("check.args", driver, classPath, build);
    }
  }

  /** Writes options for a JVM; a command that has begun with those before keeps them. */
  private static Path options(String name, Path archive, String classPath, Path build)
      throws IOException {
    Path options = archive.resolveSibling(name);
    Files.writeString(
        options,
        String.join(
            "\n", quoted("-XX:SharedArchiveFile=" + archive), "-cp", quoted(classPath), ""));
    Path link = options.resolveSibling(name + ".new");
    Files.copy(options, link, StandardCopyOption.REPLACE_EXISTING);
    Files.move(link, build.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    return options;
  }

  /** All but the newest of earlier builds, which may be in use. */
  private static void removeOthers(Path build, Path kept) throws IOException {
    try (Stream<Path> all = Files.list(build)) {
      List<Path> old =
          all.filter(p -> p.getFileName().toString().startsWith("jars-") && !p.equals(kept))
              .sorted(Comparator.comparing(p -> -p.toFile().lastModified()))
              .skip(1)
              .toList();
      for (Path folder : old) {
        try (Stream<Path> files = Files.walk(folder)) {
          files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        }
      }
    }
  }

  /** The class path with a jar in the place of each folder: an archive takes no folders. */
  static String jars(String classPath, Path into) throws IOException {
    List<String> entries = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator)) {
      Path folder = Path.of(entry);
      if (Files.isDirectory(folder)) {
        Path jar = into.resolve(entries.size() + ".jar");
        pack(folder, jar);
        entries.add(jar.toString());
      } else {
        entries.add(entry);
      }
    }
    return String.join(File.pathSeparator, entries);
  }

  private static void pack(Path folder, Path jar) throws IOException {
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        zip.putNextEntry(
            new ZipEntry(folder.relativize(file).toString().replace(File.separatorChar, '/')));
        Files.copy(file, zip);
      }
    }
  }

  /** Runs the check of the smallest corpus's model. */
  private static void train(Path root, Path jars, String classPath, Path archive)
      throws IOException, InterruptedException {
    Path corpus = smallest(root.resolve("conformance/corpora"));
    String protocol = corpus.getParent().getFileName().toString();
    String name = corpus.getFileName().toString().replaceFirst("\\.txt$", "");
    Path specs = root.resolve("specs").resolve(protocol);
    Process checker =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xss16m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:ArchiveClassesAtExit=" + archive,
                "-cp",
                classPath,
                Checker.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    Checker.Job job =
        new Checker.Job(
            "archive",
            specs.resolve("MC" + name.replaceFirst("-.*", "") + ".tla").toString(),
            specs.resolve("corpus-" + name + ".cfg").toString(),
            List.of(root.resolve("specs/common").toString()),
            jars.resolve("tlc.log").toString(),
            jars.resolve("tlc").toString(),
            1,
            false,
            null,
            0);
    try (BufferedReader out = checker.inputReader(StandardCharsets.UTF_8)) {
      try (Writer in = checker.outputWriter(StandardCharsets.UTF_8)) {
        in.write(new ObjectMapper().writeValueAsString(job) + "\n");
        in.flush();
        String line = out.readLine();
        while (line != null && !line.contains("\"result\"")) {
          line = out.readLine();
        }
      }
      out.transferTo(Writer.nullWriter());
    }
    checker.waitFor();
  }

  /** Runs the command for the check with the fewest states; its result is remembered. */
  private static void drive(Path root, Path checker, String classPath, Path archive)
      throws IOException, InterruptedException {
    Workspace workspace = new Workspace(root);
    Checks.Check least =
        workspace.protocols().stream()
            .flatMap(p -> p.checks().stream())
            .filter(c -> c.in("quick") && c.expect() == Checks.Expect.HOLDS && c.high() > 0)
            .min(Comparator.comparingLong(Checks.Check::high).thenComparing(Checks.Check::name))
            .orElseThrow(() -> new IOException(root + " has no check that holds"));
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xss8m",
            "-XX:+UseParallelGC",
            "-XX:ArchiveClassesAtExit=" + archive,
            "-Dplumb.checker=" + checker,
            "-cp",
            classPath,
            "dev.plumbline.cli.Main",
            "check",
            "--fresh",
            least.name());
    command.environment().put("PLUMB_ROOT", root.toString());
    command.environment().put("PLUMB_CALLER_DIR", root.toString());
    command.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    command.redirectError(ProcessBuilder.Redirect.INHERIT).start().waitFor();
  }

  private static Path smallest(Path corpora) throws IOException {
    try (Stream<Path> files = Files.walk(corpora, 2)) {
      return files
          .filter(f -> f.toString().endsWith(".txt"))
          .min(Comparator.comparingLong(Prepare::size).thenComparing(Path::toString))
          .orElseThrow(() -> new IOException(corpora + " has no corpus"));
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An option in a file of options, where backslashes and quotes are special. */
  static String quoted(String option) {
    return '"' + option.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }
}
