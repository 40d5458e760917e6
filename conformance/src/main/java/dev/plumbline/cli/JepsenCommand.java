package dev.plumbline.cli;

import clojure.java.api.Clojure;
import clojure.lang.ExceptionInfo;
import clojure.lang.IFn;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Manifest;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.check.Workspace;
import dev.plumbline.cluster.Networks;
import dev.plumbline.explain.Operation;
import dev.plumbline.graph.Conformance;
import dev.plumbline.history.DataModel;
import dev.plumbline.history.History;
import dev.plumbline.history.HistoryException;
import dev.plumbline.history.HistoryFiles;
import dev.plumbline.history.HistoryValidator;
import dev.plumbline.history.Judgement;
import dev.plumbline.history.Judgement.Outcome;
import dev.plumbline.history.Printable;
import dev.plumbline.parts.Costs;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.Ledger;
import dev.plumbline.parts.Part;
import dev.plumbline.protocol.BrokenAssumption;
import dev.plumbline.protocol.GivenParameters;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.InputError;
import dev.plumbline.validate.Explanation;
import dev.plumbline.validate.LogVerdict;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel;
import dev.plumbline.validate.Validator;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./plumb jepsen}: a cluster of processes, clients, real faults, and everyone's verdict. */
@Command(
    name = "jepsen",
    mixinStandardHelpOptions = true,
    description = {
      "Starts a cluster of real processes, has clients run transactions while faults are injected,"
          + " heals it, and judges what the clients saw and what the nodes logged.",
      "Faults: partition, clock, kill, pause, slow, loss, disk; standard, all, none; one that the"
          + " protocol's machines do not tolerate is refused. Each is checked to have"
          + " happened. Workloads: list-append, rw-register, bank, replica-reads, long-fork,"
          + " register; sessions and counters where clients have sessions.",
      "The same seed gives the same operations and the same schedule of faults; threads and"
          + " networks still differ from run to run.",
      "Everything is left in .plumb/jepsen/PROTOCOL/RUN: history.edn, the nodes' logs, result.html,"
          + " result.txt, result.xml (JUnit), result.json; page and JUnit also in"
          + " .plumb/reports/jepsen-PROTOCOL-RUN.*. Of earlier runs the newest are kept, up to"
          + " --keep MiB in all."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:valid: all judges agree, and those that are needed ran",
      "1:invalid: some judge objects",
      "2:bad usage or input",
      "3:the environment lacks something, or a judge that is needed did not run",
      "4:unknown: no judge objects, but one cannot tell, a fault was not seen to happen, or too"
          + " little committed while there were faults"
    })
public final class JepsenCommand implements Callable<Integer> {
  private static final int UNKNOWN = 4;
  private static final int DETAILS = 40;
  private static final int MIB_BITS = 20;

  /** Of the nodes' logs, so that they fit into memory. */
  private static final long MOST_EVENTS = 600_000;

  /** Runs the cluster, clients and faults; options and results by name. */
  interface Suite {
    Map<?, ?> run(Map<String, Object> options, Consumer<String> progress) throws IOException;
  }

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "PROTOCOL",
      completionCandidates = ProtocolNames.class,
      description = ProtocolNames.HELP)
  private String protocol;

  @Option(
      names = "--workload",
      paramLabel = "WORKLOAD",
      description = "what clients do (list-append; sessions where clients have sessions)")
  private String workload;

  @Option(
      names = "--faults",
      paramLabel = "LIST",
      defaultValue = "standard",
      description =
          "kinds of fault; standard is partition, clock, kill and pause, as far as the protocol's"
              + " machines tolerate them (${DEFAULT-VALUE})")
  private String faults;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = "how long clients and faults run together (${DEFAULT-VALUE})")
  private int seconds;

  @Option(
      names = "--clients",
      paramLabel = "N",
      description =
          "clients, each with one transaction at a time (what the protocol's cluster bears)")
  private Integer clients;

  @Option(
      names = "--rtt",
      paramLabel = "PERCENT",
      defaultValue = "10",
      description = "link delays, of the paper's table of round trips (${DEFAULT-VALUE})")
  private long rtt;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "of operations and faults (${DEFAULT-VALUE})")
  private long seed;

  @Option(
      names = "--seeds",
      paramLabel = "K",
      defaultValue = "1",
      description = "how many runs, with the seeds from --seed on (${DEFAULT-VALUE})")
  private int seeds;

  @Mixin private ShardOption shard = new ShardOption();

  @Option(names = "--bug", paramLabel = "NAME", description = "switch on a seeded bug")
  private String bug;

  @Option(
      names = "--bugs",
      paramLabel = "PATH",
      description = "jar or folder with seeded bugs (the repository's own)")
  private Path bugs;

  @Option(
      names = "--break",
      paramLabel = "ASSUMPTION",
      split = ",",
      description =
          "oracle-bound, drift: fault clock takes clocks beyond the bounds that the protocol"
              + " assumes")
  private List<String> broken = List.of();

  @Option(
      names = "--set",
      paramLabel = "NAME=N",
      description = "protocol parameters; the result names those in force")
  private Map<String, Long> parameters = Map.of();

  @Option(
      names = "--at-least",
      paramLabel = "N",
      description =
          "transactions that must commit while there are faults, and half of the clients with one at"
              + " least; else the run says nothing and is unknown (one for each client)")
  private Long atLeast;

  @Option(
      names = "--keep",
      paramLabel = "MIB",
      defaultValue = "2048",
      description = "how much of earlier runs of all protocols is kept (${DEFAULT-VALUE})")
  private long keep;

  @Option(
      names = "--require",
      paramLabel = "JUDGE",
      split = ",",
      description =
          "judges that must have run: ${COMPLETION-CANDIDATES} (own: any that is no black box)",
      completionCandidates = Checkers.Requirable.class)
  private List<String> required = List.of();

  @Option(
      names = "--loopback",
      description = "processes on loopback even where network namespaces could be had")
  private boolean loopback;

  @Option(
      names = "--network",
      paramLabel = "A.B.C.D/N",
      description = "addresses for the namespaces (a part of a documentation network, unused here)")
  private String network;

  @Option(
      names = "--hosts",
      paramLabel = "HOST",
      split = ",",
      description =
          "a host for each region, in place of namespaces: reached by ssh as root, with this folder"
              + " in the same place and this machine's kernel, as containers have (docker/README.md)")
  private List<String> hosts = List.of();

  @Option(
      names = "--skew",
      paramLabel = "LIBRARY",
      defaultValue = "${env:PLUMB_SKEW}",
      description =
          "built from docker/skew.c: faults of the clock skew the wall clock of a process, which"
              + " oracles then read ($PLUMB_SKEW)")
  private Path skew;

  @Option(
      names = "--alone",
      description =
          "every node is a process of its own; else a region's share one as far as they"
              + " may all be down at once")
  private boolean alone;

  @Option(
      names = "--sql",
      description =
          "clients run SQL transactions by JDBC at a server in each region, for a protocol that has"
              + " one; these servers and their databases are killed and paused too")
  private boolean sql;

  @Mixin private DatabaseOption databases = new DatabaseOption();

  @Mixin private StoreOption store = new StoreOption();

  @Option(names = "--json", description = "one JSON object a run instead of text")
  private boolean json;

  private final Suite suite;
  private final Path root;
  private final Path output;

  public JepsenCommand() {
    this(
        JepsenCommand::clojure,
        Places.root().toAbsolutePath(),
        Places.root().toAbsolutePath().resolve(".plumb"));
  }

  /**
   * Another way to run; {@code root} has the specifications, and {@code output} gets the results.
   */
  JepsenCommand(Suite suite, Path root, Path output) {
    this.suite = suite;
    this.root = root;
    this.output = output;
  }

  /** A line of the result: who judged what, and how. */
  private record Row(
      String judge,
      String subject,
      Outcome outcome,
      String reason,
      List<String> details,
      double seconds) {
    /** Clients and nodes wrote some of it. */
    Row {
      reason = Printable.text(reason);
      details = details.stream().map(Printable::text).toList();
    }

    Row(String judge, String subject, Outcome outcome, String reason, List<String> details) {
      this(judge, subject, outcome, reason, details, 0);
    }
  }

  /** Runs the seeds of this machine; the worst exit code. */
  @Override
  public Integer call() throws IOException {
    List<Long> all;
    try {
      all = Seeds.from(seed, seeds).boxed().toList();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    }
    workload = workload == null ? Protocols.named(protocol).workloads().get(0) : workload;
    if (seeds == 1 && shard.shard().whole()) {
      return one();
    }
    String stage = "jepsen " + protocol + " " + workload + " " + faults;
    Workspace workspace = new Workspace(root.normalize());
    Costs costs = Costs.of(workspace);
    Ledger ledger =
        new Ledger(workspace, stage, shard.shard(), all.stream().map(s -> "seed " + s).toList());
    List<Ending> endings = new ArrayList<>();
    List<Long> mine = shard.shard().of(all, s -> stage + s, s -> costs.millis(stage, "seed " + s));
    shard.sayIfEmpty(spec.commandLine().getErr(), mine, all, "seeds");
    for (long next : mine) {
      seed = next;
      long start = System.currentTimeMillis();
      int exit = one();
      Ending ending = Ending.of(exit);
      endings.add(ending);
      String detail = ending == Ending.HOLDS ? "" : "exit code " + exit;
      long millis = System.currentTimeMillis() - start;
      ledger.add(new Part("seed " + seed, ending, ending.toString(), detail, millis));
      ledger.write();
    }
    return Ending.exit(endings);
  }

  private int one() throws IOException {
    for (String judge : required) {
      if (!Checkers.REQUIRABLE.contains(judge)) {
        throw new ParameterException(
            spec.commandLine(), "--require" + Checkers.wrong(judge, Checkers.REQUIRABLE));
      }
    }
    demandPositive("--seconds", seconds);
    demandPositive("--clients", clients());
    demandPositive("--rtt", rtt);
    demandPositive("--keep", keep);
    demandStore();
    databases();
    if (skew != null && !Files.isRegularFile(skew)) {
      throw new ParameterException(
          spec.commandLine(), "--skew: no library at " + skew + "; build it from docker/skew.c");
    }
    JepsenRuns runs = new JepsenRuns(output.resolve("jepsen"), output.resolve("reports"));
    String stamp = LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS"));
    Path folder = output.resolve("jepsen").resolve(protocol).resolve(stamp);
    Map<String, Object> options = options(folder);
    Files.createDirectories(folder);
    PrintWriter err = spec.commandLine().getErr();
    Map<?, ?> run;
    try {
      run =
          suite.run(
              options,
              line -> {
                err.println("jepsen: " + line);
                err.flush();
              });
    } catch (IllegalArgumentException e) {
      JepsenRuns.delete(folder);
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    } catch (IOException | ExceptionInfo e) {
      err.println("plumb: " + e.getMessage() + "; what there is lies in " + folder);
      err.flush();
      return 3;
    }
    runs.prune(Math.min(keep, Long.MAX_VALUE >> MIB_BITS) << MIB_BITS);
    List<Row> rows = new ArrayList<>(ran(run));
    err.println("jepsen: judging");
    err.flush();
    String missing = histories(folder, (String) run.get("model"), rows, err);
    if (missing != null) {
      // Page, JUnit and JSON are read without the exit code.
      rows.add(new Row("judges", "those that are needed ran", Outcome.UNKNOWN, missing, List.of()));
    }
    rows.addAll(traces(folder));
    Outcome verdict = join(rows);
    String text = write(folder, run, rows, verdict);
    PrintWriter out = spec.commandLine().getOut();
    out.println(json ? report(folder, run, rows, verdict).toPrettyString() : text);
    if (!json) {
      out.println("page: " + root.relativize(folder) + "/result.html");
      out.println("one operation: " + oneOperation(folder));
      out.println(
          "logs again: " + ToolCommand.line("trace " + protocol + " " + root.relativize(folder)));
    }
    out.flush();
    if (verdict == Outcome.INVALID) {
      return 1;
    }
    if (missing != null) {
      err.println("plumb: " + missing);
      err.flush();
      return 3;
    }
    return verdict == Outcome.VALID ? 0 : UNKNOWN;
  }

  /** How to get the page of an operation that has one, or why none has. */
  private String oneOperation(Path folder) throws IOException {
    Operation.Shown shown = Operation.shown(protocol, folder);
    if (shown.index().isEmpty()) {
      return "no page; " + shown.why();
    }
    String run = "explain --run " + root.relativize(folder);
    return ToolCommand.line(run + " --op " + shown.index().getAsLong() + " --html FILE")
        + " (another by its index in history.edn)";
  }

  private Map<String, String> databases() {
    try {
      ProtocolSystem system = Protocols.named(protocol);
      GivenParameters.demand(system, parameters);
      for (String name : broken) {
        BrokenAssumption assumption = BrokenAssumption.parse(name);
        if (!system.assumptions().contains(assumption)) {
          throw new IllegalArgumentException(
              protocol + " does not assume " + assumption + ", so it cannot be broken");
        }
      }
      List<String> kinds = List.of(faults.split(","));
      if (!broken.isEmpty() && Collections.disjoint(kinds, List.of("standard", "all", "clock"))) {
        throw new IllegalArgumentException(
            "--break: only fault clock takes clocks out of their bounds; add it to --faults");
      }
      List<String> regions = system.topology(settings()).regions();
      Networks.demand(network, regions.size());
      ClusterCommand.demandOne(loopback, network);
      ProtocolSystem.SqlSide side = sql ? SqlCommand.side("--sql", protocol) : null;
      return databases.urls(side, regions);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private void demandStore() {
    try {
      boolean disk =
          faults.contains("disk")
              || faults.equals("all") && !Protocols.named(protocol).storageKinds().isEmpty();
      if (store.plan() != null && disk) {
        throw new IllegalArgumentException(
            "--store: fault disk fills the nodes' folders, and their logs lie in Cassandra");
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private void demandPositive(String option, long value) {
    if (value < 1) {
      throw new ParameterException(spec.commandLine(), option + " takes 1 or more, not " + value);
    }
  }

  private Map<String, Object> options(Path folder) {
    Map<String, Object> options = new HashMap<>();
    options.put("protocol", protocol);
    options.put("workload", workload);
    options.put("faults", faults);
    options.put("seconds", (long) seconds);
    options.put("clients", (long) clients());
    options.put("rtt", rtt);
    options.put("seed", seed);
    options.put("bug", Bugs.find(protocol, bug, bugs).map(SeededBug::name).orElse(null));
    options.put("bugs", Bugs.from(bugs).toAbsolutePath().toString());
    options.put("break", broken);
    options.put("parameters", parameters());
    options.put("loopback", loopback);
    options.put("alone", alone);
    options.put("store", store.text());
    options.put("network", network);
    options.put("hosts", hosts);
    options.put("skew", skew == null ? null : skew.toAbsolutePath().toString());
    options.put("sql", sql);
    options.put("databases", databases());
    options.put("root", root.toString());
    options.put("folder", folder.toString());
    options.put("cache", output.resolve("node").toString());
    return options;
  }

  private TreeMap<String, Long> parameters() {
    ProtocolSystem system = Protocols.named(protocol);
    TreeMap<String, Long> all = new TreeMap<>(system.processParameters());
    all.putAll(system.clusterParameters());
    if (sql) {
      system.sqlSide().ifPresent(side -> all.putAll(side.parameters()));
    }
    system.outsideDatabase(parameters).ifPresent(o -> all.putAll(o.cluster()));
    all.putAll(parameters);
    return all;
  }

  private static Map<?, ?> clojure(Map<String, Object> options, Consumer<String> progress) {
    Clojure.var("clojure.core", "require").invoke(Clojure.read("plumbline.jepsen.local"));
    return (Map<?, ?>) Clojure.var("plumbline.jepsen.local", "run").invoke(options, progress);
  }

  private Settings settings() {
    return new Settings(Protocols.named(protocol).clockBounds(), new TreeSet<>(), parameters());
  }

  /** What the run itself showed. */
  private List<Row> ran(Map<?, ?> run) {
    List<Row> rows = new ArrayList<>(seen(run));
    if (run.get("availability") instanceof Map<?, ?> found) {
      Outcome outcome = Outcome.valueOf(String.valueOf(found.get("verdict")));
      // A transaction in time takes a share of a processor, as any wait does.
      boolean untold = outcome == Outcome.INVALID && starved(run);
      rows.add(
          new Row(
              "availability",
              String.valueOf(found.get("subject")),
              untold ? Outcome.UNKNOWN : outcome,
              found.get("reason") + (untold ? "; the machine was starved: " + machine(run) : ""),
              ((List<?>) found.get("details")).stream().map(String::valueOf).toList()));
    }
    return rows;
  }

  private List<Row> seen(Map<?, ?> run) {
    List<?> unseen = (List<?>) run.get("unseen");
    long stuck = number(run, "stuck");
    long unread = number(run, "unread");
    boolean starved = Boolean.TRUE.equals(run.get("starved"));
    return List.of(
        new Row(
            "faults",
            "each was seen to happen",
            unseen.isEmpty() ? Outcome.VALID : Outcome.UNKNOWN,
            unseen.isEmpty() ? "" : unseen.size() + " not seen",
            unseen.stream().map(String::valueOf).toList()),
        progress(run),
        new Row(
            "recovery",
            "every client commits again, every key is read",
            stuck + unread == 0 ? Outcome.VALID : starved ? Outcome.UNKNOWN : Outcome.INVALID,
            stuck + unread == 0
                ? ""
                : stuck
                    + " clients stuck, "
                    + unread
                    + " readings failed"
                    + (starved ? "; the machine was starved: " + machine(run) : ""),
            List.of()));
  }

  /** Whether whoever wanted a processor during the run got only a small share of one. */
  private static boolean starved(Map<?, ?> run) {
    return Boolean.TRUE.equals(((Map<?, ?>) run.get("load")).get("starved"));
  }

  private static String machine(Map<?, ?> run) {
    return String.valueOf(((Map<?, ?>) run.get("load")).get("text"));
  }

  /** Whether enough committed while there were faults for the other judges to mean something. */
  private Row progress(Map<?, ?> run) {
    long least = atLeast == null ? clients() : atLeast;
    Map<?, ?> commits = (Map<?, ?>) run.get("commits");
    List<?> byClient = (List<?>) run.get("byClient");
    long during = number(commits, "faults");
    long idle = byClient.stream().filter(n -> ((Number) n).longValue() == 0).count();
    boolean enough = during >= least && 2 * idle <= byClient.size();
    String counted = during + " committed while there were faults, " + idle + " clients nothing";
    return new Row(
        "progress",
        "at least " + least + " committed while there were faults, half of the clients some",
        enough ? Outcome.VALID : Outcome.UNKNOWN,
        enough
            ? counted
            : counted
                + (starved(run)
                    ? "; the machine was starved: "
                    : "; the machine was not starved, so the protocol was blocked: ")
                + machine(run),
        List.of(
            "by phase: setup "
                + number(commits, "setup")
                + ", faults "
                + during
                + ", healing "
                + number(commits, "healing")
                + ", final readings "
                + number(commits, "final"),
            "by client: " + byClient,
            "machine: " + machine(run)));
  }

  private static long number(Map<?, ?> run, String name) {
    return ((Number) run.get(name)).longValue();
  }

  /** Adds the judgements of the history; returns what had to run and did not, or null. */
  private String histories(Path folder, String word, List<Row> rows, PrintWriter err)
      throws IOException {
    DataModel kind = DataModel.valueOf(word.toUpperCase(java.util.Locale.ROOT).replace('-', '_'));
    History history;
    try {
      history = HistoryFiles.read(folder.resolve("history.edn"));
      HistoryValidator.validate(history, kind);
    } catch (HistoryException e) {
      rows.add(new Row("validator", "well formed", Outcome.INVALID, "", e.problems()));
      return null;
    }
    rows.add(new Row("validator", "well formed", Outcome.VALID, "", List.of()));
    ProtocolSystem system = Protocols.named(protocol);
    List<Checkers.Timed> judgements =
        new ArrayList<>(Checkers.judge(history, kind, system.model(), required, err));
    system
        .checkers()
        .forEach(
            checker ->
                judgements.addAll(
                    Checkers.timed(() -> List.of(checker.check(history, settings())))));
    for (Checkers.Timed timed : judgements) {
      Judgement j = timed.judgement();
      rows.add(
          new Row(
              j.judge(),
              j.subject(),
              j.outcome(),
              j.reason(),
              j.anomalies().stream()
                  .flatMap(a -> (a.kind() + ": " + a.text()).lines())
                  .limit(DETAILS)
                  .toList(),
              timed.seconds()));
    }
    return Checkers.missing(
        judgements.stream().map(Checkers.Timed::judgement).toList(),
        required,
        kind,
        system.model());
  }

  private int clients() {
    ProtocolSystem system = Protocols.named(protocol);
    int borne =
        sql
            ? system.sqlSide().map(ProtocolSystem.SqlSide::clients).orElse(1)
            : system
                .outsideDatabase(parameters)
                .map(ProtocolSystem.OutsideDatabase::clients)
                .orElse(system.clusterClients());
    return clients == null ? borne : clients;
  }

  /** The nodes' logs against every module that has a trace model. */
  private List<Row> traces(Path folder) {
    Optional<Conformance> known =
        Conformance.all().stream().filter(c -> c.protocol().equals(protocol)).findFirst();
    if (known.isEmpty()) {
      return List.of(
          new Row(
              "trace",
              "logs",
              Outcome.NOT_RUN,
              "no module of " + protocol + " has a trace model",
              List.of()));
    }
    Conformance conformance = known.get();
    List<Row> rows = new ArrayList<>();
    MergedLog log;
    try {
      log = MergedLog.read(List.of(folder.resolve("trace")), MOST_EVENTS);
      log.demandSenders();
      log.demandRules();
    } catch (InputError e) {
      return List.of(unread("logs", e));
    }
    Validator validator = new Validator(root);
    Map<String, String> notRun = new LinkedHashMap<>();
    for (TraceModel model : conformance.traceModels(settings())) {
      Optional<String> silent = conformance.silent(model.module(), settings());
      if (silent.isPresent()) {
        notRun.put(model.module(), silent.get());
        continue;
      }
      long begin = System.nanoTime();
      LogVerdict verdict;
      try {
        verdict = validator.validate(model, log);
      } catch (InputError e) {
        rows.add(unread(model.module(), e));
        continue;
      }
      List<String> lines = Explanation.lines(verdict, log);
      rows.add(
          new Row(
              "trace",
              model.module(),
              verdict.accepted() ? Outcome.VALID : Outcome.INVALID,
              verdict.accepted() ? lines.get(0).substring(lines.get(0).indexOf(',') + 2) : "",
              verdict.accepted() ? List.of() : lines.stream().limit(DETAILS).toList(),
              (System.nanoTime() - begin) / 1e9));
    }
    conformance
        .untracedModules()
        .forEach(module -> notRun.put(module, "logs have no trace model for it"));
    notRun.forEach(
        (module, why) -> rows.add(new Row("trace", module, Outcome.NOT_RUN, why, List.of())));
    return rows;
  }

  /** Of a log that is none the run is to blame; with a specification that is none nobody tells. */
  private static Row unread(String subject, InputError e) {
    Outcome outcome = e.ofSpecification() ? Outcome.UNKNOWN : Outcome.INVALID;
    return new Row("trace", subject, outcome, "", e.describe().lines().limit(DETAILS).toList());
  }

  private static Outcome join(List<Row> rows) {
    for (Outcome outcome : List.of(Outcome.INVALID, Outcome.UNKNOWN)) {
      if (rows.stream().anyMatch(row -> row.outcome() == outcome)) {
        return outcome;
      }
    }
    return Outcome.VALID;
  }

  private String command() {
    StringBuilder s = new StringBuilder(ToolCommand.line("jepsen " + protocol));
    s.append(" --workload ").append(workload).append(" --faults ").append(faults);
    s.append(" --seconds ").append(seconds).append(" --clients ").append(clients());
    s.append(" --rtt ").append(rtt).append(" --seed ").append(seed);
    if (atLeast != null) {
      s.append(" --at-least ").append(atLeast);
    }
    if (bug != null) {
      s.append(" --bug ").append(bug);
    }
    broken.forEach(b -> s.append(" --break ").append(b));
    new TreeMap<>(parameters).forEach((k, v) -> s.append(" --set ").append(k + "=" + v));
    if (!hosts.isEmpty()) {
      s.append(" --hosts ").append(String.join(",", hosts));
    }
    if (store.text() != null) {
      s.append(" --store ").append(store.text());
    }
    if (skew != null) {
      s.append(" --skew ").append(skew);
    }
    return s.append(sql ? " --sql" : "")
        .append(databases.text())
        .append(loopback ? " --loopback" : "")
        .append(alone ? " --alone" : "")
        .toString();
  }

  /** Writes the pages; returns the text. */
  private String write(Path folder, Map<?, ?> run, List<Row> rows, Outcome verdict)
      throws IOException {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("title", protocol + " " + workload + (bug == null ? "" : ", bug " + bug));
    result.put("command", command());
    result.put("verdict", verdict.word());
    ObjectNode manifest = Manifest.of(root, Map.of());
    List<List<String>> facts = new ArrayList<>();
    facts(run).forEach((name, value) -> facts.add(List.of(name, value)));
    facts.add(List.of("commit", manifest.get("commit").asText()));
    facts.add(List.of("machine", manifest.get("machine").toString().replaceAll("[{}\"]", "")));
    result.put("run", facts);
    result.put(
        "judges",
        rows.stream()
            .map(
                row ->
                    Map.of(
                        "judge", row.judge(),
                        "subject", row.subject(),
                        "verdict", row.outcome().word(),
                        "reason", row.reason(),
                        "details", row.details(),
                        "seconds", row.seconds()))
            .toList());
    Clojure.var("clojure.core", "require").invoke(Clojure.read("plumbline.jepsen.page"));
    IFn page = Clojure.var("plumbline.jepsen.page", "write-result");
    String text = (String) page.invoke(folder.toString(), result);
    Files.writeString(
        folder.resolve("result.json"), report(folder, run, rows, verdict).toPrettyString());
    new JepsenRuns(output.resolve("jepsen"), output.resolve("reports")).publish(folder);
    return text.stripTrailing();
  }

  private Map<String, String> facts(Map<?, ?> run) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("cluster", String.valueOf(run.get("cluster")));
    facts.put("asked again", run.get("settled") + " calls, after healing");
    facts.put("load", machine(run));
    facts.put("parameters", parameters().toString().replaceAll("[{}]", ""));
    return facts;
  }

  private ObjectNode report(Path folder, Map<?, ?> run, List<Row> rows, Outcome verdict) {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode o = mapper.createObjectNode();
    o.put("protocol", protocol).put("workload", workload).put("verdict", verdict.word());
    o.put("command", command()).put("folder", folder.toString());
    o.set("facts", mapper.valueToTree(facts(run)));
    Clojure.var("clojure.core", "require").invoke(Clojure.read("plumbline.jepsen.page"));
    IFn numbers = Clojure.var("plumbline.jepsen.page", "numbers");
    o.set(
        "operations", mapper.valueToTree(numbers.invoke(folder.resolve("history.edn").toString())));
    o.set(
        "run",
        mapper.valueToTree(
            run.entrySet().stream()
                .collect(Collectors.toMap(e -> String.valueOf(e.getKey()), Map.Entry::getValue))));
    ArrayNode judges = o.putArray("judges");
    for (Row row : rows) {
      ObjectNode j = judges.addObject().put("judge", row.judge()).put("subject", row.subject());
      j.put("verdict", row.outcome().word()).put("reason", row.reason());
      j.put("seconds", row.seconds());
      row.details().forEach(j.withArray("details")::add);
    }
    o.set("manifest", Manifest.of(root, Map.of()));
    return o;
  }
}
