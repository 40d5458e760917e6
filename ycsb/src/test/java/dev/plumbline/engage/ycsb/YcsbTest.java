package dev.plumbline.engage.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.cluster.FreePorts;
import dev.plumbline.node.Host;
import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The YCSB client, in a process of its own, against five cloudlets on loopback. */
class YcsbTest {
  private static final int MINUTES = 10;

  @TempDir static Path folder;

  private static Host cluster;
  private static Path clients;

  @BeforeAll
  static void start() throws IOException {
    NodeConfig config = FreePorts.config("engage", Map.of(), folder, null);
    clients = folder.resolve("client.yaml");
    config.write(clients);
    List<NodeConfig> nodes = new ArrayList<>();
    for (String id : config.nodes().keySet()) {
      nodes.add(config.as(id, folder.resolve("data").resolve(id).toString(), Map.of()));
    }
    cluster = new Host(nodes);
    Thread thread =
        new Thread(
            () -> {
              try {
                cluster.run();
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** What the YCSB client says. */
  private static String ycsb(String phase, String workload, String... more) throws Exception {
    Path said = Files.createTempFile(folder, "ycsb", ".txt");
    List<String> command =
        new ArrayList<>(
            List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                "site.ycsb.Client",
                phase,
                "-db",
                EngageDB.class.getName(),
                "-P",
                Path.of("workloads", workload).toAbsolutePath().toString(),
                "-p",
                "recordcount=20",
                "-p",
                "operationcount=200",
                "-p",
                "engage.seconds=60"));
    command.addAll(List.of(more));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
    process.destroyForcibly();
    assertThat(ended).as(Files.readString(said)).isTrue();
    return Files.readString(said);
  }

  private static long count(String report, String line) {
    return report
        .lines()
        .filter(l -> l.startsWith(line))
        .mapToLong(l -> Long.parseLong(l.substring(l.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void workloadsAAndBRun() throws Exception {
    String config = "engage.config=" + clients;
    String loaded = ycsb("-load", "workloada", "-p", config);
    assertThat(count(loaded, "[INSERT], Return=OK")).as(loaded).isEqualTo(20);

    String a = ycsb("-t", "workloada", "-threads", "3", "-p", config, "-p", "engage.remoteops=2");
    long reads = count(a, "[READ], Return=OK");
    assertThat(reads + count(a, "[UPDATE], Return=OK")).as(a).isEqualTo(200);
    assertThat(reads).as(a).isBetween(50L, 150L);

    String b = ycsb("-t", "workloadb", "-threads", "2", "-p", config, "-p", "engage.guarantees=mr");
    assertThat(count(b, "[READ], Return=OK")).as(b).isGreaterThan(170);
  }

  @Test
  void whatIsNotThereIsSaid() throws Exception {
    assertThat(ycsb("-t", "workloada", "-p", "engage.config=" + folder.resolve("none.yaml")))
        .contains("none.yaml", "cannot be read")
        .doesNotContain("Return=OK");
  }
}
