package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server and its workers where one of them is not to be had. */
@Timeout(120)
class DistributedTest {
  private static final int PORT = 10997;
  private static final Pattern PROCESS = Pattern.compile("process (\\d+)");

  @TempDir Path root;

  private Distributed.Ended run(Consumer<String> say) throws Exception {
    ToyWorkspace.copyTo(root);
    Workspace workspace = new Workspace(root);
    Checks toy = workspace.protocols().get(0);
    Checks.Check check =
        toy.checks().stream().filter(c -> c.id().equals("repaired")).findFirst().orElseThrow();
    return new Distributed(workspace, toy, check, "127.0.0.1", say).run(1);
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

  /** Where another server has it, it is as taken as it is to be. */
  private static ServerSocket taken() throws IOException {
    try {
      return new ServerSocket(PORT);
    } catch (BindException e) {
      return null;
    }
  }

  @Test
  void aWorkerWithoutAServerGivesUp() {
    assertThatThrownBy(() -> Distributed.join("no-such-host.invalid", "127.0.0.1", 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no server answers at no-such-host.invalid, port 10997");
  }
}
