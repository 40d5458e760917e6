package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.cluster.FreePorts;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Response;
import dev.plumbline.protocol.SeededBug;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several nodes in one process. */
class HostTest {
  private static final String INBOX_LENGTH = "plumb_queue_length\\{queue=\"inbox\"\\}";

  @TempDir Path folder;
  private NodeConfig config;

  @BeforeEach
  void configure() throws IOException {
    config = FreePorts.config("k2", null, folder, null);
  }

  private List<NodeConfig> all() {
    return config.nodes().keySet().stream()
        .map(id -> config.as(id, folder.resolve("data").resolve(id).toString(), Map.of()))
        .collect(Collectors.toList());
  }

  private static Thread start(Host host) {
    Thread thread =
        new Thread(
            () -> {
              try {
                host.run();
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    thread.start();
    return thread;
  }

  private String metrics(String node) throws IOException {
    NodeConfig.Address at = config.nodes().get(node);
    URI uri = URI.create("http://" + at.host() + ":" + at.admin() + "/metrics");
    try (var in = uri.toURL().openStream()) {
      return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    }
  }

  private static long count(String metrics, String name) {
    Matcher found = Pattern.compile("(?m)^" + name + " (\\d+)$").matcher(metrics);
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }

  @Test
  void nodesOfAProcessNeedNoConnections() throws Exception {
    try (Host host = new Host(all())) {
      Thread running = start(host);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      String said = metrics("rp-SH");
      while (count(said, "plumb_messages_in_process_total") == 0 && System.nanoTime() < deadline) {
        Thread.sleep(20);
        said = metrics("rp-SH");
      }
      assertThat(count(said, "plumb_messages_in_process_total")).as(said).isPositive();
      for (String node : config.nodes().keySet()) {
        assertThat(count(metrics(node), "plumb_connections_made_total")).as(node).isZero();
        assertThat(count(metrics(node), "plumb_connections_accepted_total")).as(node).isZero();
      }
      host.close();
      running.join(20_000);
      assertThat(running.isAlive()).isFalse();
    }
    assertThat(Files.readString(folder.resolve("trace/dn-SH.ndjson"))).contains("\"recv\":\"");
  }

  /** In a region there are always some that wait: clock messages come all the time. */
  @Test
  void aLongMessageIsTakenBesideShorterOnesAndNothingAfterIt() throws Exception {
    NodeConfig one = config.as("rp-SH", folder.resolve("rp-SH").toString(), Map.of());
    EventLoopGroup loops = new NioEventLoopGroup(1);
    try (NodeRuntime node = new NodeRuntime(one, loops, Map.of())) {
      K2Message any = new K2Message.BatchRequest(1);
      node.message("dn-SH", 1, any, 100);
      node.message("dn-SH", 2, any, (int) NodeRuntime.INBOX_BYTES * 3);
      assertThat(count(metrics("rp-SH"), INBOX_LENGTH)).isEqualTo(2);
      node.message("dn-SH", 3, any, 100);
      assertThat(count(metrics("rp-SH"), INBOX_LENGTH)).isEqualTo(2);
      assertThat(count(metrics("rp-SH"), "plumb_dropped_total\\{queue=\"inbox\"\\}")).isOne();
    } finally {
      loops.shutdownGracefully(0, 500, TimeUnit.MILLISECONDS).await();
    }
  }

  @Test
  void whatOneCannotHaveEndsAll() throws Exception {
    NodeConfig.Address taken = config.nodes().get("rp-SG");
    try (ServerSocket other = new ServerSocket(taken.port(), 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> new Host(all()).close())
          .isInstanceOf(IOException.class)
          .hasMessageContaining(other.getLocalPort() + " cannot be had");
    }
    NodeConfig.Address first = config.nodes().get("o-SH");
    try (ServerSocket free = new ServerSocket(first.port(), 1, InetAddress.getLoopbackAddress())) {
      assertThat(free.isBound()).as("what the others had is free again").isTrue();
    }
  }

  @Test
  void whatCouldNotStartHoldsNothing() throws Exception {
    NodeConfig one = config.as("dn-SH", folder.resolve("dn-SH").toString(), Map.of());
    int admin = one.nodes().get("dn-SH").admin();
    try (ServerSocket other = new ServerSocket(admin, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> new Host(List.of(one)).close())
          .isInstanceOf(IOException.class)
          .hasMessageContaining(other.getLocalPort() + " cannot be had");
    }
    try (Host host = new Host(List.of(one))) {
      assertThat(metrics("dn-SH")).isNotEmpty();
      assertThat(host).isNotNull();
    }
  }

  /** A machine whose timer is always due: it is not to be deaf. */
  @Test
  void requestsAreHeardBesideATimerThatIsAlwaysDue() throws Exception {
    demandAnswer(with(new Restless()), List.of(), new K2Response.Accepted());
  }

  /** In the simulator, too, what a node sends to itself always arrives. */
  @Test
  void whatANodeSendsItselfIsNotDropped() throws Exception {
    demandAnswer(
        with(new TalksToItself()),
        Collections.nCopies(10_000, new K2Request.Commit("earlier")),
        new K2Response.Accepted());
  }

  /** As after a crash. */
  @Test
  void whatANodeSentItselfBeforeItsHandlerFailedIsGone() throws Exception {
    demandAnswer(
        with(new TalksToItself()),
        List.of((Record) TalksToItself.FAIL, new K2Request.Commit("later")),
        new K2Response.Aborted("alone"));
  }

  /** What a node answers after these requests, which wait as it starts. */
  private static void demandAnswer(NodeConfig config, List<Record> earlier, Record expected)
      throws Exception {
    EventLoopGroup loops = new NioEventLoopGroup(1);
    try (NodeRuntime node = new NodeRuntime(config, loops, Map.of())) {
      CountDownLatch first = new CountDownLatch(Math.min(1, earlier.size()));
      for (Record each : earlier) {
        node.request(1, each, 100, "me", (number, response) -> first.countDown());
      }
      CompletableFuture<Record> answer = new CompletableFuture<>();
      node.start();
      Thread running =
          new Thread(
              () -> {
                try {
                  node.run();
                } catch (IOException e) {
                  answer.completeExceptionally(e);
                }
              });
      running.start();
      assertThat(first.await(10, TimeUnit.SECONDS)).isTrue();
      Thread.sleep(500);
      node.request(
          7, new K2Request.Commit("t"), 100, "me", (number, response) -> answer.complete(response));
      assertThat(answer.get(10, TimeUnit.SECONDS)).isEqualTo(expected);
      node.stop();
      running.join(10_000);
    } finally {
      loops.shutdownGracefully(0, 500, TimeUnit.MILLISECONDS).await();
    }
  }

  private NodeConfig with(SeededBug bug) throws IOException {
    Path services = Files.createDirectories(folder.resolve("bugs/META-INF/services"));
    Files.writeString(services.resolve(SeededBug.class.getName()), bug.getClass().getName());
    Path file = folder.resolve("all.yaml");
    config.write(file);
    Files.writeString(file, Files.readString(file) + "bug: " + bug.name() + "\nbugs: bugs\n");
    return NodeConfig.read(file).as("c-SH", folder.resolve("c-SH").toString(), Map.of());
  }
}
