package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Corpora;
import dev.plumbline.graph.Coverage;
import dev.plumbline.graph.Replay;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.tlc.InputError;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./plumb replay}: do the machines do what the specification's behaviours say? */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    description = {
      "Replays the stored behaviours on the machines, without a model checker, and compares every"
          + " variable after every step. Inputs that the specification refuses must change nothing."
    })
public final class ReplayCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "PROTOCOL", description = "all protocols when none is given")
  private List<String> names = List.of();

  @Option(
      names = "--lockstep",
      description = "walk larger models' graphs with TLC, where there are some")
  private boolean lockstep;

  @Option(names = "--bug", paramLabel = "NAME", description = "run with a seeded bug")
  private String bug;

  @Option(
      names = "--bugs",
      paramLabel = "PATH",
      description = "jar or folder of classes with seeded bugs (impl/bugs/target/classes)")
  private Path bugs;

  @Option(names = "--json", description = "print the results as JSON")
  private boolean json;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    ArrayNode all = JSON.createArrayNode();
    boolean good = true;
    for (Conformance c : Conformance.named(names)) {
      Corpora corpora = new Corpora(Places.root(), c);
      Coverage coverage = Coverage.read(Places.root(), c.protocol());
      int replayed = 0;
      Optional<SeededBug> seeded = Bugs.find(c.protocol(), bug, bugs);
      for (String module : c.corpusModules().keySet()) {
        Optional<SpecAdapter> adapter = c.adapter(module, seeded);
        String waived = coverage.replay().get(module);
        if (adapter.isEmpty()) {
          good &= waived != null;
          String why = waived == null ? "it has no adapter and no waiver" : "waived: " + waived;
          if (!json) {
            out.printf("%s %s: NOT RUN, %s%n", c.protocol(), module, why);
          }
          ObjectNode r = all.addObject().put("protocol", c.protocol()).put("module", module);
          r.put("run", false).put("holds", waived != null).put("why", why);
          continue;
        }
        if (waived != null) {
          throw new InputError(
              "specs/" + c.protocol() + "/coverage.yaml",
              0,
              "the waiver of the replay of " + module + " is not needed",
              "remove it");
        }
        boolean larger = lockstep && corpora.hasLockstep(module);
        replayed++;
        Replay.Outcome o =
            new Replay(larger ? corpora.lockstep(module) : corpora.stored(module), adapter.get())
                .run();
        good &= o.difference().isEmpty();
        ObjectNode r = all.addObject().put("protocol", c.protocol()).put("module", module);
        r.put("larger", larger).set("ghosts", JSON.valueToTree(adapter.get().ghosts()));
        r.put("behaviours", o.behaviours()).put("steps", o.steps()).put("refusals", o.refusals());
        r.put("seconds", o.seconds()).put("holds", o.difference().isEmpty());
        o.difference().ifPresent(d -> r.put("difference", String.join("\n", d.lines())));
        if (!json) {
          out.printf(
              Locale.ROOT,
              "%s %s%s: %,d behaviours, %,d steps, %,d refusals, %,.0f steps/s: %s%n",
              c.protocol(),
              module,
              lockstep && !larger ? " (its stored corpus, it has no lockstep model)" : "",
              o.behaviours(),
              o.steps(),
              o.refusals(),
              (o.steps() + o.refusals()) / o.seconds(),
              o.difference().isEmpty() ? "holds" : "DIFFERS");
          o.difference().ifPresent(d -> d.lines().forEach(l -> out.println("  " + l)));
          out.flush();
        }
      }
      if (replayed == 0) {
        throw new InputError("", 0, c.protocol() + " replayed nothing", "write an adapter");
      }
    }
    if (json) {
      out.println(all.toPrettyString());
    }
    return good ? 0 : 1;
  }
}
