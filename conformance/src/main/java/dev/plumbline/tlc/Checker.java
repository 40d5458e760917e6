package dev.plumbline.tlc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import tla2sany.semantic.SemanticNode;
import tlc2.TLC;
import tlc2.TLCGlobals;
import tlc2.output.EC;
import tlc2.output.MP;
import tlc2.output.MPRecorder;
import tlc2.tool.Action;
import tlc2.tool.ModelChecker;
import tlc2.tool.TLCState;
import tlc2.tool.TLCStateInfo;
import tlc2.tool.coverage.CostModel;

/**
 * The main class of a checking process. Reads one {@link Job} a line from standard input, or {@code
 * {"explore":…}} with an {@link Explorer.Job}, runs it, and prints one JSON object a line: {@code
 * {"event":"progress",…}} twice a second and {@code {"event":"result",…}} at the end of each job.
 * Ends when its input ends.
 */
public final class Checker {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** The exit code of a checking process whose machine lacks something. */
  public static final int LACKING = 3;

  /**
   * The outcome where this machine kept TLC from one: a full disk or heap, a folder not to be
   * written.
   */
  public static final String ENVIRONMENT = "environment";

  /** The outcome where TLC came to no verdict. */
  public static final String ERROR = "error";

  /** What TLC reports when it cannot write or read its own files. */
  private static final Set<Integer> DISK =
      Set.of(
          EC.SYSTEM_ERROR_READING_POOL,
          EC.SYSTEM_ERROR_WRITING_POOL,
          EC.SYSTEM_ERROR_CLEANING_POOL,
          EC.SYSTEM_ERROR_READING_STATES,
          EC.SYSTEM_ERROR_WRITING_STATES,
          EC.SYSTEM_DISK_IO_ERROR_FOR_FILE,
          EC.SYSTEM_UNABLE_NOT_RENAME_FILE,
          EC.SYSTEM_DISKGRAPH_ACCESS,
          EC.SYSTEM_METADIR_CREATION_ERROR);

  /** What TLC reports when its heap is full. */
  private static final Set<Integer> HEAP =
      Set.of(
          EC.SYSTEM_OUT_OF_MEMORY,
          EC.SYSTEM_OUT_OF_MEMORY_TOO_MANY_INIT,
          EC.SYSTEM_OUT_OF_MEMORY_LIVENESS);

  private static final byte[] PROBE = new byte[1 << 16];

  /** States that the search for actions under a shared quantifier looks at before giving up. */
  private static final int SEEK_LIMIT = 200_000;

  private Checker() {}

  /**
   * What to run.
   *
   * @param simulate null for breadth-first search
   * @param log where TLC's own output goes
   * @param metadir TLC's working folder, deleted afterwards
   * @param limit distinct states after which the search is given up; 0 for never
   */
  public record Job(
      String id,
      String module,
      String config,
      List<String> library,
      String log,
      String metadir,
      int workers,
      boolean deadlock,
      Simulation simulate,
      long limit) {}

  /** Random walks: how many, how long at most, from which seed. */
  public record Simulation(int traces, int depth, long seed) {}

  /**
   * How often an action led anywhere, and to how many new states; {@code taken} -1 when not
   * counted.
   */
  public record Taken(String action, long taken, long fresh) {}

  /**
   * What came out. {@code outcome} is one of ok, invariant, step, temporal, deadlock, assumption,
   * limit (given up), environment, error; {@code property} names what was violated where TLC says
   * it; {@code trace} is the counterexample, an array of {@code {n, action, parameters, location,
   * state}}, with {@code loop} the number of the state it returns to, 0 for none and equal to the
   * last state for stuttering; {@code sequences} are the places of its arrays that are no sets: of
   * states from the variable on, of parameters from the action on, elements as {@code []}.
   */
  public record Outcome(
      String outcome,
      String property,
      String message,
      long generated,
      long distinct,
      int depth,
      long millis,
      List<Taken> actions,
      ArrayNode trace,
      List<String> sequences,
      int loop,
      String version) {}

  /** Ends with an error where TLC does: threads that it leaves behind would keep the process. */
  public static void main(String[] args) {
    try {
      serve();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | UncheckedIOException e) {
      System.err.println(e);
      System.exit(LACKING);
    } catch (RuntimeException | Error e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void serve() throws IOException, InterruptedException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(Tlc.NOWHERE);
    Tlc.start();
    countActions();
    BlockingQueue<JsonNode> jobs = new LinkedBlockingQueue<>();
    Thread reader = new Thread(() -> read(jobs), "jobs");
    reader.setDaemon(true);
    reader.start();
    while (true) {
      JsonNode line = jobs.take();
      if (line.has("explore")) {
        Explorer.Job job = MAPPER.treeToValue(line.get("explore"), Explorer.Job.class);
        print(out, "result", job.id(), MAPPER.valueToTree(Explorer.run(job)));
      } else {
        Job job = MAPPER.treeToValue(line, Job.class);
        Outcome outcome = run(job, p -> print(out, "progress", job.id(), p));
        print(out, "result", job.id(), MAPPER.valueToTree(outcome));
      }
    }
  }

  private static void read(BlockingQueue<JsonNode> jobs) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        jobs.add(MAPPER.readTree(line));
      }
    } catch (IOException e) {
      System.err.println(e);
    }
    System.exit(0);
  }

  private static synchronized void print(PrintStream out, String event, String id, JsonNode body) {
    ObjectNode o = MAPPER.createObjectNode().put("event", event).put("id", id);
    o.setAll((ObjectNode) body);
    out.println(o);
  }

  /**
   * Has TLC's workers count each action's steps but leaves the evaluator's coverage off, which is
   * what makes TLC's own coverage slow. Both read one static when their class is initialised.
   */
  private static void countActions() {
    try {
      ClassLoader loader = Checker.class.getClassLoader();
      Class.forName("tlc2.tool.impl.Spec", true, loader);
      TLCGlobals.coverageInterval = 1;
      Class.forName("tlc2.tool.Worker", true, loader);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("this TLC has no class " + e.getMessage(), e);
    } finally {
      TLCGlobals.coverageInterval = -1;
    }
  }

  /** Counts the steps of one action. */
  private static final class Counter implements CostModel {
    private final LongAdder taken = new LongAdder();
    private final LongAdder fresh = new LongAdder();

    @Override
    public CostModel incInvocations() {
      taken.increment();
      return this;
    }

    @Override
    public CostModel incInvocations(long n) {
      taken.add(n);
      return this;
    }

    @Override
    public CostModel incSecondary() {
      fresh.increment();
      return this;
    }

    @Override
    public CostModel incSecondary(long n) {
      fresh.add(n);
      return this;
    }

    @Override
    public CostModel report() {
      return this;
    }

    @Override
    public CostModel get(SemanticNode node) {
      return DO_NOT_RECORD;
    }

    @Override
    public CostModel getAndIncrement(SemanticNode node) {
      return DO_NOT_RECORD;
    }

    @Override
    public CostModel getRoot() {
      return DO_NOT_RECORD;
    }
  }

  /** Keeps what TLC reports while it runs. */
  private static final class Recorder extends MPRecorder {
    private String outcome = "ok";
    private String property = "";
    private long generated = -1;
    private int depth = -1;
    private int loop;
    private boolean disk;
    private boolean heap;
    private volatile boolean givenUp;
    private final List<TLCStateInfo> trace = new ArrayList<>();
    private final Map<Action, Counter> counters = new LinkedHashMap<>();

    @Override
    public synchronized void record(int code, Object... o) {
      disk |= DISK.contains(code);
      heap |= HEAP.contains(code) || code == EC.GENERAL && named(OutOfMemoryError.class, o);
      switch (code) {
        case EC.TLC_COMPUTING_INIT -> {
          for (Action a : TLCGlobals.mainChecker.tool.getActions()) {
            Counter c = new Counter();
            counters.put(a, c);
            a.cm = c;
          }
        }
        case EC.TLC_INVARIANT_VIOLATED_INITIAL, EC.TLC_INVARIANT_VIOLATED_BEHAVIOR ->
            fail("invariant", o);
        case EC.TLC_PROPERTY_VIOLATED_INITIAL, EC.TLC_ACTION_PROPERTY_VIOLATED_BEHAVIOR ->
            fail("step", o);
        case EC.TLC_TEMPORAL_PROPERTY_VIOLATED -> fail("temporal");
        case EC.TLC_DEADLOCK_REACHED -> fail("deadlock");
        case EC.TLC_ASSUMPTION_FALSE -> fail("assumption", o);
        case EC.TLC_STATS -> generated = number(o[0]);
        case EC.TLC_PROGRESS_SIMU, EC.TLC_STATS_SIMU -> generated = number(o[0]);
        case EC.TLC_SEARCH_DEPTH -> depth = (int) number(o[0]);
        case EC.TLC_STATE_PRINT1, EC.TLC_STATE_PRINT2 -> trace.add((TLCStateInfo) o[0]);
        case EC.TLC_STATE_PRINT3 -> loop = trace.size();
        case EC.TLC_BACK_TO_STATE -> loop = (int) number(o[0]);
        default -> {}
      }
    }

    /** Whether it is told that an evaluation ended so. */
    private static boolean named(Class<? extends Error> thrown, Object... told) {
      return Arrays.deepToString(told).contains(thrown.getName());
    }

    private void fail(String kind, Object... o) {
      if (outcome.equals("ok")) {
        outcome = kind;
        property = o.length > 0 ? String.valueOf(o[0]) : "";
      }
    }

    private static long number(Object o) {
      return Long.parseLong(String.valueOf(o).replaceAll("[^0-9]", ""));
    }
  }

  /** Receives the figures of a running job: generated, distinct, queue, depth. */
  public interface Listener {
    void progress(ObjectNode figures);
  }

  /** Runs one job in this process, which must run nothing else of TLC's meanwhile. */
  static Outcome run(Job job, Listener listener) throws IOException {
    long start = System.nanoTime();
    Path log = Path.of(job.log());
    Files.createDirectories(log.getParent());
    Files.createDirectories(Path.of(job.metadir()));
    Path module = Path.of(job.module());
    Path config = Path.of(job.config());
    Recorder recorder = new Recorder();
    String lacking = "";
    List<String> args = new ArrayList<>(List.of("-workers", String.valueOf(job.workers())));
    args.addAll(
        List.of(
            "-config",
            config.getFileName().toString(),
            "-metadir",
            job.metadir(),
            "-checkpoint",
            "0"));
    if (!job.deadlock()) {
      args.add("-deadlock");
    }
    if (job.simulate() != null) {
      Simulation s = job.simulate();
      args.addAll(List.of("-simulate", "num=" + s.traces()));
      args.addAll(List.of("-depth", "" + s.depth(), "-seed", "" + s.seed()));
    }
    args.add(module.getFileName().toString().replaceAll("\\.tla$", ""));
    int code = EC.GENERAL;
    TLCGlobals.mainChecker = null;
    Spec.forgetLast();
    Tlc.forgetNames();
    try (PrintStream to =
        new PrintStream(Files.newOutputStream(log), false, StandardCharsets.UTF_8)) {
      Tlc.output(to);
      MP.setRecorder(recorder);
      TLC tlc = new TLC();
      if (tlc.handleParameters(args.toArray(new String[0]))) {
        tlc.setResolver(
            Tlc.resolver(module, config, job.library().stream().map(Path::of).toList()));
        Thread watcher = watch(job.limit(), recorder, listener);
        try {
          code = tlc.process();
        } finally {
          watcher.interrupt();
        }
      }
      lacking = lacking(recorder, to, log, Path.of(job.metadir()));
    } finally {
      MP.setRecorder(new MPRecorder());
      Tlc.silence();
      delete(Path.of(job.metadir()));
    }
    if (!lacking.isEmpty() && code != 0 && recorder.outcome.equals("ok")) {
      return new Outcome(
          ENVIRONMENT, "", lacking, -1, -1, -1, 0, List.of(), null, List.of(), 0, Tlc.version());
    }
    return outcome(job, recorder, code, start);
  }

  /** Why no run can be believed to have failed by itself; empty where files can be written. */
  private static String lacking(Recorder r, PrintStream to, Path log, Path folder) {
    if (r.heap) {
      return "TLC has too little memory: give it more with PLUMB_TLC_HEAP_MB";
    }
    if (to.checkError()) {
      return "cannot write " + log;
    }
    try {
      Files.createDirectories(folder);
      Files.write(folder.resolve("probe"), PROBE);
      return r.disk ? "TLC cannot write or read its files in " + folder : "";
    } catch (IOException e) {
      return "cannot write " + e.getMessage();
    }
  }

  private static Outcome outcome(Job job, Recorder r, int code, long start) throws IOException {
    String message = "";
    if (code != 0 && r.outcome.equals("ok")) {
      r.outcome = ERROR;
    }
    if (r.givenUp && r.outcome.equals("ok")) {
      r.outcome = "limit";
    }
    if (!r.outcome.equals("ok")) {
      message = firstError(Path.of(job.log()));
    }
    long distinct = -1;
    List<Taken> actions = List.of();
    ArrayNode trace = MAPPER.createArrayNode();
    List<String> sequences = new ArrayList<>();
    if (TLCGlobals.mainChecker instanceof ModelChecker m) {
      distinct = m.getDistinctStatesGenerated();
      r.generated = Math.max(r.generated, m.getStatesGenerated());
      Spec spec = Spec.of(m.tool);
      if (r.outcome.equals("ok")) {
        actions = taken(spec, r);
      } else {
        trace = trace(spec, r, sequences);
      }
    } else if (!r.trace.isEmpty()) {
      List<Path> library = job.library().stream().map(Path::of).toList();
      Spec spec = Spec.load(Path.of(job.module()), Path.of(job.config()), library);
      trace = trace(spec, r, sequences);
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    return new Outcome(
        r.outcome,
        r.property,
        message,
        r.generated,
        distinct,
        r.depth,
        millis,
        actions,
        trace,
        sequences,
        r.loop,
        Tlc.version());
  }

  private static List<Taken> taken(Spec spec, Recorder r) {
    Map<String, long[]> sums = new LinkedHashMap<>();
    Set<String> shared = new LinkedHashSet<>();
    List<Set<String>> names = spec.namesOfTlcActions();
    int i = 0;
    for (Counter c : r.counters.values()) {
      Set<String> of = names.get(i++);
      if (of.size() == 1) {
        long[] sum = sums.computeIfAbsent(of.iterator().next(), k -> new long[2]);
        sum[0] += c.taken.sum();
        sum[1] += c.fresh.sum();
      } else {
        shared.addAll(of);
      }
    }
    shared.removeIf(n -> sums.getOrDefault(n, new long[1])[0] > 0);
    Set<String> found = spec.seek(shared, SEEK_LIMIT);
    shared.forEach(n -> sums.put(n, new long[] {found.contains(n) ? -1 : 0, -1}));
    List<Taken> all = new ArrayList<>();
    sums.forEach((name, sum) -> all.add(new Taken(name, sum[0], sum[1])));
    return all;
  }

  private static ArrayNode trace(Spec spec, Recorder r, List<String> sequences) {
    List<TLCState> states = new ArrayList<>();
    r.trace.forEach(i -> states.add(i.state));
    if (states.isEmpty() && r.outcome.equals("invariant")) {
      spec.initialStates().stream()
          .filter(s -> !spec.holds(r.property, s))
          .findFirst()
          .ifPresent(s -> states.add(s.tlc));
    }
    ArrayNode trace = MAPPER.createArrayNode();
    Map<String, Boolean> arrays = new TreeMap<>();
    for (int i = 0; i < states.size(); i++) {
      ObjectNode o = trace.addObject().put("n", i + 1);
      Spec.Step step = i == 0 ? null : spec.between(states.get(i - 1), states.get(i));
      o.put("action", i == 0 ? "Init" : step == null ? "?" : step.action());
      o.set("parameters", step == null ? MAPPER.createObjectNode() : step.parameters());
      o.set("state", spec.state(states.get(i)).json());
      spec.state(states.get(i)).arrays(arrays);
      if (step != null) {
        step.arrays(arrays);
      }
    }
    arrays.forEach(
        (place, sequence) -> {
          if (sequence) {
            sequences.add(place);
          }
        });
    if (r.loop > 0 && r.loop < states.size()) {
      Spec.Step back = spec.between(states.get(states.size() - 1), states.get(r.loop - 1));
      if (back != null) {
        ObjectNode o = trace.addObject().put("n", states.size() + 1).put("action", back.action());
        o.set("parameters", back.parameters());
        o.set("state", back.to().json());
      }
    }
    return trace;
  }

  /** Passes figures on, and ends a search that went on for too long. */
  private static Thread watch(long limit, Recorder recorder, Listener listener) {
    Thread t =
        new Thread(
            () -> {
              try {
                while (true) {
                  TimeUnit.MILLISECONDS.sleep(500);
                  if (TLCGlobals.mainChecker instanceof ModelChecker m && m.theFPSet != null) {
                    listener.progress(
                        MAPPER
                            .createObjectNode()
                            .put("generated", m.getStatesGenerated())
                            .put("distinct", m.getDistinctStatesGenerated())
                            .put("queue", m.getStateQueueSize())
                            .put("depth", m.getProgress()));
                    if (limit > 0 && m.getDistinctStatesGenerated() > limit) {
                      recorder.givenUp = true;
                      m.stop();
                    }
                  }
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "progress");
    t.setDaemon(true);
    t.start();
    return t;
  }

  private static String firstError(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
    StringBuilder text = new StringBuilder();
    int taken = 0;
    for (String line : lines) {
      boolean starts = line.startsWith("Error:");
      boolean ends =
          line.startsWith("Error: The behavior up to this point")
              || line.startsWith("State 1:")
              || line.startsWith("Finished in ");
      if (taken > 0 && (ends || taken >= 12)) {
        break;
      }
      if (starts || taken > 0) {
        text.append(line.replaceFirst("^Error: ", "")).append('\n');
        taken++;
      }
    }
    return text.toString().strip();
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(p -> p.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The version of TLC on the class path. */
  public static String version() {
    Tlc.start();
    return Tlc.version();
  }
}
