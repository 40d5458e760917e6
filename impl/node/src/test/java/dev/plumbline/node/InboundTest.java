package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.plumbline.cluster.Certificates;
import dev.plumbline.cluster.FreePorts;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Response;
import dev.plumbline.machine.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What each kind of bad frame does to a node that listens: nothing, but for a count. */
class InboundTest {
  private static final K2Message MESSAGE = new K2Message.BatchRequest(7);

  private static final Wire.Types MESSAGES = new Wire.Types(Set.of(K2Message.BatchRequest.class));
  private static final TakenTypes VOCABULARY =
      new TakenTypes(
          new Wire.Types(Set.of(K2Request.Commit.class)),
          Map.of("peer", MESSAGES, "server", MESSAGES));

  @TempDir static Path folder;

  private final Metrics metrics = new Metrics();
  private final List<String> received = Collections.synchronizedList(new ArrayList<>());
  private final List<AutoCloseable> open = new ArrayList<>();
  private NodeConfig config;

  private final Receiver receiver =
      new Receiver() {
        @Override
        public void message(String node, long number, Message message, int bytes) {
          received.add(node + ":" + number);
        }

        @Override
        public void request(
            long number, Record request, int bytes, String client, Replies replies) {
          received.add("request " + number);
        }

        @Override
        public void probe(String node) {
          received.add("probe of " + node);
        }
      };

  private final EventLoopGroup loops = new NioEventLoopGroup(1);

  @BeforeEach
  void addresses() throws IOException {
    Map<String, NodeConfig.Address> nodes = new LinkedHashMap<>();
    try (FreePorts ports = new FreePorts()) {
      for (String name : List.of("server", "peer")) {
        nodes.put(name, new NodeConfig.Address("127.0.0.1", ports.next(), 1));
      }
    }
    config =
        new NodeConfig(
            "k2", "server", nodes, null, null, 0, null, null, null, null, null, null, 0, null, null,
            false, null, null, null, null);
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable c : open) {
      c.close();
    }
    loops.shutdownGracefully(0, 500, TimeUnit.MILLISECONDS).await();
  }

  private Transport transport(NodeConfig of, Tls tls, Metrics counted) throws IOException {
    return new Transport(of, VOCABULARY, tls, loops, Map.of(), receiver, counted);
  }

  @Test
  void aMessageThatIsTooLongIsCountedAndInTheLogOnceForEachReceiver() throws IOException {
    Logger logger = (Logger) LoggerFactory.getLogger(Transport.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try (Transport transport = transport(config, null, metrics)) {
      transport.send("peer", 1, new K2Message.Decision("short", true, 1));
      for (long number = 2; number <= 3; number++) {
        Message tooLong = new K2Message.Decision("x".repeat(Frame.LARGEST), true, 1);
        transport.send("peer", number, tooLong);
      }
    } finally {
      logger.detachAppender(log);
    }
    assertThat(metrics.text()).contains("plumb_dropped_total{queue=\"oversized\"} 2");
    assertThat(log.list)
        .singleElement()
        .satisfies(
            e ->
                assertThat(e.getFormattedMessage()).contains("for peer is longer than any may be"));
  }

  /** A link that is far away is none that was made slow, nor is one that was slow before. */
  @Test
  void howSlowALinkWasMadeIsWithoutWhatItTakesItself() throws Exception {
    Transport server = transport(config, null, metrics);
    open.add(server);
    NodeConfig far =
        config.as("peer", folder.resolve("data").toString(), Map.of("server", 2_000_000L));
    Transport peer = transport(far, null, new Metrics());
    open.add(peer);
    peer.send("server", 1, MESSAGE);
    await("it came", () -> received.contains("peer:1"));
    assertThat(peer.lastDelayMicros()).isPositive().isLessThan(2_000_000);
    peer.slow(700_000);
    peer.send("server", 2, MESSAGE);
    await("it came", () -> received.contains("peer:2"));
    assertThat(peer.lastDelayMicros()).isBetween(700_000L, 2_699_999L);
    peer.slow(600_000);
    assertThat(peer.lastDelayMicros()).as("before it has sent anything").isZero();
  }

  private void plain() throws IOException {
    open.add(transport(config, null, metrics));
  }

  private void secured() throws IOException {
    certified("server");
  }

  /** Opens the server, with the certificate of a name. */
  private void certified(String name) throws IOException {
    if (!folder.resolve("ca.pem").toFile().exists()) {
      Certificates.make(folder, List.of("server", "peer", "client"));
      Certificates.make(folder.resolve("strangers"), List.of("peer", "server"));
    }
    open.add(transport(config, Tls.of(folder, name), metrics));
  }

  private Socket connect() throws IOException {
    NodeConfig.Address to = config.nodes().get("server");
    Socket socket = new Socket(to.host(), to.port());
    socket.setSoTimeout(5_000);
    open.add(socket);
    return socket;
  }

  private static Frame hello(String name) {
    return hello(name, UUID.randomUUID().toString());
  }

  private static Frame hello(String name, String session) {
    return new Frame(Frame.Type.HELLO, 0, Wire.hello(new Wire.Hello(name, session)));
  }

  private static Frame message(long number) {
    return new Frame(Frame.Type.MESSAGE, number, Wire.message(MESSAGE));
  }

  private static byte[] bytes(Frame... frames) {
    EmbeddedChannel out = new EmbeddedChannel(new Frame.Encoder());
    ByteBuf all = Unpooled.buffer();
    for (Frame frame : frames) {
      out.writeOutbound(frame);
      all.writeBytes(out.<ByteBuf>readOutbound());
    }
    return ByteBufUtil.getBytes(all);
  }

  private static void send(Socket socket, byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
  }

  private static void await(String what, BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      Thread.sleep(5);
    }
  }

  private long refused(Refusal reason) {
    return metrics.count(Refusals.COUNTER + "{reason=\"" + reason.label() + "\"}");
  }

  /** The connection was closed for this reason and no other, and nothing came through. */
  private void demandRefused(Socket socket, Refusal reason, List<String> through) throws Exception {
    demandClosed(socket);
    await("it is counted", () -> refused(reason) == 1);
    for (Refusal other : Refusal.values()) {
      assertThat(refused(other)).as(other.label()).isEqualTo(other == reason ? 1 : 0);
    }
    assertThat(received).containsExactlyElementsOf(through);
  }

  private static void demandClosed(Socket socket) throws IOException {
    try (InputStream in = socket.getInputStream()) {
      assertThat(in.read()).isEqualTo(-1);
    } catch (java.net.SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  @Test
  void aNodesMessagesAndAClientsRequestsComeThrough() throws Exception {
    plain();
    send(connect(), bytes(hello("peer"), message(1), message(2)));
    send(
        connect(),
        bytes(
            hello("somebody"),
            new Frame(Frame.Type.REQUEST, 5, Wire.record(new K2Request.Commit("t")))));
    await("all came", () -> received.size() == 3);
    assertThat(received).containsExactlyInAnyOrder("peer:1", "peer:2", "request 5");
    assertThat(metrics.text()).contains("plumb_connections_accepted_total 2\n");
  }

  @Test
  void aMalformedFrameClosesTheConnection() throws Exception {
    plain();
    Socket socket = connect();
    send(
        socket,
        bytes(
            hello("peer"),
            message(1),
            new Frame(Frame.Type.MESSAGE, 2, new byte[] {'{'}),
            message(3)));
    demandRefused(socket, Refusal.MALFORMED, List.of("peer:1"));
  }

  @Test
  void anOversizedFrameClosesTheConnection() throws Exception {
    plain();
    Socket socket = connect();
    byte[] length = Unpooled.buffer(4).writeInt(Frame.LARGEST + 1).array();
    send(socket, bytes(hello("peer"), message(1)));
    send(socket, length);
    demandRefused(socket, Refusal.OVERSIZED, List.of("peer:1"));
  }

  @Test
  void aReplayedFrameClosesTheConnection() throws Exception {
    plain();
    Socket socket = connect();
    byte[] first = bytes(hello("peer"));
    byte[] both = bytes(hello("peer"), message(1));
    byte[] second = java.util.Arrays.copyOfRange(both, first.length, both.length);
    send(socket, both);
    send(socket, second);
    demandRefused(socket, Refusal.REPLAYED, List.of("peer:1"));
  }

  @Test
  void aReplayedConnectionIsRefused() throws Exception {
    plain();
    byte[] recorded = bytes(hello("peer", UUID.randomUUID().toString()), message(1));
    send(connect(), recorded);
    await("the original came", () -> received.size() == 1);
    Socket again = connect();
    send(again, recorded);
    demandRefused(again, Refusal.REPLAYED, List.of("peer:1"));
  }

  @Test
  void aFrameBeforeHelloIsRefused() throws Exception {
    plain();
    Socket socket = connect();
    send(socket, bytes(message(1)));
    demandRefused(socket, Refusal.UNAUTHENTICATED, List.of());
  }

  @Test
  void aClientCannotSendMessages() throws Exception {
    plain();
    Socket socket = connect();
    send(socket, bytes(hello("somebody"), message(1)));
    demandRefused(socket, Refusal.MALFORMED, List.of());
  }

  @Test
  void onlyAnEmptyProbeOfANodeIsLetIn() throws Exception {
    plain();
    Frame probe = new Frame(Frame.Type.PROBE, 0, new byte[0]);
    Frame full = new Frame(Frame.Type.PROBE, 0, new byte[1]);
    Socket node = connect();
    send(node, bytes(hello("peer"), probe, message(1), full, message(2)));
    demandClosed(node);
    Socket client = connect();
    send(client, bytes(hello("somebody"), probe));
    demandClosed(client);
    await("both are counted", () -> refused(Refusal.MALFORMED) == 2);
    assertThat(received).containsExactly("probe of peer", "peer:1");
  }

  @Test
  void plainBytesAreRefusedWhereThereIsTls() throws Exception {
    secured();
    Socket socket = connect();
    send(socket, bytes(hello("peer"), message(1)));
    demandRefused(socket, Refusal.UNAUTHENTICATED, List.of());
  }

  private SSLSocket tls(Path identity, String name) throws Exception {
    SSLSocketFactory factory = TestTls.factory(folder, identity, name);
    Socket plain = connect();
    SSLSocket socket = (SSLSocket) factory.createSocket(plain, "localhost", plain.getPort(), true);
    open.add(socket);
    return socket;
  }

  @Test
  void anotherNamesCertificateIsNamedAtTheStart() throws Exception {
    secured();
    Path mixed = Files.createDirectory(folder.resolve("mixed"));
    Files.copy(folder.resolve("ca.pem"), mixed.resolve("ca.pem"));
    Files.copy(folder.resolve("peer.pem"), mixed.resolve("server.pem"));
    Files.copy(folder.resolve("peer.key"), mixed.resolve("server.key"));
    assertThatThrownBy(() -> Tls.of(mixed, "server"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("server.pem")
        .hasMessageContaining("peer");
    Files.delete(mixed.resolve("server.key"));
    Files.copy(folder.resolve("server.key"), mixed.resolve("server.key"));
    Files.delete(mixed.resolve("server.pem"));
    Files.copy(folder.resolve("server.pem"), mixed.resolve("server.pem"));
    assertThat(Tls.of(mixed, "server")).isNotNull();
    Files.delete(mixed.resolve("server.key"));
    Files.copy(folder.resolve("peer.key"), mixed.resolve("server.key"));
    assertThatThrownBy(() -> Tls.of(mixed, "server"))
        .as("a key that is another certificate's")
        .isInstanceOf(IOException.class);
  }

  /** Answers are awaited long after who asked has gone. */
  @Test
  void whoAwaitsAnAnswerDoesNotKeepItsConnection() throws Exception {
    List<Receiver.Replies> awaited = new ArrayList<>();
    WeakReference<Channel> gone = asked(awaited);
    for (int i = 0; i < 50 && gone.get() != null; i++) {
      System.gc();
      Thread.sleep(20);
    }
    assertThat(awaited).hasSize(1);
    assertThat(gone.get()).isNull();
    awaited.get(0).answer(5, new K2Response.Accepted());
    assertThat(metrics.text()).contains("plumb_dropped_total{queue=\"replies\"} 1");
  }

  private WeakReference<Channel> asked(List<Receiver.Replies> awaited) {
    Receiver waits =
        new Receiver() {
          @Override
          public void message(String node, long number, Message message, int bytes) {
            received.add(node);
          }

          @Override
          public void request(
              long number, Record request, int bytes, String client, Replies replies) {
            awaited.add(replies);
          }
        };
    Inbound.Shared shared =
        new Inbound.Shared(
            VOCABULARY, new Sessions(), new Crowd(), new Refusals(metrics), waits, metrics);
    EmbeddedChannel channel =
        new EmbeddedChannel(new Frame.Decoder(true), new Frame.Encoder(), new Inbound(shared));
    Frame commit = new Frame(Frame.Type.REQUEST, 5, Wire.record(new K2Request.Commit("t")));
    channel.writeInbound(Unpooled.wrappedBuffer(bytes(hello("somebody"), commit)));
    channel.close();
    return new WeakReference<>(channel);
  }

  @Test
  void aNodeWithItsCertificateIsLetIn() throws Exception {
    secured();
    send(tls(folder, "peer"), bytes(hello("peer"), message(1)));
    await("it came", () -> received.contains("peer:1"));
    assertThat(refused(Refusal.UNAUTHENTICATED)).isZero();
  }

  @Test
  void aNodeWithoutACertificateIsRefused() throws Exception {
    secured();
    SSLSocket socket = tls(null, null);
    try {
      send(socket, bytes(hello("peer"), message(1)));
    } catch (IOException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
    demandRefused(socket, Refusal.UNAUTHENTICATED, List.of());
  }

  @Test
  void anotherAuthoritysCertificateIsRefused() throws Exception {
    secured();
    SSLSocket socket = tls(folder.resolve("strangers"), "peer");
    try {
      send(socket, bytes(hello("peer"), message(1)));
    } catch (IOException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
    demandRefused(socket, Refusal.UNAUTHENTICATED, List.of());
  }

  @Test
  void anotherNameThanTheCertificatesIsRefused() throws Exception {
    secured();
    SSLSocket socket = tls(folder, "client");
    send(socket, bytes(hello("peer"), message(1)));
    demandRefused(socket, Refusal.UNAUTHENTICATED, List.of());
  }

  @Test
  void linksDeliverOverTls() throws Exception {
    secured();
    link(new Metrics());
    await("it came", () -> received.contains("peer:9"));
  }

  @Test
  void linksRefuseAnotherNodesCertificate() throws Exception {
    certified("client");
    Metrics peers = new Metrics();
    link(peers);
    await(
        "it is counted", () -> peers.count(Refusals.COUNTER + "{reason=\"unauthenticated\"}") > 0);
    assertThat(received).isEmpty();
  }

  @Test
  void whatWaitsForANodeThatIsGoneIsBoundedInBytes() throws Exception {
    Metrics counted = new Metrics();
    PeerLink link =
        new PeerLink("peer", "server", config.nodes().get("server"), null, loops.next(), counted);
    long each = PeerLink.QUEUE / 10;
    for (int i = 0; i < 100; i++) {
      link.send(new Frame(Frame.Type.MESSAGE, i, new byte[(int) each]), 0);
    }
    await(
        "the rest is dropped", () -> counted.count("plumb_dropped_total{queue=\"server\"}") == 91);
    assertThat(counted.text()).contains("plumb_queue_length{queue=\"server\"} 9");
    link.close();
  }

  /** The kernel's connections; Java's of IPv4 are among those of IPv6. */
  private static final Path TABLE = Path.of("/proc/net/tcp6");

  /** Who vanishes without a word would keep a client's place for good. */
  @Test
  void aClientIsAskedWhetherItIsStillThere() throws Exception {
    plain();
    Socket socket = connect();
    send(socket, bytes(hello("somebody")));
    String local = String.format("%04X", config.nodes().get("server").port());
    String remote = String.format("%04X", socket.getLocalPort());
    assumeThat(TABLE).isReadable();
    await(
        "a keep-alive timer of at most a minute runs", () -> keepAliveSeconds(local, remote) <= 60);
  }

  /** Until the kernel asks the other end of a connection; none for never. */
  private static double keepAliveSeconds(String local, String remote) {
    try {
      // sl local remote st queues tr:when …; timer 2 is keep-alive, in hundredths of a second.
      return Files.readAllLines(TABLE).stream()
          .map(line -> line.strip().split("\\s+"))
          .filter(f -> f[1].endsWith(":" + local) && f[2].endsWith(":" + remote))
          .filter(f -> f[5].startsWith("02:"))
          .mapToDouble(f -> Long.parseLong(f[5].substring(3), 16) / 100.0)
          .findFirst()
          .orElse(Double.MAX_VALUE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void link(Metrics peers) throws IOException {
    Transport transport =
        transport(config.as("peer", null, Map.of()), Tls.of(folder, "peer"), peers);
    open.add(transport);
    transport.send("server", 9, MESSAGE);
  }
}
