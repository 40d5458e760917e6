package dev.plumbline.graph;

import dev.plumbline.check.Checks;
import dev.plumbline.check.Config;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Spec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** A protocol's corpora: {@code conformance/corpora/PROTOCOL/MODULE.txt}. */
public final class Corpora {
  private static final int MOST_STATES = 50_000;

  private final Path root;
  private final Conformance conformance;
  private final Coverage coverage;

  /**
   * @param root the repository
   */
  public Corpora(Path root, Conformance conformance) {
    this.root = root;
    this.conformance = conformance;
    this.coverage = Coverage.read(root, conformance.protocol());
  }

  /** A module's stored corpus. */
  public Corpus stored(String module) {
    Path file = file(module);
    if (!Files.isRegularFile(file)) {
      throw new InputError(
          file.toString(),
          0,
          "no such corpus",
          "run ./plumb corpus " + conformance.protocol() + " --update");
    }
    try {
      return Corpus.parse(file.toString(), Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path file(String module) {
    return root.resolve("conformance/corpora")
        .resolve(conformance.protocol())
        .resolve(module + ".txt");
  }

  /** A corpus made from its model just now. */
  public record Generated(
      String module,
      int states,
      int edges,
      int behaviours,
      String text,
      Path file,
      List<String> missing) {

    /** What is wrong with the stored corpus. */
    public List<String> compare() throws IOException {
      List<String> problems = new ArrayList<>(missing);
      if (!Files.isRegularFile(file)) {
        problems.add(file + " is missing; run ./plumb corpus --update");
        return problems;
      }
      String stored = Files.readString(file);
      if (!stored.equals(text)) {
        List<String> old = stored.lines().toList();
        List<String> now = text.lines().toList();
        int line = 0;
        while (line < old.size() && line < now.size() && old.get(line).equals(now.get(line))) {
          line++;
        }
        problems.add(file + ":" + (line + 1) + ": the specification and the corpus differ");
        problems.add("  stored:    " + (line < old.size() ? old.get(line) : "(end of file)"));
        problems.add("  generated: " + (line < now.size() ? now.get(line) : "(end of file)"));
        problems.add("  if the specification is right, run ./plumb corpus --update and replay");
      }
      return problems;
    }

    /** Stores the corpus; what is wrong with it. */
    public List<String> update() throws IOException {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
      return missing;
    }
  }

  /** Generates all corpora of the protocol. */
  public List<Generated> generate() {
    List<Generated> all = new ArrayList<>();
    for (Map.Entry<String, StateGraph.Probes> module : conformance.corpusModules().entrySet()) {
      all.add(generate(module.getKey(), module.getValue()));
    }
    return all;
  }

  /** Modules that machines must be able to replay: those that have a corpus or a model, sorted. */
  public List<String> modules() {
    Set<String> modules = new TreeSet<>(conformance.corpusModules().keySet());
    Checks checks = Checks.read(specs().resolve("checks.yaml"), root.resolve("docs"));
    checks.checks().stream()
        .map(Checks.Check::module)
        .filter(m -> m.startsWith("MC"))
        .forEach(m -> modules.add(m.substring(2)));
    return List.copyOf(modules);
  }

  /** Machines configured as a module's corpus model is; empty where there are none. */
  public Optional<SpecAdapter> adapter(String module, Optional<SeededBug> bug) {
    Path config = specs().resolve("corpus-" + module + ".cfg");
    return Files.isRegularFile(config)
        ? conformance.adapter(module, Config.read(config).values(), bug)
        : Optional.empty();
  }

  private Path specs() {
    return root.resolve("specs").resolve(conformance.protocol());
  }

  private Spec load(String module, String config) {
    return Spec.load(
        specs().resolve("MC" + module + ".tla"),
        specs().resolve(config + ".cfg"),
        List.of(specs(), root.resolve("specs/common")));
  }

  /** All actions of the modules with a corpus, as {@code MODULE.Action}. */
  public List<String> actions() {
    return conformance.corpusModules().keySet().stream()
        .flatMap(m -> load(m, "corpus-" + m).actions().stream().map(a -> m + "." + a))
        .toList();
  }

  private Generated generate(String module, StateGraph.Probes probes) {
    Spec spec = load(module, "corpus-" + module);
    StateGraph g = StateGraph.walk(spec, probes, MOST_STATES);
    Set<String> without = new TreeSet<>(spec.actions());
    without.removeAll(g.actions());
    List<String> missing = new ArrayList<>();
    for (String action : without) {
      if (!coverage.waivesCorpus(module + "." + action)) {
        missing.add(
            "no behaviour takes " + module + "." + action + "; widen corpus-" + module + ".cfg");
      }
    }
    for (String action : g.actions()) {
      if (coverage.waivesCorpus(module + "." + action)) {
        missing.add("the waiver of " + module + "." + action + " is not needed: remove it");
      }
    }
    String title =
        module + ": every step of corpus-" + module + ".cfg; made by ./plumb corpus --update";
    String text = Corpus.text(title, g);
    return new Generated(
        module, g.size(), g.edgeCount(), g.covering().size(), text, file(module), missing);
  }
}
