package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.cluster.AdminPort;
import dev.plumbline.cluster.Certificates;
import dev.plumbline.cluster.FreePorts;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Record headers that are none: TLS is native code, where a fault would end the whole process. */
class TlsRecordsTest {
  private static final String NODE = "o-SH";
  private static final int CONNECTIONS = 400;
  private static final byte[] LIKELY = {0, 1, 2, 3, 4, 5, 0x10, 0x16, 0x7f, (byte) 0x80, -1};
  private static final byte[] FIRST = {(byte) 0x80, 0x00, 0x19, 0x16};

  @TempDir Path folder;

  @Test
  void malformedRecordHeadersDoNotEndAProcess() throws Exception {
    Path tls = folder.resolve("tls");
    NodeConfig config = FreePorts.config("k2", null, folder, tls).as(NODE, "data", Map.of());
    Certificates.make(tls, config.nodes().keySet());
    Path file = folder.resolve("node.yaml");
    config.write(file);
    Process node =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                // What it unpacks and never deletes goes with the folder.
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                System.getProperty("java.class.path"),
                NodeMain.class.getName(),
                file.toString())
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("out").toFile())
            .start();
    try {
      NodeConfig.Address at = config.nodes().get(NODE);
      health(node, config);
      int refused = 0;
      Random random = new Random(1);
      for (int i = 0; i < CONNECTIONS && node.isAlive(); i++) {
        byte[] header = new byte[5];
        for (int b = 0; b < header.length; b++) {
          header[b] = LIKELY[random.nextInt(LIKELY.length)];
        }
        header[0] = FIRST[i % FIRST.length];
        refused += refused(at, header) ? 1 : 0;
      }
      assertThat(health(node, config).path("epoch").asLong()).isEqualTo(1);
      assertThat(refused).as("headers that were refused at once").isGreaterThan(CONNECTIONS / 3);
    } finally {
      node.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
  }

  /** Whether the node closes the connection, rather than wait for the rest of a record. */
  private static boolean refused(NodeConfig.Address at, byte[] header) throws IOException {
    try (Socket socket = new Socket(at.host(), at.port())) {
      socket.setSoTimeout(15);
      socket.getOutputStream().write(header);
      while (socket.getInputStream().read() >= 0) {
        // An alert may come first.
        continue;
      }
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (SocketException e) {
      return true;
    }
  }

  private JsonNode health(Process node, NodeConfig config) throws Exception {
    while (node.isAlive()) {
      try {
        return AdminPort.health(config, NODE);
      } catch (IOException e) {
        Thread.sleep(50);
      }
    }
    throw new AssertionError(
        "ended with " + node.exitValue() + ": " + Files.readString(folder.resolve("out")));
  }
}
