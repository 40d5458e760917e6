package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Manifest;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.check.Workspace;
import dev.plumbline.cluster.DamageSuite;
import dev.plumbline.cluster.Networks;
import dev.plumbline.cluster.Registry;
import dev.plumbline.cluster.StorePlan;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./plumb damage}: kills and damaged disks, and what was acknowledged before. */
@Command(
    name = "damage",
    mixinStandardHelpOptions = true,
    description = {
      "Starts a cluster of processes on loopback, kills some at random instants while clients write,"
          + " damages what lies on disk (torn bytes, a flipped bit, a file cut short, a full disk, a"
          + " read-only folder) or sets the clock back, starts them again, and reads everything that"
          + " was acknowledged. It has to be there, or a node has to refuse to serve and say why;"
          + " then the damage is undone, and everything has to be there.",
      "With root every node has a small file system of its own; without, no disk is filled. Logs in"
          + " Cassandra have no files here, and no such damage: Cassandra is killed, one for all"
          + " regions."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing acknowledged was lost in silence",
      "1:something was",
      "2:bad usage",
      "3:the environment lacks something, or gives too little processor time"
    })
public final class DamageCommand implements Callable<Integer> {
  private static final String REPORT = ".plumb/reports/damage-%s.json";

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "PROTOCOL",
      completionCandidates = ProtocolNames.class,
      description = ProtocolNames.HELP)
  private String protocol;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "20",
      description = "kills; the first do each kind of damage once (${DEFAULT-VALUE})")
  private int rounds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "of what is killed and damaged, and where (${DEFAULT-VALUE})")
  private long seed;

  @Option(
      names = "--only",
      paramLabel = "KIND",
      split = ",",
      description =
          "kinds of damage (all): none (kills alone), torn, flipped, cut, full, read only, clock"
              + " back; of Cassandra: none, clock back, cassandra (which is killed too); of SQL:"
              + " none, server, database (which are killed too)")
  private Set<String> only = Set.of();

  @Option(names = "--bug", paramLabel = "NAME", description = "a seeded bug (see ./plumb bugs)")
  private String bug;

  @Option(
      names = "--bugs",
      paramLabel = "PATH",
      description = "jar or folder with seeded bugs (the repository's own)")
  private Path bugs;

  @Option(names = "--loopback", description = "no file systems of their own, even with root")
  private boolean loopback;

  @Option(
      names = "--sql",
      description =
          "clients run SQL transactions by JDBC at a server in each region, for a protocol that has"
              + " one; these servers and their databases are killed too")
  private boolean sql;

  @Mixin private StoreOption store = new StoreOption();

  @Option(names = "--json", description = "one JSON object instead of text")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (rounds < 1) {
      throw new ParameterException(spec.commandLine(), "--rounds takes 1 or more, not " + rounds);
    }
    for (String kind : only) {
      if (!DamageSuite.damages().contains(kind)) {
        throw new ParameterException(
            spec.commandLine(),
            "--only takes " + String.join(", ", DamageSuite.damages()) + ", not " + kind);
      }
    }
    StorePlan plan = place();
    Path output = Places.root().toAbsolutePath().resolve(".plumb");
    Path cache = output.resolve("node");
    Path folder = Files.createDirectories(output.resolve("damage").resolve(protocol));
    JepsenRuns.delete(folder);
    boolean mounting = !loopback && !sql && plan == null && Networks.available();
    DamageSuite.Options options =
        new DamageSuite.Options(
            protocol,
            rounds,
            seed,
            folder,
            cache,
            Registry.here(cache),
            mounting,
            only,
            Bugs.find(protocol, bug, bugs).map(SeededBug::name).orElse(null),
            bug == null ? null : Bugs.from(bugs).toAbsolutePath().toString(),
            plan,
            sql ? Places.root().toAbsolutePath() : null);
    PrintWriter out = spec.commandLine().getOut();
    List<DamageSuite.Round> done = new ArrayList<>();
    try (DamageSuite suite = new DamageSuite(options)) {
      suite.run(
          round -> {
            done.add(round);
            write(done, suite.notDone());
            if (!json) {
              out.println(line(round));
              out.flush();
            }
          });
      print(out, done, suite.notDone());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    } catch (IOException e) {
      print(out, done, List.of());
      spec.commandLine().getErr().println("plumb: " + e.getMessage());
      spec.commandLine().getErr().flush();
      return 3;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 3;
    }
    return done.stream().allMatch(round -> round.outcome().holds()) ? 0 : 1;
  }

  /** Where nodes keep their logs; one Cassandra serves all regions. */
  private StorePlan place() {
    try {
      Protocols.named(protocol);
      if (sql) {
        SqlCommand.side("--sql", protocol);
      }
      StorePlan plan = store.plan();
      if (sql && plan != null) {
        throw new IllegalArgumentException("--sql: not together with --store");
      }
      return plan == null ? null : plan.forAll();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private static String line(DamageSuite.Round round) {
    return String.format(
        Locale.ROOT,
        "%4d  %-8s %6d at stake %5d lost  killed %s; %s%s",
        round.number(),
        round.outcome().word(),
        round.atStake(),
        round.lost(),
        String.join(" ", round.killed()),
        round.damage(),
        round.why().stream()
            .map(why -> "%n        ".formatted() + why)
            .collect(Collectors.joining()));
  }

  private void print(PrintWriter out, List<DamageSuite.Round> rounds, List<String> notDone) {
    String report = write(rounds, notDone);
    if (json) {
      out.print(report);
    } else {
      Map<DamageSuite.Outcome, Integer> outcomes = new EnumMap<>(DamageSuite.Outcome.class);
      rounds.forEach(round -> outcomes.merge(round.outcome(), 1, Integer::sum));
      out.println(
          protocol
              + ": "
              + rounds.size()
              + " rounds, "
              + outcomes.entrySet().stream()
                  .map(e -> e.getValue() + " " + e.getKey().word())
                  .collect(Collectors.joining(", "))
              + (notDone.isEmpty() ? "" : "; not done here: " + String.join(", ", notDone)));
      out.println("report: " + REPORT.formatted(protocol));
    }
    out.flush();
  }

  /** Also of a run that was ended early. */
  private String write(List<DamageSuite.Round> rounds, List<String> notDone) {
    String report = report(rounds, notDone).toPrettyString() + "\n";
    Workspace.writeWhole(Places.root().resolve(REPORT.formatted(protocol)), report);
    return report;
  }

  private ObjectNode report(List<DamageSuite.Round> rounds, List<String> notDone) {
    ObjectNode o = new ObjectMapper().createObjectNode().put("protocol", protocol);
    o.set("manifest", Manifest.of(Places.root(), Map.of()));
    o.put("command", ToolCommand.line(spec.root().commandLine().getParseResult().originalArgs()));
    o.put("seed", seed).put("bug", bug);
    o.put("holds", rounds.stream().allMatch(round -> round.outcome().holds()));
    notDone.forEach(o.withArray("notDone")::add);
    ArrayNode all = o.putArray("rounds");
    for (DamageSuite.Round round : rounds) {
      ObjectNode r = all.addObject().put("number", round.number());
      round.killed().forEach(r.withArray("killed")::add);
      r.put("kind", round.kind()).put("damage", round.damage());
      r.put("atStake", round.atStake()).put("lost", round.lost());
      r.put("outcome", round.outcome().word());
      round.why().forEach(r.withArray("why")::add);
    }
    return o;
  }
}
