package dev.plumbline.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles a project that has a protocol of its own: {@code src/main} into {@code target/classes},
 * and its seeded bugs, {@code src/bugs}, into {@code target/bugs}.
 */
public final class Compile {
  private Compile() {}

  /**
   * Exit code 0, 2 if the project's code does not compile, 3 if there is no compiler.
   *
   * @param args the project's folder
   */
  public static void main(String[] args) throws IOException {
    System.exit(compile(Path.of(args[0]), System.getProperty("java.class.path")));
  }

  /** The same, with what the code is compiled against. */
  public static int compile(Path project, String classPath) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      System.err.println("plumb: no Java compiler: install a JDK, 17 or later");
      return 3;
    }
    Path target = project.resolve("target");
    Path classes = target.resolve("classes");
    String against = classes + java.io.File.pathSeparator + classPath;
    for (String part : List.of("main", "bugs")) {
      Path sources = project.resolve("src").resolve(part);
      Path into = part.equals("main") ? classes : target.resolve(part);
      Workspace.delete(into);
      Files.createDirectories(into);
      if (!compiled(compiler, sources.resolve("java"), into, against)) {
        return 2;
      }
      copy(sources.resolve("resources"), into);
    }
    return 0;
  }

  private static boolean compiled(JavaCompiler compiler, Path sources, Path into, String classPath)
      throws IOException {
    List<Path> files = files(sources).stream().filter(f -> f.toString().endsWith(".java")).toList();
    if (files.isEmpty()) {
      return true;
    }
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    try (StandardJavaFileManager manager =
        compiler.getStandardFileManager(found, null, StandardCharsets.UTF_8)) {
      boolean good =
          compiler
              .getTask(
                  null,
                  manager,
                  found,
                  List.of("-proc:none", "-parameters", "-d", into.toString(), "-cp", classPath),
                  null,
                  manager.getJavaFileObjectsFromPaths(files))
              .call();
      for (Diagnostic<?> d : found.getDiagnostics()) {
        if (d.getKind() == Diagnostic.Kind.ERROR) {
          System.err.println(d);
        }
      }
      if (!good) {
        System.err.println("plumb: the project's code does not compile: correct it");
      }
      return good;
    }
  }

  private static void copy(Path from, Path into) throws IOException {
    for (Path file : files(from)) {
      Path to = into.resolve(from.relativize(file).toString());
      Files.createDirectories(to.getParent());
      Files.copy(file, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static List<Path> files(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(folder)) {
      return new ArrayList<>(all.filter(Files::isRegularFile).sorted().toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
