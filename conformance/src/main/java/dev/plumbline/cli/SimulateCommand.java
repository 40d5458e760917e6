package dev.plumbline.cli;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import dev.plumbline.check.Progress;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.check.Workspace;
import dev.plumbline.graph.TraceJudge;
import dev.plumbline.history.HistoryFiles;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.KeptSeeds;
import dev.plumbline.parts.Ledger;
import dev.plumbline.parts.Part;
import dev.plumbline.protocol.BrokenAssumption;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import dev.plumbline.sim.Again;
import dev.plumbline.sim.Campaign;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.Shrinker;
import dev.plumbline.sim.SimulationRun;
import dev.plumbline.sim.SomeCommit;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs a protocol's machines under faults in virtual time and judges what comes out. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    description = {
      "Runs a protocol's machines under faults in virtual time and judges what comes out.",
      "A failing seed is shrunk to fewer faults and transactions, and the command that replays it"
          + " is printed."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:no seed fails",
      "1:a seed fails, also when that was asked for by --break, --as-published or --bug",
      "2:bad usage or input",
      "3:the environment lacks something, or plumb itself broke",
      "4:unknown: no seed fails, but a judge that was asked cannot tell"
    })
public final class SimulateCommand implements Callable<Integer> {
  private static final String ROOT = System.getenv().getOrDefault("PLUMB_ROOT", ".");
  private static final int THREADS = 2;
  private static final int BLOCK = 20;
  private static final int TRANSACTIONS = 200;
  private static final int SHRINKING_RUNS = 150;

  /** No judge found a fault, and not all that were asked could say that there is none. */
  private static final int UNKNOWN = 4;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "PROTOCOL",
      completionCandidates = ProtocolNames.class,
      description = ProtocolNames.HELP)
  private String protocol;

  @Option(names = "--seed", paramLabel = "N", description = "the first seed (${DEFAULT-VALUE})")
  private long seed = 1;

  @Option(names = "--seeds", paramLabel = "K", description = "how many seeds (${DEFAULT-VALUE})")
  private int seeds = 1;

  @Option(
      names = "--txns",
      paramLabel = "N",
      description = "transactions a seed (${DEFAULT-VALUE})")
  private int transactions = TRANSACTIONS;

  @Option(
      names = "--faults",
      paramLabel = "LIST",
      description =
          "all that the protocol tolerates, none, or of"
              + " loss, duplicate, delay, reorder, partition, crash, pause, clock, failover"
              + " (${DEFAULT-VALUE})")
  private String faults = "all";

  @Option(
      names = "--break",
      paramLabel = "NAME",
      split = ",",
      description = "break a stated assumption: oracle-bound, drift")
  private List<String> broken = List.of();

  @Option(
      names = "--as-published",
      paramLabel = "NAME",
      split = ",",
      description = "switch on a behaviour of the published protocol in place of its repair")
  private List<String> asPublished = List.of();

  @Option(names = "--bug", paramLabel = "NAME", description = "run with a seeded bug")
  private String bug;

  @Option(
      names = "--bugs",
      paramLabel = "PATH",
      description = "jar or folder of classes with seeded bugs (the repository's own)")
  private Path bugs;

  @Option(
      names = "--workload",
      paramLabel = "W",
      description =
          "list-append, rw-register or bank; where a protocol has sessions and no transactions,"
              + " sessions (the protocol's first of these)")
  private String workload;

  @Option(names = "--set", paramLabel = "NAME=N", description = "a protocol parameter")
  private Map<String, Long> parameters = Map.of();

  @Option(
      names = "--trace",
      paramLabel = "DIR",
      description = "write DIR/NODE.ndjson (DIR/SEED/NODE.ndjson with several seeds)")
  private Path traceDirectory;

  @Option(
      names = "--history",
      paramLabel = "FILE",
      description = "write the history, EDN or JSON lines by FILE's ending (several: NAME-SEED)")
  private Path historyFile;

  @Option(
      names = "--plan",
      paramLabel = "FILE",
      description = "the faults of a stored plan in place of planned ones")
  private Path planFile;

  @Option(
      names = "--logs",
      paramLabel = "PERCENT",
      description =
          "of how many seeds the nodes' logs are written and judged; histories and invariants"
              + " always are (${DEFAULT-VALUE})")
  private int logs = 100;

  @Option(
      names = "--black-boxes",
      description =
          "adya, and Elle if PLUMB_ELLE is a class path with it, judge each history as well")
  private boolean blackBoxes;

  @Mixin private ShardOption shard = new ShardOption();

  /** Seeds whose run is made again: the first, and those that gave two different ones before. */
  private final Set<Long> twice = new TreeSet<>();

  /** When the last block ended. */
  private long judged;

  @Option(names = "--no-shrink", description = "leave a failing seed as it is")
  private boolean noShrink;

  @Option(names = "--json", description = "write the result as JSON")
  private boolean json;

  /** Seeds that one machine does together. */
  private record Block(String name, List<RunConfig> configs) {}

  private String stage() {
    return stage(protocol, workload, transactions);
  }

  /** What runs of so many transactions call themselves in their ledger. */
  static String stage(String protocol, String workload, int transactions) {
    String name = "simulate " + protocol + " " + workload;
    return transactions == TRANSACTIONS ? name : name + " of " + transactions;
  }

  /**
   * Only what should hold is kept until it does: runs under all faults, with the protocol's own
   * parameters. Others are other runs, and say nothing of a seed that is kept.
   */
  private boolean keeps() {
    Set<FaultKind> tolerated = Protocols.named(protocol).tolerated();
    return bug == null
        && broken.isEmpty()
        && asPublished.isEmpty()
        && planFile == null
        && parameters.isEmpty()
        && FaultKind.parse(faults, tolerated).equals(tolerated);
  }

  private List<Block> blocks(List<RunConfig> configs, List<KeptSeeds.Kept> kept) {
    List<Block> blocks = new ArrayList<>();
    for (KeptSeeds.Kept k : kept) {
      if (!named(k.seed())) {
        RunConfig again = configs.get(0).withSeed(k.seed());
        blocks.add(new Block(k.part(), List.of(again)));
      }
    }
    for (int from = 0; from < configs.size(); from += BLOCK) {
      List<RunConfig> some = configs.subList(from, Math.min(from + BLOCK, configs.size()));
      String name = "seeds %d to %d".formatted(some.get(0).seed(), seed + from + some.size() - 1);
      blocks.add(new Block(name, some.stream().map(this::logged).toList()));
    }
    return blocks;
  }

  /** Whether it is among those that were asked for; others failed before. */
  private boolean named(long one) {
    return one >= seed && one < seed + seeds;
  }

  private RunConfig logged(RunConfig config) {
    long before = Math.floorDiv((config.seed() - 1) * logs, 100L);
    return Math.floorDiv(config.seed() * logs, 100L) == before ? config.untraced() : config;
  }

  /**
   * Tells the ledger how each block ended, as soon as its last seed is judged; that it fails, as
   * soon as one of its seeds does.
   */
  private void account(
      List<Block> blocks, Ledger ledger, Campaign.Report report, List<Campaign.Report> open) {
    open.add(report);
    Block block =
        blocks.stream()
            .filter(b -> b.configs().stream().anyMatch(c -> c.seed() == report.config().seed()))
            .findFirst()
            .orElseThrow();
    boolean whole = open.size() == block.configs().size();
    if (!whole && !report.failed()) {
      return;
    }
    List<String> failed = new ArrayList<>();
    boolean unknown = false;
    for (Campaign.Report r : open) {
      if (r.failed()) {
        failed.add(r.config().seed() + " (" + String.join(", ", failingJudges(r)) + ")");
      }
      unknown |= !SimulationTotals.open(r).isEmpty() || (blackBoxes && SimulationTotals.unasked(r));
    }
    Ending ending = !failed.isEmpty() ? Ending.VIOLATED : unknown ? Ending.UNKNOWN : Ending.HOLDS;
    String detail =
        failed.isEmpty()
            ? unknown ? "a judge cannot tell" : ""
            : "seeds that fail: " + String.join(", ", failed);
    // Seeds run side by side and end in turn: what the clock says between blocks is a block's
    // share.
    long now = System.currentTimeMillis();
    ledger.add(new Part(block.name(), ending, ending.toString(), detail, now - judged));
    if (whole) {
      judged = now;
      open.clear();
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    if (logs < 0 || logs > 100) {
      throw new ParameterException(spec.commandLine(), "--logs takes 0 to 100, not " + logs);
    }
    if (planFile != null && !broken.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(),
          "--plan says which faults there are, so --break would break nothing: leave one out");
    }
    List<RunConfig> named = configs();
    if (traceDirectory != null && named.stream().map(this::logged).noneMatch(RunConfig::traced)) {
      throw new ParameterException(
          spec.commandLine(), "--trace has nothing to write: --logs " + logs + " takes no seed");
    }
    if (traceDirectory != null) {
      named.forEach(this::demandNoOtherLogs);
    }
    Workspace workspace = new Workspace(Places.root().toAbsolutePath().normalize());
    KeptSeeds keptSeeds = KeptSeeds.of(workspace);
    List<KeptSeeds.Kept> kept = keeps() ? keptSeeds.of(stage()) : List.of();
    twice.add(seed);
    kept.stream().filter(k -> k.judges().contains(Again.NAME)).forEach(k -> twice.add(k.seed()));
    List<Block> planned = blocks(named, kept);
    List<Block> blocks =
        shard.shard().of(planned, b -> stage() + " " + b.name(), b -> b.configs().size());
    Ledger ledger =
        new Ledger(workspace, stage(), shard.shard(), planned.stream().map(Block::name).toList());
    List<Campaign.Report> open = new ArrayList<>();
    List<KeptSeeds.Kept> ended = new ArrayList<>();
    List<RunConfig> configs = blocks.stream().flatMap(b -> b.configs().stream()).toList();
    shard.sayIfEmpty(
        spec.commandLine().getErr(), blocks, planned, "blocks of up to " + BLOCK + " seeds");
    List<Judge> judges = judges();
    judges.addAll(files());
    Campaign campaign = new Campaign(judges, THREADS);
    SimulationTotals totals = new SimulationTotals(protocol, workload, seed, named.size());
    long start = System.nanoTime();
    Progress progress = new Progress(System.err, CommandLine.Help.Ansi.AUTO.enabled());
    progress.begin(protocol, configs.size() == 1 ? 0 : configs.size(), "seeds");
    judged = System.currentTimeMillis();
    campaign.run(
        configs,
        report -> {
          totals.add(report, named(report.config().seed()));
          account(blocks, ledger, report, open);
          if (!report.failed()) {
            passed(report, kept).ifPresent(ended::add);
          }
          if (report.failed()) {
            progress.say("seed " + report.config().seed() + " failed");
          }
          progress.upTo(totals.runs());
        });
    double seconds = (System.nanoTime() - start) / 1e9;
    Optional<SimulationTotals.Shrunk> shrunk =
        totals.failed().isEmpty() ? Optional.empty() : shrink(totals, kept, progress);
    progress.end();
    totals.failed().forEach(r -> ended.add(failing(r, shrunk)));
    if (keeps()) {
      ended.forEach(ledger::add);
      if (shard.shard().whole() && !ended.isEmpty()) {
        keptSeeds.update(stage(), ended);
      }
    }
    ledger.write();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(totals.json(shrunk, seconds).toPrettyString());
    } else {
      totals.print(out, shrunk, seconds);
    }
    out.flush();
    return totals.failed().isEmpty() ? totals.silent(blackBoxes) ? UNKNOWN : 0 : 1;
  }

  private List<Judge> judges() {
    List<Judge> judges = new ArrayList<>(Judges.all(Protocols.named(protocol)));
    judges.add(new SomeCommit());
    judges.add(new Again(twice));
    judges.addAll(TraceJudge.all(Places.root(), Protocols.named(protocol)));
    if (blackBoxes) {
      judges.addAll(BlackBoxJudge.all(spec.commandLine().getErr()));
    }
    return judges;
  }

  private List<RunConfig> configs() {
    try {
      ProtocolSystem system = Protocols.named(protocol);
      workload = workload == null ? system.workloads().get(0) : workload;
      Set<BrokenAssumption> assumptions = EnumSet.noneOf(BrokenAssumption.class);
      broken.forEach(name -> assumptions.add(BrokenAssumption.parse(name)));
      LongStream all = Seeds.from(seed, seeds);
      RunConfig first =
          new RunConfig(
              system,
              seed,
              transactions,
              workload,
              FaultKind.parse(faults, system.tolerated()),
              assumptions,
              new TreeSet<>(asPublished),
              new TreeMap<>(parameters),
              Bugs.find(system.name(), bug, bugs),
              planFile == null ? Optional.empty() : Optional.of(plan()),
              true);
      demandMachines(first);
      demandNodes(first);
      return all.mapToObj(first::withSeed).toList();
    } catch (InputError e) {
      throw new ParameterException(spec.commandLine(), e.describe());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    }
  }

  /** Makes each machine once: they refuse parameters that mean nothing. */
  static void demandMachines(RunConfig config) {
    Settings settings = config.settings();
    Topology topology = config.protocol().topology(settings);
    topology.nodes().forEach(node -> config.protocol().machine(node, topology, settings));
  }

  /** A plan of another protocol names nodes that this one does not have. */
  private static void demandNodes(RunConfig config) {
    if (config.plan().isEmpty()) {
      return;
    }
    FaultPlan plan = config.plan().orElseThrow();
    Topology topology = config.protocol().topology(config.settings());
    Set<String> known = new TreeSet<>();
    topology.nodes().forEach(node -> known.add(node.id()));
    demandNames(config, plan.nodes(), known, "no node of ");
    known.addAll(topology.network().regions());
    demandNames(config, plan.names(), known, "no node or region of ");
  }

  private static void demandNames(
      RunConfig config, Set<String> named, Set<String> known, String what) {
    for (String name : named) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            "--plan names "
                + name
                + ", "
                + what
                + config.protocol().name()
                + "; give a plan that a run of it wrote");
      }
    }
  }

  private FaultPlan plan() {
    try {
      return FaultPlan.fromJson(Files.readString(planFile));
    } catch (IOException | IllegalArgumentException e) {
      String why =
          e instanceof JsonProcessingException json
              ? json.getOriginalMessage().replaceFirst(" \\(index .*", "")
                  + line(json.getLocation())
              : e instanceof CharacterCodingException ? "no UTF-8 text" : e.getMessage();
      throw new IllegalArgumentException(
          planFile
              + " is no fault plan: "
              + why
              + "; --plan wants a file that a failing"
              + " simulation wrote",
          e);
    }
  }

  private static String line(JsonLocation at) {
    return at == null ? "" : " (line " + at.getLineNr() + ")";
  }

  /** Writes what was asked for; a judge because it sees every result. */
  private List<Judge> files() {
    if (traceDirectory == null && historyFile == null) {
      return List.of();
    }
    return List.of(
        new Judge() {
          @Override
          public String name() {
            return "files written";
          }

          @Override
          public Ruling judge(RunResult result) {
            try {
              write(result);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            return new Ruling(name(), Verdict.HOLDS, "");
          }
        });
  }

  private Path logsOf(RunConfig config) {
    return seeds == 1 ? traceDirectory : traceDirectory.resolve(Long.toString(config.seed()));
  }

  /** Logs of other nodes would be read beside those of the run. */
  private void demandNoOtherLogs(RunConfig config) {
    Path directory = logsOf(config);
    Set<String> own = new HashSet<>();
    config
        .protocol()
        .topology(config.settings())
        .nodes()
        .forEach(node -> own.add(node.id() + ".ndjson"));
    Optional<String> other = Optional.empty();
    if (Files.isDirectory(directory)) {
      try (Stream<Path> files = Files.list(directory)) {
        other =
            files
                .map(f -> f.getFileName().toString())
                .filter(f -> f.endsWith(".ndjson") && !own.contains(f))
                .min(Comparator.naturalOrder());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    if (other.isPresent()) {
      throw new ParameterException(
          spec.commandLine(),
          "--trace "
              + directory
              + " holds a log of another run, "
              + other.get()
              + ": name another folder, or remove it");
    }
  }

  private void write(RunResult result) throws IOException {
    String run = Long.toString(result.config().seed());
    if (traceDirectory != null) {
      Path directory = logsOf(result.config());
      Files.createDirectories(directory);
      for (Map.Entry<String, byte[]> log : result.traces().entrySet()) {
        Files.write(directory.resolve(log.getKey() + ".ndjson"), log.getValue());
      }
    }
    if (historyFile != null) {
      String name = historyFile.getFileName().toString();
      int dot = name.lastIndexOf('.');
      String numbered =
          dot < 0 ? name + "-" + run : name.substring(0, dot) + "-" + run + name.substring(dot);
      Path file = seeds == 1 ? historyFile : historyFile.resolveSibling(numbered);
      if (file.toAbsolutePath().getParent() != null) {
        Files.createDirectories(file.toAbsolutePath().getParent());
      }
      HistoryFiles.write(file, result.history().ops());
    }
  }

  private static Optional<KeptSeeds.Kept> passed(
      Campaign.Report report, List<KeptSeeds.Kept> kept) {
    return kept.stream()
        .filter(k -> k.seed() == report.config().seed() && holds(k.judges(), report))
        .findFirst()
        .map(k -> new KeptSeeds.Kept(k.seed(), true, "", "", ""));
  }

  /** Whether all these judges were asked, and found that it holds; their names may have commas. */
  private static boolean holds(String judges, Campaign.Report report) {
    String others =
        report.judgements().stream()
            .filter(j -> j.verdict() == Judge.Verdict.HOLDS)
            .map(Judge.Ruling::judge)
            .sorted(Comparator.comparingInt(String::length).reversed())
            .reduce(judges, (left, judge) -> left.replace(judge, ""));
    return others.replaceAll("[, ]", "").isEmpty();
  }

  private static KeptSeeds.Kept failing(
      Campaign.Report report, Optional<SimulationTotals.Shrunk> shrunk) {
    Optional<SimulationTotals.Shrunk> own =
        shrunk.filter(s -> s.config().seed() == report.config().seed());
    return new KeptSeeds.Kept(
        report.config().seed(),
        false,
        String.join(", ", failingJudges(report)),
        own.map(SimulationTotals.Shrunk::command).orElse(""),
        own.map(s -> s.config().plan().orElseThrow().toJson()).orElse(""));
  }

  /** One seed a run, first of those that no run has shrunk yet. */
  private Optional<SimulationTotals.Shrunk> shrink(
      SimulationTotals totals, List<KeptSeeds.Kept> kept, Progress progress) {
    if (noShrink) {
      return Optional.empty();
    }
    Set<Long> small =
        kept.stream()
            .filter(k -> !k.replay().isEmpty())
            .map(KeptSeeds.Kept::seed)
            .collect(Collectors.toSet());
    Campaign.Report first =
        totals.failed().stream()
            .filter(r -> !small.contains(r.config().seed()))
            .findFirst()
            .orElse(totals.failed().get(0));
    Set<String> failing = failingJudges(first);
    Campaign campaign =
        new Campaign(judges().stream().filter(judge -> failing.contains(judge.name())).toList(), 1);
    Shrinker shrinker =
        new Shrinker(
            candidate ->
                failingJudges(campaign.report(candidate)).stream().anyMatch(failing::contains),
            SHRINKING_RUNS,
            line -> progress.show("shrinking seed " + first.config().seed() + ": " + line));
    RunConfig smallest = shrinker.shrink(first.config(), SimulationRun.of(first.config()).plan());
    Path file =
        Path.of(ROOT, ".plumb", "plans", protocol + "-" + smallest.seed() + ".json")
            .toAbsolutePath()
            .normalize();
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, smallest.plan().orElseThrow().toJson());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the shrunk plan to " + file, e);
    }
    return Optional.of(
        new SimulationTotals.Shrunk(smallest, campaign.report(smallest), command(smallest, file)));
  }

  private static Set<String> failingJudges(Campaign.Report report) {
    return report.judgements().stream()
        .filter(judgement -> judgement.verdict() == Judge.Verdict.FAILS)
        .map(Judge.Ruling::judge)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private String command(RunConfig config, Path plan) {
    StringBuilder command = new StringBuilder(ToolCommand.line("simulate " + protocol));
    command.append(" --seed ").append(config.seed());
    command.append(" --txns ").append(config.transactions());
    command.append(" --workload ").append(workload);
    config.asPublished().forEach(name -> command.append(" --as-published ").append(name));
    config.parameters().forEach((name, value) -> command.append(" --set " + name + "=" + value));
    if (bug != null) {
      command.append(" --bug ").append(bug);
    }
    if (bugs != null) {
      command.append(" --bugs ").append(ToolCommand.word(bugs.toString()));
    }
    Path here = Path.of("").toAbsolutePath();
    return command
        .append(" --plan ")
        .append(ToolCommand.word((plan.startsWith(here) ? here.relativize(plan) : plan).toString()))
        .toString();
  }
}
