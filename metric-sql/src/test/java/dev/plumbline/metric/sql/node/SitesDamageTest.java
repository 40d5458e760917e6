package dev.plumbline.metric.sql.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.cluster.DamageSuite;
import dev.plumbline.cluster.DamageSuite.Outcome;
import dev.plumbline.cluster.DamageSuite.Round;
import dev.plumbline.cluster.Registry;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What clients of a driver were told is committed, while nodes, servers and databases are killed.
 */
@Tag("slow")
class SitesDamageTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String BUGS = Path.of("target/test-classes").toAbsolutePath().toString();

  @TempDir Path folder;

  private List<Round> rounds(int rounds, String bug) throws Exception {
    DamageSuite.Options options =
        new DamageSuite.Options(
            TestCluster.PROTOCOL,
            rounds,
            1,
            folder,
            Path.of("target/node").toAbsolutePath(),
            new Registry(folder.resolve("registry")),
            false,
            Set.of(),
            bug,
            bug == null ? null : BUGS,
            null,
            ROOT);
    try (DamageSuite suite = new DamageSuite(options)) {
      return suite.run(round -> {});
    }
  }

  @Test
  void whatWasAcknowledgedIsThere() throws Exception {
    List<Round> rounds = rounds(3, null);
    assertThat(rounds).extracting(Round::outcome).hasSize(3).containsOnly(Outcome.THERE);
    assertThat(rounds.get(1).killed()).anyMatch(process -> process.startsWith("sql-"));
    assertThat(rounds.get(2).killed()).anyMatch(process -> process.startsWith("database-"));
  }

  @Test
  void aRedoLogThatIsForgottenIsCaught() throws Exception {
    assertThat(rounds(5, ForgetfulReplicas.NAME)).anyMatch(round -> !round.outcome().holds());
  }
}
