package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.CheckModel;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Driver;
import dev.plumbline.check.Records;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.check.Workspace;
import dev.plumbline.explain.Columns;
import dev.plumbline.explain.Counterexample;
import dev.plumbline.explain.Itf;
import dev.plumbline.explain.Operation;
import dev.plumbline.explain.Player;
import dev.plumbline.explain.Retrace;
import dev.plumbline.explain.SpaceTime;
import dev.plumbline.explain.Svg;
import dev.plumbline.explain.ValueText;
import dev.plumbline.tlc.Checker;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumb explain}: the last counterexample of a check. */
@Command(
    name = "explain",
    mixinStandardHelpOptions = true,
    description =
        "Shows the last counterexample (or witness) of a check: columns, space-time diagram, Markdown, JSON.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:it is shown",
      "1:what --from names is no behaviour of the check",
      "2:bad usage or input",
      "3:the environment lacks something, or plumb itself broke"
    })
public final class ExplainCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "CHECK",
      arity = "0..1",
      description = "A check's id, or PROTOCOL/CHECK; with --from, the one that the file names.")
  private String name;

  @Option(
      names = "--from",
      paramLabel = "FILE.itf",
      description = "Take the behaviour from an ITF trace instead, checked again step by step.")
  private Path from;

  @Option(
      names = "--run",
      paramLabel = "RUN",
      description =
          "With --html: an operation of a run of ./plumb jepsen instead, with the messages of its"
              + " transaction and the first event that the specification does not explain.")
  private Path run;

  @Option(
      names = "--op",
      paramLabel = "N",
      description =
          "With --run: the operation's index in history.edn; that of the first unexplained event"
              + " when none is given.")
  private Long op;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write a page to step through the behaviour; it needs no other file.")
  private Path html;

  @Option(
      names = "--itf",
      paramLabel = "FILE",
      description = "Write the behaviour in Apalache's trace format, for other viewers.")
  private Path itf;

  @Option(names = "--svg", paramLabel = "FILE", description = "Write the space-time diagram.")
  private Path svg;

  @Option(
      names = "--markdown",
      paramLabel = "FILE",
      description = "Write a table for a findings page, with the diagram if --svg is given.")
  private Path markdown;

  @Option(names = "--json", description = "Print the behaviour as JSON.")
  private boolean json;

  @Option(names = "--width", description = "Columns to wrap at; default is the terminal's width.")
  private Integer width;

  private final Workspace workspace;

  public ExplainCommand() {
    this(Workspace.here());
  }

  /**
   * @param workspace the repository
   */
  ExplainCommand(Workspace workspace) {
    this.workspace = workspace;
  }

  @Override
  public Integer call() throws IOException {
    if (width != null && width < 1) {
      throw new InputError("", 0, "--width " + width + " has no room", "give at least 1");
    }
    if (op != null && run == null) {
      throw new InputError(
          "",
          0,
          "--op is an operation of a run, and no run is named",
          "./plumb explain --run RUN --op N --html FILE");
    }
    if (run != null) {
      boolean others = svg != null || itf != null || markdown != null || json || width != null;
      if (html == null || name != null || from != null || others) {
        throw new InputError(
            "",
            0,
            "--run takes --html FILE, --op N, and nothing else",
            "./plumb explain --run RUN --html FILE");
      }
      write(html, Operation.html(here(run), Optional.ofNullable(op)));
      System.out.println(here(html));
      return 0;
    }
    Itf trace = from == null ? null : Itf.read(here(from));
    if (name == null && (trace == null || trace.check().isEmpty())) {
      throw new InputError("", 0, "no check is named", "./plumb explain PROTOCOL/CHECK");
    }
    String wanted = name == null ? trace.check() : name;
    Checks protocol = null;
    Checks.Check check = null;
    Driver.demandKnown(List.of(wanted), workspace.protocols());
    for (Checks p : workspace.protocols()) {
      for (Checks.Check c : p.checks()) {
        if (c.id().equals(wanted) || c.name().equals(wanted)) {
          if (check != null) {
            throw new InputError(
                "", 0, "several protocols have a check " + wanted, "name it PROTOCOL/CHECK");
          }
          protocol = p;
          check = c;
        }
      }
    }
    if (check == null) {
      throw new InputError("", 0, "there is no check " + wanted, "name it PROTOCOL/CHECK");
    }
    if (trace == null) {
      Counterexample c = stored(check);
      String input = new Records(workspace).of(protocol, check).input();
      show(c.of(input) ? c : c.stale(again(check)), protocol, check);
      return 0;
    }
    CheckModel model = new CheckModel(workspace, protocol, check, Checker.version());
    Path folder = workspace.runFolder(check.protocol(), check.id()).resolve("from");
    Retrace again = Retrace.of(trace, model, folder);
    if (again.behaviour().steps().isEmpty() || !again.fault().isEmpty()) {
      System.err.println(
          "plumb: " + from + " is no behaviour of " + check.name() + ": " + again.fault());
      return 1;
    }
    show(again.behaviour(), protocol, check);
    if (!json) {
      System.out.println(again.summary());
    }
    return 0;
  }

  private Counterexample stored(Checks.Check check) {
    Path file = workspace.runFolder(check.protocol(), check.id()).resolve("counterexample.json");
    if (!Files.isRegularFile(file)) {
      throw new InputError(
          "",
          0,
          "no counterexample of " + check.name() + " is stored",
          "run " + again(check) + "; a check that holds has none");
    }
    return Counterexample.read(file);
  }

  private static String again(Checks.Check check) {
    return ToolCommand.line("check " + check.name());
  }

  private void show(Counterexample c, Checks protocol, Checks.Check check) throws IOException {
    SpaceTime t = SpaceTime.of(c, protocol.diagram());
    if (svg != null) {
      write(svg, Svg.draw(c, t));
    }
    if (html != null) {
      write(html, Player.html(c, t, Player.places(workspace, protocol, check.module())));
    }
    if (itf != null) {
      write(itf, Itf.write(c));
    }
    if (markdown != null) {
      Path folder = here(markdown).resolve("..").normalize();
      String picture = svg == null ? "" : folder.relativize(here(svg)).toString();
      write(markdown, Columns.markdown(c, picture));
    }
    System.out.print(
        json ? json(c, t) : Columns.terminal(c, width == null ? terminalWidth() : width));
  }

  private static String json(Counterexample c, SpaceTime t) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode o = mapper.valueToTree(c);
    o.put("verdict", c.verdict());
    for (int i = 1; i < c.steps().size(); i++) {
      ObjectNode step = (ObjectNode) o.get("steps").get(i);
      step.put("lane", t.lane().get(i - 1));
      ValueText.changed(c.steps().get(i - 1).state(), c.steps().get(i).state())
          .forEach(step.withArray("changed")::add);
    }
    o.set("arrows", mapper.valueToTree(t.arrows()));
    return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(o) + "\n";
  }

  /** Relative paths count from where the user called the launcher. */
  private static Path here(Path p) {
    String from = System.getenv("PLUMB_CALLER_DIR");
    return Path.of(from == null ? "" : from).resolve(p).toAbsolutePath().normalize();
  }

  static void write(Path p, String text) throws IOException {
    Path target = here(p);
    if (target.getParent() != null) {
      Files.createDirectories(target.getParent());
    }
    Files.writeString(target, text, StandardCharsets.UTF_8);
  }

  /** What COLUMNS says; 0 where that is no width. */
  static int columns(String said) {
    return said != null && said.matches("[1-9]\\d{0,8}") ? Integer.parseInt(said) : 0;
  }

  private static int terminalWidth() {
    int columns = columns(System.getenv("COLUMNS"));
    if (columns > 0) {
      return columns;
    }
    try {
      Process p =
          new ProcessBuilder("stty", "size")
              .redirectInput(Path.of("/dev/tty").toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String[] size =
          new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
              .strip()
              .split(" ", -1);
      return size.length == 2 ? Integer.parseInt(size[1]) : 100;
    } catch (IOException | NumberFormatException e) {
      return 100;
    }
  }
}
