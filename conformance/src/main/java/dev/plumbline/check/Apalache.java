package dev.plumbline.check;

import dev.plumbline.check.Checks.Symbolic;
import dev.plumbline.check.Child.ChildFailed;
import dev.plumbline.tlc.Checker;
import dev.plumbline.tlc.Checker.Outcome;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Apalache where this machine has it: PLUMB_APALACHE, or apalache-mc on the PATH. */
final class Apalache {
  private static final int VIOLATED = 12;

  private final Path program;
  private final String version;
  private final Set<Process> running = ConcurrentHashMap.newKeySet();

  private Apalache(Path program, String version) {
    this.program = program;
    this.version = version;
  }

  static Apalache find() {
    List<Path> places = new ArrayList<>();
    String named = System.getenv("PLUMB_APALACHE");
    if (named != null) {
      places.add(Path.of(named));
    }
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      places.add(Path.of(folder, "apalache-mc"));
    }
    for (Path p : places) {
      if (Files.isExecutable(p) && Files.isRegularFile(p)) {
        return new Apalache(p, version(p));
      }
    }
    return new Apalache(null, "no apalache-mc on the PATH, PLUMB_APALACHE not set");
  }

  private static String version(Path program) {
    try {
      Process p =
          new ProcessBuilder(program.toString(), "version").redirectErrorStream(true).start();
      String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return p.waitFor(1, TimeUnit.MINUTES)
          ? "apalache " + out.strip()
          : "apalache, version unknown";
    } catch (IOException e) {
      return "apalache, version unknown";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "apalache, version unknown";
    }
  }

  boolean present() {
    return program != null;
  }

  String version() {
    return version;
  }

  Outcome run(Plan p) throws ChildFailed {
    Symbolic s = p.check.symbolic();
    long start = System.nanoTime();
    List<String> command = new ArrayList<>(List.of(program.toString(), "check", "--no-deadlock"));
    command.addAll(
        List.of(
            "--init=" + s.init(),
            "--next=" + s.next(),
            "--inv=" + s.inv(),
            "--length=" + s.length()));
    if (!s.cinit().isEmpty()) {
      command.add("--cinit=" + s.cinit());
    }
    command.add("--out-dir=" + p.runFolder.resolve("apalache"));
    command.add(p.module.toString());
    Path log = p.runFolder.resolve("apalache.log");
    try {
      Files.createDirectories(p.runFolder);
      ProcessBuilder b =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
      b.environment().put("TLA_PATH", p.folder + File.pathSeparator + p.library.get(0));
      Process process = b.start();
      running.add(process);
      int code = process.waitFor();
      running.remove(process);
      if (Child.killed(code)) {
        Child.demandGoingOn();
      }
      String outcome = outcome(code, log);
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      String message =
          code == 0 || code == VIOLATED
              ? ""
              : "apalache-mc ended with exit code " + code + ", see " + log;
      return new Outcome(
          outcome,
          code == VIOLATED ? s.inv() : "",
          message,
          -1,
          -1,
          s.length(),
          millis,
          List.of(),
          null,
          List.of(),
          0,
          version);
    } catch (IOException e) {
      throw new ChildFailed("apalache-mc cannot be run: " + Workspace.said(e), true);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ChildFailed("interrupted", true);
    }
  }

  /**
   * What an exit code says of a check.
   *
   * @throws ChildFailed when a signal ended the process
   */
  static String outcome(int code, Path log) throws ChildFailed {
    if (Child.killed(code)) {
      throw new ChildFailed("apalache-mc " + Child.ended(code) + ", see " + log, true);
    }
    return code == 0 ? "ok" : code == VIOLATED ? "invariant" : Checker.ERROR;
  }

  void stop() {
    running.forEach(Process::destroyForcibly);
  }
}
