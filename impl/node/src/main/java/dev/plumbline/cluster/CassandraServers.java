package dev.plumbline.cluster;

import java.io.File;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Cassandra as processes of a cluster: a node for each region. Either each is by itself, and the
 * region's nodes reach it without a network; or all are one ring, of which each region is a data
 * centre. They sync their logs before they answer. Their class path is resolved by Maven when it is
 * first asked for.
 */
final class CassandraServers {
  /** Cassandra's main class. */
  static final String MAIN = "org.apache.cassandra.service.CassandraDaemon";

  /** What it says then. */
  private static final String SERVES = "Starting listening for CQL clients";

  private static final String STORAGE = "-Dcassandra.storagedir=";
  private static final String LOOPBACK = "127.0.0.1";
  private static final long RESOLVE_MINUTES = 10;
  private static final long PATIENCE_SECONDS = 180;
  private static final long POLL_MILLIS = 200;

  /** What Cassandra reaches into, of the packages that a JDK keeps to itself. */
  private static final List<String> EXPORTS =
      List.of(
          "java.base/jdk.internal.misc",
          "java.base/jdk.internal.ref",
          "java.base/sun.nio.ch",
          "java.management.rmi/com.sun.jmx.remote.internal.rmi",
          "java.rmi/sun.rmi.registry",
          "java.rmi/sun.rmi.server",
          "java.sql/java.sql");

  private static final List<String> OPENS =
      List.of(
          "java.base/java.io",
          "java.base/java.lang",
          "java.base/java.lang.module",
          "java.base/java.lang.reflect",
          "java.base/java.math",
          "java.base/java.net",
          "java.base/java.nio",
          "java.base/java.util",
          "java.base/java.util.concurrent",
          "java.base/java.util.concurrent.atomic",
          "java.base/jdk.internal.loader",
          "java.base/jdk.internal.math",
          "java.base/jdk.internal.module",
          "java.base/jdk.internal.ref",
          "java.base/jdk.internal.reflect",
          "java.base/jdk.internal.util.jar",
          "java.base/sun.nio.ch",
          "java.rmi/sun.rmi.transport.tcp",
          "jdk.management/com.sun.management.internal");

  /** The last that can have a security manager. */
  private static final int NEWEST_JAVA = 23;

  /** Tokens are numbers of 64 bits. */
  private static final int TOKEN_BITS = 64;

  private static final String ALONE = "plumbline";

  /** A data centre's name where there is one only. */
  private static final String ONLY = "datacenter1";

  private CassandraServers() {}

  /**
   * Where one listens, and with whom.
   *
   * @param ring its name: who has another stays apart
   * @param region which is its data centre
   * @param host where it listens
   * @param clients port for clients
   * @param storage port for other nodes of Cassandra
   * @param token where its part of the ring ends
   * @param seeds where all of the ring listen for each other, HOST:PORT
   */
  record Member(
      String ring,
      String region,
      String host,
      int clients,
      int storage,
      String token,
      List<String> seeds) {
    Member {
      seeds = List.copyOf(seeds);
    }

    /** One by itself, on loopback. */
    static Member alone(int clients, int storage) {
      List<String> seeds = List.of(LOOPBACK + ":" + storage);
      return new Member(ALONE, ONLY, LOOPBACK, clients, storage, "0", seeds);
    }

    /** Where it takes clients. */
    String address() {
      return host + ":" + clients;
    }
  }

  /** Where one of a ring may listen. */
  record Place(String host, int clients, int storage) {}

  /**
   * One ring of nodes, one at each place, with equal parts of it.
   *
   * @param places by region
   */
  static Map<String, Member> ring(String name, Map<String, Place> places) {
    List<String> seeds =
        places.values().stream().map(place -> place.host() + ":" + place.storage()).toList();
    BigInteger part = BigInteger.ONE.shiftLeft(TOKEN_BITS).divide(BigInteger.valueOf(seeds.size()));
    BigInteger token = BigInteger.valueOf(Long.MIN_VALUE).add(part);
    Map<String, Member> members = new LinkedHashMap<>();
    for (Map.Entry<String, Place> each : places.entrySet()) {
      Place place = each.getValue();
      members.put(
          each.getKey(),
          new Member(
              ALONE + "-" + name,
              each.getKey(),
              place.host(),
              place.clients(),
              place.storage(),
              token.min(BigInteger.valueOf(Long.MAX_VALUE)).toString(),
              seeds));
      token = token.add(part);
    }
    return members;
  }

  /**
   * Prints the command that runs one, a word a line: a container's first process is then Cassandra.
   *
   * @param arguments the repository, a folder for all that it writes, and two ports: that for
   *     clients and that for other nodes
   */
  public static void main(String... arguments) throws IOException {
    if (arguments.length != 4) {
      System.err.println("usage: CassandraServers REPOSITORY FOLDER PORT STORAGE_PORT");
      System.exit(2);
    }
    int[] ports = Stream.of(arguments).skip(2).mapToInt(Integer::parseInt).toArray();
    String classPath = classPath(Path.of(arguments[0]).toAbsolutePath().normalize());
    Path folder = Path.of(arguments[1]).toAbsolutePath();
    command(classPath, folder, Member.alone(ports[0], ports[1])).forEach(System.out::println);
  }

  /**
   * The class path of Cassandra, resolved once.
   *
   * @param root folder of the repository
   * @throws IOException if Maven cannot have it, or this Java cannot run it
   */
  static String classPath(Path root) throws IOException {
    demandJava(Runtime.version().feature());
    Path module = root.resolve("cassandra");
    Path target = Files.createDirectories(module.resolve("target"));
    Path built = target.resolve("classpath.txt");
    if (!current(built, List.of(root.resolve("pom.xml"), module.resolve("pom.xml")))) {
      Path log = target.resolve("maven.log");
      List<String> maven =
          List.of(
              "mvn",
              "-B",
              "-q",
              "-f",
              module.resolve("pom.xml").toString(),
              "dependency:build-classpath",
              "-Dmdep.includeScope=runtime",
              "-Dmdep.outputFile=" + built);
      if (!resolved(maven, log) || !current(built, List.of())) {
        throw new IOException(
            "Cassandra cannot be had by Maven; see "
                + log
                + "\n  remedy: run once where there is Maven and a network, or name a Cassandra that"
                + " runs: --store cassandra=HOST:PORT");
      }
    }
    return Files.readString(built).strip();
  }

  /** Whether what was resolved is younger than what asks for it, and still there. */
  private static boolean current(Path built, List<Path> sources) throws IOException {
    if (!Files.exists(built)) {
      return false;
    }
    for (Path source : sources) {
      if (Files.getLastModifiedTime(source).compareTo(Files.getLastModifiedTime(built)) > 0) {
        return false;
      }
    }
    return Stream.of(Files.readString(built).strip().split(File.pathSeparator, -1))
        .allMatch(jar -> Files.exists(Path.of(jar)));
  }

  private static boolean resolved(List<String> maven, Path log) throws IOException {
    Process process;
    try {
      process =
          new ProcessBuilder(maven)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .start();
    } catch (IOException e) {
      Files.writeString(log, e.getMessage());
      return false;
    }
    try {
      if (process.waitFor(RESOLVE_MINUTES, TimeUnit.MINUTES)) {
        return process.exitValue() == 0;
      }
      process.destroyForcibly();
      return false;
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /**
   * The command that runs one, which writes its configuration first.
   *
   * @param folder of everything that it writes
   */
  static List<String> command(String classPath, Path folder, Member member) throws IOException {
    Path conf = Files.createDirectories(folder.resolve("conf"));
    Path yaml = Files.writeString(conf.resolve("cassandra.yaml"), yaml(folder, member));
    Path rack =
        Files.writeString(
            conf.resolve("cassandra-rackdc.properties"), "dc=" + member.region() + "\nrack=r1\n");
    Path logback = Files.writeString(conf.resolve("logback.xml"), LOGBACK);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx384m",
            "-Xss512k",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-Djava.security.manager=allow",
            "-Djdk.attach.allowAttachSelf=true",
            "-Dio.netty.tryReflectionSetAccessible=true",
            "-Dcassandra.config=" + yaml.toUri(),
            "-Dcassandra-rackdc.properties=" + rack.toUri(),
            STORAGE + folder,
            "-Dcassandra.ring_delay_ms=100",
            "-Dcassandra.skip_wait_for_gossip_to_settle=0",
            "-Dcassandra-foreground=yes",
            "-Dlogback.configurationFile=" + logback));
    for (String jar : classPath.split(File.pathSeparator, -1)) {
      if (Path.of(jar).getFileName().toString().startsWith("jamm-")) {
        command.add("-javaagent:" + jar);
      }
    }
    EXPORTS.forEach(p -> command.addAll(List.of("--add-exports", p + "=ALL-UNNAMED")));
    OPENS.forEach(p -> command.addAll(List.of("--add-opens", p + "=ALL-UNNAMED")));
    command.addAll(List.of("-cp", classPath, MAIN));
    return command;
  }

  /**
   * Refuses a Java that Cassandra does not start on.
   *
   * @param feature its first number
   */
  static void demandJava(int feature) throws IOException {
    if (feature > NEWEST_JAVA) {
      throw new IOException(
          "Cassandra 5 installs a security manager, which Java "
              + feature
              + " has no more\n  remedy: run with Java 17, or name a Cassandra that runs: --store"
              + " cassandra=HOST:PORT");
    }
  }

  /**
   * Waits until one takes clients.
   *
   * @param output what it says
   * @param before how many bytes of that earlier ones have said
   * @throws IOException if it ends before, or does not in time
   */
  static void await(Process process, Path output, long before) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!serves(output, before)) {
      if (!process.isAlive()) {
        throw new IOException("Cassandra ended; see " + output);
      } else if (System.nanoTime() > deadline) {
        throw new IOException("Cassandra does not serve; see " + output);
      }
      try {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }
  }

  private static boolean serves(Path output, long before) throws IOException {
    byte[] said = Files.readAllBytes(output);
    int from = (int) Math.min(before, said.length);
    return new String(said, from, said.length - from, StandardCharsets.UTF_8).contains(SERVES);
  }

  /** Whether a process with these arguments is Cassandra and writes into a folder of this one. */
  static boolean within(List<String> arguments, Path folder) {
    return arguments.contains(MAIN)
        && arguments.stream().anyMatch(each -> each.startsWith(STORAGE + folder + "/"));
  }

  private static final String LOGBACK =
      """
      <configuration>
        <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
          <encoder><pattern>%d %-5level %logger{20} %msg%n</pattern></encoder>
        </appender>
        <root level="INFO"><appender-ref ref="out"/></root>
      </configuration>
      """;

  static String yaml(Path folder, Member member) {
    return """
        cluster_name: RING
        partitioner: org.apache.cassandra.dht.Murmur3Partitioner
        num_tokens: 1
        initial_token: TOKEN
        auto_bootstrap: false
        endpoint_snitch: GossipingPropertyFileSnitch
        data_file_directories: ["FOLDER/data"]
        commitlog_directory: "FOLDER/commitlog"
        saved_caches_directory: "FOLDER/saved_caches"
        hints_directory: "FOLDER/hints"
        cdc_raw_directory: "FOLDER/cdc_raw"
        commitlog_sync: batch
        disk_failure_policy: die
        commit_failure_policy: die
        auto_snapshot: false
        key_cache_size: 0MiB
        hinted_handoff_enabled: false
        paxos_variant: v2
        internode_timeout: false
        internode_tcp_user_timeout: 2s
        inter_dc_tcp_nodelay: true
        listen_address: HOST
        storage_port: STORAGE
        rpc_address: HOST
        start_native_transport: true
        native_transport_port: CLIENTS
        seed_provider:
          - class_name: org.apache.cassandra.locator.SimpleSeedProvider
            parameters:
              - seeds: "SEEDS"
        """
        .replace("RING", member.ring())
        .replace("TOKEN", member.token())
        .replace("HOST", member.host())
        .replace("STORAGE", Integer.toString(member.storage()))
        .replace("CLIENTS", Integer.toString(member.clients()))
        .replace("SEEDS", String.join(",", member.seeds()))
        // The last: it may have any of the others in its name.
        .replace("FOLDER", folder.toString());
  }
}
