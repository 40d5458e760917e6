package dev.plumbline.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Workspace;
import dev.plumbline.mutate.Mutation;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Measured results that the repository keeps, one JSON file each, and the pages that are made of
 * them. Every result has what it takes to repeat it: commit, machine, seed and command.
 */
final class KeptResults {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PAGES = "docs/results";

  private final Path root;
  private final Path folder;
  private final Map<String, Boolean> mutated;
  private final TreeMap<Path, JsonNode> all = new TreeMap<>();

  /**
   * Reads what is kept.
   *
   * @param mutated protocols that have mutants, and whether their machines have some too
   */
  KeptResults(Path root, Map<String, Boolean> mutated) {
    this.root = root;
    this.mutated = mutated;
    this.folder = root.resolve(PAGES).resolve("kept");
    for (Path file : list(folder)) {
      all.put(file, complete(file, read(file)));
    }
  }

  /** What the repository keeps. */
  static KeptResults of(Workspace workspace) {
    Map<String, Boolean> mutated = new TreeMap<>();
    for (Checks p : workspace.protocols()) {
      if (Files.isRegularFile(Mutation.file(p))) {
        mutated.put(p.protocol(), Mutation.machines(p.protocol(), workspace));
      }
    }
    return new KeptResults(workspace.root(), mutated);
  }

  private static List<Path> list(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(f -> f.toString().endsWith(".json")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode read(Path file) {
    try {
      return JSON.readTree(file.toFile());
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new InputError(file.toString(), e.getLocation().getLineNr(), "no JSON", "delete it");
    } catch (IOException e) {
      throw new InputError(file.toString(), 0, "cannot be read", "name a result");
    }
  }

  /** The result, if all is in it that it takes to repeat it. */
  private static JsonNode complete(Path file, JsonNode result) {
    JsonNode manifest = result.path("manifest");
    String lacks =
        !manifest.path("commit").asText().matches("[0-9a-f]{7,40}")
            ? "commit"
            : manifest.path("dirty").asBoolean()
                ? "commit of its own: there were changes that were not committed"
                : manifest.path("machine").path("cores").asInt() < 1
                    ? "machine"
                    : !result.path("seed").isIntegralNumber()
                        ? "seed"
                        : result.path("command").asText().isBlank() ? "command" : "";
    if (!lacks.isEmpty()) {
      throw new InputError(
          file.toString(), 0, "a result without its " + lacks, "it cannot be kept; measure again");
    }
    return result;
  }

  /**
   * Keeps a result.
   *
   * @param file a cluster run's {@code result.json}, or a report of all mutants or of damage
   * @return the files that have it now
   */
  List<Path> keep(Path file) {
    JsonNode result = read(file);
    List<Path> made = new ArrayList<>();
    if (result.has("operations")) {
      ObjectNode run = RunTable.kept(result);
      String name =
          String.join(
              "-",
              "run",
              run.path("protocol").asText(),
              run.path("workload").asText(),
              run.path("seed").asText(),
              commit(result));
      made.add(write(file, name, "run", run, result));
    } else if (result.path("rounds").isArray() && result.path("bug").isNull()) {
      String seed = result.path("seed").asText();
      String name =
          String.join("-", "damage", result.path("protocol").asText(), seed, commit(result));
      made.add(write(file, name, "damage", DamageTable.kept(result), result));
    } else if (result.path("lane").asText().equals("nightly")
        && !result.path("command").asText().matches(".* --(reach|only|shard)([ =].*)?")) {
      for (JsonNode protocol : result.path("protocols")) {
        for (ObjectNode half : MutantTable.kept(result, protocol)) {
          String name =
              "mutants-" + half.path("protocol").asText() + "-" + half.path("part").asText();
          made.add(write(file, name, "mutants", half, result));
        }
      }
    }
    if (made.isEmpty()) {
      throw new InputError(
          file.toString(),
          0,
          "neither a cluster run nor a report of all mutants or of damage",
          "name a result.json of ./plumb jepsen, or what ./plumb mutate --lane nightly or ./plumb"
              + " damage left");
    }
    return made;
  }

  private Path write(Path from, String name, String kind, ObjectNode what, JsonNode result) {
    JsonNode manifest = result.path("manifest");
    ObjectNode kept = JSON.createObjectNode().put("kind", kind);
    kept.put("command", result.path("command").asText());
    ObjectNode own = kept.putObject("manifest").put("commit", manifest.path("commit").asText());
    own.put("date", manifest.path("date").asText());
    own.set("machine", manifest.path("machine"));
    kept.setAll(what);
    complete(from, ((ObjectNode) kept.deepCopy()).set("manifest", manifest));
    Path file = folder.resolve(name + ".json");
    for (int n = 2;
        !kind.equals("mutants") && all.containsKey(file) && !all.get(file).equals(kept);
        n++) {
      file = folder.resolve(name + "-" + n + ".json");
    }
    Workspace.writeWhole(file, kept.toPrettyString() + "\n");
    all.put(file, kept);
    return file;
  }

  /** The pages by their files. */
  Map<Path, String> pages() {
    Map<Path, String> pages = new TreeMap<>();
    pages.put(root.resolve(PAGES).resolve("cluster-runs.md"), RunTable.page(of("run")));
    pages.put(root.resolve(PAGES).resolve("damage.md"), DamageTable.page(of("damage")));
    pages.put(root.resolve(PAGES).resolve("mutation.md"), MutantTable.page(of("mutants"), mutated));
    return pages;
  }

  private List<JsonNode> of(String kind) {
    return all.values().stream().filter(r -> r.path("kind").asText().equals(kind)).toList();
  }

  /** Pages that are not what is kept. */
  List<Path> differences() {
    List<Path> differ = new ArrayList<>();
    pages()
        .forEach(
            (page, text) -> {
              try {
                if (!Files.isRegularFile(page) || !Files.readString(page).equals(text)) {
                  differ.add(page);
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    return differ;
  }

  /** Writes the pages. */
  void update() {
    pages().forEach(Workspace::writeWhole);
  }

  static String madeBy(String kind) {
    return "Made by `./plumb report --results --update` from `docs/results/kept/"
        + kind
        + "-*.json`.";
  }

  static String commit(JsonNode result) {
    String commit = result.path("manifest").path("commit").asText();
    return commit.substring(0, Math.min(7, commit.length()));
  }

  static String machine(JsonNode result) {
    JsonNode machine = result.path("manifest").path("machine");
    return machine.path("cores").asInt()
        + " cores"
        + (machine.has("memory")
            ? String.format(Locale.ROOT, ", %,d MB", machine.path("memory").asLong())
            : "");
  }
}
