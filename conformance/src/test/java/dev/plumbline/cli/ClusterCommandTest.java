package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ClusterCommandTest {
  private final StringWriter said = new StringWriter();
  private final CommandLine plumb =
      Main.commandLine().setErr(new PrintWriter(said)).setOut(new PrintWriter(said));

  @TempDir Path folder;

  private int run(String... args) {
    return plumb.execute(args);
  }

  /** Starts a cluster of Metric on loopback, in the folder. */
  private int metricUp(String... options) {
    List<String> all = new ArrayList<>(List.of("cluster", "up", "metric", "--loopback"));
    all.addAll(List.of(options));
    all.addAll(List.of("--dir", folder.toString()));
    return run(all.toArray(String[]::new));
  }

  @Test
  void theShellOfAClusterInAnotherFolderIsToldTheFolder() {
    assertThat(ClusterCommand.shell("metric", "S1", null)).isEqualTo("./plumb sql metric S1");
    assertThat(ClusterCommand.shell("metric", "S1", Path.of("my run")))
        .isEqualTo("./plumb sql metric S1 --dir 'my run'");
  }

  @Test
  void whatCannotBeStartedIsBadUsage() {
    assertThat(run("cluster", "up", "k3")).isEqualTo(2);
    assertThat(run("cluster", "up", "k2", "--nodes", "4")).isEqualTo(2);
    assertThat(run("cluster", "up", "k2", "--profile", "moon")).isEqualTo(2);
    assertThat(run("cluster", "up", "k2", "--sql", "--dir", folder.toString())).isEqualTo(2);
    for (String[] wrong :
        new String[][] {
          {"--sql-url", "S1=jdbc:postgresql://localhost/site"},
          {"--sql", "--sql-url", "S9=jdbc:postgresql://localhost/site"},
          {"--sql", "--sql-url", "S1=localhost"},
          {"--sql", "--sql-url", "S1=jdbc:mysql://localhost/site?user=u&password=secret"},
          {"--sql", "--sql-url", "S1=jdbc:mariadb//localhost/site"}
        }) {
      List<String> command =
          new ArrayList<>(List.of("cluster", "up", "metric", "--dir", folder.toString()));
      command.addAll(List.of(wrong));
      assertThat(run(command.toArray(String[]::new))).isEqualTo(2);
    }
    assertThat(run("cluster", "up", "k2", "--store", "cupboard", "--dir", folder.toString()))
        .isEqualTo(2);
    assertThat(said.toString())
        .contains("--sql: k2 serves no SQL", "--sql-url: say --sql as well")
        .contains(
            "no region S9; there are S1, S2, S3",
            "localhost is no URL of a database that is taken here")
        .contains(
            "jdbc:mysql://localhost/site?... is no URL of a database that is taken here; such")
        .contains("jdbc:mariadb//localhost/site is no URL", "jdbc:postgresql: or jdbc:mariadb:")
        .doesNotContain("secret")
        .contains("--store takes rocksdb, cassandra or cassandra=HOST:PORT", "not cupboard")
        .contains("no protocol \"k3\"", "--nodes 4: the deployment of k2 has 5 regions")
        .contains("no RTT profile \"moon\"; there are k2, lan");
  }

  @Test
  void aDatabaseThatNodesReachThemselvesHasToBeNamed() {
    assertThat(metricUp("--set", "cassandra=1")).isEqualTo(2);
    assertThat(said.toString())
        .contains("nodes reach a Cassandra by themselves: add --store cassandra");
  }

  @Test
  void aDeploymentThatMakesNoSenseIsNamedByFileAndLine() throws Exception {
    Path file = folder.resolve("circle.txt");
    Files.writeString(
        file,
        """
        cloudlet c1 at s
        cloudlet c2 at s
        cloudlet c3 at s
        link c1 c2
        link c2 c3
        link c3 c1
        partition A c1
        """);
    for (String protocol : new String[] {"engage", "k2"}) {
      assertThat(run("cluster", "up", protocol, "--deployment", file.toString())).isEqualTo(2);
    }
    assertThat(run("cluster", "up", "engage", "--deployment", folder.resolve("no").toString()))
        .isEqualTo(2);
    assertThat(said.toString())
        .contains(file + ": line 6: the link between c3 and c1 closes a circle: c3 - c2 - c1 - c3")
        .contains("k2 takes no deployment from a file", "no: cannot be read");
  }

  @Test
  void withoutAClusterThereIsNoStatus() {
    for (String action : new String[] {"status", "down"}) {
      assertThat(run("cluster", action, "k2", "--dir", folder.toString())).isEqualTo(2);
    }
    assertThat(said.toString()).contains("no cluster is up in " + folder);
  }

  @Test
  void aParameterThatThereIsNotIsBadUsage() {
    for (String action : new String[] {"up", "status"}) {
      assertThat(
              run(
                  "cluster",
                  action,
                  "metric",
                  "--loopback",
                  "--set",
                  "leaseMicro=1",
                  "--dir",
                  folder.toString()))
          .isEqualTo(2);
    }
    assertThat(said.toString())
        .contains("metric has no parameter \"leaseMicro\", did you mean leaseMicros?");
    assertThat(folder).isEmptyDirectory();
  }

  /** A machine refuses it: no process is started to find that out. */
  @Test
  void aParameterThatMeansNothingIsBadUsage() {
    for (String wrong : new String[] {"largestValue=0", "tree=0", "flushMicros=-1"}) {
      assertThat(run("cluster", "up", "engage", "--loopback", "--set", wrong, "--dir", "" + folder))
          .as(wrong)
          .isEqualTo(2);
    }
    assertThat(said.toString())
        .contains("plumb: largestValue is 0; it is from 1 to 2147483647")
        .contains("plumb: a flush waits 0 µs at least; resending, values, versions and trees");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aNetworkIsLookedAtOnLoopbackToo() {
    for (String network : new String[] {"999.1.1.1/24", "192.0.2.0/31"}) {
      assertThat(metricUp("--network", network)).isEqualTo(2);
    }
    assertThat(said.toString())
        .contains("no IPv4 network: 999.1.1.1/24; such as 192.0.2.0/24")
        .contains("--network 192.0.2.0/31 is too small for 3 regions");
    assertThat(metricUp("--network", "192.0.2.0/24")).isEqualTo(2);
    assertThat(said.toString()).contains("--loopback has no namespaces");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aDeploymentThatIsNoTextIsSaidToBeNone() throws IOException {
    Path file = folder.resolve("binary");
    Files.write(file, new byte[] {'#', '\n', 'c', (byte) 0xff, '\n'});
    Path at = folder.resolve("at");
    for (String action : List.of("up", "status")) {
      assertThat(
              run(
                  "cluster",
                  action,
                  "engage",
                  "--loopback",
                  "--deployment",
                  file.toString(),
                  "--dir",
                  at.toString()))
          .isEqualTo(2);
      assertThat(said.toString()).contains(file + ": line 2 is no UTF-8 text; name a text file");
    }
  }

  @Test
  void aFileIsNoFolder() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "mine");
    for (Path at : List.of(file, file.resolve("below"))) {
      assertThat(run("cluster", "up", "metric", "--loopback", "--dir", at.toString())).isEqualTo(2);
      assertThat(said.toString())
          .contains("plumb: " + at + ": there is a file where a folder is needed");
    }
    assertThat(file).hasContent("mine");
  }

  /** The cluster of {@code folder}, with one process, which is not a node. */
  private void isUp(String protocol, Process process) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
    String started = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[19];
    Files.writeString(
        folder.resolve("cluster.json"),
        """
        {"protocol": "%s", "finished": true, "delays": "", "mounts": [], "nodes": {},
         "owner": {"pid": 1, "started": 1},
         "processes": {"p": {"pid": %d, "started": %s}}}
        """
            .formatted(protocol, process.pid(), started));
  }

  @Test
  void aClusterOfAnotherProtocolIsLeftAlone() throws Exception {
    Process process = new ProcessBuilder("sleep", "60").start();
    try {
      isUp("k2", process);
      for (String action : new String[] {"down", "status"}) {
        assertThat(run("cluster", action, "dast", "--dir", folder.toString())).isEqualTo(2);
      }
      assertThat(said.toString())
          .contains(
              "a cluster of k2, not of dast, is up in " + folder + "; name k2, or another --dir");
      assertThat(process.isAlive()).isTrue();
      assertThat(folder.resolve("cluster.json")).exists();
      assertThat(run("cluster", "down", "k2", "--dir", folder.toString())).isZero();
      assertThat(said.toString()).contains("1 processes ended");
      assertThat(process.waitFor()).isNotZero();
    } finally {
      process.destroyForcibly();
    }
  }

  /** Where commands write down what runs, by a folder's hash. */
  private static Path registered(Path folder) throws Exception {
    Path run = Path.of("/run");
    byte[] hash =
        MessageDigest.getInstance("SHA-256")
            .digest(folder.toString().getBytes(StandardCharsets.UTF_8));
    return (Files.isWritable(run) ? run.resolve("plumbline") : Path.of(".plumb/clusters"))
        .resolve(HexFormat.of().formatHex(hash, 0, 16) + ".json");
  }

  @Test
  void aClusterWhoseFolderIsGoneIsFoundAndEnded() throws Exception {
    Process process = new ProcessBuilder("sleep", "60").start();
    Path at = folder.resolve("at");
    Path entry = registered(at);
    try {
      isUp("metric", process);
      String state = Files.readString(folder.resolve("cluster.json"));
      Files.delete(folder.resolve("cluster.json"));
      Files.createDirectories(entry.getParent());
      Files.writeString(entry, "{\"folder\": \"%s\", \"state\": %s}".formatted(at, state));
      assertThat(run("cluster", "status", "metric", "--dir", at.toString())).isEqualTo(1);
      assertThat(said.toString()).contains("1 processes run, and " + at + " is gone");
      assertThat(run("cluster", "up", "metric", "--loopback", "--dir", at.toString())).isEqualTo(2);
      assertThat(said.toString()).contains("a cluster is up in " + at + "; end it with down");
      assertThat(run("cluster", "down", "metric", "--dir", at.toString())).isZero();
      assertThat(said.toString()).contains("1 processes ended; " + at + " is gone");
      assertThat(process.waitFor()).isNotZero();
      assertThat(entry).doesNotExist();
      assertThat(run("cluster", "down", "metric", "--dir", at.toString())).isEqualTo(2);
    } finally {
      process.destroyForcibly();
      Files.deleteIfExists(entry);
    }
  }

  /** It is written down by the folder's first name. */
  @Test
  void aClusterWhoseFolderWasMovedIsForgottenOnceItIsDown() throws Exception {
    Process process = new ProcessBuilder("sleep", "60").start();
    Path before = folder.resolve("before");
    Path entry = registered(before);
    try {
      isUp("metric", process);
      String state = Files.readString(folder.resolve("cluster.json"));
      Files.createDirectories(entry.getParent());
      Files.writeString(entry, "{\"folder\": \"%s\", \"state\": %s}".formatted(before, state));
      assertThat(run("cluster", "down", "metric", "--dir", folder.toString())).isZero();
      assertThat(entry).doesNotExist();
    } finally {
      process.destroyForcibly();
      Files.deleteIfExists(entry);
    }
  }

  @Test
  void aStateThatIsNoneIsNamedWithARemedy() throws Exception {
    Path state = Files.writeString(folder.resolve("cluster.json"), "{\"protocol\": \"met");
    for (String action : new String[] {"up", "status", "down"}) {
      assertThat(run("cluster", action, "metric", "--loopback", "--dir", folder.toString()))
          .isEqualTo(2);
    }
    assertThat(said.toString())
        .contains("plumb: " + state + ": does not say what runs", "remedy: ")
        .doesNotContain("REDACTED", "Exception");
    assertThat(state).exists();
  }

  @Test
  void aBadConfigurationNamesFileLineAndRemedy() throws Exception {
    Path file = folder.resolve("node.yaml");
    Files.writeString(file, "protocol: k2\nnoed: dn-SH\n");
    assertThat(run("serve", "--config", file.toString())).isEqualTo(2);
    assertThat(said.toString()).contains(file + ":2: key \"noed\"", "remedy: ");
  }
}
