package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Workspace;
import dev.plumbline.explain.Columns;
import dev.plumbline.explain.Counterexample;
import dev.plumbline.explain.SpaceTime;
import dev.plumbline.explain.Svg;
import dev.plumbline.explain.Values;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumb explain}: the last counterexample of a check. */
@Command(
    name = "explain",
    mixinStandardHelpOptions = true,
    description =
        "Shows the last counterexample (or witness) of a check: columns, space-time diagram, Markdown, JSON.")
public final class ExplainCommand implements Callable<Integer> {
  @Parameters(paramLabel = "CHECK", description = "A check's id, or PROTOCOL/CHECK.")
  private String name;

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
  private int width;

  @Override
  public Integer call() throws IOException {
    Workspace workspace = Workspace.here();
    List<Checks> protocols = workspace.protocols();
    List<Checks.Check> found = new ArrayList<>();
    for (Checks p : protocols) {
      p.checks().stream()
          .filter(c -> c.id().equals(name) || c.name().equals(name))
          .forEach(found::add);
    }
    if (found.size() != 1) {
      throw new InputError(
          "",
          0,
          found.isEmpty() ? "there is no check " + name : "several protocols have a check " + name,
          "name it PROTOCOL/CHECK");
    }
    Checks.Check check = found.get(0);
    Path file = workspace.runFolder(check.protocol(), check.id()).resolve("counterexample.json");
    if (!Files.isRegularFile(file)) {
      throw new InputError(
          "",
          0,
          "no counterexample of " + check.name() + " is stored",
          "run ./plumb check " + check.name() + "; a check that holds has none");
    }
    Counterexample c = Counterexample.read(file);
    Checks.Diagram diagram =
        protocols.stream()
            .filter(p -> p.protocol().equals(check.protocol()))
            .findFirst()
            .orElseThrow()
            .diagram();
    SpaceTime t = SpaceTime.of(c, diagram);
    if (svg != null) {
      write(svg, Svg.draw(c, t));
    }
    if (markdown != null) {
      Path target = here(markdown);
      String picture = svg == null ? "" : target.getParent().relativize(here(svg)).toString();
      write(markdown, Columns.markdown(c, picture));
    }
    System.out.print(json ? json(c, t) : Columns.terminal(c, width > 0 ? width : terminalWidth()));
    return 0;
  }

  private static String json(Counterexample c, SpaceTime t) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode o = mapper.valueToTree(c);
    o.put("verdict", c.verdict());
    for (int i = 1; i < c.steps().size(); i++) {
      ObjectNode step = (ObjectNode) o.get("steps").get(i);
      step.put("lane", t.lane().get(i - 1));
      Values.changed(c.steps().get(i - 1).state(), c.steps().get(i).state())
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

  private static void write(Path p, String text) throws IOException {
    Path target = here(p);
    Files.createDirectories(target.getParent());
    Files.writeString(target, text, StandardCharsets.UTF_8);
  }

  private static int terminalWidth() {
    String columns = System.getenv("COLUMNS");
    if (columns != null && columns.matches("\\d+")) {
      return Integer.parseInt(columns);
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
