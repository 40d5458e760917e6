package dev.plumbline.graph;

import dev.plumbline.check.Config;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Replays a corpus on machines that lack one repair which its model has. */
public final class LackingRepair {
  private static final Path ROOT = Path.of("..");

  private LackingRepair() {}

  /** Where the machines differ first. A repair that the model has not is left out of nothing. */
  public static Optional<Difference> replay(Conformance protocol, String corpus, String repair) {
    Path config =
        ROOT.resolve("specs").resolve(protocol.protocol()).resolve("corpus-" + corpus + ".cfg");
    Map<String, String> constants = new TreeMap<>(Config.read(config).values());
    constants.computeIfPresent(
        "Repairs",
        (k, all) -> all.replaceFirst("\"" + repair + "\"\\s*,?", "").replaceFirst(",\\s*}", "}"));
    SpecAdapter machines =
        protocol.adapter(corpus.replaceFirst("-.*", ""), constants, Optional.empty()).orElseThrow();
    return new Replay(new Corpora(ROOT, protocol).stored(corpus), machines).run().difference();
  }
}
