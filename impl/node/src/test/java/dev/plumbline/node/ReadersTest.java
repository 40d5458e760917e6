package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.client.Outcome;
import dev.plumbline.client.PlumbClient;
import dev.plumbline.client.Session;
import dev.plumbline.cluster.AdminPort;
import dev.plumbline.cluster.FreePorts;
import dev.plumbline.dast.DastMessage;
import dev.plumbline.dast.DastRequest;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.K2Record;
import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Response;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Transaction;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A running node takes its protocol's records of the peers that may send them, and goes on. */
class ReadersTest {
  private static final String COORDINATOR = "c-SH";
  private static final String DATA_NODE = "dn-SH";

  @TempDir Path folder;
  private NodeConfig config;
  private Host host;
  private Thread running;

  @BeforeEach
  void start() throws IOException {
    Files.createDirectories(folder.resolve("bugs/META-INF/services"));
    Files.writeString(
        folder.resolve("bugs/META-INF/services/" + SeededBug.class.getName()),
        Poison.class.getName());
    NodeConfig plain = FreePorts.config("k2", null, folder, null);
    plain.write(folder.resolve("all.yaml"));
    Files.writeString(
        folder.resolve("all.yaml"),
        Files.readString(folder.resolve("all.yaml")) + "bug: poison\nbugs: bugs\n");
    config = NodeConfig.read(folder.resolve("all.yaml"));
    host =
        new Host(
            config.nodes().keySet().stream()
                .map(id -> config.as(id, folder.resolve("data").resolve(id).toString(), Map.of()))
                .toList());
    running =
        new Thread(
            () -> {
              try {
                host.run();
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    running.start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    host.close();
    running.join(20_000);
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

  /** Sends one frame under a name; whether the node closes the connection. */
  private boolean refuses(String node, String name, Frame.Type type, byte[] body)
      throws IOException {
    NodeConfig.Address at = config.nodes().get(node);
    Wire.Hello hello = new Wire.Hello(name, UUID.randomUUID().toString());
    try (Socket socket = new Socket(at.host(), at.port())) {
      socket.setSoTimeout(10_000);
      socket
          .getOutputStream()
          .write(
              bytes(new Frame(Frame.Type.HELLO, 0, Wire.hello(hello)), new Frame(type, 1, body)));
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  private long malformed(String node) throws IOException {
    String series = Refusals.COUNTER + "{reason=\"malformed\"} ";
    return AdminPort.metrics(config, node)
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToLong(line -> Long.parseLong(line.substring(series.length())))
        .sum();
  }

  private void demandWorks() throws IOException {
    try (PlumbClient client = new PlumbClient(config, "client");
        Session session = client.session(0, Duration.ofSeconds(10))) {
      Transaction txn =
          new Transaction(Transaction.Kind.READ_WRITE, List.of(MicroOp.append(5, 1)), 0);
      Outcome last = null;
      for (int i = 0; i < 20 && !(last instanceof Outcome.Committed); i++) {
        last = session.run(txn);
      }
      assertThat(last).isInstanceOf(Outcome.Committed.class);
    }
    assertThat(running.isAlive()).isTrue();
  }

  private static byte[] bodyOf(Class<?> type) {
    return ("{\"@\":\"" + type.getName() + "\"}").getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void aHelloInARequestEndsNothing() throws Exception {
    byte[] body = Wire.record(new Wire.Hello("a", "b"));
    assertThat(refuses(COORDINATOR, "anybody", Frame.Type.REQUEST, body)).isTrue();
    assertThat(malformed(COORDINATOR)).isEqualTo(1);
    demandWorks();
  }

  @Test
  void recordsOfOthersAreRefusedInEveryRole() throws Exception {
    List<Class<?>> known = new ArrayList<>(List.of(Wire.Hello.class, DastRequest.class));
    Stream.of(K2Request.class, K2Message.class, K2Record.class, K2Response.class, DastMessage.class)
        .forEach(family -> known.addAll(List.of(family.getPermittedSubclasses())));
    Frame.Type request = Frame.Type.REQUEST;
    for (Class<?> type : known) {
      boolean asked = K2Request.class.isAssignableFrom(type);
      for (String node : List.of("o-SH", DATA_NODE, "rp-SH")) {
        assertThat(refuses(node, "anybody", request, bodyOf(type))).as(node + type).isTrue();
      }
      if (!asked) {
        assertThat(refuses(COORDINATOR, "anybody", request, bodyOf(type))).as("" + type).isTrue();
      }
      if (type != K2Message.BatchReply.class) {
        assertThat(refuses(COORDINATOR, "o-SH", Frame.Type.MESSAGE, bodyOf(type)))
            .as("" + type)
            .isTrue();
      }
    }
    assertThat(malformed(DATA_NODE)).isEqualTo(known.size());
    demandWorks();
  }

  @Test
  void anAnswerToNobodyIsDropped() throws Exception {
    byte[] heartbeat = Wire.record(new K2Message.Heartbeat(1));
    NodeConfig.Address at = config.nodes().get(DATA_NODE);
    dev.plumbline.k2.Timestamp ts = new dev.plumbline.k2.Timestamp(1, 1, 1, 1);
    byte[] read =
        Wire.record(new K2Message.Read(new dev.plumbline.k2.Txn("t", "nobody", 1, ts), 5));
    try (Socket socket = new Socket(at.host(), at.port())) {
      Wire.Hello hello = new Wire.Hello(COORDINATOR, UUID.randomUUID().toString());
      socket
          .getOutputStream()
          .write(
              bytes(
                  new Frame(Frame.Type.HELLO, 0, Wire.hello(hello)),
                  new Frame(Frame.Type.MESSAGE, 1, heartbeat),
                  new Frame(Frame.Type.MESSAGE, 2, read)));
      await(DATA_NODE, "plumb_dropped_total{queue=\"nobody\"} 1");
    }
    demandWorks();
  }

  private void await(String node, String line) throws Exception {
    long end = System.nanoTime() + 10_000_000_000L;
    while (!AdminPort.metrics(config, node).contains(line)) {
      assertThat(System.nanoTime()).as(line).isLessThan(end);
      Thread.sleep(20);
    }
  }

  @Test
  void aBugInAHandlerStartsItsRoleAgainAndEndsNothing() throws Exception {
    demandWorks();
    byte[] poison = Wire.record(new K2Request.Get("t", Poison.KEY));
    NodeConfig.Address at = config.nodes().get(COORDINATOR);
    for (long failures = 1; failures <= 2; failures++) {
      try (Socket socket = new Socket(at.host(), at.port())) {
        Wire.Hello hello = new Wire.Hello("anybody", UUID.randomUUID().toString());
        socket
            .getOutputStream()
            .write(
                bytes(
                    new Frame(Frame.Type.HELLO, 0, Wire.hello(hello)),
                    new Frame(Frame.Type.REQUEST, 1, poison)));
        await(COORDINATOR, "plumb_handler_failures_total " + failures + "\n");
      }
      JsonNode health = null;
      do {
        health = AdminPort.health(config, COORDINATOR);
      } while (health.path("epoch").asLong() <= failures);
      assertThat(health.path("epoch").asLong()).isEqualTo(failures + 1);
      demandWorks();
    }
    assertThat(Files.readString(folder.resolve("trace").resolve(COORDINATOR + ".ndjson")))
        .contains("\"action\":\"Restart\"");
  }
}
