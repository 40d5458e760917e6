package dev.plumbline.check;

import dev.plumbline.check.Checks.Check;
import dev.plumbline.tlc.Modules;
import dev.plumbline.tlc.Spec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The model that a check runs, for those who run it in their own way. */
public final class CheckModel {
  private final Plan plan;

  /**
   * Validates the check against its module.
   *
   * @throws dev.plumbline.tlc.InputError when configuration and module don't agree
   */
  public CheckModel(Workspace workspace, Checks protocol, Check check, String tool) {
    this(workspace, protocol, check, tool, new HashMap<>());
  }

  /** The same, with the modules that were parsed before. */
  public CheckModel(
      Workspace workspace,
      Checks protocol,
      Check check,
      String tool,
      Map<String, Modules.Module> parsed) {
    plan = new Plan(workspace, protocol, check, tool);
    plan.verify(parsed);
  }

  /** The properties that a check judges; nothing is validated. */
  public static List<String> judged(Workspace workspace, Checks protocol, Check check) {
    return new Plan(workspace, protocol, check, "").judged();
  }

  public Check check() {
    return plan.check;
  }

  /** The check's own module. */
  public Path module() {
    return plan.module;
  }

  /** Folders in which modules are found: the protocol's, then the common ones. */
  public List<Path> library() {
    List<Path> all = new ArrayList<>(List.of(plan.folder));
    all.addAll(plan.library);
    return all;
  }

  /** Text of a module PlumbCheck that extends the check's module and is the root, or empty. */
  public String wrapper() {
    return plan.wrapper;
  }

  /** Hash of everything that the check's outcome depends on. */
  public String hash() {
    return plan.hash;
  }

  /** Whether its modules are still those that {@link #hash} is of. */
  public boolean current() {
    return plan.current();
  }

  /**
   * Constants with their values as TLA+ text; {@code <- NAME} where a definition of the module
   * replaces one.
   */
  public Map<String, String> constants() {
    Map<String, String> values = new TreeMap<>(plan.config.values());
    check().constants().forEach((name, value) -> values.put(name, value.strip()));
    return values;
  }

  /** Invariants and properties, by name. */
  public List<String> properties() {
    List<String> all = new ArrayList<>(plan.config.list("INVARIANT"));
    all.addAll(plan.config.list("PROPERTY"));
    return all;
  }

  /**
   * Loads it in this process.
   *
   * @param folder for the files that this needs
   * @param wanted which of its properties
   * @param reduced with SYMMETRY and VIEW
   */
  public Spec load(Path folder, Predicate<String> wanted, boolean reduced) {
    Path config = folder.resolve("model.cfg");
    Workspace.writeWhole(config, config(wanted, reduced));
    Path root = module();
    if (!wrapper().isEmpty()) {
      root = folder.resolve("PlumbCheck.tla");
      Workspace.writeWhole(root, wrapper());
    }
    return Spec.load(root, config, library());
  }

  public boolean symmetric() {
    return !plan.config.list("SYMMETRY").isEmpty();
  }

  /** The text of a configuration with some of the properties, with SYMMETRY and VIEW or without. */
  public String config(Predicate<String> wanted, boolean reduced) {
    Config c = plan.config.copy();
    for (String keyword : List.of("INVARIANT", "PROPERTY")) {
      c.set(keyword, c.list(keyword).stream().filter(wanted).toList());
    }
    if (!reduced) {
      c.names.remove("SYMMETRY");
      c.names.remove("VIEW");
    }
    return c.text();
  }
}
