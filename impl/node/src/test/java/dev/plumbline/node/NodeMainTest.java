package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.cluster.AdminPort;
import dev.plumbline.cluster.FreePorts;
import dev.plumbline.protocol.SeededBug;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node as a process of its own. */
class NodeMainTest {
  private static final String NODE = "dn-SH";

  @TempDir Path folder;
  private NodeConfig config;
  private Path file;

  @BeforeEach
  void configure() throws IOException {
    config = FreePorts.config("k2", null, folder, null).as(NODE, "data", null);
    file = folder.resolve("node.yaml");
    config.write(file);
    endWith(ProcessHandle.current().pid());
  }

  @Test
  void withoutTheCassandraOfItsLogItDoesNotServe() throws Exception {
    int port;
    try (FreePorts ports = new FreePorts()) {
      port = ports.next();
    }
    String at = "127.0.0.1:" + port;
    config.on(new NodeConfig.Cassandra(List.of(at), "plumbline", "c7", 1, null)).write(file);
    assertThat(ended(start(), 3))
        .contains("plumb: no Cassandra answers at " + at)
        .contains("remedy: start it, or correct the address");
  }

  private void endWith(long pid) throws IOException {
    Files.writeString(
        file, Files.readString(file).replaceAll("parent: .*\n", "") + "parent: " + pid + "\n");
  }

  private Process start() throws IOException {
    return start("256");
  }

  private Process start(String heapMib) throws IOException {
    return new ProcessBuilder(
            System.getProperty("java.home") + "/bin/java",
            "-Xmx" + heapMib + "m",
            "-XX:+UseSerialGC",
            // What it unpacks and never deletes goes with the folder.
            "-Djava.io.tmpdir=" + folder,
            "-cp",
            System.getProperty("java.class.path"),
            NodeMain.class.getName(),
            file.toString())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("out").toFile())
        .start();
  }

  private String ended(Process process, int exit) throws Exception {
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    String out = Files.readString(folder.resolve("out"));
    assertThat(process.exitValue()).as(out).isEqualTo(exit);
    return out;
  }

  private long epochOnceItServes(Process process) throws Exception {
    while (process.isAlive()) {
      try {
        return AdminPort.health(config, NODE).path("epoch").asLong();
      } catch (IOException e) {
        Thread.sleep(50);
      }
    }
    throw new AssertionError(ended(process, 0));
  }

  @Test
  void sigtermEndsItWithZeroAndSigkillCostsNothingSynced() throws Exception {
    Process first = start();
    assertThat(epochOnceItServes(first)).isEqualTo(1);
    first.destroy();
    assertThat(ended(first, 0))
        .contains("\"level\":\"INFO\"", "\"loggerName\":\"dev.plumbline.node.NodeMain\"");
    Process second = start();
    assertThat(epochOnceItServes(second)).isEqualTo(2);
    second.destroyForcibly();
    second.waitFor();
    Process third = start();
    assertThat(epochOnceItServes(third)).isEqualTo(3);
    third.destroy();
    ended(third, 0);
    assertThat(Files.readString(folder.resolve("trace/dn-SH.ndjson")))
        .contains("\"action\":\"Restart\"");
  }

  @Test
  void itEndsWithTheProcessThatItIsToldToEndWith() throws Exception {
    Process parent = new ProcessBuilder("sleep", "60").start();
    endWith(parent.pid());
    Process node = start();
    assertThat(epochOnceItServes(node)).isEqualTo(1);
    parent.destroyForcibly().waitFor();
    ended(node, 0);
    ended(start(), 0);
  }

  @Test
  void aBadConfigurationEndsItWithTwo() throws Exception {
    Files.writeString(file, Files.readString(file).replace("node: \"dn-SH\"", "node: \"dn-XX\""));
    assertThat(ended(start(), 2)).contains("node.yaml:2: key \"node\"", "remedy: ");
  }

  @Test
  void aTakenPortEndsItWithThree() throws Exception {
    try (ServerSocket taken =
        new ServerSocket(config.nodes().get(NODE).port(), 1, InetAddress.getLoopbackAddress())) {
      assertThat(ended(start(), 3)).contains(taken.getLocalPort() + " cannot be had");
    }
  }

  @Test
  void aFileInThePlaceOfTheLogEndsItWithThree() throws Exception {
    Files.writeString(folder.resolve("data"), "");
    assertThat(ended(start(), 3)).contains("data");
  }

  @Test
  void anotherNodesFolderEndsItWithThree() throws Exception {
    Process first = start();
    assertThat(epochOnceItServes(first)).isEqualTo(1);
    first.destroy();
    ended(first, 0);
    Files.writeString(file, Files.readString(file).replace("node: \"dn-SH\"", "node: \"dn-BJ\""));
    Process second = start();
    assertThat(ended(second, 3)).contains("mark").contains("dn-SH").contains("remedy: ");
    Files.writeString(file, Files.readString(file).replace("node: \"dn-BJ\"", "node: \"dn-SH\""));
    Process third = start();
    assertThat(epochOnceItServes(third)).as("its folder is as it was").isEqualTo(2);
    third.destroy();
    ended(third, 0);
  }

  @Test
  void aParameterThatMakesNoSenseEndsItWithTwo() throws Exception {
    config =
        FreePorts.config("k2", java.util.Map.of("ttlMicros", 0L), folder, null)
            .as(NODE, "data", null);
    config.write(file);
    endWith(ProcessHandle.current().pid());
    assertThat(ended(start(), 2)).contains("node.yaml").contains("remedy: ");
  }

  @Test
  void aTokenThatIsNotThereIsNamedAsSuch() throws Exception {
    Files.writeString(
        file, Files.readString(file).replaceAll("faults: .*\n", "") + "faults: none\n");
    assertThat(ended(start(), 3)).containsPattern("none\\S* .*(not|no) ");
  }

  /** It would go on, answer hardly anybody and say nothing of it. */
  @Test
  void aFullHeapEndsItWithThree() throws Exception {
    Path services = Files.createDirectories(folder.resolve("bugs/META-INF/services"));
    Files.writeString(services.resolve(SeededBug.class.getName()), Hoarder.class.getName());
    Files.writeString(file, Files.readString(file) + "\nbug: hoarder\nbugs: bugs\n");
    assertThat(ended(start("80"), 3))
        .contains("plumb: dn-SH: the heap of ", " is full: a collection leaves ")
        .contains("remedy: ", "PLUMB_NODE_HEAP_MB");
  }
}
