package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server and its workers where one of them is not to be had. */
@Timeout(120)
class DistributedTest {
  private static final int PORT = 10997;

  @Test
  void aPortThatIsTakenIsTheMachinesFault(@TempDir Path root) throws Exception {
    ToyWorkspace.copyTo(root);
    Workspace workspace = new Workspace(root);
    Checks toy = workspace.protocols().get(0);
    Checks.Check check =
        toy.checks().stream().filter(c -> c.id().equals("repaired")).findFirst().orElseThrow();
    try (ServerSocket taken = taken()) {
      Distributed.Ended ended =
          new Distributed(workspace, toy, check, "127.0.0.1", said -> {}).run(1);
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
