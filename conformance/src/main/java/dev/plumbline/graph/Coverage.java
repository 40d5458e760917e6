package dev.plumbline.graph;

import dev.plumbline.check.YamlNode;
import dev.plumbline.protocol.FaultKind;
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
 * with the machines, and modules that have none, {@code situations} what no simulated run comes
 * into. Each has a reason. {@code lockstep: quick} lists those that are walked in the quick lane
 * too, {@code also} checks of the nightly lane that are walked besides. {@code seeds} says, by kind
 * of fault, where to begin: runs from there on cover all actions sooner than those from 1.
 */
public final class Coverage {
  private final Set<String> corpus = new HashSet<>();
  private final Map<String, String> replay = new HashMap<>();
  private final Set<String> lockstepQuick = new HashSet<>();
  private final Set<String> lockstepAlso = new HashSet<>();
  private final Map<String, String> lockstep = new HashMap<>();
  private final Map<String, String> lockstepModules = new HashMap<>();
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
    YamlNode yaml = YamlNode.read(file);
    yaml.onlyKeys(Set.of("corpus", "replay", "lockstep", "seeds", "traces", "situations"));
    waivers(yaml, "corpus", "action").forEach(w -> c.corpus.add(text(w, "action")));
    waivers(yaml, "replay", "module").forEach(w -> c.replay.put(text(w, "module"), reason(w)));
    yaml.optional("lockstep").ifPresent(c::lockstep);
    for (YamlNode w : waivers(yaml, "traces", "action", "faults")) {
      Set<String> faults = c.traces.computeIfAbsent(text(w, "action"), a -> new HashSet<>());
      for (String fault : text(w, "faults").split(",", -1)) {
        faults.add(fault.strip());
      }
    }
    waivers(yaml, "situations", "situation")
        .forEach(w -> c.situations.put(text(w, "situation"), reason(w)));
    yaml.optional("seeds").ifPresent(seeds -> seeds.entries().forEach(c::begin));
    return c;
  }

  private void lockstep(YamlNode of) {
    of.onlyKeys(Set.of("quick", "also", "waived"));
    of.optional("quick").ifPresent(checks -> lockstepQuick.addAll(checks.texts()));
    of.optional("also").ifPresent(checks -> lockstepAlso.addAll(checks.texts()));
    for (YamlNode w : items(of, "waived")) {
      boolean module = w.optional("module").isPresent();
      String key = module ? "module" : "check";
      demand(w, key);
      (module ? lockstepModules : lockstep).put(text(w, key), reason(w));
    }
  }

  private void begin(String kinds, YamlNode seed) {
    try {
      FaultKind.parse(kinds).forEach(kind -> seeds.put(kind, seed.small()));
    } catch (IllegalArgumentException e) {
      throw seed.error("seeds: " + e.getMessage(), "correct it");
    }
    if (seed.integer() < 1) {
      throw seed.error("seeds: " + kinds + " begins at " + seed.text(), "use 1");
    }
  }

  /** The items of a list, each with these keys and a reason, and no other key. */
  private static List<YamlNode> waivers(YamlNode of, String list, String... keys) {
    List<YamlNode> all = items(of, list);
    all.forEach(waiver -> demand(waiver, keys));
    return all;
  }

  private static List<YamlNode> items(YamlNode of, String list) {
    return of.optional(list)
        .filter(items -> !items.isText() || !items.text().isBlank())
        .map(YamlNode::items)
        .orElse(List.of());
  }

  private static void demand(YamlNode waiver, String... keys) {
    Set<String> known = new HashSet<>(List.of(keys));
    known.add("reason");
    waiver.onlyKeys(known);
    known.forEach(key -> text(waiver, key));
  }

  private static String reason(YamlNode waiver) {
    return text(waiver, "reason");
  }

  private static String text(YamlNode waiver, String key) {
    YamlNode value = waiver.get(key);
    if (value.text().isBlank()) {
      throw value.error("a waiver without " + key, "say its " + key);
    }
    return value.text();
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

  /** Why no model of a module is walked in lockstep, by module. */
  public Map<String, String> lockstepModules() {
    return lockstepModules;
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
