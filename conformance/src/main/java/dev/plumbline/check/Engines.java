package dev.plumbline.check;

import dev.plumbline.check.Checks.Expect;
import dev.plumbline.scratch.Companion;
import dev.plumbline.scratch.Scratch;
import dev.plumbline.tlc.Checker.Job;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The same checks by two model checkers: the pinned one, and another TLC, which is run by its
 * command line alone, so that any version will do. They agree on a check if they reach the same
 * verdict and, where it holds, have found as many distinct states.
 */
public final class Engines {
  private static final Pattern STATES = Pattern.compile("generated, (\\d+) distinct states found");
  private static final String ENVIRONMENT = "environment";
  private static final String DONE = "Model checking completed. No error has been found.";
  private static final Pattern VIOLATED =
      Pattern.compile(
          "(?:Invariant|Action property|Temporal properties were|property) (\\w*).*violated");

  /** What an engine said of a check; -1 distinct states where it did not say. */
  record Said(String verdict, long distinct) {
    /** This machine kept the engine from a verdict. */
    boolean lacking() {
      return verdict.startsWith(ENVIRONMENT);
    }

    boolean like(Said other) {
      return verdict.equals(other.verdict)
          && (!verdict.equals("holds") || distinct == other.distinct);
    }

    @Override
    public String toString() {
      return verdict + (distinct < 0 ? "" : String.format(Locale.ROOT, ", %,d states", distinct));
    }
  }

  private record Pair(Said pinned, Said other) {
    boolean open() {
      return pinned.lacking() || other.lacking();
    }

    boolean agrees() {
      return !open() && pinned.like(other);
    }

    boolean differs() {
      return !open() && !pinned.like(other);
    }

    String word() {
      return agrees() ? "" : open() ? "NOT COMPARED" : "DIFFERS";
    }
  }

  private final Path jar;
  private final Map<String, Pair> pairs = new TreeMap<>();

  private Engines(Path jar) {
    this.jar = jar;
  }

  /** The engine in a jar, or null if there is none. */
  public static Engines named(String jar) {
    return jar == null || !Files.isRegularFile(Path.of(jar)) ? null : new Engines(Path.of(jar));
  }

  /** Runs each check that the pinned engine searched, {@code jobs} at a time. */
  public void run(Driver driver, List<Result> results, int jobs, Consumer<String> progress)
      throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(jobs);
    try {
      Map<String, Future<Said>> running = new TreeMap<>();
      for (Plan p : driver.plans()) {
        if (p.check.engine().equals("tlc")) {
          running.put(
              p.check.name(),
              pool.submit(
                  () -> {
                    Said said = said(p);
                    progress.accept("  other engine: " + p.check.name() + "  " + said);
                    return said;
                  }));
        }
      }
      for (Result r : results) {
        Future<Said> other = running.get(r.protocol() + "/" + r.check());
        if (other != null) {
          compare(r.protocol() + "/" + r.check(), new Said(r.verdict(), r.distinct()), other.get());
        }
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  void compare(String check, Said pinned, Said other) {
    pairs.put(check, new Pair(pinned, other));
  }

  private Said said(Plan p) throws InterruptedException {
    Path work = null;
    try {
      work = Scratch.folder("engine");
      Job job = p.job(work, 1, 0);
      Path root = work.resolve(Path.of(job.module()).getFileName());
      if (!root.equals(Path.of(job.module()))) {
        // Newer versions write counterexamples as modules, beside the root module.
        Files.copy(Path.of(job.module()), root, StandardCopyOption.REPLACE_EXISTING);
      }
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx2600m",
                  "-Xss16m",
                  "-XX:+UseSerialGC",
                  "-DTLA-Library=" + String.join(java.io.File.pathSeparator, job.library()),
                  "-cp",
                  jar.toString(),
                  "tlc2.TLC",
                  "-workers",
                  "1",
                  "-metadir",
                  work.resolve("meta").toString(),
                  "-config",
                  job.config()));
      if (!job.deadlock()) {
        command.add("-deadlock");
      }
      command.add(root.toString());
      Process process =
          new ProcessBuilder(command).directory(work.toFile()).redirectErrorStream(true).start();
      try (Companion ends = new Companion(process)) {
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return read(process.waitFor(), out, p.check.expect(), p.check.target());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      if (work != null) {
        Scratch.delete(work);
      }
    }
  }

  /** TLC's exit code and output as the verdict that {@code ./plumb check} would give. */
  static Said read(int code, String out, Expect expect, String target) {
    long distinct = -1;
    Matcher states = STATES.matcher(out);
    while (states.find()) {
      distinct = Long.parseLong(states.group(1));
    }
    Matcher violated = VIOLATED.matcher(out);
    String found = violated.find() ? violated.group(1) : null;
    if (out.contains(DONE)) {
      return new Said(expect == Expect.HOLDS ? "holds" : "FAILED", distinct);
    } else if (found == null && Child.lacked(code, out)) {
      return new Said(ENVIRONMENT + ": it " + Child.ended(code), -1);
    } else if (found == null) {
      String error = out.lines().filter(l -> l.contains("rror")).findFirst().orElse("no output");
      return new Said("no verdict: " + error.strip(), distinct);
    } else if (expect == Expect.REACHES && found.equals("PlumbUnreached")) {
      return new Said("reached", distinct);
    } else if (expect == Expect.VIOLATES && (found.isEmpty() || found.equals(target))) {
      return new Said("violated", distinct);
    }
    return new Said("FAILED", distinct);
  }

  /**
   * The exit code: 0 where there is something to compare, and all agrees; else 1 where something
   * differs or nothing was compared, and 3 where this machine kept an engine from a verdict.
   */
  public int exit() {
    return pairs.isEmpty() || pairs.values().stream().anyMatch(Pair::differs)
        ? 1
        : pairs.values().stream().allMatch(Pair::agrees) ? 0 : 3;
  }

  /** The checks that do not agree, and how many do. */
  public String table() {
    StringBuilder s = new StringBuilder();
    pairs.forEach(
        (check, p) -> {
          if (!p.agrees()) {
            s.append(String.format("%-40s %-30s %-30s %s%n", check, p.pinned, p.other, p.word()));
          }
        });
    if (s.length() > 0) {
      s.insert(0, String.format("%-40s %-30s %-30s%n", "check", "pinned engine", "other engine"));
    }
    long agreed = pairs.values().stream().filter(Pair::agrees).count();
    s.append(String.format("%d of %d checks agree with %s%n", agreed, pairs.size(), jar));
    return s.toString();
  }
}
