package dev.plumbline.graph;

import dev.plumbline.check.CheckModel;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Expect;
import dev.plumbline.check.Workspace;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.tlc.Checker;
import dev.plumbline.tlc.InputError;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The models whose graphs the machines are walked through in lockstep: those of a protocol's checks
 * in the quick lane that TLC explores to the end and that hold. {@code coverage.yaml} waives some,
 * and modules that have no machines, each with a reason, and adds some of the nightly lane.
 */
public final class QuickModels {
  private final Workspace workspace;
  private final Conformance conformance;
  private final Coverage coverage;

  /**
   * @param root the repository
   */
  public QuickModels(Path root, Conformance conformance) {
    this.workspace = new Workspace(root.toAbsolutePath());
    this.conformance = conformance;
    this.coverage = Coverage.read(root, conformance.protocol());
  }

  /** A check with the core module of its model. */
  public record Quick(String module, Check check, Checks protocol) {
    public String name() {
      return check.id();
    }

    /** Whether a walk with so many states has seen the graph that the check is about. */
    public boolean complete(long states) {
      return check.low() <= states && states <= check.high();
    }
  }

  /** Why models are not walked, by check or module. */
  public Map<String, String> waived() {
    Map<String, String> all = new TreeMap<>(coverage.lockstep());
    all.putAll(coverage.lockstepModules());
    return all;
  }

  /**
   * The models to walk, in the order of the checks.
   *
   * @param few only those that are walked in the quick lane too
   * @param chosen only these; all when there are none
   * @throws InputError when {@code coverage.yaml} or {@code chosen} names something else, or a
   *     model is of a module that has neither machines nor a waiver
   */
  public List<Quick> models(boolean few, List<String> chosen) {
    List<Quick> models = new ArrayList<>();
    Set<String> unknown = new TreeSet<>(coverage.lockstep().keySet());
    unknown.addAll(coverage.lockstepQuick());
    unknown.addAll(coverage.lockstepAlso());
    unknown.addAll(chosen);
    Map<String, String> waived = coverage.lockstepModules();
    Set<String> needless = new TreeSet<>(waived.keySet());
    Set<String> bare = new TreeSet<>();
    for (Checks protocol : workspace.protocols()) {
      for (Check c : protocol.checks()) {
        if (protocol.protocol().equals(conformance.protocol())
            && (c.lane().equals("quick") || coverage.lockstepAlso().contains(c.id()))
            && c.engine().equals("tlc")
            && c.expect() == Expect.HOLDS) {
          String module = c.module().replaceFirst("^MC", "");
          unknown.remove(c.id());
          if (!conformance.corpusModules().containsKey(module)) {
            needless.remove(module);
            if (!waived.containsKey(module) && !coverage.lockstep().containsKey(c.id())) {
              bare.add(module);
            }
          } else if (!coverage.lockstep().containsKey(c.id())
              && (!few || coverage.lockstepQuick().contains(c.id()))
              && (chosen.isEmpty() || chosen.contains(c.id()))) {
            models.add(new Quick(module, c, protocol));
          }
        }
      }
    }
    if (!unknown.isEmpty()) {
      throw wrong(
          "no check that TLC explores and that holds is called " + unknown,
          "name one of checks.yaml; of the nightly lane only those listed under also:");
    }
    if (!needless.isEmpty()) {
      throw wrong(
          "modules are waived that have machines, or no model to walk: " + needless,
          "remove these");
    }
    if (!bare.isEmpty()) {
      throw wrong(
          "no machines walk the models of " + bare, "waive these modules, each with its reason");
    }
    return models;
  }

  private InputError wrong(String what, String remedy) {
    return new InputError(
        "specs/" + conformance.protocol() + "/coverage.yaml", 0, "lockstep: " + what, remedy);
  }

  /**
   * A walk of a model's graph; empty if its module has no machines.
   *
   * @param bug a seeded bug to run with
   */
  public Optional<Lockstep> walk(Quick quick, Optional<SeededBug> bug) {
    CheckModel model =
        new CheckModel(workspace, quick.protocol(), quick.check(), Checker.version());
    Optional<SpecAdapter> adapter = conformance.adapter(quick.module(), model.constants(), bug);
    if (adapter.isEmpty()) {
      return Optional.empty();
    }
    Path folder = workspace.runFolder(conformance.protocol(), quick.name()).resolve("lockstep");
    return Optional.of(
        new Lockstep(
            model.load(folder, property -> false, true),
            conformance.corpusModules().get(quick.module()),
            adapter.get()));
  }
}
