package dev.plumbline.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.cluster.AdminPort;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Transaction;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** DAST in this process: an answer that did not come in time is asked for once more. */
class AskAgainTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(700);

  /** Keys of the first two regions. */
  private static final long NEAR = 0;

  private static final long FAR = 2;

  @TempDir static Path folder;

  private static InProcess cluster;
  private static PlumbClient client;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new InProcess(
            folder,
            "dast",
            Map.of("shards", 1L, "tellMicros", 20_000L, "rttMicros", 1_000L, "suspectMicros", 0L),
            false);
    client = new PlumbClient(cluster.config(), "client");
  }

  @AfterAll
  static void stop() {
    client.close();
    cluster.close();
  }

  private static Outcome run(Session session, MicroOp... ops) {
    return session.run(new Transaction(Transaction.Kind.READ_WRITE, List.of(ops), 0));
  }

  private static void cut(List<String> from) throws IOException {
    for (String node : List.of("r1s1n1", "r1s1n2", "r1s1n3", "m-r1")) {
      AdminPort.faults(cluster.config(), node, Map.of("cut", from));
    }
  }

  @Test
  void aTransactionThatWasCutOffHappensOnceAndItsClientLearnsOfIt() throws IOException {
    try (Session settled = client.session(0, LONG);
        Session hasty = client.session(0, SHORT)) {
      assertThat(run(settled, MicroOp.append(NEAR, 1), MicroOp.append(FAR, 2)))
          .isInstanceOf(Outcome.Committed.class);
      cut(List.of("r2s1n1", "r2s1n2", "r2s1n3", "m-r2"));
      assertThat(run(hasty, MicroOp.append(NEAR, 3), MicroOp.append(FAR, 4)))
          .isInstanceOf(Outcome.Unknown.class);
      Session.Open open = hasty.open().orElseThrow();
      assertThat(open.ask(SHORT)).isInstanceOf(Outcome.Unknown.class);
      assertThat(run(settled, MicroOp.append(NEAR, 5)))
          .as("inside the region nothing is in the way")
          .isInstanceOf(Outcome.Committed.class);
      cut(List.of());
      Outcome asked = open.ask(LONG);
      assertThat(asked).isInstanceOf(Outcome.Committed.class);
      assertThat(open.ask(LONG)).isEqualTo(asked);
      Outcome.Committed read =
          (Outcome.Committed) run(settled, MicroOp.read(NEAR), MicroOp.read(FAR));
      assertThat(read.ops())
          .containsExactly(
              new MicroOp(MicroOp.Kind.READ, NEAR, List.of(1L, 5L, 3L)),
              new MicroOp(MicroOp.Kind.READ, FAR, List.of(2L, 4L)));
      assertThat(run(hasty, MicroOp.append(NEAR, 6)))
          .as("another transaction of the same session is another one")
          .isInstanceOf(Outcome.Committed.class);
      assertThat(hasty.open()).isEmpty();
    }
  }

  /** Nothing was sent, so there is nothing to ask about. */
  @Test
  void aTransactionThatIsTooLongIsCertainNotToHappen() {
    MicroOp[] many = new MicroOp[20_000];
    Arrays.setAll(many, i -> MicroOp.append(NEAR, i));
    try (Session session = client.session(0, LONG)) {
      assertThat(run(session, many))
          .isInstanceOfSatisfying(
              Outcome.Aborted.class, no -> assertThat(no.reason()).contains("is too long"));
      assertThat(session.open()).isEmpty();
      assertThat(run(session, MicroOp.append(NEAR, 8))).isInstanceOf(Outcome.Committed.class);
    }
  }
}
