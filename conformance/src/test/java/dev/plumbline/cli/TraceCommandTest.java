package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.node.NodeConfig;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.SimulationRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folder of a cluster says which parameters its logs are judged with. */
class TraceCommandTest {
  private static final Map<String, Long> LONG_BATCHES = Map.of("ttlMicros", 10_000L);

  @TempDir Path cluster;
  private String out = "";
  private Path trace;

  @BeforeEach
  void run() throws IOException {
    trace = Files.createDirectories(cluster.resolve("trace"));
    simulate("k2", LONG_BATCHES);
    configure("k2", LONG_BATCHES);
  }

  private void simulate(String protocol, Map<String, Long> parameters) throws IOException {
    RunConfig run =
        new RunConfig(
            Protocols.named(protocol),
            5,
            20,
            Protocols.named(protocol).workloads().get(0),
            Set.<FaultKind>of(),
            Set.of(),
            new TreeSet<>(),
            new TreeMap<>(parameters),
            Optional.empty(),
            Optional.empty(),
            true);
    for (Map.Entry<String, byte[]> log : SimulationRun.of(run).traces().entrySet()) {
      Files.write(trace.resolve(log.getKey() + ".ndjson"), log.getValue());
    }
  }

  private void configure(String protocol, Map<String, Long> parameters) throws IOException {
    StringBuilder yaml = new StringBuilder("protocol: " + protocol + "\nnodes:\n");
    int port = 30_000;
    for (NodeSpec owner :
        NodeConfig.owners(NodeConfig.of(protocol, Map.of()).topology()).values()) {
      yaml.append(
          "  %s: {host: localhost, port: %d, admin: %d}\n".formatted(owner.id(), port++, port++));
    }
    yaml.append("parameters:\n");
    parameters.forEach((name, value) -> yaml.append("  " + name + ": " + value + "\n"));
    Files.createDirectories(cluster.resolve("conf"));
    Files.writeString(cluster.resolve("conf/client.yaml"), yaml);
  }

  /** In a process of its own, since the specifications are found from PLUMB_ROOT. */
  private int trace(Object... arguments) throws IOException, InterruptedException {
    return traceOf("k2", arguments);
  }

  private int traceOf(String protocol, Object... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xss8m",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "trace",
                protocol));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("PLUMB_ROOT", "..");
    Process process = builder.start();
    out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor();
  }

  @Test
  void aClustersFolderIsJudgedWithItsParameters() throws IOException, InterruptedException {
    assertThat(trace(cluster)).as(out).isZero();
    assertThat(trace(trace)).as(out).isZero();
  }

  @Test
  void whatIsAskedForGoesBeforeTheConfiguration() throws IOException, InterruptedException {
    assertThat(trace("--set", "ttlMicros=100", cluster)).isOne();
    assertThat(out).contains("TimestampBatching: REJECTED");
  }

  @Test
  void aParameterThatThereIsNotIsBadUsage() throws IOException, InterruptedException {
    assertThat(trace("--set", "ttlMicro=100", cluster)).as(out).isEqualTo(2);
    assertThat(out).contains("k2 has no parameter \"ttlMicro\", did you mean ttlMicros?");
  }

  @Test
  void logsAloneAreJudgedWithTheDefaults() throws IOException, InterruptedException {
    Files.delete(cluster.resolve("conf/client.yaml"));
    assertThat(trace(trace)).isOne();
    assertThat(trace("--set", "ttlMicros=10000", trace)).as(out).isZero();
  }

  private void edit(String text, String by) throws IOException {
    try (Stream<Path> logs = Files.list(trace)) {
      for (Path log : logs.toList()) {
        Files.writeString(log, Files.readString(log).replaceAll(text, by));
      }
    }
  }

  /** Whoever wrote a log has no say in what a terminal does. */
  @Test
  void whatLogsSaySteersNoTerminal() throws IOException, InterruptedException {
    edit("(\"t\":\"c-[A-Z0-9]+-\\d+\\.\\d+)\"", "$1\u202e\"");
    assertThat(trace("--module", "TimestampBatching", "--set", "ttlMicros=100", cluster)).isOne();
    assertThat(out).contains("REJECTED", "\\u202e").doesNotContain("\u202e");
    edit("(\"n\":9,.*\"at\":)\\d+(,.*\"action\":\")", "$10$2\\\\u001b[2J");
    assertThat(trace(cluster)).isOne();
    assertThat(out).contains("as the log of any run", "\\u001b[2J").doesNotContain("\u001b");
  }

  @Test
  void aClusterOfAnotherProtocolIsRefused() throws IOException, InterruptedException {
    configure("dast", Map.of());
    assertThat(trace(cluster)).isEqualTo(2);
    assertThat(out).contains("a cluster of dast, not of k2");
  }

  /** Without brokers none of ENGAGE's modules says anything. */
  @Test
  void aLogThatNoModuleIsAskedAboutIsNotAccepted() throws IOException, InterruptedException {
    trace = Files.createDirectories(cluster.resolve("alone"));
    simulate("engage", Map.of("mesh", 1L));
    assertThat(traceOf("engage", "--set", "mesh=1", trace)).as(out).isEqualTo(4);
    assertThat(out).contains("not checked, without brokers");
    assertThat(traceOf("engage", "--set", "mesh=1", "--json", trace)).as(out).isEqualTo(4);
    assertThat(out).contains("\"accepted\" : false");
  }
}
