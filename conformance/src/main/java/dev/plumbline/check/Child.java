package dev.plumbline.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.tlc.Checker;
import dev.plumbline.tlc.Checker.Job;
import dev.plumbline.tlc.Checker.Outcome;
import dev.plumbline.tlc.Explorer;
import dev.plumbline.tlc.Explorer.Exploration;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * Runs jobs one after the other. TLC keeps names' slots, "an error was found" of liveness checking,
 * and more in statics, so that a second job in one process can go wrong without a word. Short ones
 * without temporal properties share a process all the same, which is warm then: what they use of
 * the statics is reset between them, and {@code SharedProcessTest} compares. All others have a
 * process of their own. Explorations use TLC's evaluator only and share a process.
 *
 * <p>Where the launcher prepared a class path of jars with an archive of loaded classes, system
 * property {@code plumb.checker} names the file of its options. An archive that does not fit (made
 * by another JDK) is ignored; the JVM would say so on standard output, where results go.
 */
public final class Child implements AutoCloseable {
  /** Begins what is said of a process that did not do its work. */
  static final String PROCESS = "the checking process";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** A process that a signal ended has its number and this for an exit code. */
  private static final int SIGNALS = 128;

  /**
   * The last signal that ends programs in practice; TLC and Apalache have own codes from 150 on.
   */
  private static final int SIGTERM = 15;

  /** Within it a signal to a group of processes has reached all of them. */
  private static final long MOMENT_MILLIS = 300;

  /** What a JVM says that cannot have its heap. */
  private static final String NO_JVM = "Error occurred during initialization of VM";

  /** What TLC's command line says where this machine is to blame. */
  private static final List<String> LACKING =
      List.of(NO_JVM, "OutOfMemoryError", "Java ran out of memory", "No space left on device");

  /** How long a job takes, and whether others may follow it. */
  public enum Span {
    /** Seconds; the process runs the next of them too. */
    SHARED,
    /**
     * Seconds, in a process of its own. Compiled lightly, as those before: that halves the cost.
     */
    BRIEF,
    /** Minutes, in a process of its own, which wants the optimizing compiler. */
    LONG
  }

  private final Path errors;
  private final int heapMegabytes;
  private volatile Process process;
  private Span span;
  private BufferedWriter in;
  private BufferedReader out;

  /**
   * @param errors where the process's standard error goes
   * @param heapMegabytes its -Xmx
   */
  public Child(Path errors, int heapMegabytes) {
    this.errors = errors;
    this.heapMegabytes = heapMegabytes;
  }

  /** Starts a process, unless the last one may go on. */
  private void start(Span wanted) throws IOException {
    if (process != null) {
      if (wanted == Span.SHARED && span == wanted && process.isAlive()) {
        return;
      }
      end();
    }
    span = wanted;
    Files.createDirectories(errors.getParent());
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heapMegabytes + "m",
                "-Xss16m",
                "-XX:TieredStopAtLevel=" + (wanted == Span.LONG ? 4 : 1),
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xlog:disable",
                "-XX:-UsePerfData"));
    String prepared = System.getProperty("plumb.checker");
    command.addAll(
        prepared == null
            ? List.of("-cp", System.getProperty("java.class.path"))
            : List.of("@" + prepared));
    command.add(Checker.class.getName());
    process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    in = process.outputWriter(StandardCharsets.UTF_8);
    out = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Runs a job, passing its progress on.
   *
   * @throws ChildFailed when the process ends without a result
   */
  public Outcome run(Job job, Span wanted, Consumer<ObjectNode> progress) throws ChildFailed {
    try {
      start(wanted);
      Outcome outcome = MAPPER.treeToValue(ask(MAPPER.valueToTree(job), progress), Outcome.class);
      boolean lacking = outcome.outcome().equals(Checker.ENVIRONMENT);
      if (wanted != Span.SHARED || lacking || outcome.outcome().equals(Checker.ERROR)) {
        end();
      }
      if (lacking) {
        throw new ChildFailed(outcome.message(), true);
      }
      return outcome;
    } catch (IOException e) {
      throw new ChildFailed(PROCESS + " cannot be run: " + Workspace.said(e), true);
    }
  }

  /**
   * Explores a model, in the process of the exploration before if that still runs.
   *
   * @throws ChildFailed when the process ends without a result
   */
  public Exploration explore(Explorer.Job job) throws ChildFailed {
    try {
      start(Span.SHARED);
      ObjectNode line = MAPPER.createObjectNode().set("explore", MAPPER.valueToTree(job));
      return MAPPER.treeToValue(ask(line, p -> {}), Exploration.class);
    } catch (IOException e) {
      throw new ChildFailed(PROCESS + " cannot be run: " + Workspace.said(e), true);
    }
  }

  /** Lets the process end by itself: nothing more is asked of it. */
  private void end() throws IOException {
    in.close();
    process = null;
  }

  private JsonNode ask(JsonNode line, Consumer<ObjectNode> progress)
      throws ChildFailed, IOException {
    Process running = process;
    try {
      in.write(line.toString());
      in.newLine();
      in.flush();
    } catch (IOException e) {
      // It ended before it was asked: what it ended with says more than a broken pipe. Its handle,
      // since the process itself would close what it has said.
      running.toHandle().destroy();
    }
    for (String said = out.readLine(); said != null; said = out.readLine()) {
      ObjectNode event = (ObjectNode) MAPPER.readTree(said);
      JsonNode kind = event.remove("event");
      event.remove("id");
      if (kind.textValue().equals("result")) {
        return event;
      }
      progress.accept(event);
    }
    try {
      int code = running.waitFor();
      if (killed(code)) {
        demandGoingOn();
      }
      String said = Files.readString(errors, StandardCharsets.UTF_8).strip();
      throw new ChildFailed(
          PROCESS
              + " "
              + ended(code)
              + (said.isEmpty() ? "" : ": " + said.lines().limit(3).toList()),
          code > SIGNALS || code == Checker.LACKING || said.startsWith(NO_JVM));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ChildFailed("interrupted", true);
    }
  }

  /**
   * Who ends this process ends those that it started as well, perhaps a moment before it. What they
   * did not say is no outcome then, and this does not return.
   */
  static void demandGoingOn() throws InterruptedException {
    Thread.sleep(MOMENT_MILLIS);
    Thread probe = new Thread();
    try {
      Runtime.getRuntime().addShutdownHook(probe);
      Runtime.getRuntime().removeShutdownHook(probe);
    } catch (IllegalStateException e) {
      new CountDownLatch(1).await();
    }
  }

  /** Whether a signal ended a process. */
  static boolean killed(int code) {
    return code > SIGNALS && code <= SIGNALS + SIGTERM;
  }

  /** Whether this machine ended TLC's command line, which said this, before it had a verdict. */
  static boolean lacked(int code, String said) {
    return killed(code) || LACKING.stream().anyMatch(said::contains);
  }

  /** How a process ended, in words. */
  public static String ended(int code) {
    return killed(code)
        ? "was ended by signal " + (code - SIGNALS) + " (for want of memory, or by hand)"
        : "ended with exit code " + code;
  }

  @Override
  public void close() {
    Process running = process;
    if (running != null) {
      running.destroyForcibly();
    }
  }

  /** The process ended or cannot be started. */
  public static final class ChildFailed extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean environment;

    ChildFailed(String message, boolean environment) {
      super(message);
      this.environment = environment;
    }

    /** Whether the machine is to blame, not the model. */
    public boolean environment() {
      return environment;
    }
  }
}
