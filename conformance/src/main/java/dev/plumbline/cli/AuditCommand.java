package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.audit.Audit;
import dev.plumbline.audit.Planned;
import dev.plumbline.check.Board;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Terminal;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code plumb audit}: from every claim to its evidence. */
@Command(
    name = "audit",
    mixinStandardHelpOptions = true,
    description = {
      "Joins every claim with what bears on it: readings, properties, checks, worlds, errors that"
          + " are noticed, findings, handlers, stored behaviours, trace models, seeded bugs, runs"
          + " and limits. Runs nothing: verdicts are what lies in .plumb, of today's input.",
      "Writes to .plumb/reports/audit, or where --out says: audit.json, audit.html, needs.json and"
          + " a statement for each verdict."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the pages are written; with --gate, no link is missing",
      "1:with --gate: a link is missing and not argued, broken, gone, or without result;"
          + " with --verify or --rederive: something differs",
      "2:bad usage or input",
      "3:the pages cannot be written; with --rederive: this machine kept a check from its verdict"
    })
public final class AuditCommand implements Callable<Integer> {
  private static final int SHOWN = 40;

  private final Workspace workspace;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "PROTOCOL", description = "All protocols when none is given.")
  private List<String> names = List.of();

  @Option(
      names = "--lane",
      defaultValue = "nightly",
      description =
          "quick or nightly (which includes quick): whose results are asked for;"
              + " default ${DEFAULT-VALUE}.")
  private String lane = "nightly";

  @Option(
      names = "--gate",
      description = "Fail when a link has no result, or is missing and not argued in claims.yaml.")
  private boolean gate;

  @Option(
      names = "--files",
      description = "With --gate: ask for what stands in files alone, not for results.")
  private boolean files;

  @Option(
      names = "--update",
      description = "Write the tables of specs/PROTOCOL/README.md and links.txt.")
  private boolean update;

  @Option(names = "--out", paramLabel = "DIR", description = "Where the pages go.")
  private Path out;

  @Option(
      names = "--verify",
      paramLabel = "DIR",
      description =
          "Write nothing: compare the statements of DIR with their digests, and with the files and"
              + " stages that they are of.")
  private Path verify;

  @Option(
      names = "--rederive",
      paramLabel = "PERCENT",
      description =
          "Write nothing: run this share of the lane's checks again, and compare with the"
              + " statements of --out byte for byte what is the same in every run.")
  private String rederive;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "Which share; default ${DEFAULT-VALUE}.")
  private long seed = 1;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "With --rederive: draw no check that took longer the last time, and name them.")
  private double minutes = Double.MAX_VALUE;

  @Option(
      names = "--json",
      description =
          "Print the graph with what the gate objects to as JSON; with --verify or --rederive, what"
              + " differs.")
  private boolean json;

  public AuditCommand() {
    this(Workspace.here());
  }

  AuditCommand(Workspace workspace) {
    this.workspace = workspace;
  }

  @Override
  public Integer call() throws IOException {
    if (!lane.equals("quick") && !lane.equals("nightly")) {
      throw new InputError("", 0, "there is no lane " + lane, "use --lane quick or --lane nightly");
    }
    List<String> alone =
        Stream.of(
                update ? "--update" : "",
                gate || files ? "--gate or --files" : "",
                verify != null ? "--verify" : "",
                rederive != null ? "--rederive" : "")
            .filter(option -> !option.isEmpty())
            .toList();
    if ((verify != null || rederive != null) && alone.size() > 1) {
      throw new InputError(
          "", 0, String.join(" and ", alone) + " do not go together", "ask for one at a time");
    }
    if (!(minutes > 0)) {
      throw new InputError("", 0, "--minutes " + minutes + " are none", "give a larger number");
    }
    PrintWriter print = spec.commandLine().getOut();
    List<String> known = workspace.protocols().stream().map(Checks::protocol).toList();
    for (String n : names) {
      for (Checks p : workspace.protocols()) {
        if (p.claims().containsKey(n)) {
          throw new InputError(
              "",
              0,
              n + " is a claim, and a protocol is asked for",
              ToolCommand.line("audit " + p.protocol()) + "; the page has it at #" + n);
        }
      }
    }
    workspace.protocols(names);
    double share = rederive == null ? 0 : percent();
    if (verify != null && !Files.isDirectory(Places.fromCaller(verify))) {
      throw new InputError(
          verify.toString(), 0, "there is no such folder", "name one that ./plumb audit wrote");
    }
    Path folder =
        out == null ? workspace.made().resolve("reports").resolve("audit") : Places.fromCaller(out);
    if (verify == null && rederive == null) {
      demandOurs(folder);
    }
    Map<String, String> contents = new HashMap<>();
    List<Planned> asked = StageInput.planned(known, lane, workspace, contents);
    List<Planned> nightly =
        lane.equals("nightly") ? asked : StageInput.planned(known, "nightly", workspace, contents);
    Audit audit = new Audit(workspace, names, lane, asked, nightly);
    if (verify != null) {
      return compared(
          print, audit.verify(Places.fromCaller(verify)), "as its digest says", List.of());
    }
    if (rederive != null) {
      Board board = new Board(System.err, Terminal.live());
      List<String> told = new ArrayList<>();
      Consumer<String> tell = json ? told::add : print::println;
      List<String> differing = audit.rederive(folder, share, seed, minutes, board, tell);
      return compared(print, differing, "as before", told);
    }
    if (update) {
      audit.update();
    }
    Path page = audit.write(folder);
    List<String> faults = new ArrayList<>(audit.faults());
    faults.addAll(audit.drift());
    List<String> unshown = files ? List.of() : audit.unshown();
    if (json) {
      ObjectNode graph = audit.json();
      faults.forEach(graph.putArray("faults")::add);
      unshown.forEach(graph.putArray("withoutResult")::add);
      print.println(graph.toPrettyString());
    } else {
      print.print(audit.text());
      shown(print, "of files", faults);
      shown(print, "of results", unshown);
      print.println(page);
    }
    print.flush();
    return gate && !(faults.isEmpty() && unshown.isEmpty()) ? 1 : 0;
  }

  /**
   * Said before anything takes time: whether pages can be written here, and that files of somebody
   * else are neither replaced nor listed with ours.
   */
  private void demandOurs(Path folder) throws IOException {
    Files.createDirectories(folder);
    if (!Files.isWritable(folder)) {
      throw new AccessDeniedException(folder.toString());
    }
    if (out != null && !Files.exists(folder.resolve("audit.json"))) {
      try (Stream<Path> entries = Files.list(folder)) {
        if (!entries.allMatch(Workspace::isPart)) {
          throw new InputError(
              "", 0, folder + " holds files that are no audit", "name an empty folder with --out");
        }
      }
    }
  }

  private double percent() {
    String number = rederive.replaceFirst("%$", "");
    if (!number.matches("\\d+(\\.\\d+)?") || Double.parseDouble(number) > 100) {
      throw new InputError(
          "", 0, "--rederive takes no \"" + rederive + "\"", "give a share such as 5%");
    }
    return Double.parseDouble(number);
  }

  private int compared(PrintWriter print, List<String> faults, String word, List<String> told) {
    if (json) {
      ObjectNode said = new ObjectMapper().createObjectNode();
      told.forEach(said.putArray("told")::add);
      faults.forEach(said.putArray("faults")::add);
      print.println(said.toPrettyString());
    } else {
      shown(print, "found", faults);
      if (faults.isEmpty()) {
        print.println("all is " + word);
      }
    }
    print.flush();
    return faults.isEmpty() ? 0 : 1;
  }

  private static void shown(PrintWriter print, String what, List<String> faults) {
    faults.stream().limit(SHOWN).forEach(f -> print.println("  " + f));
    if (!faults.isEmpty()) {
      print.println(faults.size() + " faults " + what);
    }
  }
}
