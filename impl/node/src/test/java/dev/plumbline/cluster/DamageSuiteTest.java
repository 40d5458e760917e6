package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.cluster.DamageSuite.Outcome;
import dev.plumbline.cluster.DamageSuite.Round;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs in Cassandra while nodes are killed, and Cassandra too. */
@Tag("slow")
class DamageSuiteTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final String BUGS = ROOT.resolve("impl/bugs/target/classes").toString();

  @TempDir Path folder;

  private List<Round> rounds(int rounds, String bug) throws Exception {
    DamageSuite.Options options =
        new DamageSuite.Options(
            "engage",
            rounds,
            1,
            folder,
            Path.of("target/node").toAbsolutePath(),
            new Registry(folder.resolve("registry")),
            false,
            Set.of(),
            bug,
            bug == null ? null : BUGS,
            StorePlan.parse("cassandra", ROOT).forAll(),
            null);
    try (DamageSuite suite = new DamageSuite(options)) {
      return suite.run(round -> {});
    }
  }

  @Test
  void whatWasAcknowledgedIsThere() throws Exception {
    List<Round> rounds = rounds(3, null);
    assertThat(rounds).hasSize(3).allMatch(round -> round.outcome().holds(), "holds");
    assertThat(rounds.get(2).killed()).anyMatch(process -> process.startsWith("cassandra-"));
  }

  @Test
  void aNodeThatAcknowledgesWhatItDidNotPersistIsCaught() throws Exception {
    assertThat(rounds(1, "volatile-write"))
        .extracting(Round::outcome)
        .containsExactly(Outcome.LOST);
  }
}
