package dev.plumbline.graph;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.plumbline.sim.FaultKind;
import dev.plumbline.sim.Near;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What {@code specs/PROTOCOL/coverage.yaml} waives: {@code corpus} lists actions that no corpus
 * takes, {@code traces} actions that no simulated run takes under some kinds of fault: {@code
 * faults}, apart by commas, or {@code *} ({@code MODULE.*} is all actions of a module), {@code
 * replay} modules without an adapter, {@code lockstep: waived} checks whose models are not walked
 * with the machines, {@code situations} what no simulated run comes into. Each has a reason. {@code
 * lockstep: quick} lists those that are walked in the quick lane too, {@code also} checks of the
 * nightly lane that are walked besides. {@code seeds} says, by kind of fault, where to begin: runs
 * from there on cover all actions sooner than those from 1.
 */
public final class Coverage {
  private final Set<String> corpus = new HashSet<>();
  private final Map<String, String> replay = new HashMap<>();
  private final Set<String> lockstepQuick = new HashSet<>();
  private final Set<String> lockstepAlso = new HashSet<>();
  private final Map<String, String> lockstep = new HashMap<>();
  private final Map<String, Set<String>> traces = new HashMap<>();
  private final Map<String, String> situations = new HashMap<>();
  private final Map<FaultKind, Integer> seeds = new EnumMap<>(FaultKind.class);

  private Coverage() {}

  /** Reads a protocol's waivers; none if it has no such file. */
  public static Coverage read(Path root, String protocol) {
    Coverage c = new Coverage();
    Path file = root.resolve("specs").resolve(protocol).resolve("coverage.yaml");
    if (!Files.isRegularFile(file)) {
      return c;
    }
    JsonNode yaml;
    try {
      yaml = new YAMLMapper().readTree(Files.readString(file));
    } catch (IOException e) {
      throw new InputError(file.toString(), 0, "no YAML: " + e.getMessage(), "correct it");
    }
    known(file, yaml, "corpus", "replay", "lockstep", "seeds", "traces", "situations");
    known(file, yaml.path("lockstep"), "quick", "also", "waived");
    for (JsonNode w : yaml.path("corpus")) {
      known(file, w, "action", "reason");
      c.corpus.add(field(file, w, "action"));
      field(file, w, "reason");
    }
    for (JsonNode w : yaml.path("replay")) {
      known(file, w, "module", "reason");
      c.replay.put(field(file, w, "module"), field(file, w, "reason"));
    }
    yaml.path("lockstep").path("quick").forEach(check -> c.lockstepQuick.add(check.asText()));
    yaml.path("lockstep").path("also").forEach(check -> c.lockstepAlso.add(check.asText()));
    for (JsonNode w : yaml.path("lockstep").path("waived")) {
      known(file, w, "check", "reason");
      c.lockstep.put(field(file, w, "check"), field(file, w, "reason"));
    }
    for (JsonNode w : yaml.path("traces")) {
      known(file, w, "action", "faults", "reason");
      field(file, w, "reason");
      Set<String> faults = c.traces.computeIfAbsent(field(file, w, "action"), a -> new HashSet<>());
      for (String fault : field(file, w, "faults").split(",", -1)) {
        faults.add(fault.strip());
      }
    }
    for (JsonNode w : yaml.path("situations")) {
      known(file, w, "situation", "reason");
      c.situations.put(field(file, w, "situation"), field(file, w, "reason"));
    }
    yaml.path("seeds").fields().forEachRemaining(e -> c.begin(file, e.getKey(), e.getValue()));
    return c;
  }

  private void begin(Path file, String kinds, JsonNode seed) {
    try {
      FaultKind.parse(kinds).forEach(kind -> seeds.put(kind, seed.asInt()));
    } catch (IllegalArgumentException e) {
      throw new InputError(file.toString(), 0, "seeds: " + e.getMessage(), "correct it");
    }
    if (seed.asInt() < 1) {
      throw new InputError(file.toString(), 0, "seeds: " + kinds + " begins at " + seed, "use 1");
    }
  }

  /** A misspelt key would be a waiver that nobody reads. */
  private static void known(Path file, JsonNode of, String... keys) {
    List<String> known = List.of(keys);
    of.fieldNames()
        .forEachRemaining(
            key -> {
              if (!known.contains(key)) {
                throw new InputError(
                    file.toString(),
                    0,
                    "unknown key " + key + "; there are " + String.join(", ", known),
                    Near.remedy(key, known, "take it out"));
              }
            });
  }

  private static String field(Path file, JsonNode waiver, String name) {
    String value = waiver.path(name).asText("");
    if (value.isBlank()) {
      throw new InputError(
          file.toString(), 0, "a waiver without " + name + ": " + waiver, "say its " + name);
    }
    return value;
  }

  boolean waivesCorpus(String action) {
    return corpus.contains(action);
  }

  /** Why a module is not replayed, by module. */
  public Map<String, String> replay() {
    return replay;
  }

  /** Checks whose models are walked in lockstep in the quick lane too. */
  public Set<String> lockstepQuick() {
    return lockstepQuick;
  }

  /** Checks of the nightly lane whose models are walked in lockstep too. */
  public Set<String> lockstepAlso() {
    return lockstepAlso;
  }

  /** Why a check's model is not walked in lockstep, by check. */
  public Map<String, String> lockstep() {
    return lockstep;
  }

  /** The first seed of the runs under a kind of fault. */
  int firstSeed(FaultKind kind) {
    return seeds.getOrDefault(kind, 1);
  }

  /** Why no simulated run needs to come into a situation, by situation. */
  Map<String, String> situations() {
    return situations;
  }

  /** By action, kinds of fault under which no trace needs to take it; {@code *} is every kind. */
  public Map<String, Set<String>> traces() {
    return traces;
  }
}
