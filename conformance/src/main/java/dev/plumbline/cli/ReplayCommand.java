package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Corpora;
import dev.plumbline.graph.Coverage;
import dev.plumbline.graph.Difference;
import dev.plumbline.graph.Lockstep;
import dev.plumbline.graph.QuickModels;
import dev.plumbline.graph.Replay;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.tlc.InputError;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the machines do what the behaviours say",
      "1:they differ, or behaviours have neither machines nor a waiver",
      "2:bad usage or input",
      "3:the environment lacks something, or plumb itself broke"
    })
public final class ReplayCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NO_WAIVER = "it has no binding and no waiver";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "PROTOCOL", description = "all protocols when none is given")
  private List<String> names = List.of();

  @Option(
      names = "--lockstep",
      paramLabel = "all|quick",
      arity = "0..1",
      fallbackValue = "all",
      description = {
        "then walk the graphs of the quick lane's models with TLC and take every step on the"
            + " machines: all models, or those that coverage.yaml names for the quick lane"
      })
  private String lockstep;

  @Option(
      names = "--model",
      paramLabel = "CHECK",
      description = "in lockstep, walk the models of these checks only")
  private List<String> chosen = List.of();

  @Option(names = "--bug", paramLabel = "NAME", description = "run with a seeded bug")
  private String bug;

  @Option(
      names = "--bugs",
      paramLabel = "PATH",
      description = "jar or folder of classes with seeded bugs (the repository's own)")
  private Path bugs;

  @Option(names = "--json", description = "print the results as JSON")
  private boolean json;

  private final ArrayNode results = JSON.createArrayNode();
  private final Path root;

  public ReplayCommand() {
    this(Places.root());
  }

  /**
   * @param root the repository
   */
  ReplayCommand(Path root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    if (lockstep == null && !chosen.isEmpty()) {
      throw new InputError("", 0, "--model without --lockstep", "add --lockstep");
    }
    if (lockstep != null && !List.of("all", "quick").contains(lockstep)) {
      throw new InputError("", 0, "there is no --lockstep " + lockstep, "say all or quick");
    }
    boolean good = true;
    for (Conformance c : Conformance.named(names)) {
      Optional<SeededBug> seeded = Bugs.find(c.protocol(), bug, bugs);
      good &= replay(c, seeded);
      if (lockstep != null) {
        good &= lockstep(c, seeded);
      }
    }
    if (json) {
      spec.commandLine().getOut().println(results.toPrettyString());
    }
    return good ? 0 : 1;
  }

  private boolean replay(Conformance c, Optional<SeededBug> seeded) {
    Corpora corpora = new Corpora(root, c);
    Map<String, String> waived = new TreeMap<>(Coverage.read(root, c.protocol()).replay());
    boolean good = true;
    for (String module : corpora.modules()) {
      String why = waived.remove(module);
      Optional<SpecAdapter> adapter = corpora.adapter(module, seeded);
      if (adapter.isPresent() && why == null) {
        Replay.Outcome o = new Replay(corpora.stored(module), adapter.get()).run();
        ObjectNode r = result(c, module, o.difference(), o.steps(), o.seconds());
        r.put("behaviours", o.behaviours()).put("refusals", o.refusals());
        r.set("ghosts", JSON.valueToTree(adapter.get().ghosts()));
        good &= o.difference().isEmpty();
        say(
            o.difference(),
            "%s %s: %,d behaviours, %,d steps, %,d refusals, %,.0f steps/s",
            c.protocol(),
            module,
            o.behaviours(),
            o.steps(),
            o.refusals(),
            (o.steps() + o.refusals()) / o.seconds());
      } else if (adapter.isPresent()) {
        throw new InputError(
            "specs/" + c.protocol() + "/coverage.yaml",
            0,
            "the waiver of the replay of " + module + " is not needed",
            "remove it");
      } else {
        good &= why != null;
        notRun(c, module, why == null ? NO_WAIVER : "waived: " + why).put("holds", why != null);
      }
    }
    if (!waived.isEmpty()) {
      throw new InputError(
          "specs/" + c.protocol() + "/coverage.yaml",
          0,
          "replay waives " + waived.keySet() + ", no modules of " + c.protocol(),
          "remove them");
    }
    return good;
  }

  private boolean lockstep(Conformance c, Optional<SeededBug> seeded) {
    QuickModels models = new QuickModels(root, c);
    boolean good = true;
    List<QuickModels.Quick> walked = models.models(lockstep.equals("quick"), chosen);
    if (walked.isEmpty()) {
      notRun(c, "lockstep", "no model is walked; coverage.yaml says which").put("holds", true);
    }
    for (QuickModels.Quick quick : walked) {
      Optional<Lockstep> walk = models.walk(quick, seeded);
      if (walk.isEmpty()) {
        good = false;
        notRun(c, quick.name() + " in lockstep", NO_WAIVER).put("holds", false);
        continue;
      }
      Lockstep.Outcome o = walk.get().run();
      boolean complete = o.difference().isPresent() || quick.complete(o.states());
      good &= o.difference().isEmpty() && complete;
      ObjectNode r = result(c, quick.module(), o.difference(), o.steps(), o.seconds());
      r.put("lockstep", quick.name())
          .put("states", o.states())
          .put("complete", complete)
          .put("refusals", o.refusals());
      say(
          o.difference(),
          "%s %s in lockstep: %,d states, %,d steps, %,d refusals, %.1f s",
          c.protocol(),
          quick.name(),
          o.states(),
          o.steps(),
          o.refusals(),
          o.seconds());
      if (!complete) {
        print("  the band of %s has another number of states", quick.name());
      }
    }
    models
        .waived()
        .forEach(
            (check, why) -> notRun(c, check + " in lockstep", "waived: " + why).put("holds", true));
    return good;
  }

  private ObjectNode notRun(Conformance c, String what, String why) {
    print("%s %s: NOT RUN, %s", c.protocol(), what, why);
    return results
        .addObject()
        .put("protocol", c.protocol())
        .put("what", what)
        .put("run", false)
        .put("why", why);
  }

  private ObjectNode result(
      Conformance c, String module, Optional<Difference> difference, long steps, double seconds) {
    ObjectNode r = results.addObject().put("protocol", c.protocol()).put("module", module);
    r.put("steps", steps).put("seconds", seconds).put("holds", difference.isEmpty());
    difference.ifPresent(d -> r.put("difference", String.join("\n", d.lines())));
    return r;
  }

  private void say(Optional<Difference> difference, String format, Object... arguments) {
    print("%s: %s", format(format, arguments), difference.isEmpty() ? "holds" : "DIFFERS");
    difference.ifPresent(d -> d.lines().forEach(line -> print("  %s", line)));
  }

  private void print(String format, Object... arguments) {
    if (!json) {
      PrintWriter out = spec.commandLine().getOut();
      out.println(format(format, arguments));
      out.flush();
    }
  }

  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
