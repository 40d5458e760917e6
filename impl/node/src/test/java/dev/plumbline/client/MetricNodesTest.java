package dev.plumbline.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.cluster.AdminPort;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Transaction;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Metric's nodes at three sites: what was acknowledged outlives each of them. */
class MetricNodesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final long KEY = 5;

  @TempDir static Path folder;

  private static InProcess cluster;
  private static PlumbClient client;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new InProcess(
            folder,
            "metric",
            Map.of(
                "leaseMicros", 400_000L, "heartbeatMicros", 100_000L, "patienceMicros", 500_000L),
            false);
    client = new PlumbClient(cluster.config(), "client");
  }

  @AfterAll
  static void stop() {
    client.close();
    cluster.close();
  }

  private static Outcome run(Session session, MicroOp... ops) {
    boolean reads = List.of(ops).stream().allMatch(op -> op.kind() == MicroOp.Kind.READ);
    Transaction.Kind kind = reads ? Transaction.Kind.READ_ONLY : Transaction.Kind.READ_WRITE;
    return session.run(new Transaction(kind, List.of(ops), 0));
  }

  /** A transaction until it commits; those that may have happened before are asked about. */
  private static Outcome committed(Session session, MicroOp... ops) {
    Outcome outcome = run(session, ops);
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!(outcome instanceof Outcome.Committed) && System.nanoTime() < end) {
      Session.Open open = session.open().orElse(null);
      outcome = open == null ? run(session, ops) : open.ask(PATIENCE);
    }
    return outcome;
  }

  private static Object read(Session session) {
    return ((Outcome.Committed) committed(session, MicroOp.read(KEY))).ops().get(0).value();
  }

  @Test
  void whatWasAcknowledgedOutlivesEachNode() throws IOException {
    List<Object> written = new ArrayList<>();
    try (Session one = client.session(0, PATIENCE);
        Session other = client.session(1, PATIENCE)) {
      for (String node : cluster.config().nodes().keySet()) {
        Session writer = written.size() % 2 == 0 ? one : other;
        long value = 1 + written.size();
        assertThat(committed(writer, MicroOp.append(KEY, value)))
            .as("before the restart of " + node)
            .isInstanceOf(Outcome.Committed.class);
        written.add(value);
        cluster.restart(node);
        assertThat(read(other)).as("after the restart of " + node).isEqualTo(written);
      }
      assertThat(AdminPort.health(cluster.config(), "locks").get("epoch").asLong()).isEqualTo(2);
      assertThat(read(one)).isEqualTo(written);
    }
  }

  @Test
  void aStatementThatDoesNotSuitItsRowIsAbortedAndHasNoEffect() {
    try (Session session = client.session(2, PATIENCE)) {
      assertThat(committed(session, MicroOp.append(6, 1))).isInstanceOf(Outcome.Committed.class);
      assertThat(run(session, MicroOp.append(6, 2), MicroOp.add(6, 1)))
          .isEqualTo(new Outcome.Aborted("row k6 of T3 is a list"));
      Outcome.Committed read = (Outcome.Committed) committed(session, MicroOp.read(6));
      assertThat(read.ops().get(0).value()).isEqualTo(List.of(1L));
      assertThat(read.timestamp()).as("no good clock, no place").isEmpty();
    }
  }

  @Test
  void anOutcomeIsAskedForAtOneSiteAfterTheOther() throws IOException {
    cluster.stop("m-S1");
    cluster.stop("m-S2");
    try (Session session = client.session(0, Duration.ofSeconds(1))) {
      assertThat(run(session, MicroOp.append(48, 1))).isInstanceOf(Outcome.Unknown.class);
      Session.Open open = session.open().orElseThrow();
      assertThat(open.ask(Duration.ofSeconds(1))).as("at S2").isInstanceOf(Outcome.Unknown.class);
      assertThat(open.ask(PATIENCE)).as("at S3").isInstanceOf(Outcome.Committed.class);
    } finally {
      cluster.start("m-S1");
      cluster.start("m-S2");
    }
  }

  @Test
  void aTransactionThatNoFrameHoldsIsAbortedAndItsSiteGoesOn() {
    MicroOp[] many = new MicroOp[1_000];
    Arrays.setAll(many, i -> MicroOp.append(7, Long.MAX_VALUE - i));
    try (Session session = client.session(2, PATIENCE)) {
      Outcome outcome = run(session, many);
      assertThat(outcome.getClass()).isEqualTo(Outcome.Aborted.class);
      assertThat(outcome)
          .isEqualTo(new Outcome.Aborted("a transaction reads and writes 1048576 bytes at most"));
      assertThat(committed(session, MicroOp.append(7, 1))).isInstanceOf(Outcome.Committed.class);
    }
  }

  @Test
  void anEntryIsGivenBackBeforeItOutgrowsAFrame() {
    MicroOp[] many = new MicroOp[200];
    try (Session session = client.session(2, PATIENCE)) {
      for (long key = 8; key < 48; key += 4) {
        long one = key;
        Arrays.setAll(many, i -> MicroOp.append(one, Long.MAX_VALUE - i));
        assertThat(committed(session, many).getClass())
            .as("key " + key)
            .isEqualTo(Outcome.Committed.class);
      }
    }
  }
}
