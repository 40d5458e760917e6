package dev.plumbline.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Expect;
import dev.plumbline.check.Child.ChildFailed;
import dev.plumbline.parts.Costs;
import dev.plumbline.parts.Ledger;
import dev.plumbline.parts.Shard;
import dev.plumbline.protocol.Near;
import dev.plumbline.tlc.Checker;
import dev.plumbline.tlc.Checker.Outcome;
import dev.plumbline.tlc.Checker.Taken;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Modules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Runs checks, several at a time, each kind of tool in processes of its own; remembers outcomes by
 * content.
 */
public final class Driver {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** A search is given up after so many times the states of the last one, or of its band. */
  private static final long LIMIT_FACTOR = 10;

  private static final long LEAST_LIMIT = 100_000;

  /** Where no run is known: far above what any such check of the lane takes. */
  private static final Map<String, Long> LANE_LIMIT =
      Map.of("quick", 2_000_000L, "nightly", 50_000_000L);

  /** What was found may be of either text: neither has a verdict by it. */
  private static final String EDITED = "its modules were changed while it ran: run it again";

  private final Workspace workspace;
  private final Outcomes outcomes;
  private final Path place;
  private final Options options;
  private final Board board;
  private final ObjectNode manifest;
  private final Apalache apalache;
  private final List<Child> children = new ArrayList<>();
  private final Map<String, Result> results = new HashMap<>();
  private Ledger ledger;
  private List<Plan> plans = List.of();

  /**
   * What to run.
   *
   * @param names protocols, checks or PROTOCOL/CHECK; empty for all protocols
   * @param lane quick or nightly; checks named directly run in any lane
   * @param fresh ignore remembered outcomes
   * @param jobs checks at a time
   * @param shard which of them
   */
  public record Options(List<String> names, String lane, boolean fresh, int jobs, Shard shard) {}

  public Driver(Workspace workspace, Options options, Board board) {
    this.workspace = workspace;
    this.options = options;
    this.board = board;
    this.outcomes = new Outcomes(workspace);
    this.place = workspace.place();
    this.apalache = Apalache.find();
    this.manifest =
        Manifest.of(
            workspace.root(), Map.of("tlc", Checker.version(), "apalache", apalache.version()));
  }

  public ObjectNode manifest() {
    return manifest;
  }

  /** The checks of the last run, ready to be run by another engine. */
  List<Plan> plans() {
    return plans;
  }

  /**
   * Validates everything first, then runs what is not remembered.
   *
   * @return one result for each check, in the order of the files
   * @throws InputError before anything runs when some input is wrong
   */
  public List<Result> run() {
    try {
      return runAll();
    } finally {
      Workspace.delete(place);
    }
  }

  private List<Result> runAll() {
    List<Plan> all = new ArrayList<>();
    for (Checks protocol : workspace.protocols()) {
      for (Check c : protocol.checks()) {
        if (chosen(c)) {
          String tool = c.engine().equals("apalache") ? apalache.version() : Checker.version();
          Plan plan = new Plan(workspace, protocol, c, tool);
          plan.demandJudged();
          all.add(plan);
        }
      }
    }
    Costs costs = Costs.of(workspace);
    Map<String, Long> expected =
        CheckTimes.expected(
            all.stream().map(p -> p.check).toList(), c -> costs.millis("check", c.name()));
    plans =
        options
            .shard()
            .of(all, p -> p.check.name() + " " + p.hash, p -> expected.get(p.check.name()));
    ledger =
        new Ledger(
            workspace, "check", options.shard(), all.stream().map(p -> p.check.name()).toList());
    Map<String, Modules.Module> parsed = new HashMap<>();
    PriorityQueue<Plan> open =
        new PriorityQueue<>(Comparator.comparingLong((Plan p) -> -expected(p)));
    for (Plan p : plans) {
      Result remembered = options.fresh() ? null : remembered(p, parsed);
      if (remembered != null) {
        finish(p, remembered);
      } else {
        p.verify(parsed);
        open.add(p);
      }
    }
    work(open);
    ledger.write();
    return plans.stream().map(p -> results.get(p.check.name())).toList();
  }

  private boolean chosen(Check c) {
    List<String> names = options.names();
    return names.contains(c.id())
        || names.contains(c.name())
        || ((names.isEmpty() || names.contains(c.protocol())) && c.in(options.lane()));
  }

  /** Names that match no protocol and no check, for the caller to complain about. */
  public static void demandKnown(List<String> names, List<Checks> protocols) {
    List<String> known = new ArrayList<>();
    for (Checks p : protocols) {
      known.add(p.protocol());
      p.checks().forEach(c -> known.add(c.id()));
      p.checks().forEach(c -> known.add(c.name()));
    }
    for (String n : names) {
      if (!known.contains(n)) {
        throw new InputError(
            "",
            0,
            "there is no protocol or check " + n,
            Near.remedy(n, known, otherwise(n, protocols)));
      }
    }
  }

  private static String otherwise(String name, List<Checks> protocols) {
    List<String> all = protocols.stream().map(Checks::protocol).toList();
    return all.stream()
        .filter(p -> name.startsWith(p + "/"))
        .map(p -> "the checks of " + p + " are in specs/" + p + "/checks.yaml")
        .findFirst()
        .orElse("protocols: " + String.join(", ", all));
  }

  private void work(PriorityQueue<Plan> open) {
    int slots = Math.max(1, Math.min(options.jobs(), open.size()));
    boolean alone = open.size() == 1;
    Thread hook = new Thread(this::stop);
    Runtime.getRuntime().addShutdownHook(hook);
    board.begin(options.lane(), open.stream().map(this::expected).toList());
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < slots; i++) {
      Child child = new Child(place.resolve("checker-" + i + ".err"), heap(alone));
      children.add(child);
      Thread t = new Thread(() -> slot(open, child, alone), "slot-" + i);
      threads.add(t);
      t.start();
    }
    try {
      for (Thread t : threads) {
        t.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      stop();
      board.end();
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // the JVM is ending already; the hook does its work
      }
    }
  }

  private void slot(PriorityQueue<Plan> open, Child child, boolean alone) {
    while (true) {
      Plan p;
      synchronized (this) {
        p = open.poll();
      }
      if (p == null) {
        return;
      }
      finish(p, one(p, child, alone));
    }
  }

  private Result one(Plan p, Child child, boolean alone) {
    board.started(p.check.name(), expected(p));
    int workers = alone && p.check.lane().equals("nightly") ? p.workers(options.jobs()) : 1;
    ObjectNode own = own(p, workers);
    try {
      if (!p.current()) {
        return Result.environment(p, EDITED, own);
      }
      Outcome o;
      if (p.check.engine().equals("apalache")) {
        if (!apalache.present()) {
          return Result.notRun(p, apalache.version(), own);
        }
        o = apalache.run(p);
      } else {
        Path work = place.resolve(p.check.protocol()).resolve(p.check.id());
        o =
            child.run(
                p.job(work, workers, limit(p)), p.span(), f -> board.progress(p.check.name(), f));
        p.publish(work);
      }
      if (!p.current()) {
        return Result.environment(p, EDITED, own);
      }
      outcomes.keep(p, o, own);
      Result r = Result.judge(p, o, false, counterexample(p, o, own), own);
      if (!r.failed()) {
        outcomes.met(p, o);
      }
      return r;
    } catch (ChildFailed e) {
      if (e.environment()) {
        return Result.environment(p, e.getMessage(), own);
      }
      Outcome failed =
          new Outcome(
              "error", "", e.getMessage(), -1, -1, -1, 0, List.of(), null, List.of(), 0, "");
      return Result.judge(p, failed, false, "", own);
    } catch (UncheckedIOException e) {
      return Result.environment(p, Workspace.said(e.getCause()), own);
    }
  }

  private synchronized void finish(Plan p, Result r) {
    Result kept = r;
    try {
      Workspace.writeWhole(p.runFolder.resolve("result.json"), json(r));
    } catch (UncheckedIOException e) {
      if (!r.failed() && !r.environment()) {
        kept =
            Result.environment(
                p,
                r.verdict() + ", but that cannot be stored: " + Workspace.said(e.getCause()),
                r.manifest());
      }
    }
    results.put(p.check.name(), kept);
    if (kept.cached()) {
      ledger.remembered(kept.part());
    } else {
      ledger.add(kept.part());
    }
    board.finished(kept);
  }

  private void stop() {
    children.forEach(Child::close);
    apalache.stop();
  }

  /** Two children and the driver share 8 GiB. */
  private static int heap(boolean alone) {
    String given = System.getenv("PLUMB_TLC_HEAP_MB");
    if (given != null && !given.matches("[1-9]\\d{0,6}")) {
      throw new InputError(
          "",
          0,
          "PLUMB_TLC_HEAP_MB is \"" + given + "\"",
          "set it to a number of megabytes, such as 2600, or unset it");
    }
    return given != null ? Integer.parseInt(given) : alone ? 5000 : 2600;
  }

  private ObjectNode own(Plan p, int workers) {
    ObjectNode m = manifest.deepCopy();
    m.put("input", p.hash).put("workers", workers);
    m.set("bounds", p.bounds());
    if (p.check.simulate() != null) {
      m.put("seed", p.check.simulate().seed());
      m.put("traces", p.check.simulate().traces()).put("depth", p.check.simulate().depth());
      m.put("share", p.check.share());
    }
    return m;
  }

  private String counterexample(Plan p, Outcome o, ObjectNode own) {
    Path file = p.runFolder.resolve("counterexample.json");
    if (o.trace() == null || o.trace().isEmpty()) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return "";
    }
    ObjectNode c = MAPPER.createObjectNode();
    c.put("protocol", p.check.protocol())
        .put("check", p.check.id())
        .put("module", p.check.module());
    c.put("expect", p.check.expectation()).put("outcome", o.outcome());
    String property = Result.property(p, o);
    c.put(
        "property",
        property.isEmpty() || property.equals("PlumbUnreached") ? p.check.target() : property);
    c.put("why", p.check.why()).put("loop", o.loop());
    c.set("states", o.trace());
    c.set("sequences", MAPPER.valueToTree(o.sequences()));
    c.set("manifest", own);
    Workspace.writeWhole(file, json(c));
    return workspace.root().relativize(file).toString();
  }

  private Result remembered(Plan p, Map<String, Modules.Module> parsed) {
    Outcomes.Known known = outcomes.known(p);
    if (known == null) {
      return null;
    }
    List<String> actions = known.outcome().actions().stream().map(Taken::action).toList();
    if (p.check.coverage() != null && !actions.containsAll(p.check.coverage())) {
      p.verifyCoverage(parsed);
    }
    ObjectNode own = known.manifest();
    try {
      return Result.judge(p, known.outcome(), true, counterexample(p, known.outcome(), own), own);
    } catch (UncheckedIOException e) {
      return Result.environment(p, Workspace.said(e.getCause()), own);
    }
  }

  /** Distinct states to expect: those of the last run, else the band's upper end. */
  private long expected(Plan p) {
    long last = outcomes.lastDistinct(p);
    return last > 0 ? last : p.check.high();
  }

  /**
   * After how many distinct states a search is given up; 0 for never. Where all states are to be
   * seen, it is a multiple of the band's upper end; where something must turn up, the entry's own
   * {@code states} say it, else a multiple of what the last search took.
   */
  private long limit(Plan p) {
    if (!p.check.engine().equals("tlc")) {
      return 0;
    }
    if (p.check.expect() == Expect.HOLDS) {
      return Math.max(LEAST_LIMIT, LIMIT_FACTOR * p.check.high());
    }
    long last = outcomes.lastDistinct(p);
    return p.check.high() > 0
        ? p.check.high()
        : last > 0 ? Math.max(LEAST_LIMIT, LIMIT_FACTOR * last) : LANE_LIMIT.get(p.check.lane());
  }

  static String json(Object value) {
    try {
      return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Counts of verdicts, in the order of the results. */
  public static Map<String, Integer> counts(List<Result> results) {
    Map<String, Integer> n = new LinkedHashMap<>();
    results.forEach(r -> n.merge(r.verdict(), 1, Integer::sum));
    return n;
  }
}
