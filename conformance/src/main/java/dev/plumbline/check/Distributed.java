package dev.plumbline.check;

import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Expect;
import dev.plumbline.tlc.Checker;
import dev.plumbline.tlc.InputError;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A check in TLC's distributed mode, for models that are too large for one machine: a server keeps
 * the queue of states, workers on any machine evaluate them. Safety only, and without coverage.
 */
public final class Distributed {
  private static final Pattern STATES =
      Pattern.compile("([\\d,]+) states generated, ([\\d,]+) distinct states found, 0 states left");

  /** All that a server says of a violation: which property it is, it does not. */
  private static final String TRACE = "Error: The behavior up to this point is:";

  private static final Pattern LOST = Pattern.compile("TLC worker connection lost \\S+");

  /** What a server says of each thread of a worker that comes or is lost, and of all at the end. */
  private static final Pattern CAME = Pattern.compile("(?m)^Registration for worker at ");

  private static final Pattern WENT = Pattern.compile("(?m)^TLC worker \\S+ disconnected ");
  private static final Pattern DISMISSED = Pattern.compile("(?m)^Worker: ");
  private static final String READY = "is ready";
  private static final long POLL_MILLIS = 200;
  private static final long START_SECONDS = 120;

  /** How long a server that has lost all its workers waits for another one to join. */
  private static final long IDLE_SECONDS = 120;

  /** How long a server may take to answer a worker; one that is stopped takes for ever. */
  private static final long ANSWER_SECONDS = 600;

  /** Where a server waits for its workers: TLC's own choice. */
  private static final int PORT = 10997;

  private static final int CONNECT_MILLIS = 2000;
  private static final String ENVIRONMENT = "environment";

  private final Plan plan;
  private final String address;
  private final Consumer<String> say;

  /**
   * How it ended.
   *
   * @param verdict holds, violated, reached, FAILED, or environment where the machines gave up
   * @param distinct -1 where the search did not end
   */
  public record Ended(String verdict, String message, long generated, long distinct, long millis) {}

  /** Who works for a server. */
  enum Hands {
    NONE_YET,
    SOME,
    LOST,
    /** The search is over, and the server may take its time to sum it up: it has sent them home. */
    DISMISSED
  }

  /**
   * @param address at which workers reach this machine
   * @param say takes what is worth telling meanwhile
   */
  public Distributed(
      Workspace workspace, Checks protocol, Check check, String address, Consumer<String> say) {
    this.plan = new Plan(workspace, protocol, check, Checker.version());
    this.address = address;
    this.say = say;
    plan.verify(new java.util.HashMap<>());
    boolean temporal =
        !plan.config.list("PROPERTY").stream().allMatch(p -> p.endsWith("Step"))
            || check.simulate() != null
            || !check.engine().equals("tlc");
    if (temporal) {
      throw new InputError(
          "",
          0,
          check.name() + " is no plain safety check, and TLC distributes nothing else",
          "run it without --distributed");
    }
    single(check);
  }

  /** What is expected to be violated is judged alone: a server does not name it. */
  private void single(Check check) {
    if (check.expect() == Expect.VIOLATES) {
      boolean step = check.target().endsWith("Step");
      plan.config.set("INVARIANT", step ? List.of() : List.of(check.target()));
      plan.config.set("PROPERTY", step ? List.of(check.target()) : List.of());
    }
  }

  /**
   * Runs a worker until its server sends it home. A worker alone would wait for a server that never
   * comes, and ends with 0 whatever became of its server.
   *
   * @param seconds how long the server may take to come
   * @throws IOException saying why it was not sent home
   */
  public static void join(String server, String address, long seconds)
      throws IOException, InterruptedException {
    join(server, address, seconds, ANSWER_SECONDS);
  }

  static void join(String server, String address, long seconds, long answerSeconds)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!answers(server)) {
      if (System.nanoTime() > end) {
        throw new IOException(
            "no server answers at %s, port %d: start one there with ./plumb check CHECK"
                    .formatted(server, PORT)
                + " --distributed --address ITS_ADDRESS");
      }
      Thread.sleep(POLL_MILLIS);
    }
    List<String> command = java(address, 1500);
    long millis = TimeUnit.SECONDS.toMillis(answerSeconds);
    command.add(1, "-Dsun.rmi.transport.tcp.responseTimeout=" + millis);
    command.addAll(List.of("tlc2.tool.distributed.TLCWorker", server));
    Process worker = new ProcessBuilder(command).redirectErrorStream(true).start();
    Thread hook = new Thread(worker::destroy);
    Runtime.getRuntime().addShutdownHook(hook);
    StringBuilder said = new StringBuilder();
    try (BufferedReader lines = worker.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        System.out.println(line);
        said.append(line).append('\n');
      }
    }
    int code = worker.waitFor();
    Runtime.getRuntime().removeShutdownHook(hook);
    if (code != 0) {
      throw new IOException("the worker " + Child.ended(code));
    } else if (!sentHome(said.toString())) {
      throw new IOException(
          "the server at %s, port %d, is lost, or is none".formatted(server, PORT));
    }
  }

  /** Whether a worker that said so much was let go by its server. */
  static boolean sentHome(String said) {
    return said.contains("work completed at") && !said.contains("TLCServer is gone");
  }

  private static boolean answers(String server) {
    try (Socket s = new Socket()) {
      s.connect(new InetSocketAddress(server, PORT), CONNECT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static List<String> java(String address, int heap) {
    return new ArrayList<>(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx" + heap + "m",
            "-Xss16m",
            "-Djava.rmi.server.hostname=" + address,
            "-cp",
            System.getProperty("java.class.path")));
  }

  /**
   * Starts a server and waits for its verdict.
   *
   * @param workers how many to start on this machine; others may join
   */
  public Ended run(int workers) throws IOException, InterruptedException {
    return run(workers, IDLE_SECONDS);
  }

  Ended run(int workers, long idleSeconds) throws IOException, InterruptedException {
    long start = System.currentTimeMillis();
    try (ServerSocket free = new ServerSocket(PORT)) {
      free.setReuseAddress(true);
    } catch (IOException e) {
      return lacking(
          "port %d is taken, and TLC knows no other: is there another server here?".formatted(PORT),
          start);
    }
    Path place = plan.runFolder.resolve("distributed");
    Checker.Job job = plan.job(place, 1, 0);
    Path log = place.resolve("server.log");
    List<String> command = java(address, 2000);
    command.add(
        command.size() - 2,
        "-DTLA-Library=" + String.join(java.io.File.pathSeparator, job.library()));
    command.add("tlc2.tool.distributed.TLCServer");
    if (!job.deadlock()) {
      command.add("-deadlock");
    }
    command.addAll(List.of("-checkpoint", "0", "-metadir", job.metadir()));
    // Workers ask the server for files by name: it has to have them in its own folder.
    Path module = Path.of(job.module()).getFileName();
    Path near = place.resolve(module);
    if (!near.toString().equals(job.module())) {
      Files.copy(Path.of(job.module()), near, StandardCopyOption.REPLACE_EXISTING);
    }
    Path config = Path.of(job.config()).getFileName();
    command.addAll(List.of("-config", config.toString(), module.toString()));
    List<Process> started = new ArrayList<>();
    Thread hook = new Thread(() -> started.forEach(Process::destroyForcibly));
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      Process server = start(command, log);
      started.add(server);
      say.accept("server at " + address + ", process " + server.pid() + ", log " + log);
      if (!ready(server, log)) {
        return server.isAlive()
            ? lacking("the server is not ready after %d s".formatted(START_SECONDS), start)
            : judge(Files.readString(log, StandardCharsets.UTF_8), server.exitValue(), start);
      }
      for (int i = 1; i <= workers; i++) {
        List<String> worker = java(address, 800);
        worker.add(1, "-Dtlc2.tool.distributed.TLCWorker.threadCount=1");
        worker.addAll(List.of("tlc2.tool.distributed.TLCWorker", address));
        Process p = start(worker, place.resolve("worker-" + i + ".log"));
        started.add(p);
        say.accept("worker " + i + ", process " + p.pid());
      }
      long idleSince = 0;
      while (!server.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        String said = Files.readString(log, StandardCharsets.UTF_8);
        Hands hands = hands(said);
        boolean idle = hands == Hands.LOST || (hands == Hands.NONE_YET && workers > 0);
        if (!idle || started.stream().skip(1).anyMatch(Process::isAlive)) {
          idleSince = 0;
        } else if (CAME.matcher(said).results().count() <= workers) {
          return lacking("all workers ended before the server; see " + log, start);
        } else if (idleSince == 0) {
          idleSince = System.nanoTime();
          say.accept("all workers are lost; waiting %d s for another".formatted(idleSeconds));
        } else if (System.nanoTime() - idleSince > TimeUnit.SECONDS.toNanos(idleSeconds)) {
          return lacking("all workers were lost, and no other came; see " + log, start);
        }
      }
      return judge(Files.readString(log, StandardCharsets.UTF_8), server.exitValue(), start);
    } finally {
      started.forEach(Process::destroyForcibly);
      Runtime.getRuntime().removeShutdownHook(hook);
    }
  }

  private static Process start(List<String> command, Path log) throws IOException {
    Files.createDirectories(log.getParent());
    return new ProcessBuilder(command)
        .directory(log.getParent().toFile())
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  private static boolean ready(Process server, Path log) throws IOException, InterruptedException {
    long end = System.nanoTime() + START_SECONDS * 1_000_000_000;
    while (!Files.readString(log, StandardCharsets.UTF_8).contains(READY)) {
      if (System.nanoTime() > end || !server.isAlive()) {
        return false;
      }
      Thread.sleep(POLL_MILLIS);
    }
    return true;
  }

  /** Who works for a server that has said so much. */
  static Hands hands(String log) {
    if (DISMISSED.matcher(log).find() || log.contains("Error:")) {
      return Hands.DISMISSED;
    }
    long came = CAME.matcher(log).results().count();
    long went = WENT.matcher(log).results().count();
    return came == 0 ? Hands.NONE_YET : went < came ? Hands.SOME : Hands.LOST;
  }

  private static Ended lacking(String message, long start) {
    return new Ended(ENVIRONMENT, message, -1, -1, System.currentTimeMillis() - start);
  }

  private static Ended failed(String message, long start) {
    return new Ended("FAILED", message, -1, -1, System.currentTimeMillis() - start);
  }

  /**
   * What a server's log says.
   *
   * @param code with which it ended
   */
  private Ended judge(String log, int code, long start) {
    Check c = plan.check;
    LOST.matcher(log).results().forEach(m -> say.accept(m.group()));
    String error = log.lines().filter(l -> l.startsWith("Error")).findFirst().orElse("");
    if (error.equals(TRACE)) {
      List<String> judged = new ArrayList<>(plan.config.list("INVARIANT"));
      judged.addAll(plan.config.list("PROPERTY"));
      String verdict = c.expect() == Expect.REACHES ? "reached" : "violated";
      long millis = System.currentTimeMillis() - start;
      return c.expect() != Expect.HOLDS && judged.size() == 1
          ? new Ended(verdict, "", -1, -1, millis)
          : failed("violated is one of " + String.join(", ", judged), start);
    }
    Matcher states = STATES.matcher(log);
    boolean decided = states.find() && error.isEmpty();
    if (!decided && Child.lacked(code, log)) {
      return lacking(
          "the server " + Child.ended(code) + (error.isEmpty() ? "" : ": " + error), start);
    }
    if (!decided) {
      return failed("TLC stopped: " + error, start);
    }
    long generated = Long.parseLong(states.group(1).replace(",", ""));
    long distinct = Long.parseLong(states.group(2).replace(",", ""));
    long millis = System.currentTimeMillis() - start;
    if (c.expect() != Expect.HOLDS) {
      return failed(c.target() + " is not violated", start);
    } else if (distinct < c.low() || distinct > c.high()) {
      return failed(
          "%,d distinct states lie outside the band [%,d, %,d]"
              .formatted(distinct, c.low(), c.high()),
          start);
    }
    return new Ended("holds", "", generated, distinct, millis);
  }
}
