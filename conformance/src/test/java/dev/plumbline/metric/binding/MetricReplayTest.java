package dev.plumbline.metric.binding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Corpora;
import dev.plumbline.graph.Difference;
import dev.plumbline.graph.LackingRepair;
import dev.plumbline.graph.Replay;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Metric's machines follow stored behaviours, and do not if they lack a repair. */
class MetricReplayTest {
  private static final Path ROOT = Path.of("..");
  private static final Conformance METRIC = Conformance.named("metric");

  @Test
  void machinesFollowEveryStoredBehaviour() {
    for (String corpus : METRIC.corpusModules().keySet()) {
      assertThat(LackingRepair.replay(METRIC, corpus, "none")).as(corpus).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Ownership, hold",
    "Ownership, unbroken",
    "Ownership-apart, single",
    "RedoLog, readCheck",
    "RedoLog, discard",
    "RedoLog, unknown",
    "RedoLog-retry, rebuild",
    "RedoLog-retry, dedupe",
    "RedoLog-retry, discard",
    "RedoLog-retry, unknown"
  })
  void machinesWithoutARepairDiffer(String corpus, String repair) {
    assertThat(LackingRepair.replay(METRIC, corpus, repair)).isPresent();
  }

  /** The bug is of transactions that sites lead, and of no others. */
  @Test
  void aBugOfLedTransactionsIsCaughtAtItsAction() throws Exception {
    URL[] urls = {ROOT.resolve("impl/bugs/target/classes").toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(urls, getClass().getClassLoader())) {
      SeededBug bug =
          Protocols.bugs("metric", loader).stream()
              .filter(b -> b.name().equals("not-forward"))
              .findFirst()
              .orElseThrow();
      Corpora corpora = new Corpora(ROOT, METRIC);
      SpecAdapter machines = corpora.adapter("RedoLog", Optional.of(bug)).orElseThrow();
      Difference differs =
          new Replay(corpora.stored("RedoLog"), machines).run().difference().orElseThrow();
      assertThat(differs.label()).startsWith("ReceiveCall ");
      assertThat(String.join("", differs.lines())).contains("\"whole\"", "\"led\"");
    }
  }
}
