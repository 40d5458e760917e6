package dev.plumbline.metric.figures;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Workspace;
import dev.plumbline.cluster.Cluster;
import dev.plumbline.cluster.ClusterPlan;
import dev.plumbline.cluster.ClusterState;
import dev.plumbline.cluster.Registry;
import dev.plumbline.cluster.SqlServers;
import dev.plumbline.metric.system.MetricBench;
import dev.plumbline.metric.system.MetricBench.Measured;
import dev.plumbline.metric.system.MetricBench.Point;
import dev.plumbline.metric.system.MetricBench.Store;
import dev.plumbline.metric.system.MetricBench.Takeover;
import dev.plumbline.metric.system.MetricSystem;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.protocol.ProtocolSystem;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Points measured on processes: a cluster on loopback whose links the transport's shaper makes as
 * slow as the paper's, its SQL servers, and a process that has the load and the databases beside.
 * It starts with the first point, and anew where a process is to give tables back otherwise.
 */
final class ProcessMeasuring implements MetricFigures.Measuring {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long MICROS_PER_MILLI = 1_000;
  private static final int ROWS = 10;
  private static final long END_SECONDS = 30;
  private static final ProtocolSystem METRIC = new MetricSystem();

  private long alpha;
  private Path folder;
  private Registry registry;
  private Cluster cluster;
  private Process load;
  private Writer ask;
  private BufferedReader answers;

  @Override
  public Measured of(Point point, long seed) {
    if (!point.asPublished().isEmpty() || point.reads()) {
      throw new IllegalArgumentException("processes have all repairs, and update");
    }
    ObjectNode asked = JSON.createObjectNode().put("store", point.store().name());
    asked.put("shared", point.shared()).put("clients", point.clients()).put("rows", point.rows());
    asked.put("warmMillis", MetricBench.WARM / MICROS_PER_MILLI);
    asked.put("millis", (MetricBench.END - MetricBench.WARM) / MICROS_PER_MILLI);
    JsonNode answer = answer(point.alpha(), asked);
    Map<String, List<Long>> latencies = new TreeMap<>();
    answer
        .path("latencies")
        .properties()
        .forEach(
            site -> {
              List<Long> all = new ArrayList<>();
              site.getValue().forEach(micros -> all.add(micros.asLong()));
              latencies.put(site.getKey(), all);
            });
    return new Measured(latencies, answer.path("nacks").asLong(), Map.of(), 0, 0);
  }

  @Override
  public Takeover takeover(int transactions, boolean alive, List<String> without, long seed) {
    if (!alive || !without.isEmpty()) {
      throw new IllegalArgumentException("the holder lives, with all repairs");
    }
    ObjectNode asked = JSON.createObjectNode().put("takeover", transactions).put("rows", ROWS);
    long keeping = Point.of(Store.METRIC).alpha();
    double millis = answer(keeping, asked).path("millis").asDouble();
    return new Takeover(Double.NaN, Double.NaN, millis);
  }

  private JsonNode answer(long transactions, ObjectNode asked) {
    try {
      if (load == null || alpha != transactions) {
        close();
        alpha = transactions;
        start();
      }
      ask.write(asked + "\n");
      ask.flush();
      String line = answers.readLine();
      if (line == null) {
        throw new IOException("the load ended; see " + folder.resolve("load.log"));
      }
      return JSON.readTree(line);
    } catch (IOException e) {
      close();
      throw new UncheckedIOException(e);
    }
  }

  private void start() throws IOException {
    Path root = Workspace.here().root().toAbsolutePath().normalize();
    folder = root.resolve(".plumb/bench").resolve(METRIC.name());
    Path databases = folder.resolve("databases");
    Workspace.delete(databases);
    Files.createDirectories(folder);
    Path cache = root.resolve(".plumb/node");
    registry = Registry.here(cache);
    Map<String, Long> parameters = new TreeMap<>(METRIC.processParameters());
    parameters.putAll(MetricBench.CALM);
    parameters.put("alpha", alpha);
    cluster =
        Cluster.up(
            ClusterPlan.onLoopback(
                METRIC.name(),
                parameters,
                folder.resolve("cluster"),
                cache,
                registry,
                NodeConfig.of(METRIC.name(), parameters).topology().network()));
    ProtocolSystem.SqlSide side = METRIC.sqlSide().orElseThrow();
    Map<String, String> urls =
        new SqlServers(root, side, cluster, List.of(), Map.of()).start(MetricBench.sites());
    List<String> command = new ArrayList<>(SqlServers.command(root, side, side.bench()));
    command.addAll(List.of(cluster.folder().toString(), databases.toString()));
    urls.forEach((site, url) -> command.add(site + "=" + url));
    load = new ProcessBuilder(command).redirectError(folder.resolve("load.log").toFile()).start();
    ask = load.outputWriter(StandardCharsets.UTF_8);
    answers = load.inputReader(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    try {
      if (load != null) {
        ask.close();
        if (!load.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
          load.destroy();
        }
        load = null;
      }
      if (cluster != null) {
        ClusterState.of(cluster.folder()).orElseThrow().down(cluster.folder(), registry);
        cluster = null;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
