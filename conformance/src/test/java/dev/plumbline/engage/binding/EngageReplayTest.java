package dev.plumbline.engage.binding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.Config;
import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Corpora;
import dev.plumbline.graph.Difference;
import dev.plumbline.graph.Replay;
import dev.plumbline.graph.SpecAdapter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** ENGAGE's machines follow stored behaviours, and do not if they lack a repair. */
class EngageReplayTest {
  private static final Path ROOT = Path.of("..");
  private static final Conformance ENGAGE = Conformance.named("engage");
  private static final Corpora CORPORA = new Corpora(ROOT, ENGAGE);

  private static Optional<Difference> replay(String corpus, String repair) {
    Map<String, String> constants =
        new TreeMap<>(Config.read(ROOT.resolve("specs/engage/corpus-" + corpus + ".cfg")).values());
    constants.computeIfPresent(
        "Repairs",
        (k, all) -> all.replaceFirst("\"" + repair + "\"\\s*,?", "").replaceFirst(",\\s*}", "}"));
    String module = corpus.replaceFirst("-.*", "");
    SpecAdapter machines = ENGAGE.adapter(module, constants, Optional.empty()).orElseThrow();
    return new Replay(CORPORA.stored(corpus), machines).run().difference();
  }

  @Test
  void machinesFollowEveryStoredBehaviour() {
    for (String corpus : ENGAGE.corpusModules().keySet()) {
      assertThat(replay(corpus, "none")).as(corpus).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "BrokerCausality, holdFlush",
    "BrokerCausality, durableBroker",
    "BrokerCausality, durableCloudlet",
    "SessionGuarantees, holdFlush",
    "FlushClock, holdFlush"
  })
  void machinesWithoutARepairDiffer(String corpus, String repair) {
    assertThat(replay(corpus, repair)).isPresent();
  }
}
