package dev.plumbline.cli;

import dev.plumbline.sim.ProtocolSystem;
import dev.plumbline.sim.Protocols;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The servers of a cluster that speak SQL, one a region. They end by themselves when the cluster is
 * down.
 */
final class SqlServers {
  private static final long PATIENCE_SECONDS = 120;
  private static final long POLL_MILLIS = 50;

  private final ProtocolSystem.SqlSide side;

  private SqlServers(ProtocolSystem.SqlSide side) {
    this.side = side;
  }

  /** Those of a protocol, which has to have them. */
  static SqlServers of(String protocol) {
    return new SqlServers(
        Protocols.named(protocol)
            .sqlSide()
            .orElseThrow(
                () -> new IllegalArgumentException("--sql: " + protocol + " serves no SQL")));
  }

  /** Starts them; returns each region's JDBC URL. */
  Map<String, String> start(Path folder, List<String> regions) throws IOException {
    Map<String, Process> started = new LinkedHashMap<>();
    for (String region : regions) {
      Files.deleteIfExists(url(folder, region));
      started.put(region, start(folder, region));
    }
    Map<String, String> urls = new LinkedHashMap<>();
    long deadline = System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000;
    for (Map.Entry<String, Process> server : started.entrySet()) {
      Path url = url(folder, server.getKey());
      while (Files.notExists(url)) {
        if (!server.getValue().isAlive() || System.nanoTime() > deadline) {
          started.values().forEach(Process::destroy);
          throw new IOException(
              "the SQL server of " + server.getKey() + " does not serve; see " + out(url));
        }
        pause();
      }
      urls.put(server.getKey(), Files.readString(url).strip());
    }
    return urls;
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static Path url(Path folder, String region) {
    return folder.resolve("out").resolve("sql-" + region + ".url");
  }

  private static Path out(Path url) {
    return Path.of(url.toString().replaceAll("url$", "log"));
  }

  private Process start(Path folder, String region) throws IOException {
    Path target = Places.root().toAbsolutePath().resolve(side.module()).resolve("target");
    Path built = target.resolve("classpath.txt");
    if (Files.notExists(built)) {
      throw new IOException(side.module() + " is not built: mvn -q process-classes builds it");
    }
    String classPath = target.resolve("classes") + File.pathSeparator + Files.readString(built);
    return new ProcessBuilder(
            List.of(
                "setsid",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-cp",
                classPath.strip(),
                side.main(),
                folder.toString(),
                region,
                "0"))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(out(url(folder, region)).toFile()))
        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
        .start();
  }
}
