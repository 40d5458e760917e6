package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.CheckTimes;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Driver;
import dev.plumbline.check.Manifest;
import dev.plumbline.check.Memory;
import dev.plumbline.check.Records;
import dev.plumbline.check.Reports;
import dev.plumbline.check.Terminal;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.check.Workspace;
import dev.plumbline.parts.Costs;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.Forecast;
import dev.plumbline.parts.Ledger;
import dev.plumbline.parts.Merge;
import dev.plumbline.parts.Part;
import dev.plumbline.parts.Shard;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
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
  private static final int ENVIRONMENT = 3;

  /** A stage that could not read its input, which decides nothing either. */
  private static final int BROKEN = 2;

  /** No judge found a fault, and not all could say that there is none. */
  private static final int UNKNOWN = 4;

  /** What ci/nightly runs besides, each on one machine in turn; it keeps a ledger of its own. */
  private static final String BESIDES = "besides verify";

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
    List<Stage> stages = Stage.ofLane(protocols, lane, fresh, workspace);
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
        if (!Stage.mutated(p, workspace)) {
          ended.add(Ended.notRun(Stage.of(p, "mutate"), "no mutants.yaml"));
        }
        if (!Stage.implemented(p)) {
          ended.add(Ended.notRun(Stage.of(p, "replay, simulate"), "no implementation yet"));
        } else if (!Stage.conforms(p)) {
          String missing = "no binding that ties the machines to the specification yet";
          ended.add(Ended.notRun(Stage.of(p, "corpus, replay"), missing));
          ended.add(Ended.notRun(Stage.of(p, "coverage"), missing));
        }
        if (Stage.implemented(p) && !Stage.transactions(p) && lane.equals("nightly")) {
          String missing = "transactions are wanted, and this protocol has sessions";
          ended.add(Ended.notRun(Stage.of(p, "histories"), missing));
        }
        if (Stage.implemented(p) && !Bugs.listed(p) && lane.equals("nightly")) {
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
   * their last run, or what is reckoned from others; so do other parts of which a merge has seen
   * some.
   */
  private Forecast forecast(List<String> protocols, Workspace workspace) {
    for (int count : forecast) {
      if (count < 1 || count > Shard.MOST) {
        throw new InputError("", 0, "--forecast " + count, "name 1 to " + Shard.MOST + " machines");
      }
    }
    Costs costs = Costs.of(workspace);
    Records records = new Records(workspace);
    Map<Checks.Check, Long> checks = new LinkedHashMap<>();
    for (Checks protocol : workspace.protocols()) {
      if (protocols.contains(protocol.protocol())) {
        for (Checks.Check check : protocol.checks()) {
          if (check.in(lane)) {
            long known = costs.millis("check", check.name());
            checks.put(check, known > 0 ? known : records.lastMillis(check));
          }
        }
      }
    }
    Map<String, Long> timed = new LinkedHashMap<>();
    checks.forEach((check, millis) -> timed.put(check.name(), millis));
    Forecast all = new Forecast();
    List<Stage> stages = Stage.ofLane(protocols, lane, false, workspace);
    for (Stage s : stages) {
      if (s.name().equals("check")) {
        Map<String, Long> expected = CheckTimes.expected(checks.keySet(), checks::get);
        all.add("check", timed, expected, costs.atOnce("check"));
      } else if (s.shared()) {
        for (String ledger : s.ledgers(lane, workspace)) {
          Map<String, Long> parts = costs.parts(ledger);
          Map<String, Long> known = parts.isEmpty() ? Map.of("all of it", 0L) : parts;
          all.add(ledger, known, Costs.expected(known, part -> ""), costs.atOnce(ledger));
        }
      }
    }
    Map<String, Long> single = singles(stages, costs);
    all.add("verify", single, expected(single), 1);
    if (lane.equals("nightly")) {
      Map<String, Long> besides = costs.parts(BESIDES);
      all.addInTurn(BESIDES, besides.isEmpty() ? Map.of("all of it", 0L) : besides);
    }
    return all;
  }

  /** What stages took that one machine does whole; 0 where nobody knows. */
  private static Map<String, Long> singles(List<Stage> stages, Costs costs) {
    Map<String, Long> took = new LinkedHashMap<>();
    stages.stream()
        .filter(s -> !s.shared())
        .forEach(s -> took.put(s.command(), costs.millis("verify", s.command())));
    return took;
  }

  /** Where nobody has timed one: what the same command took otherwise. */
  private static Map<String, Long> expected(Map<String, Long> singles) {
    return Costs.expected(singles, command -> command.substring(0, command.indexOf(' ')));
  }

  /** What failed counts before what the machine lacks, and that before what is not decided. */
  static int exit(List<Integer> exits) {
    return exits.stream()
        .filter(e -> e > 0)
        .reduce((a, b) -> Ending.of(b).worse(Ending.of(a)) ? b : a)
        .orElse(0);
  }

  private List<Stage> mine(List<Stage> stages, Workspace workspace) {
    Map<String, Long> expected = expected(singles(stages, Costs.of(workspace)));
    Set<String> mine =
        Set.copyOf(shard.shard().of(expected.keySet(), command -> command, expected::get));
    return stages.stream().filter(s -> s.shared() || mine.contains(s.command())).toList();
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
    String input = StageInput.key(s, workspace, contents);
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
    boolean edited = StageInput.edited(s.protocol(), s.name(), workspace, contents);
    if (edited) {
      System.err.println("files that it reads were changed meanwhile: this is not remembered");
    }
    if (exit == 0 && !s.ownCache() && !edited) {
      Memory.write(
          known, s.shared() ? Ledger.text(workspace, s.ledger(), shard.shard()) : s.command());
    }
    // Seeds that are known to fail may be others now.
    String of = edited ? "" : StageInput.key(s, workspace, contents);
    return new Ended(s, exit, false, "", System.currentTimeMillis() - start, of);
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
