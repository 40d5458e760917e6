package dev.plumbline.dast.binding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.ViewPrep;
import dev.plumbline.dast.ReplaceableManager;
import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Corpora;
import dev.plumbline.graph.Corpus;
import dev.plumbline.graph.Difference;
import dev.plumbline.graph.LackingRepair;
import dev.plumbline.graph.Replay;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.ForwardingEffects;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DAST's corpora on its nodes and managers, correct and with defects. */
class DastReplayTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Conformance DAST = Conformance.named("dast");
  private static final Corpora CORPORA = new Corpora(ROOT, DAST);
  private static final String MODULE = "TwoPhaseAnticipation";

  private static Replay.Outcome replay(String corpus, Optional<SeededBug> bug) {
    return new Replay(CORPORA.stored(corpus), CORPORA.adapter(corpus, bug).orElseThrow()).run();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        MODULE,
        MODULE + "-copies",
        MODULE + "-notified",
        MODULE + "-sent",
        "Failover",
        "Failover-add",
        "Failover-crt",
        "Failover-manager",
        "ParticipantFailover",
        "ParticipantFailover-passed"
      })
  void nodesAndManagersTakeEveryStep(String name) {
    Corpus corpus = CORPORA.stored(name);
    Replay.Outcome o = replay(name, Optional.empty());
    assertThat(o.difference()).isEmpty();
    assertThat(o.steps()).isEqualTo(corpus.steps());
    assertThat(o.refusals()).isPositive();
  }

  /** Machines without a repair that the model has, where its steps show it. */
  @ParameterizedTest
  @CsvSource({
    "Failover, ReportAll, HandleViewPrep",
    "Failover, ReportOwn, HandleViewPrep",
    "Failover-add, AddVote, HandleViewPrep",
    "Failover-crt, CommittedWins, DecideView",
    "Failover-crt, ReportOwnCrt, HandleViewPrep",
    "Failover-crt, KeepPrepared, HandleViewPrep",
    "Failover-manager, KeepAnticipated, DecideView",
    "ParticipantFailover, ReportPart, Remove",
    "ParticipantFailover, ViewVotes, Decide"
  })
  void machinesWithoutARepairDiffer(String name, String repair, String action) {
    Optional<Difference> difference = LackingRepair.replay(DAST, name, repair);
    assertThat(difference).isPresent();
    assertThat(difference.orElseThrow().label()).startsWith(action + " ");
  }

  /** A manager that asks nobody before it changes the view. */
  @ParameterizedTest
  @CsvSource({"Failover-manager, HandleViewPrep", "ParticipantFailover-passed, Add"})
  void aManagerMayHaveASeededBug(String corpus, String action) {
    SeededBug asksNobody =
        new SeededBug() {
          @Override
          public String protocol() {
            return "dast";
          }

          @Override
          public String name() {
            return "asks-nobody";
          }

          @Override
          public String description() {
            return "a manager prepares no view";
          }

          @Override
          public Machine machine(
              NodeSpec node, Topology topology, Settings settings, Machine correct) {
            return correct instanceof ReplaceableManager
                ? (input, clock, effects) -> correct.handle(input, clock, new AsksNobody(effects))
                : correct;
          }
        };
    Optional<Difference> difference = replay(corpus, Optional.of(asksNobody)).difference();
    assertThat(difference).isPresent();
    assertThat(difference.orElseThrow().label()).contains(action);
  }

  private static final class AsksNobody extends ForwardingEffects {
    AsksNobody(Effects real) {
      super(real);
    }

    @Override
    public void send(String to, Message message) {
      if (!(message instanceof From from && from.body() instanceof ViewPrep)) {
        super.send(to, message);
      }
    }
  }

  /** The page of seeded bugs says which corpora show which bug. */
  @Test
  @Tag("slow")
  void replayCatchesWhatTheTableSays() throws Exception {
    URL[] urls = {ROOT.resolve("impl/bugs/target/classes").toUri().toURL()};
    List<SeededBug> bugs =
        Protocols.bugs("dast", new URLClassLoader(urls, getClass().getClassLoader()));
    TreeMap<String, String> caught = new TreeMap<>();
    for (SeededBug bug : bugs) {
      caught.put(
          bug.name(),
          DAST.corpusModules().keySet().stream()
              .filter(corpus -> replay(corpus, Optional.of(bug)).difference().isPresent())
              .collect(Collectors.joining(", ")));
    }
    TreeMap<String, String> said = new TreeMap<>();
    for (String line : Files.readAllLines(ROOT.resolve("docs/seeded-bugs-dast.md"))) {
      if (line.startsWith("| `")) {
        String[] cells = line.split("\\|", -1);
        said.put(cells[1].strip().replace("`", ""), cells[4].strip().replace("·", ""));
      }
    }
    assertThat(caught).isNotEmpty().isEqualTo(said).doesNotContainValue("");
  }
}
