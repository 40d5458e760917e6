package dev.plumbline.site;

import dev.plumbline.check.Workspace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Sphinx in a virtual environment of its own, with the versions that a file names. */
public final class Sphinx {
  private static final long INSTALL_MINUTES = 10;
  private static final long BUILD_MINUTES = 30;

  /** What the machine lacks, and what to do. */
  public static final class Lacking extends Exception {
    private static final long serialVersionUID = 1L;

    Lacking(String what, String remedy) {
      super(what + "\n  remedy: " + remedy);
    }
  }

  /** What a build said. */
  public record Built(boolean whole, String said) {}

  private final Path python;

  private Sphinx(Path python) {
    this.python = python;
  }

  /**
   * Finds it, or installs it.
   *
   * @param python the interpreter to make the environment with
   * @param requirements names and versions of packages, one a line
   * @param made folder for the environment; one of other versions is deleted
   */
  public static Sphinx installed(String python, Path requirements, Path made)
      throws IOException, Lacking {
    String version = said(List.of(python, "--version"), INSTALL_MINUTES);
    if (version == null) {
      throw new Lacking(
          "no Python: " + python + " cannot be started",
          "install Python 3.10 or later with venv (Debian: apt-get install python3-venv), or name"
              + " one in PLUMB_PYTHON");
    }
    Path environment = made.resolve("python");
    Path stamp = environment.resolve("plumb.stamp");
    Path inside = environment.resolve("bin").resolve("python");
    String wanted = hash(version + Files.readString(requirements, StandardCharsets.UTF_8));
    if (Files.isRegularFile(stamp) && Files.readString(stamp).equals(wanted)) {
      return new Sphinx(inside);
    }
    Workspace.delete(environment);
    run(
        List.of(python, "-m", "venv", environment.toString()),
        "Python makes no virtual environment",
        "install Python 3.10 or later with venv (Debian: apt-get install python3-venv)");
    run(
        List.of(
            inside.toString(),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-input",
            "--only-binary",
            ":all:",
            "--requirement",
            requirements.toString()),
        "the packages of " + requirements.getFileName() + " cannot be installed",
        "give pip access to the Python package index or a mirror of it, and run again");
    Files.writeString(stamp, wanted);
    return new Sphinx(inside);
  }

  /** Builds the pages; a warning, such as a link that leads nowhere, is a fault. */
  public Built build(Path source, Path html, Path doctrees) throws IOException {
    List<String> command = new ArrayList<>(List.of(python.toString(), "-m", "sphinx"));
    command.addAll(List.of("-b", "html", "-W", "--keep-going", "-q", "-j", "auto"));
    command.addAll(List.of("-d", doctrees.toString(), source.toString(), html.toString()));
    Ran ran = ran(command, BUILD_MINUTES);
    String said = ran.said.replace(source + "/", "");
    return new Built(ran.exit == 0, said);
  }

  private record Ran(int exit, String said) {}

  private static void run(List<String> command, String what, String remedy)
      throws IOException, Lacking {
    Ran ran = ran(command, INSTALL_MINUTES);
    if (ran.exit != 0) {
      throw new Lacking(what + ":\n" + ran.said.strip().indent(4).stripTrailing(), remedy);
    }
  }

  private static String said(List<String> command, long minutes) {
    try {
      Ran ran = ran(command, minutes);
      return ran.exit == 0 ? ran.said : null;
    } catch (IOException e) {
      return null;
    }
  }

  /** Runs a command. It ends with this process, and so do those that it started. */
  private static Ran ran(List<String> command, long minutes) throws IOException {
    Path said = Files.createTempFile("plumb-site", ".log");
    try {
      Process p =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectOutput(said.toFile())
              .start();
      Thread hook = new Thread(() -> end(p, said));
      try {
        Runtime.getRuntime().addShutdownHook(hook);
        boolean ended = p.waitFor(minutes, TimeUnit.MINUTES);
        String text = Files.readString(said, StandardCharsets.UTF_8);
        return ended
            ? new Ran(p.exitValue(), text)
            : new Ran(-1, text + "\ngiven up after " + minutes + " minutes");
      } finally {
        end(p, said);
        demandGoingOn(hook);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      Files.deleteIfExists(said);
    }
  }

  /** Does not return where this process is being ended: the command's end says nothing then. */
  private static void demandGoingOn(Thread hook) throws InterruptedException {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      new CountDownLatch(1).await();
    }
  }

  private static void end(Process p, Path said) {
    p.descendants().forEach(ProcessHandle::destroyForcibly);
    p.destroyForcibly();
    said.toFile().delete();
  }

  private static String hash(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
