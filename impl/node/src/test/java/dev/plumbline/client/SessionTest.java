package dev.plumbline.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.cluster.AdminPort;
import dev.plumbline.dast.DastResponse;
import dev.plumbline.k2.K2Record;
import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Response;
import dev.plumbline.node.Connector;
import dev.plumbline.node.Frame;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.node.RefusedFrame;
import dev.plumbline.node.Wire;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Transaction;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** K2 with all its roles in this process, over TLS on loopback. */
class SessionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Of who waits for what does not come. */
  private static final Duration SHORT = Duration.ofSeconds(2);

  @TempDir static Path folder;

  private static InProcess cluster;
  private static NodeConfig config;
  private static PlumbClient client;

  @BeforeAll
  static void start() throws IOException {
    cluster = new InProcess(folder, "k2", Map.of("ttlMicros", 10_000L), true);
    config = cluster.config();
    client = new PlumbClient(config, "client");
  }

  @AfterAll
  static void stop() {
    client.close();
    cluster.close();
  }

  private static Transaction of(MicroOp... ops) {
    boolean reads = List.of(ops).stream().allMatch(op -> op.kind() == MicroOp.Kind.READ);
    return new Transaction(
        reads ? Transaction.Kind.READ_ONLY : Transaction.Kind.READ_WRITE, List.of(ops), 0);
  }

  /** K2 aborts now and then; tries until something commits. */
  private static Outcome.Committed commit(Session session, Transaction transaction) {
    Outcome last = null;
    for (int i = 0; i < 20; i++) {
      last = session.run(transaction);
      if (last instanceof Outcome.Committed committed) {
        return committed;
      }
    }
    throw new AssertionError("never committed: " + last);
  }

  @Test
  void whatOneSessionCommitsAnotherReads() {
    try (Session first = client.session(PATIENCE);
        Session second = client.session(PATIENCE)) {
      Outcome.Committed written = commit(first, of(MicroOp.append(1, 7), MicroOp.write(2, 8)));
      assertThat(written.timestamp()).hasSize(4);
      Outcome.Committed read = commit(second, of(MicroOp.read(1), MicroOp.read(2)));
      assertThat(read.ops())
          .containsExactly(
              new MicroOp(MicroOp.Kind.READ, 1, List.of(7L)),
              new MicroOp(MicroOp.Kind.READ, 2, 8L));
    }
  }

  @Test
  void aReadWithoutAnAnswerIsAbortedAndSaysWhy() {
    try (Session session = client.session(0, Duration.ofMillis(1))) {
      assertThat(session.run(of(MicroOp.read(1))))
          .isEqualTo(new Outcome.Aborted("no answer in time"));
    }
  }

  @Test
  void aCommitWithoutAnAnswerIsUnknown() throws Exception {
    try (Session session = client.session(0, Duration.ofMillis(600))) {
      commit(session, of(MicroOp.write(11, 1)));
      String home = "dn-BJ";
      Outcome last = null;
      for (int i = 0; i < 20 && !(last instanceof Outcome.Unknown); i++) {
        AdminPort.faults(config, "c-SH", Map.of("cut", List.of(home)));
        last = session.run(of(MicroOp.write(11, i)));
        AdminPort.faults(config, "c-SH", Map.of("cut", List.of()));
      }
      assertThat(last).isInstanceOf(Outcome.Unknown.class);
      assertThat(((Outcome.Unknown) last).timestamp()).hasSize(4);
    }
  }

  /** Coordinators have nothing to say to each other. */
  @Test
  void aProbeShowsACutThatNoMessageMeets() throws Exception {
    String probed = "c-SH";
    AdminPort.faults(config, probed, Map.of("cut", List.of("c-GY")));
    try (Session session = client.session(PATIENCE)) {
      commit(session, of(MicroOp.write(12, 1)));
    }
    long before = dropped(probed);
    AdminPort.faults(config, "c-BJ", Map.of("probe", List.of(probed)));
    AdminPort.faults(config, "c-GY", Map.of("probe", List.of(probed)));
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (dropped(probed) == before && System.nanoTime() < deadline) {
      Thread.sleep(5);
    }
    assertThat(dropped(probed)).isEqualTo(before + 1);
    AdminPort.faults(config, probed, Map.of("cut", List.of()));
  }

  private static long dropped(String node) throws IOException {
    return AdminPort.health(config, node).path("dropped").asLong();
  }

  @Test
  void aNodeStartedAgainKnowsWhatWasCommitted() throws IOException {
    try (Session session = client.session(PATIENCE)) {
      commit(session, of(MicroOp.append(3, 5)));
      cluster.restart("dn-GY");
      assertThat(commit(session, of(MicroOp.read(3))).ops())
          .containsExactly(new MicroOp(MicroOp.Kind.READ, 3, List.of(5L)));
      JsonNode health = AdminPort.health(config, "dn-GY");
      assertThat(health.path("epoch").asLong()).isEqualTo(2);
      assertThat(health.path("records").asLong()).isPositive();
    }
  }

  @Test
  void aConnectionThatBrokeMeanwhileCostsNothing() throws IOException {
    try (Session session = client.session(0, PATIENCE)) {
      commit(session, of(MicroOp.write(12, 1)));
      for (String node : List.copyOf(config.nodes().keySet())) {
        if (node.startsWith("c-")) {
          cluster.restart(node);
        }
      }
      assertThat(session.run(of(MicroOp.write(12, 2)))).isNotInstanceOf(Outcome.Unknown.class);
    }
  }

  @Test
  void aTransactionThatIsTooLongIsAnOutcome() {
    MicroOp[] many = new MicroOp[20_000];
    Arrays.setAll(many, i -> MicroOp.write(i, i));
    try (Session session = client.session(SHORT)) {
      assertThat(session.run(of(many))).isNotInstanceOf(Outcome.Committed.class);
      commit(session, of(MicroOp.write(13, 1)));
    }
  }

  @Test
  void metricsCountWhatHappens() throws IOException {
    try (Session session = client.session(PATIENCE)) {
      commit(session, of(MicroOp.append(4, 5)));
    }
    HttpURLConnection metrics =
        (HttpURLConnection)
            URI.create("http://127.0.0.1:" + config.nodes().get("dn-SG").admin() + "/metrics")
                .toURL()
                .openConnection();
    String text = new String(metrics.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(metrics.getContentType()).startsWith("text/plain; version=0.0.4");
    assertThat(text)
        .contains("# TYPE plumb_steps_total counter\n", "# TYPE plumb_queue_length gauge\n")
        .contains("plumb_frames_refused_total{reason=\"unauthenticated\"} 0\n")
        .containsPattern("plumb_syncs_total [1-9]")
        .containsPattern("plumb_connections_open [1-9]");
  }

  @Test
  void aNameWithoutACertificateIsNoClient() {
    assertThatThrownBy(() -> new PlumbClient(config, "nobody"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nobody.key");
  }

  @Test
  void anAnswerToWhatWasNotAskedEndsTheConnection() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Connector connector = new Connector(lying(server), "client")) {
      Thread liar = liar(server, 7, Wire.record(new K2Response.Accepted()));
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      try (Connector.Connection connection = connector.connect("c-SH", deadline)) {
        assertThatThrownBy(() -> connection.ask(1, new K2Request.Commit("t"), deadline))
            .isInstanceOf(IOException.class)
            .hasMessage("the connection broke");
        liar.join(PATIENCE.toMillis());
        assertThat(liar.isAlive()).as("the connection is closed").isFalse();
      }
    }
  }

  /** Answers every request with these bodies, whatever it is asked. */
  private static Thread liar(ServerSocket server, byte[] body) {
    return liar(server, 1, body);
  }

  private static Thread liar(ServerSocket server, long number, byte[] body) {
    Thread liar =
        new Thread(
            () -> {
              try (Socket socket = server.accept()) {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                // HELLO and a request.
                in.skipNBytes(in.readInt());
                in.skipNBytes(in.readInt());
                EmbeddedChannel out = new EmbeddedChannel(new Frame.Encoder());
                out.writeOutbound(new Frame(Frame.Type.REPLY, number, body));
                ByteBuf reply = out.readOutbound();
                socket.getOutputStream().write(ByteBufUtil.getBytes(reply));
                while (in.read() >= 0) {
                  continue;
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    liar.start();
    return liar;
  }

  @Test
  void anAnswerThatIsNoResponseOfTheProtocolEndsTheConnection() throws Exception {
    for (Record answer :
        List.of(
            new Wire.Hello("n", "s"),
            new K2Request.Commit("t"),
            new K2Record.EpochCut(1),
            new DastResponse.Refused("no"))) {
      try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
          Connector connector = new Connector(lying(server), "client")) {
        Thread liar = liar(server, Wire.record(answer));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (Connector.Connection connection = connector.connect("c-SH", deadline)) {
          assertThatThrownBy(() -> connection.ask(1, new K2Request.Commit("t"), deadline))
              .as("%s", answer)
              .isInstanceOf(IOException.class)
              .hasMessage("an answer that makes no sense")
              .hasStackTraceContaining("a " + answer.getClass().getName() + " is not taken here");
          liar.join(PATIENCE.toMillis());
          assertThat(liar.isAlive()).as("the connection is closed").isFalse();
        }
      }
    }
  }

  @Test
  void aResponseWithoutComponentsIsRead() {
    Wire.Types taken = new Wire.Types(List.of(K2Response.Accepted.class, K2Response.Value.class));
    byte[] body = Wire.record(new K2Response.Accepted());
    assertThat(Wire.record(body, taken)).isEqualTo(new K2Response.Accepted());
    String bare = new String(body, StandardCharsets.UTF_8);
    for (String wrong : List.of(bare + "{}", bare.replace("Accepted", "Value"))) {
      assertThatThrownBy(() -> Wire.record(wrong.getBytes(StandardCharsets.UTF_8), taken))
          .as(wrong)
          .isInstanceOf(RefusedFrame.class);
    }
  }

  @Test
  void aResponseToSomethingElseIsNoAnswer() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        PlumbClient victim = new PlumbClient(lying(server), "client");
        Session session = victim.session(SHORT)) {
      Thread liar = liar(server, Wire.record(new K2Response.Accepted()));
      assertThat(session.run(of(MicroOp.append(1, 7)))).isNotInstanceOf(Outcome.Committed.class);
      liar.join(PATIENCE.toMillis());
      assertThat(liar.isAlive()).as("the connection is closed").isFalse();
    }
  }

  @Test
  void anAnswerThatIsTooLongIsSaidToBe() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        PlumbClient reader = new PlumbClient(lying(server), "client")) {
      Thread liar = liar(server, Wire.record(new Wire.TooLong(40_000_000)));
      try (Session session = reader.session(PATIENCE)) {
        assertThat(session.run(of(MicroOp.read(1))))
            .isInstanceOfSatisfying(
                Outcome.Aborted.class,
                no -> assertThat(no.reason()).contains("40000000 bytes and is too long"));
      }
      liar.join(PATIENCE.toMillis());
    }
  }

  private static NodeConfig lying(ServerSocket server) {
    Map<String, NodeConfig.Address> nodes = new LinkedHashMap<>(config.nodes());
    nodes.replaceAll(
        (node, at) -> new NodeConfig.Address("127.0.0.1", server.getLocalPort(), at.admin()));
    return new NodeConfig(
        "k2",
        null,
        nodes,
        null,
        null,
        0,
        null,
        config.origin(),
        null,
        config.parameters(),
        null,
        null,
        0,
        null,
        null,
        false,
        null,
        null,
        null,
        null);
  }
}
