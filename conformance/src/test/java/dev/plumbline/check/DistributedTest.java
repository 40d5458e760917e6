package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataOutputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server and its workers where one of them is not to be had. */
@Timeout(120)
class DistributedTest {
  private static final int PORT = 10997;

  /** JRMI, its version, and the protocol: what a client begins with. */
  private static final int GREETING = 7;

  private static final int ACKNOWLEDGED = 0x4e;
  private static final Pattern PROCESS = Pattern.compile("process (\\d+)");

  @TempDir Path root;

  private Distributed.Ended run(Consumer<String> say) throws Exception {
    ToyWorkspace.copyTo(root);
    return check("repaired", say).run(1);
  }

  private Distributed check(String id, Consumer<String> say) {
    Workspace workspace = new Workspace(root);
    Checks toy = workspace.protocols().get(0);
    Checks.Check check =
        toy.checks().stream().filter(c -> c.id().equals(id)).findFirst().orElseThrow();
    return new Distributed(workspace, toy, check, "127.0.0.1", say);
  }

  /** The server is ready then, and its only worker has not begun. */
  @Test
  void aServerThatIsKilledIsNoFailureOfTheModel() throws Exception {
    long[] server = new long[1];
    Distributed.Ended ended =
        run(
            said -> {
              Matcher process = PROCESS.matcher(said);
              if (said.startsWith("server") && process.find()) {
                server[0] = Long.parseLong(process.group(1));
              } else if (said.startsWith("worker")) {
                ProcessHandle.of(server[0]).ifPresent(ProcessHandle::destroyForcibly);
              }
            });
    assertThat(ended.message()).contains("the server was ended by signal 9");
    assertThat(ended.verdict()).isEqualTo("environment");
  }

  @Test
  void aPortThatIsTakenIsTheMachinesFault() throws Exception {
    try (ServerSocket taken = taken()) {
      Distributed.Ended ended = run(said -> {});
      assertThat(ended.verdict()).isEqualTo("environment");
      assertThat(ended.message()).contains("port 10997 is taken");
    }
  }

  /** Of those that this machine did not start only the server knows. */
  @Test
  void aServerWhoseJoinedWorkersAreAllLostGivesUp() throws Exception {
    ToyWorkspace.copyTo(root);
    Path specs = root.resolve("specs/toy");
    Files.writeString(
        specs.resolve("Endless.tla"),
        """
        ---- MODULE Endless ----
        EXTENDS Naturals
        VARIABLE n
        Init == n = 0
        Count == n' = n + 1
        Next == Count
        SomeInv == n >= 0
        ====
        """);
    Files.writeString(specs.resolve("Endless.cfg"), "INIT Init\nNEXT Next\nINVARIANT SomeInv\n");
    ToyWorkspace.edit(
        root,
        "checks.yaml",
        "  - id: as-published",
        "  - {id: endless, module: Endless, lane: nightly, expect: holds, states: [1, 2],"
            + " claims: [TOY-1]}\n  - id: as-published");
    List<String> told = new CopyOnWriteArrayList<>();
    CompletableFuture<Distributed.Ended> ended =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return check("endless", told::add).run(0, 1);
              } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    Process worker =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "tlc2.tool.distributed.TLCWorker",
                "127.0.0.1")
            .redirectErrorStream(true)
            .redirectOutput(root.resolve("worker.log").toFile())
            .start();
    try {
      Path log = root.resolve(".plumb/run/toy/endless/distributed/server.log");
      while (!ended.isDone()
          && !(Files.exists(log)
              && Distributed.hands(Files.readString(log)) == Distributed.Hands.SOME)) {
        Thread.sleep(100);
      }
    } finally {
      worker.destroyForcibly();
    }
    assertThat(ended.get().message()).contains("all workers were lost, and no other came");
    assertThat(ended.get().verdict()).isEqualTo("environment");
    assertThat(told).contains("all workers are lost; waiting 1 s for another");
  }

  /** Workers are sent home first; with many states a server takes seconds from there to its end. */
  @ParameterizedTest
  @CsvSource({
    "'', NONE_YET",
    "'Registration for worker at rmi://a:0/0 completed (t)', SOME",
    "'Registration for worker at rmi://a:0/0 completed (t)|TLC worker connection lost rmi://a:0/0"
        + " (t)|TLC worker rmi://a:0/0 disconnected (t)', LOST",
    "'Registration for worker at rmi://a:0/0 completed (t)|TLC worker rmi://a:0/0 disconnected"
        + " (t)|Registration for worker at rmi://a:0/0 completed (t)', SOME",
    "'Registration for worker at rmi://a:0/0 completed (t)|Worker: rmi://a:0/0 Sent: 9 Rcvd: 8"
        + " CacheRatio: 0.47 (t)', DISMISSED",
    "'Registration for worker at rmi://a:0/0 completed (t)|Error: The behavior up to this point"
        + " is:', DISMISSED"
  })
  void whoWorksForAServerIsInItsLog(String log, Distributed.Hands hands) {
    assertThat(Distributed.hands("TLC2 TLC Server\n" + log.replace('|', '\n') + "\n"))
        .isEqualTo(hands);
  }

  /** Where another server has it, it is as taken as it is to be. */
  private static ServerSocket taken() throws IOException {
    try {
      return new ServerSocket(PORT);
    } catch (BindException e) {
      return null;
    }
  }

  /** What somebody else does with each connection to the port. */
  private interface Answer {
    void to(Socket connection) throws IOException;
  }

  /** Somebody else at the port, which is free again once the last call that waits there is over. */
  private static final class Other implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(PORT);
    private final Thread thread;

    Other(Answer answer) throws IOException {
      thread =
          new Thread(
              () -> {
                try {
                  while (true) {
                    answer.to(socket.accept());
                  }
                } catch (IOException e) {
                  // closed
                }
              });
      thread.start();
    }

    @Override
    public void close() throws IOException, InterruptedException {
      socket.close();
      thread.join();
    }
  }

  @Test
  void aWorkerWithoutAServerGivesUp() {
    assertThatThrownBy(() -> Distributed.join("no-such-host.invalid", "127.0.0.1", 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no server answers at no-such-host.invalid, port 10997");
  }

  /** TLC's worker says that it could not begin, and ends with 0. */
  @Test
  void aWorkerOfWhatIsNoServerFails() throws Exception {
    try (Other other = new Other(Socket::close)) {
      assertThatThrownBy(() -> Distributed.join("127.0.0.1", "127.0.0.1", 10))
          .isInstanceOf(IOException.class)
          .hasMessage("the server at 127.0.0.1, port 10997, is lost, or is none");
    }
  }

  /** As TLC's workers say it where a search ends, where a server was killed, and without one. */
  @ParameterizedTest
  @CsvSource({
    "'TLC worker with 2  threads ready at: t|a, work completed at: t Computed: 9', true",
    "'TLC worker with 2  threads ready at: t|Error: TLCServer has finished, exiting worker... (t)"
        + "|a, work completed at: t Computed: 9', true",
    "'TLC worker with 2  threads ready at: t|Error: TLCServer is gone due to x, exiting worker... (t)"
        + "|a, work completed at: t Computed: 9', false",
    "'TLC worker with 2  threads ready at: t', false",
    "'Error: Failed to start worker  for server a.', false"
  })
  void whetherAWorkerWasSentHomeIsInWhatItSays(String said, boolean home) {
    assertThat(Distributed.sentHome(said.replace('|', '\n'))).isEqualTo(home);
  }

  /** As one is that was stopped, and not ended, after a worker had reached it. */
  @Test
  void aWorkerOfAServerThatFallsSilentFails() throws Exception {
    try (Other other = new Other(DistributedTest::greet)) {
      assertThatThrownBy(() -> Distributed.join("127.0.0.1", "127.0.0.1", 10, 1))
          .isInstanceOf(IOException.class)
          .hasMessage("the server at 127.0.0.1, port 10997, is lost, or is none");
    }
  }

  /** Takes a connection of Java's remote calls, and lets it stay open; others just probe. */
  private static void greet(Socket s) throws IOException {
    if (s.getInputStream().readNBytes(GREETING).length == GREETING) {
      DataOutputStream out = new DataOutputStream(s.getOutputStream());
      out.writeByte(ACKNOWLEDGED);
      out.writeUTF("127.0.0.1");
      out.writeInt(s.getPort());
    }
  }
}
