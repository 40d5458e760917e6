package dev.plumbline.graph;

import dev.plumbline.check.Checks;
import dev.plumbline.check.Config;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.protocol.SeededBug;
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
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A protocol's corpora: {@code conformance/corpora/PROTOCOL/MODULE.txt}, and {@code
 * MODULE-NAME.txt} where a module has more than one.
 */
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
          "run " + ToolCommand.line("corpus " + conformance.protocol() + " --update"));
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

  /** How many names there are in conformance/corpora/PROTOCOL/MODULE.txt. */
  private static final int PLACES = 4;

  /** A corpus made from its model just now. */
  public record Generated(
      String module,
      int states,
      int edges,
      int behaviours,
      String text,
      Path file,
      List<String> missing) {

    /** The file as the project's documents name it. */
    private Path shown() {
      return file.subpath(Math.max(0, file.getNameCount() - PLACES), file.getNameCount());
    }

    private String remedy() {
      return ToolCommand.line("corpus " + file.getParent().getFileName() + " --update");
    }

    /** What is wrong with the stored corpus. */
    public List<String> compare() throws IOException {
      List<String> problems = new ArrayList<>(missing);
      if (!Files.isRegularFile(file)) {
        problems.add(shown() + " is missing; run " + remedy());
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
        problems.add(shown() + ":" + (line + 1) + ": the specification and the corpus differ");
        problems.add("  stored:    " + (line < old.size() ? old.get(line) : "(end of file)"));
        problems.add("  generated: " + (line < now.size() ? now.get(line) : "(end of file)"));
        Corpus.parse("(generated)", text)
            .difference(Corpus.parse(file.toString(), stored))
            .ifPresent(d -> d.lines().forEach(l -> problems.add("  " + l)));
        problems.add("  if the specification is right, run " + remedy() + " and replay");
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
    Map<String, Taken> taken = new TreeMap<>();
    for (String corpus : conformance.corpusModules().keySet()) {
      taken.computeIfAbsent(core(corpus), m -> new Taken()).left++;
    }
    List<Generated> all = new ArrayList<>();
    conformance
        .corpusModules()
        .forEach((corpus, probes) -> all.add(generate(corpus, probes, taken.get(core(corpus)))));
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
        ? conformance.adapter(core(module), Config.read(config).values(), bug)
        : Optional.empty();
  }

  private Path specs() {
    return root.resolve("specs").resolve(conformance.protocol());
  }

  /** The module that a corpus MODULE or MODULE-NAME is of. */
  private static String core(String corpus) {
    return corpus.replaceFirst("-.*", "");
  }

  private Spec load(String corpus) {
    return Spec.load(
        specs().resolve("MC" + core(corpus) + ".tla"),
        specs().resolve("corpus-" + corpus + ".cfg"),
        List.of(specs(), root.resolve("specs/common")));
  }

  /** All actions of the modules with a corpus, as {@code MODULE.Action}. */
  public List<String> actions() {
    return conformance.corpusModules().keySet().stream()
        .filter(corpus -> core(corpus).equals(corpus))
        .flatMap(m -> load(m).actions().stream().map(a -> m + "." + a))
        .toList();
  }

  private Generated generate(String corpus, StateGraph.Probes probes, Taken taken) {
    Spec spec = load(corpus);
    StateGraph g = StateGraph.walk(spec, probes, MOST_STATES);
    taken.all.addAll(spec.actions());
    taken.taken.addAll(g.actions());
    String title =
        corpus + ": every step of corpus-" + corpus + ".cfg; made by ./plumb corpus --update";
    String text = Corpus.text(title, g);
    List<String> missing = --taken.left == 0 ? missing(core(corpus), taken) : List.of();
    return new Generated(
        corpus, g.size(), g.edgeCount(), g.covering().size(), text, file(corpus), missing);
  }

  /** The actions of a module, and those that its corpora take. */
  private static final class Taken {
    private final Set<String> all = new TreeSet<>();
    private final Set<String> taken = new TreeSet<>();
    private int left;
  }

  private List<String> missing(String module, Taken actions) {
    List<String> missing = new ArrayList<>();
    for (String action : actions.all) {
      boolean waived = coverage.waivesCorpus(module + "." + action);
      if (!actions.taken.contains(action) && !waived) {
        missing.add(
            "no behaviour takes " + module + "." + action + "; widen corpus-" + module + ".cfg");
      } else if (actions.taken.contains(action) && waived) {
        missing.add("the waiver of " + module + "." + action + " is not needed: remove it");
      }
    }
    return missing;
  }
}
