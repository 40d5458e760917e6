package dev.plumbline.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.plumbline.cluster.AdminPort;
import dev.plumbline.cluster.Certificates;
import dev.plumbline.cluster.Cluster;
import dev.plumbline.cluster.FreePorts;
import dev.plumbline.cluster.MachineLoad;
import dev.plumbline.k2.system.K2System;
import dev.plumbline.node.Host;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.protocol.ProtocolSystem;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The hostile peer, seen green at nodes of this process, and red at what they should not be. */
class AttackTest {
  @TempDir Path folder;

  /** Nodes of this process, or what listens in their place. */
  private class Some implements Target {
    final NodeConfig config;

    Some() throws IOException {
      Path tls = folder.resolve("tls");
      config = FreePorts.config("k2", Map.of(), folder, tls);
      Certificates.make(
          tls, Stream.concat(config.nodes().keySet().stream(), Stream.of(Cluster.CLIENT)).toList());
      Certificates.make(strangers(), List.of(Cluster.CLIENT));
    }

    @Override
    public NodeConfig config() {
      return config;
    }

    @Override
    public Path strangers() {
      return folder.resolve("strangers");
    }

    @Override
    public List<String> dead() {
      return List.of();
    }

    @Override
    public long mostMib() {
      return 1;
    }

    @Override
    public long count(String series) throws IOException {
      long sum = 0;
      for (String node : config.nodes().keySet()) {
        sum +=
            AdminPort.metrics(config, node)
                .lines()
                .filter(line -> line.startsWith(series))
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
      }
      return sum;
    }

    @Override
    public String clientStuck() {
      return "";
    }
  }

  private static List<String> problems(Target target, String phase) throws IOException {
    return new Attack(target, 1).one(phase, 1).problems();
  }

  @Test
  void aNodeThatTakesRecordsOfAnotherKindIsFound() throws Exception {
    ProtocolSystem k2 = new K2System();
    ProtocolSystem narrow =
        (ProtocolSystem)
            Proxy.newProxyInstance(
                ProtocolSystem.class.getClassLoader(),
                new Class<?>[] {ProtocolSystem.class},
                (proxy, method, arguments) ->
                    method.getName().equals("requests") ? Set.of() : method.invoke(k2, arguments));
    whileNodesRun(
        some -> {
          Attack attack = new Attack(some, narrow, 1);
          attack.patience(300);
          List<String> problems = new ArrayList<>();
          MachineLoad.within(
              120,
              () -> {
                problems.addAll(attack.one("bodies", 1).problems());
                return !problems.isEmpty();
              });
          assertThat(problems)
              .singleElement(STRING)
              .containsPattern("not refused, such as .*K2Request.* from client to ");
        });
  }

  /**
   * Passes connections on. Of the first pairs of them, what the first says after its first words
   * comes once the second has been heard.
   */
  private static final class LateDoor implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int port;
    private final int pairs;

    LateDoor(int port, int pairs) throws IOException {
      this.port = port;
      this.pairs = pairs;
      new Thread(this::run).start();
    }

    int port() {
      return server.getLocalPort();
    }

    private void run() {
      try {
        for (int pair = 1; true; pair++) {
          CountDownLatch heard = new CountDownLatch(pair <= pairs ? 1 : 0);
          door(() -> hold(heard));
          door(heard::countDown);
        }
      } catch (IOException e) {
        assertThat(server.isClosed()).isTrue();
      }
    }

    private void door(Wait before) throws IOException {
      Socket from = server.accept();
      Socket to = new Socket(InetAddress.getLoopbackAddress(), port);
      new Thread(() -> pass(to, from, () -> {})).start();
      new Thread(() -> pass(from, to, before)).start();
    }

    private static void hold(CountDownLatch heard) throws InterruptedException {
      if (heard.getCount() > 0) {
        heard.await();
        Thread.sleep(500);
      }
    }

    private static void pass(Socket in, Socket out, Wait before) {
      byte[] buffer = new byte[16_384];
      try (in;
          out) {
        int length = in.getInputStream().read(buffer);
        for (int n = 0; length > 0; n++) {
          if (n == 1) {
            before.end();
          }
          out.getOutputStream().write(buffer, 0, length);
          length = in.getInputStream().read(buffer);
        }
      } catch (IOException | InterruptedException e) {
        assertThat(in.isClosed()).isTrue();
      }
    }

    private interface Wait {
      void end() throws InterruptedException;
    }

    @Override
    public void close() throws IOException {
      server.close();
    }
  }

  /** A session's replay where what its first connection says comes late, so many times. */
  private List<String> sessionAgain(int times, int patience) throws Exception {
    List<String> problems = new ArrayList<>();
    whileNodesRun(
        some -> {
          NodeConfig.Address at = some.config.nodes().get("c-SH");
          try (LateDoor door = new LateDoor(at.port(), times)) {
            some.config
                .nodes()
                .put("c-SH", new NodeConfig.Address(at.host(), door.port(), at.admin()));
            Attack attack = new Attack(some, 1);
            attack.patience(patience);
            problems.addAll(
                attack.phase("session", () -> attack.sessionAgain("c-SH"), 0).problems());
          }
        });
    return problems;
  }

  @Test
  void ofTwoOfASessionANodeMayHearTheLaterOneFirst() throws Exception {
    assertThat(sessionAgain(2, 20_000)).isEmpty();
  }

  @Test
  void aReplayThatTakesTheFirstOnesPlaceIsFound() throws Exception {
    assertThat(sessionAgain(100, 400))
        .containsExactly(
            "1 not refused, such as a session again, in the place of the one that was there before");
  }

  private interface Look {
    void at(Some some) throws Exception;
  }

  @Test
  void nodesRefuseAndCountWhatTheyMust() throws Exception {
    whileNodesRun(
        some -> {
          for (String phase : List.of("records", "frames", "bodies", "certificates", "replay")) {
            assertThat(problems(some, phase)).as(phase).isEmpty();
          }
        });
  }

  private void whileNodesRun(Look look) throws Exception {
    Some some = new Some();
    try (Host host =
        new Host(
            some.config.nodes().keySet().stream()
                .map(
                    id ->
                        some.config.as(id, folder.resolve("data").resolve(id).toString(), Map.of()))
                .toList())) {
      Thread running =
          new Thread(
              () -> {
                try {
                  host.run();
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      running.start();
      look.at(some);
      assertThat(running.isAlive()).isTrue();
    }
  }

  @Test
  void aListenerThatTakesAnythingIsFound() throws Exception {
    Some some =
        new Some() {
          @Override
          public long count(String series) {
            return 0;
          }
        };
    NodeConfig.Address at = some.config.nodes().get("c-SH");
    Attack attack = new Attack(some, 1);
    attack.patience(300);
    try (ServerSocket server = new ServerSocket(at.port(), 50, InetAddress.getLoopbackAddress());
        Line line = Line.plain(at, server.getLocalPort())) {
      assertThat(
              attack.phase("any", () -> attack.demandClosed(line, "a broken frame"), 0).problems())
          .containsExactly("1 not refused, such as a broken frame");
    }
  }

  /**
   * Takes connections, late, and closes the oldest strangers above a number. What its peer has left
   * by then it does not refuse, and does not count.
   */
  private static final class SlowDoor implements AutoCloseable {
    private final ServerSocket server;
    private final int most;
    private final AtomicLong refused = new AtomicLong();
    private final Deque<Socket> strangers = new ArrayDeque<>();
    private final Thread thread = new Thread(this::run);

    SlowDoor(int port, int most) throws IOException {
      server = new ServerSocket(port, Attack.CROWD, InetAddress.getLoopbackAddress());
      this.most = most;
      thread.start();
    }

    private void run() {
      try {
        strangers.add(server.accept());
        Thread.sleep(1_500);
        while (true) {
          strangers.add(server.accept());
          if (strangers.size() > most) {
            Socket oldest = strangers.remove();
            oldest.setSoTimeout(1);
            if (!left(oldest)) {
              refused.incrementAndGet();
            }
            oldest.close();
          }
        }
      } catch (IOException | InterruptedException e) {
        strangers.forEach(SlowDoor::quietly);
      }
    }

    private static boolean left(Socket socket) throws IOException {
      try {
        return socket.getInputStream().read() < 0;
      } catch (SocketTimeoutException e) {
        return false;
      }
    }

    private static void quietly(Socket socket) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() throws Exception {
      server.close();
      thread.join();
    }
  }

  private Attack.Phase crowd(int most, boolean bounded) throws Exception {
    NodeConfig one = new Some().config;
    String first = one.nodes().keySet().iterator().next();
    try (SlowDoor door = new SlowDoor(one.nodes().get(first).port(), most)) {
      Attack attack =
          new Attack(
              new Some() {
                @Override
                public NodeConfig config() {
                  return one;
                }

                @Override
                public long count(String series) {
                  boolean counted = bounded || !series.contains("crowded");
                  return series.contains("refused") && counted ? door.refused.get() : 0;
                }
              },
              1);
      attack.patience(20_000);
      return attack.one("crowd", 0);
    }
  }

  @Test
  void aCrowdIsGivenTimeToBeRefused() throws Exception {
    Attack.Phase phase = crowd(Attack.STRANGERS, true);
    assertThat(phase.problems()).isEmpty();
    assertThat(phase.refused()).isEqualTo(Attack.CROWD - Attack.STRANGERS);
  }

  @Test
  void connectionsThatEndForWantOfANameAloneAreNoBound() throws Exception {
    assertThat(crowd(Attack.STRANGERS, false).problems())
        .containsExactly(
            "1 not refused, such as a crowd: of 3744 connections 0 gave way to others");
  }

  @Test
  void moreConnectionsThanThereMayBeAreFound() throws Exception {
    assertThat(crowd(1_000, true).problems())
        .containsExactly("1 not refused, such as 1000 connections at once");
  }

  @Test
  void whatIsRefusedAndNotCountedIsFound() throws Exception {
    assertThat(
            judged(
                new Some() {
                  @Override
                  public long count(String series) {
                    return 0;
                  }
                }))
        .containsExactly("7 were refused and 0 counted");
  }

  @Test
  void everyOtherProblemIsFound() throws Exception {
    assertThat(
            judged(
                new Some() {
                  private long calls;

                  @Override
                  public long count(String series) {
                    return 100 * ++calls;
                  }

                  @Override
                  public long mostMib() {
                    return Attack.MOST_MIB + 1;
                  }

                  @Override
                  public String clientStuck() {
                    return "no answer";
                  }
                }))
        .hasSize(3)
        .anyMatch(line -> line.contains("a client does not go on: no answer"))
        .anyMatch(line -> line.contains("times a handler failed"))
        .anyMatch(line -> line.contains("801 MiB"));
    assertThat(
            judged(
                new Some() {
                  @Override
                  public long count(String series) {
                    return 0;
                  }

                  @Override
                  public List<String> dead() {
                    return List.of("SH");
                  }
                }))
        .containsExactly("ended: SH");
  }

  /** The problems of a phase in which seven connections were refused. */
  private static List<String> judged(Target target) throws IOException {
    Attack attack = new Attack(target, 1);
    attack.patience(300);
    return attack.phase("seven", () -> 7, 0).problems();
  }

  @Test
  void bodiesAreSpoiltInEveryWay() {
    Bodies bodies = new Bodies(new Random(1), List.of("n"));
    record One(String text, long number, List<Long> list) {}
    assertThat(Stream.generate(() -> new String(bodies.spoilt(One.class))).limit(50))
        .anyMatch(body -> body.contains("\"more\""))
        .anyMatch(body -> body.contains("null"))
        .anyMatch(body -> !body.contains("number"))
        .anyMatch(body -> body.contains("java.lang.Object"));
  }
}
