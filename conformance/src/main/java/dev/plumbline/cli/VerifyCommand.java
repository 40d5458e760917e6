package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.audit.Planned;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Driver;
import dev.plumbline.check.Manifest;
import dev.plumbline.check.Memory;
import dev.plumbline.check.Records;
import dev.plumbline.check.Reports;
import dev.plumbline.check.Terminal;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.check.Workspace;
import dev.plumbline.graph.Conformance;
import dev.plumbline.history.Adya;
import dev.plumbline.mutate.Mutation;
import dev.plumbline.parts.Costs;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.Forecast;
import dev.plumbline.parts.KeptSeeds;
import dev.plumbline.parts.Ledger;
import dev.plumbline.parts.Merge;
import dev.plumbline.parts.Part;
import dev.plumbline.parts.Shard;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.tlc.InputError;
import dev.plumbline.worlds.Worlds;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumb verify}: every link of the chain, each by the command that a user would give. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    description = {
      "Runs the whole chain: model checking, generated worlds, mutants, corpora, replay, coverage,"
          + " simulation with histories and traces judged, a hostile peer; in the nightly lane also"
          + " ten long histories, seeded bugs, damaged disks, and ten cluster runs of a minute each"
          + " under faults.",
      "Each stage is a command of its own; the table at the end says which."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all that ran holds",
      "1:a stage failed",
      "2:bad usage or input",
      "3:no stage failed, but this machine kept one from a verdict",
      "4:unknown: no stage failed, but one cannot tell"
    })
public final class VerifyCommand implements Callable<Integer> {
  /** How many mutants the quick lane samples: a share of its 90 seconds. */
  private static final String MUTANTS = "3";

  /** Rounds of the damage suite in the nightly lane. */
  private static final String DAMAGED = "200";

  /** Transactions of each long history in the nightly lane; its first seed. */
  private static final String LONG = "10000";

  private static final String LONG_SEED = "900";

  /** Seconds that a hostile peer has with each protocol, in the quick and in the nightly lane. */
  private static final String ATTACKED_QUICKLY = "8";

  private static final String ATTACKED = "300";

  private static final int ENVIRONMENT = 3;

  /** A stage that could not read its input, which decides nothing either. */
  private static final int BROKEN = 2;

  /** No judge found a fault, and not all could say that there is none. */
  private static final int UNKNOWN = 4;

  /** Of a minute each, in the nightly lane. */
  private static final int CLUSTER_RUNS = 10;

  /** What ci/nightly runs besides, each on one machine in turn; it keeps a ledger of its own. */
  private static final String BESIDES = "besides verify";

  /** What is the same for all stages: the class path. */
  private static final String CODE = "code";

  /** Of that, what is no jar. */
  private static final String CLASSES = "classes";

  /** The stage that compares what catches each seeded bug with a page. */
  private static final String BUGS = "bugs";

  /** Stages that only run machines. */
  private static final Set<String> RUNS =
      Set.of("simulate", "histories", "bugs", "jepsen", "damage", "attack");

  private static final Set<String> SHARED =
      Set.of("check", "worlds", "mutate", "simulate", "histories");

  /** Stages whose parts are split by what they took; the others' parts are alike. */
  private static final Set<String> BY_COST = Set.of("check", "worlds", "mutate");

  @Parameters(paramLabel = "PROTOCOL", description = "All protocols when none is given.")
  private List<String> names = List.of();

  @Option(
      names = "--lane",
      defaultValue = "quick",
      description = "quick or nightly (which includes quick); default ${DEFAULT-VALUE}.")
  private String lane = "quick";

  @Option(names = "--fresh", description = "Run again what is already known for this very input.")
  private boolean fresh;

  @Option(
      names = "--verbose",
      description =
          "On a terminal, what each stage prints; without it one line, and what failed stages"
              + " printed. Elsewhere all is printed always.")
  private boolean verbose;

  @Option(names = "--json", description = "Print the stages as JSON; their tables go to stderr.")
  private boolean json;

  @Option(
      names = "--forecast",
      paramLabel = "N",
      split = ",",
      description =
          "Run nothing: say how long N machines would take, and each of them, from what parts took"
              + " the last time; with --json, who would do what.")
  private List<Integer> forecast = List.of();

  @Mixin private ShardOption shard = new ShardOption();

  private final Map<String, String> contents = new HashMap<>();

  /** A command, and the protocol whose files and machines its result depends on. */
  private record Stage(String protocol, String name, List<String> arguments, boolean ownCache) {
    static Stage of(String protocol, String name, String... arguments) {
      return new Stage(protocol, name, List.of(arguments), false);
    }

    String command() {
      return String.join(" ", arguments);
    }

    /** Whether machines share it; else one of them does it. */
    boolean shared() {
      return SHARED.contains(name);
    }

    /** What a shared stage calls itself in its ledger. */
    String ledger() {
      return switch (name) {
        case "check" -> "check";
        case "simulate", "histories" ->
            SimulateCommand.stage(
                protocol,
                Protocols.named(protocol).workloads().get(0),
                Integer.parseInt(arguments.get(arguments.indexOf("--txns") + 1)));
        default -> name + " " + protocol;
      };
    }

    /** All ledgers that a shared stage writes: its own, and the one of mutated machines. */
    List<String> ledgers(String lane, Workspace workspace) {
      return name.equals("mutate")
              && lane.equals("nightly")
              && Mutation.machines(protocol, workspace)
          ? List.of(ledger(), "mutate machines of " + protocol)
          : List.of(ledger());
    }

    /** As this machine is to do it. */
    Stage on(Shard shard) {
      if (shard.whole() || !shared()) {
        return this;
      }
      List<String> own = new ArrayList<>(arguments);
      own.addAll(List.of("--shard", shard.toString()));
      return new Stage(protocol, name, own, ownCache);
    }
  }

  /**
   * How a stage ended; exit is 0 with cached results too, and -1 where it was not run.
   *
   * @param input a digest of all that the result depends on; empty where files of that were edited
   *     meanwhile, so that nobody knows which ones it is of
   */
  private record Ended(
      Stage stage, int exit, boolean cached, String remark, long millis, String input) {
    static Ended notRun(Stage stage, String why) {
      return new Ended(stage, -1, false, why, 0, "");
    }

    String verdict() {
      return cached ? word(exit) + " (cached)" : word(exit);
    }

    Reports.Case asCase() {
      return new Reports.Case(
          stage.protocol(),
          "verify",
          stage.name(),
          millis,
          junit(exit),
          remark.isEmpty()
              ? verdict() + ": " + ToolCommand.line(String.join(" ", stage.arguments()))
              : remark);
    }
  }

  /** What the table says of a stage with this exit code. */
  static String word(int exit) {
    return switch (exit) {
      case 0 -> "holds";
      case -1 -> "not run";
      case 1 -> "FAILED";
      case ENVIRONMENT -> "environment";
      case UNKNOWN -> "unknown";
      case BROKEN -> "unknown (exit 2)";
      default -> "FAILED (exit " + exit + ")";
    };
  }

  /** What JUnit says of it. */
  static String junit(int exit) {
    return switch (exit) {
      case 0 -> "";
      case -1, UNKNOWN -> Reports.Case.SKIPPED;
      case BROKEN, ENVIRONMENT -> Reports.Case.ERROR;
      default -> Reports.Case.FAILURE;
    };
  }

  @Override
  public Integer call() throws IOException {
    if (!lane.equals("quick") && !lane.equals("nightly")) {
      throw new InputError("", 0, "there is no lane " + lane, "use --lane quick or --lane nightly");
    }
    Workspace workspace = Workspace.here();
    List<Checks> all = workspace.protocols();
    Driver.demandKnown(names, all);
    List<String> protocols =
        all.stream()
            .map(Checks::protocol)
            .filter(p -> names.isEmpty() || names.contains(p))
            .toList();
    if (protocols.size() < names.size()) {
      throw new InputError(
          "",
          0,
          "verify takes protocols, not checks",
          "use " + ToolCommand.line("check") + " for single checks");
    }
    if (!forecast.isEmpty()) {
      Forecast said = forecast(protocols, workspace);
      System.out.print(json ? said.json(forecast).toPrettyString() + "\n" : said.text(forecast));
      return 0;
    }
    PrintStream out = System.out;
    if (json) {
      System.setOut(System.err);
    }
    List<Ended> ended = new ArrayList<>();
    List<Stage> stages = stages(protocols, lane, fresh, workspace);
    List<Stage> mine = mine(stages, workspace);
    List<String> commands = mine.stream().map(s -> s.on(shard.shard()).command()).toList();
    try (LaneLine line =
        Terminal.live() && !verbose && !json
            ? new LaneLine(System.err, lane, commands, workspace.cache())
            : null) {
      Ledger.clear(workspace);
      Ledger ledger =
          new Ledger(
              workspace,
              "verify",
              shard.shard(),
              stages.stream().filter(s -> !s.shared()).map(Stage::command).toList());
      Ledger promised =
          new Ledger(workspace, Merge.PROMISED, shard.shard(), promised(stages, workspace));
      for (Stage s : mine) {
        Ended e = run(s.on(shard.shard()), workspace, line);
        ended.add(e);
        Ending ending = Ending.of(e.exit());
        if (s.shared() && ending == Ending.UNKNOWN) {
          for (String name : s.ledgers(lane, workspace)) {
            promised.add(new Part(name, ending, e.verdict(), "./plumb " + s.command(), e.millis()));
          }
          promised.write();
        }
        if (!s.shared()) {
          String detail = ending == Ending.HOLDS ? "" : "./plumb " + s.command();
          ledger.add(new Part(s.command(), ending, e.verdict(), detail, e.millis()));
        }
        ledger.write();
      }
      for (String p : protocols) {
        if (!mutated(p, workspace)) {
          ended.add(Ended.notRun(Stage.of(p, "mutate"), "no mutants.yaml"));
        }
        if (!implemented(p)) {
          ended.add(Ended.notRun(Stage.of(p, "replay, simulate"), "no implementation yet"));
        } else if (!conforms(p)) {
          String missing = "no adapter that ties the machines to the specification yet";
          ended.add(Ended.notRun(Stage.of(p, "corpus, replay"), missing));
          ended.add(Ended.notRun(Stage.of(p, "coverage"), missing));
        }
        if (implemented(p) && !transactions(p) && lane.equals("nightly")) {
          String missing = "transactions are wanted, and this protocol has sessions";
          ended.add(Ended.notRun(Stage.of(p, "histories"), missing));
        }
        if (implemented(p) && !Bugs.listed(p) && lane.equals("nightly")) {
          ended.add(Ended.notRun(Stage.of(p, "bugs"), "no runs are listed for them"));
        }
      }
    } finally {
      System.setOut(out);
    }
    ObjectNode report = report(ended, workspace);
    Path file = workspace.made().resolve("reports").resolve("verify.json");
    Workspace.writeWhole(file, report.toPrettyString());
    Workspace.writeWhole(
        file.resolveSibling("verify.xml"),
        Reports.junit("plumb verify", ended.stream().map(Ended::asCase).toList()));
    out.print(json ? report.toPrettyString() + "\n" : table(ended));
    return exit(ended.stream().map(Ended::exit).toList());
  }

  /**
   * How long so many machines would take. Checks that no merge has timed take what is remembered of
   * their last run; of other shared stages only those parts are known that a merge has seen.
   */
  private Forecast forecast(List<String> protocols, Workspace workspace) {
    for (int count : forecast) {
      if (count < 1 || count > Shard.MOST) {
        throw new InputError("", 0, "--forecast " + count, "name 1 to " + Shard.MOST + " machines");
      }
    }
    Costs costs = Costs.of(workspace);
    Records records = new Records(workspace);
    Map<String, Long> checks = new LinkedHashMap<>();
    for (Checks protocol : workspace.protocols()) {
      if (protocols.contains(protocol.protocol())) {
        for (Checks.Check check : protocol.checks()) {
          if (check.in(lane)) {
            long known = costs.millis("check", check.name());
            checks.put(check.name(), known > 0 ? known : records.lastMillis(check));
          }
        }
      }
    }
    Forecast all = new Forecast();
    Map<String, Long> single = new LinkedHashMap<>();
    for (Stage s : stages(protocols, lane, false, workspace)) {
      if (!s.shared()) {
        single.put(s.command(), costs.millis("verify", s.command()));
      } else if (s.name().equals("check")) {
        all.add("check", checks);
      } else {
        for (String ledger : s.ledgers(lane, workspace)) {
          Map<String, Long> parts = costs.parts(ledger);
          all.add(ledger, parts.isEmpty() ? Map.of("all of it", 0L) : parts);
        }
      }
    }
    all.add("verify", single);
    if (lane.equals("nightly")) {
      Map<String, Long> besides = costs.parts(BESIDES);
      all.addInTurn(BESIDES, besides.isEmpty() ? Map.of("all of it", 0L) : besides);
    }
    return all;
  }

  /** What failed counts before what the machine lacks. */
  static int exit(List<Integer> exits) {
    return exits.stream().filter(e -> e > 0).min(Comparator.naturalOrder()).orElse(0);
  }

  private List<Stage> mine(List<Stage> stages, Workspace workspace) {
    Costs costs = Costs.of(workspace);
    List<Stage> single = stages.stream().filter(s -> !s.shared()).toList();
    Set<Stage> mine =
        Set.copyOf(
            shard.shard().of(single, Stage::command, s -> costs.millis("verify", s.command())));
    return stages.stream().filter(s -> s.shared() || mine.contains(s)).toList();
  }

  /** What shared stages call themselves in their ledgers. */
  private List<String> promised(List<Stage> stages, Workspace workspace) {
    List<String> names = new ArrayList<>();
    for (Stage s : stages) {
      if (s.shared()) {
        names.addAll(s.ledgers(lane, workspace));
      }
    }
    names.add("verify");
    return names;
  }

  /**
   * What a lane runs, each with a digest of all that its result depends on.
   *
   * @param contents digests that are known
   */
  static List<Planned> planned(
      List<String> protocols, String lane, Workspace workspace, Map<String, String> contents)
      throws IOException {
    List<Planned> planned = new ArrayList<>();
    for (Stage s : stages(protocols, lane, false, workspace)) {
      planned.add(new Planned(s.protocol(), s.name(), s.command(), key(s, workspace, contents)));
    }
    return planned;
  }

  private static List<Stage> stages(
      List<String> protocols, String lane, boolean fresh, Workspace workspace) {
    boolean quick = lane.equals("quick");
    List<Stage> stages = new ArrayList<>();
    List<String> check = new ArrayList<>(List.of("check", "--lane", lane));
    if (fresh) {
      check.add("--fresh");
    }
    check.addAll(protocols);
    stages.add(new Stage(String.join(" ", protocols), "check", check, true));
    for (String p : protocols) {
      if (workspace.protocols().stream()
          .anyMatch(c -> c.protocol().equals(p) && Worlds.described(c))) {
        stages.add(Stage.of(p, "worlds", "worlds", p, "--lane", lane));
      }
      if (mutated(p, workspace)) {
        List<String> mutate = new ArrayList<>(List.of("mutate", p, "--lane", lane));
        if (quick) {
          mutate.addAll(List.of("--sample", MUTANTS));
        }
        if (fresh) {
          mutate.add("--fresh");
        }
        stages.add(new Stage(p, "mutate", mutate, true));
      }
      if (conforms(p)) {
        stages.add(Stage.of(p, "corpus", "corpus", p));
        stages.add(Stage.of(p, "replay", "replay", p, "--lockstep=" + (quick ? "quick" : "all")));
        stages.add(Stage.of(p, "coverage", "coverage", p));
      }
      if (implemented(p)) {
        stages.add(
            Stage.of(
                p,
                "simulate",
                "simulate",
                p,
                "--seeds",
                quick ? String.valueOf(Conformance.named(p).quickSeeds()) : "2000",
                "--txns",
                "200",
                "--faults",
                "all"));
      }
      if (implemented(p) && transactions(p) && !quick) {
        stages.add(
            Stage.of(
                p,
                "histories",
                "simulate",
                p,
                "--seed",
                LONG_SEED,
                "--seeds",
                "10",
                "--txns",
                LONG,
                "--logs",
                "0",
                "--black-boxes"));
      }
      if (Bugs.listed(p) && !quick) {
        stages.add(Stage.of(p, "bugs", "bugs", p));
      }
      if (implemented(p)) {
        stages.add(
            Stage.of(p, "attack", "attack", p, "--seconds", quick ? ATTACKED_QUICKLY : ATTACKED));
      }
      if (implemented(p) && !quick) {
        LongStream.rangeClosed(1, CLUSTER_RUNS)
            .mapToObj(seed -> Stage.of(p, "jepsen", "jepsen", p, "--seed", String.valueOf(seed)))
            .forEach(stages::add);
        stages.add(Stage.of(p, "damage", "damage", p, "--rounds", DAMAGED));
      }
    }
    return stages;
  }

  private static boolean transactions(String protocol) {
    return !Protocols.named(protocol).model().ofOperations();
  }

  private static boolean conforms(String protocol) {
    return Conformance.all().stream().anyMatch(c -> c.protocol().equals(protocol));
  }

  private static boolean mutated(String protocol, Workspace workspace) {
    return workspace.protocols().stream()
        .filter(p -> p.protocol().equals(protocol))
        .anyMatch(p -> Files.isRegularFile(Mutation.file(p)));
  }

  private static boolean implemented(String protocol) {
    return Protocols.all().stream().anyMatch(p -> p.name().equals(protocol));
  }

  private Ended run(Stage s, Workspace workspace, LaneLine line) throws IOException {
    if (line == null) {
      return run(s, workspace);
    }
    Ended[] ended = new Ended[1];
    String name = s.command().replaceAll("[^A-Za-z0-9.=-]+", "_") + ".log";
    Path log = workspace.made().resolve("reports").resolve("verify").resolve(name);
    line.run(
        log,
        () -> {
          try {
            ended[0] = run(s, workspace);
            return ended[0].exit();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    line.took(ended[0].millis());
    return ended[0];
  }

  private Ended run(Stage s, Workspace workspace) throws IOException {
    System.err.println("\n== " + ToolCommand.line(String.join(" ", s.arguments())));
    long start = System.currentTimeMillis();
    String input = key(s, workspace, contents);
    Path known = workspace.cache().resolve("stages").resolve(input);
    String remembered = s.ownCache() || fresh ? null : Memory.read(known);
    if (remembered != null) {
      if (s.shared()) {
        Ledger.restore(workspace, s.ledger(), shard.shard(), remembered);
      }
      System.err.println("holds (cached)");
      return new Ended(s, 0, true, "", System.currentTimeMillis() - start, input);
    }
    int exit = Main.commandLine().execute(s.arguments().toArray(String[]::new));
    boolean edited = edited(s.protocol(), s.name(), workspace, contents);
    if (edited) {
      System.err.println("files that it reads were changed meanwhile: this is not remembered");
    }
    if (exit == 0 && !s.ownCache() && !edited) {
      Memory.write(
          known, s.shared() ? Ledger.text(workspace, s.ledger(), shard.shard()) : s.command());
    }
    // Seeds that are known to fail may be others now.
    String of = edited ? "" : key(s, workspace, contents);
    return new Ended(s, exit, false, "", System.currentTimeMillis() - start, of);
  }

  /** What is claimed of models and mutants decides nothing about stages that only run machines. */
  static boolean decides(String stage, Path file) {
    String name = file.getFileName().toString();
    return !name.endsWith(".md")
        && !Set.of("claims.yaml", "links.txt").contains(name)
        && !(RUNS.contains(stage) && Set.of("checks.yaml", "mutants.yaml").contains(name));
  }

  /** The judges of other makers that are at hand: with one more, a stage says more. */
  static String judges(Workspace workspace) {
    String elle = System.getenv("PLUMB_ELLE");
    return "adya "
        + (Adya.in(workspace.root().resolve(".plumb")) != null)
        + ", elle "
        + (elle == null ? "" : elle);
  }

  /** Machines run on it, and so do their judges: another version may say otherwise. */
  private static String java() {
    return System.getProperty("java.vm.vendor") + " " + System.getProperty("java.vm.version");
  }

  /**
   * What a stage's result depends on: its arguments, the judges, the specification, the corpora,
   * the code, the Java that runs it.
   *
   * @param contents digests of all but the arguments that are known, by what they are of
   */
  private static String key(Stage s, Workspace workspace, Map<String, String> contents)
      throws IOException {
    String of = files(s.protocol(), s.name());
    if (!contents.containsKey(of)) {
      contents.put(of, files(s.protocol(), s.name(), workspace));
    }
    if (!contents.containsKey(CODE)) {
      contents.put(CLASSES, classes());
      contents.put(CODE, contents(CODE, classPath()));
    }
    // Whether what is known is run again changes nothing of what it says.
    String arguments =
        s.arguments().stream().filter(a -> !a.equals("--fresh")).collect(Collectors.joining(" "))
            + (BY_COST.contains(s.name()) ? split(s.arguments(), s.ledger(), workspace) : "");
    MessageDigest digest = sha256();
    List<String> parts =
        new ArrayList<>(
            List.of(arguments, judges(workspace), java(), contents.get(of), contents.get(CODE)));
    parts.addAll(kept(s.name(), s.shared() ? s.ledger() : "", workspace));
    if (s.name().equals(BUGS)) {
      parts.add(contents(BUGS, bugs(s.protocol(), workspace)));
    }
    for (String part : parts) {
      digest.update((part + "\n").getBytes(StandardCharsets.UTF_8));
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** What the digest of a stage's specification and corpora is called. */
  private static String files(String protocol, String stage) {
    return protocol + (RUNS.contains(stage) ? " runs" : "");
  }

  private static String files(String protocol, String stage, Workspace workspace)
      throws IOException {
    List<Path> specs = new ArrayList<>(List.of(workspace.specs().resolve("common")));
    for (String p : protocol.split(" ", -1)) {
      specs.add(workspace.specs().resolve(p));
      specs.add(workspace.root().resolve("conformance").resolve("corpora").resolve(p));
    }
    return contents(stage, specs);
  }

  private static List<Path> classPath() {
    String path = System.getProperty("java.class.path");
    return Stream.of(path.split(File.pathSeparator)).map(Path::of).toList();
  }

  /** What another command may compile anew while this one runs. */
  private static String classes() throws IOException {
    return contents(CODE, classPath().stream().filter(Files::isDirectory).toList());
  }

  /**
   * Whether files that a stage reads are others than those whose digests are known: then what it
   * said is of neither, and what follows reads the new ones.
   */
  static boolean edited(
      String protocol, String stage, Workspace workspace, Map<String, String> contents)
      throws IOException {
    String now = files(protocol, stage, workspace);
    String before = contents.put(files(protocol, stage), now);
    String classes = classes();
    boolean compiled = !classes.equals(contents.put(CLASSES, classes));
    if (compiled) {
      contents.put(CODE, contents(CODE, classPath()));
    }
    return compiled || !now.equals(before);
  }

  /** Seeds that failed and are to run first: what was said before they did is no answer. */
  static List<String> kept(String stage, String ledger, Workspace workspace) {
    return RUNS.contains(stage) && SHARED.contains(stage)
        ? KeptSeeds.of(workspace).of(ledger).stream().map(KeptSeeds.Kept::part).toList()
        : List.of();
  }

  /** A share is another one where the times by which the stage is split are others. */
  static String split(List<String> arguments, String ledger, Workspace workspace) {
    return arguments.contains("--shard") ? " " + Costs.of(workspace).parts(ledger) : "";
  }

  /** What seeded bugs are made of, where the runs are that show them, and what is said of each. */
  static List<Path> bugs(String protocol, Workspace workspace) {
    return List.of(
        Bugs.from(null),
        Bugs.table(protocol),
        workspace.docs().resolve("seeded-bugs-" + protocol + ".md"));
  }

  /** A digest of files, and of those in folders that decide what a stage says. */
  static String contents(String stage, List<Path> roots) throws IOException {
    MessageDigest digest = sha256();
    for (Path root : roots) {
      if (Files.exists(root)) {
        try (Stream<Path> files = Files.walk(root)) {
          for (Path file :
              files
                  .filter(Files::isRegularFile)
                  .filter(f -> f.equals(root) || decides(stage, f))
                  .sorted()
                  .toList()) {
            String head = root.relativize(file) + " " + Files.size(file) + "\n";
            digest.update(head.getBytes(StandardCharsets.UTF_8));
            digest.update(Files.readAllBytes(file));
          }
        }
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private ObjectNode report(List<Ended> ended, Workspace workspace) {
    ObjectNode report = new ObjectMapper().createObjectNode();
    report.set("manifest", Manifest.of(workspace.root(), Map.of()));
    report.put("lane", lane);
    ArrayNode stages = report.putArray("stages");
    for (Ended e : ended) {
      ObjectNode stage = stages.addObject();
      stage
          .put("protocol", e.stage.protocol())
          .put("stage", e.stage.name())
          .put("command", "./plumb " + e.stage.command().replace(" --fresh", ""))
          .put("verdict", e.verdict())
          .put("exit", e.exit)
          .put("input", e.input)
          .put("millis", e.millis);
      if (e.exit >= 0 && e.stage.shared()) {
        List<String> left = Ledger.left(workspace, e.stage.ledger(), shard.shard());
        stage.set("left", new ObjectMapper().valueToTree(left));
      }
    }
    return report;
  }

  private static String table(List<Ended> ended) {
    StringBuilder s = new StringBuilder("\n");
    s.append("%-16s %-17s %-17s %8s  %s%n".formatted("stage", "protocol", "verdict", "time", "by"));
    long millis = 0;
    for (Ended e : ended) {
      millis += e.millis;
      String by =
          e.remark.isEmpty() ? ToolCommand.line(String.join(" ", e.stage.arguments())) : e.remark;
      s.append(
          "%-16s %-17s %s %7.1fs  %s%n"
              .formatted(
                  e.stage.name(),
                  e.stage.protocol(),
                  Terminal.paint("%-17s".formatted(e.verdict()), Terminal.colours()),
                  e.millis / 1000.0,
                  by));
    }
    long lacking = ended.stream().filter(e -> e.exit == ENVIRONMENT).count();
    long unknown = ended.stream().filter(e -> e.exit == UNKNOWN || e.exit == BROKEN).count();
    long failed = ended.stream().filter(e -> e.exit > 0).count() - lacking - unknown;
    List<String> said = new ArrayList<>();
    if (failed > 0) {
      said.add(failed + " FAILED");
    }
    if (lacking > 0) {
      said.add(lacking + " kept from a verdict by the environment");
    }
    if (unknown > 0) {
      said.add(unknown + " unknown");
    }
    long idle = ended.stream().filter(e -> e.exit < 0).count();
    if (said.isEmpty()) {
      said.add(idle == 0 ? "all holds" : "all that ran holds, " + idle + " not run");
    }
    s.append(String.join(", ", said))
        .append(String.format(Locale.ROOT, ", %.1fs%n", millis / 1000.0));
    return s.toString();
  }
}
