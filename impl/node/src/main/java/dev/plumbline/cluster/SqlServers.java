package dev.plumbline.cluster;

import dev.plumbline.protocol.ProtocolSystem;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The servers of a cluster that speak SQL, one a region. They end with the cluster. */
public final class SqlServers {
  /** Option of a server: the name of the certificate that it shows to its clients. */
  public static final String TLS = "tls";

  /** Option of a server: the process that it ends with. */
  public static final String PARENT = "parent";

  /** Environment variable of a server that is not told its database's JDBC URL otherwise. */
  public static final String URL = "PLUMB_SQL_URL";

  private static final long PATIENCE_SECONDS = 120;
  private static final long POLL_MILLIS = 50;

  private final Cluster cluster;
  private final List<String> java;
  private final List<String> options;
  private final Map<String, String> databases;
  private final Map<String, String> ports = new HashMap<>();

  /**
   * @param root the repository, whose module is to be built
   * @param options what each server is told beyond where it is
   * @param databases JDBC URLs of databases that run already, for regions whose servers have none
   *     of their own
   * @throws IOException if the module is not built
   */
  public SqlServers(
      Path root,
      ProtocolSystem.SqlSide side,
      Cluster cluster,
      List<String> options,
      Map<String, String> databases)
      throws IOException {
    this.cluster = cluster;
    this.options = List.copyOf(options);
    this.databases = Map.copyOf(databases);
    java = command(root, side, side.main());
  }

  /**
   * How a class of the module is run, without arguments.
   *
   * @param root the repository, whose module is to be built
   * @throws IOException if the module is not built
   */
  public static List<String> command(Path root, ProtocolSystem.SqlSide side, String main)
      throws IOException {
    Path target = root.toAbsolutePath().normalize().resolve(side.module()).resolve("target");
    Path built = target.resolve("classpath.txt");
    if (Files.notExists(built)) {
      throw new IOException(side.module() + " is not built: mvn -q process-classes builds it");
    }
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-Xmx512m",
        "-cp",
        target.resolve("classes") + File.pathSeparator + Files.readString(built).strip(),
        main);
  }

  /** The process that serves a region. */
  public static String process(String region) {
    return "sql-" + region;
  }

  /** What a fault calls the database of a region's server. */
  public static String database(String region) {
    return "database-" + region;
  }

  /** The process of the database that a region's server has started for itself. */
  public static long databasePid(Path cluster, String region) throws IOException {
    Path mark = data(cluster, region).resolve("postmaster.pid");
    return Long.parseLong(Files.readAllLines(mark).get(0).strip());
  }

  /** Where a region's server says under which URL it serves. */
  public static Path url(Path cluster, String region) {
    return cluster.resolve("out").resolve(process(region) + ".url");
  }

  /**
   * The URL of the plain client's driver; over TLS where the server's names a trust store.
   *
   * @param url a server's, whose properties go along
   */
  public static String client(ProtocolSystem.SqlSide side, String url) {
    String[] parts = url.replaceFirst(".*//", "").split("[?]", 2);
    StringBuilder properties = new StringBuilder();
    if (parts.length > 1) {
      for (String pair : parts[1].split("&", -1)) {
        String[] named = pair.split("=", 2);
        String value = URLDecoder.decode(named[1], StandardCharsets.UTF_8);
        properties
            .append(";")
            .append(named[0])
            .append("='")
            .append(value.replace("'", "''"))
            .append("'");
      }
    }
    String scheme = url.contains("truststore=") ? "https" : "http";
    return String.format(Locale.ROOT, side.client(), scheme, parts[0]) + properties;
  }

  /** Where a region's server keeps its database, if it has one of its own. */
  public static Path data(Path cluster, String region) {
    return cluster.resolve("data").resolve(process(region));
  }

  /** Starts those of some regions; returns each one's JDBC URL. */
  public Map<String, String> start(List<String> regions) throws IOException {
    Map<String, Process> started = new LinkedHashMap<>();
    for (String region : regions) {
      started.put(region, launch(region));
    }
    Map<String, String> urls = new LinkedHashMap<>();
    for (Map.Entry<String, Process> server : started.entrySet()) {
      urls.put(server.getKey(), await(server.getKey(), server.getValue()));
    }
    return urls;
  }

  /** Starts one, which may not serve yet; a region's always serves under the same URL. */
  public Process launch(String region) throws IOException {
    Path url = url(cluster.folder(), region);
    String port = ports.computeIfAbsent(region, r -> free());
    Files.deleteIfExists(url);
    List<String> command = new ArrayList<>(java);
    command.addAll(List.of(cluster.folder().toString(), region, port));
    command.addAll(options);
    if (databases.containsKey(region)) {
      command.add("url=" + databases.get(region));
    }
    return cluster.beside(process(region), command);
  }

  private static String free() {
    try (FreePorts free = new FreePorts()) {
      return Integer.toString(free.next());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until one serves; returns its URL. */
  public String await(String region, Process server) throws IOException {
    long deadline = System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000;
    Path url = url(cluster.folder(), region);
    while (Files.notExists(url)) {
      if (!server.isAlive() || System.nanoTime() > deadline) {
        throw new IOException(
            "the SQL server of "
                + region
                + " does not serve; see "
                + cluster.output(process(region)));
      }
      pause();
    }
    return Files.readString(url).strip();
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
