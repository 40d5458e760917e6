package dev.plumbline.bind;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.check.Config;
import dev.plumbline.check.Spelling;
import dev.plumbline.check.Workspace;
import dev.plumbline.scratch.Scratch;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Spec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** What a model's constants are replaced by, as TLC evaluates it. */
final class Definitions {
  private static final String REPLACED = "<-";
  private static final String ROOT = "PlumbModel";

  /** Whole models: the same one is asked for by every corpus and seeded bug. */
  private static final Map<List<Object>, Map<String, JsonNode>> KNOWN = new ConcurrentHashMap<>();

  private static final Map<List<Object>, Set<String>> FOUND = new ConcurrentHashMap<>();

  private Definitions() {}

  /**
   * The values of those constants of a model that it replaces by definitions of {@code MCMODULE},
   * or gives as expressions that a configuration cannot have. No other specification may be in use.
   *
   * @param folder of the module, from the root of the repository
   * @param constants of the model, as TLA+ text
   */
  static Map<String, JsonNode> of(Path folder, String module, Map<String, String> constants) {
    return KNOWN.computeIfAbsent(
        List.of(folder, module, constants), key -> evaluate(specs(folder), module, constants));
  }

  /** All names of a kind that modules of a folder have, and those that protocols share. */
  static Set<String> names(Spelling.Kind kind, Path folder) {
    return FOUND.computeIfAbsent(
        List.of(kind, folder), key -> new Spelling(specs(folder)).known(kind));
  }

  private static Path specs(Path folder) {
    for (Path root = Workspace.here().root(); root != null; root = root.getParent()) {
      if (Files.isDirectory(root.resolve(folder))) {
        return root.resolve(folder);
      }
    }
    throw new InputError(folder.toString(), 0, "no such folder", "start in the repository");
  }

  private static Map<String, JsonNode> evaluate(
      Path folder, String module, Map<String, String> constants) {
    Map<String, String> definitions = new TreeMap<>();
    StringBuilder root = new StringBuilder("---- MODULE " + ROOT + " ----\nEXTENDS MC" + module);
    root.append(", TLC\n");
    StringBuilder text = new StringBuilder("SPECIFICATION Spec\nCONSTANTS\n");
    constants.forEach(
        (name, value) -> {
          if (value.startsWith(REPLACED)) {
            definitions.put(name, value.substring(REPLACED.length()).strip());
          } else if (!Config.literal(value)) {
            definitions.put(name, ROOT + name);
            root.append(ROOT).append(name).append(" == ").append(value).append('\n');
          }
          String replaced = definitions.get(name);
          text.append(name)
              .append(replaced == null ? " = " + value : " <- " + replaced)
              .append('\n');
        });
    try {
      Path made = Scratch.folder("model");
      Path config = made.resolve("Model.cfg");
      Path file = made.resolve(ROOT + ".tla");
      Files.writeString(config, text);
      Files.writeString(file, root.append("====\n"));
      try {
        Spec spec = Spec.load(file, config, List.of(folder, folder.resolveSibling("common")));
        Spec.State first = spec.initialStates().get(0);
        Map<String, JsonNode> values = new TreeMap<>();
        definitions.forEach((name, d) -> values.put(name, spec.evaluate(d, first)));
        return values;
      } finally {
        Scratch.delete(made);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
