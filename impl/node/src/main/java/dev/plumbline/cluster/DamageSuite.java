package dev.plumbline.cluster;

import dev.plumbline.client.PlumbClient;
import dev.plumbline.cluster.DiskDamage.Done;
import dev.plumbline.cluster.DiskDamage.Kind;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.RttTable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Kills processes of a cluster on loopback at random instants, damages their disks while they are
 * gone, starts them again, and compares with what independent clients know to be acknowledged:
 * either it is there, or a node refuses to serve and says why. Where one refuses, the damage is
 * undone, and then all of it has to be there.
 */
public final class DamageSuite implements AutoCloseable {
  private static final int MOUNT_MIB = 32;
  private static final int FRESH = 20;
  private static final int LONGEST_MILLIS = 400;

  /** Rounds of a cluster, whose logs are never cut short and have small disks. */
  private static final int MOST_ROUNDS = 40;

  /** One round in so many kills more than the protocol tolerates. */
  private static final int BEYOND = 8;

  private static final int REFUSED = 3;

  /** Exit codes of what SIGKILL and SIGTERM end; no process of a node sends itself one. */
  private static final Set<Integer> FROM_OUTSIDE = Set.of(137, 143);

  private static final double PATIENCE = 30;

  /** In which a node is to write to a full disk. */
  private static final double SHORT_PATIENCE = 2;

  /**
   * What to run.
   *
   * @param folder for everything that the clusters write
   * @param cache for what makes nodes start quickly
   * @param mounting whether every node gets a file system of its own; needs root
   * @param only kinds of damage, in words; all that can be done if empty
   * @param bug a seeded bug, or null
   * @param bugs jar or folder that holds it, or null
   * @param store where nodes keep their logs; null for their folders
   * @param sql the repository, whose SQL servers clients use, and which are killed too; or null
   */
  public record Options(
      String protocol,
      int rounds,
      long seed,
      Path folder,
      Path cache,
      Registry registry,
      boolean mounting,
      Set<String> only,
      String bug,
      String bugs,
      StorePlan store,
      Path sql) {}

  /** How a round ended. */
  public enum Outcome {
    /** Everything acknowledged is there. */
    THERE,
    /** A node refused to serve and said why; once the damage was undone, everything was there. */
    REFUSED,
    /** More was killed than the protocol tolerates, it said so, and nobody answers. */
    BLOCKED,
    /** Something acknowledged is not there, and somebody answered as if it had never been. */
    LOST,
    /** Nobody answers, or a process ended, and nobody said why. */
    SILENT;

    /** The name in reports. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Whether a round may end so. */
    public boolean holds() {
      return this != LOST && this != SILENT;
    }
  }

  /**
   * One round.
   *
   * @param killed processes
   * @param kind of damage, in a word or two
   * @param damage in words
   * @param atStake how many writes had been acknowledged
   * @param lost how many of them are not there
   * @param why what the refusing nodes said, or what is wrong
   */
  public record Round(
      int number,
      List<String> killed,
      String kind,
      String damage,
      long atStake,
      long lost,
      Outcome outcome,
      List<String> why) {}

  private final Options options;
  private final ProtocolSystem system;
  private final Random random;
  private final Map<String, Process> running = new TreeMap<>();
  private final List<Kind> kinds;
  private Cluster cluster;
  private Sites sites;
  private PlumbClient client;
  private Acknowledged acknowledged;
  private int clusters;

  public DamageSuite(Options options) {
    this.options = options;
    system = Protocols.named(options.protocol());
    random = new Random(options.seed());
    kinds = new ArrayList<>(List.of(Kind.values()));
    if (!options.mounting()) {
      kinds.remove(Kind.FULL);
      if (root()) {
        kinds.remove(Kind.READ_ONLY);
      }
    }
    if (options.sql() != null) {
      kinds.retainAll(List.of(Kind.NONE, Kind.SERVER, Kind.DATABASE));
    } else {
      kinds.removeAll(List.of(Kind.SERVER, Kind.DATABASE));
    }
    if (options.store() != null) {
      kinds.retainAll(List.of(Kind.NONE, Kind.CASSANDRA, Kind.CLOCK_BACK));
    }
    if (options.store() == null || !options.store().own()) {
      kinds.remove(Kind.CASSANDRA);
    }
    if (!options.only().isEmpty()) {
      kinds.removeIf(kind -> !options.only().contains(kind.word()));
    }
    if (kinds.isEmpty()) {
      throw new IllegalArgumentException("no damage of " + options.only() + " can be done here");
    }
  }

  /** All kinds of damage, in words. */
  public static List<String> damages() {
    return List.of(Kind.values()).stream().map(Kind::word).toList();
  }

  private static boolean root() {
    return "root".equals(System.getProperty("user.name"));
  }

  /** Kinds of damage that cannot be done here. */
  public List<String> notDone() {
    return List.of(Kind.values()).stream()
        .filter(kind -> !kinds.contains(kind))
        .map(Kind::word)
        .toList();
  }

  /**
   * Runs all rounds.
   *
   * @param each is told each round as it ends
   * @throws IOException if no cluster can be had, or nothing commits
   */
  public List<Round> run(Consumer<Round> each) throws IOException, InterruptedException {
    List<Round> rounds = new ArrayList<>();
    int used = 0;
    for (int i = 1; i <= options.rounds(); i++) {
      if (used == MOST_ROUNDS) {
        close();
      }
      if (cluster == null) {
        start();
        used = 0;
      }
      used++;
      Round round = round(i);
      rounds.add(round);
      each.accept(round);
      if (round.outcome() != Outcome.THERE && round.outcome() != Outcome.REFUSED) {
        close();
      }
    }
    return rounds;
  }

  private void start() throws IOException {
    clusters++;
    Map<String, Long> parameters = new TreeMap<>(system.processParameters());
    parameters.putAll(system.clusterParameters());
    if (options.sql() != null) {
      parameters.putAll(system.sqlSide().orElseThrow().parameters());
    }
    RttTable published = NodeConfig.of(options.protocol(), parameters).topology().network();
    cluster =
        Cluster.prepare(
            new ClusterPlan(
                options.protocol(),
                parameters,
                null,
                options.folder().resolve("cluster-" + clusters),
                options.cache(),
                options.registry(),
                null,
                null,
                RttProfiles.named("lan", options.protocol(), published),
                false,
                false,
                true,
                true,
                options.bug(),
                options.bugs(),
                options.store()));
    if (options.mounting()) {
      for (String node : cluster.nodes().keySet()) {
        cluster.mount(node, MOUNT_MIB);
      }
    }
    for (String process : cluster.processes().keySet()) {
      running.put(process, cluster.launch(process));
    }
    cluster.await(running);
    if (options.sql() != null) {
      sites = Sites.start(options.sql(), system.sqlSide().orElseThrow(), cluster);
      acknowledged = sites.clients(options.protocol());
    } else {
      client = new PlumbClient(cluster.config(), Cluster.CLIENT);
      acknowledged = Acknowledged.byNodes(client, options.protocol());
    }
  }

  private Round round(int number) throws IOException, InterruptedException {
    Kind kind = kinds.get(number <= kinds.size() ? number - 1 : random.nextInt(kinds.size()));
    boolean beyond = kind == Kind.NONE && number > kinds.size() && random.nextInt(BEYOND) == 0;
    List<String> killed = subset(beyond);
    List<String> beside = some(beside(kind));
    String victim = killed.get(random.nextInt(killed.size()));
    List<String> hosted = cluster.processes().get(victim);
    String node = hosted.get(random.nextInt(hosted.size()));

    acknowledged.start();
    commit();
    Thread.sleep(random.nextInt(LONGEST_MILLIS));
    Path ballast = cluster.data(node).resolve("ballast");
    boolean struck = false;
    if (kind == Kind.FULL) {
      fill(ballast);
      struck = MachineLoad.within(SHORT_PATIENCE, () -> !running.get(victim).isAlive());
    }
    for (String process : beside) {
      kill(kind, process);
    }
    for (String process : killed) {
      running.get(process).destroyForcibly();
    }
    for (String process : killed) {
      running.get(process).waitFor();
    }
    acknowledged.stop();
    Files.deleteIfExists(ballast);
    long atStake = acknowledged.count();
    Done damage =
        DiskDamage.inflict(
            kind, cluster.data(node), cluster.conf(node), options.mounting(), random);
    String what = damage.what();
    if (kind == Kind.FULL) {
      String whom = struck ? ", which ended " + victim : ", which nobody noticed";
      what = "no byte left in " + cluster.data(node) + whom;
    }

    List<String> why = new ArrayList<>();
    List<String> wrong = new ArrayList<>();
    for (String process : kind == Kind.CASSANDRA ? beside : List.<String>of()) {
      cluster.startDatabase(process);
      cluster.awaitDatabase(process);
    }
    restart(ended(), why, wrong);
    if (sites != null) {
      sites.restart(wrong);
    }
    Map<Long, List<Long>> missing = new TreeMap<>();
    Set<Long> unread = read(missing, why.isEmpty() ? PATIENCE : 1);
    why.addAll(restarts(killed, unread));
    Outcome outcome = Outcome.THERE;
    if (!missing.isEmpty()) {
      outcome = Outcome.LOST;
    } else if (!wrong.isEmpty() || (!unread.isEmpty() && why.isEmpty())) {
      outcome = Outcome.SILENT;
    } else if (beyond && !unread.isEmpty()) {
      outcome = Outcome.BLOCKED;
    } else if (!why.isEmpty()) {
      outcome = Outcome.REFUSED;
      damage.undo().run();
      restart(ended(), wrong, wrong);
      unread = read(missing, PATIENCE);
      if (!missing.isEmpty()) {
        outcome = Outcome.LOST;
      } else if (!unread.isEmpty() || !wrong.isEmpty()) {
        outcome = Outcome.SILENT;
      }
    } else {
      damage.undo().run();
    }
    why.addAll(wrong);
    missing.forEach((key, values) -> why.add("key " + key + " lacks " + values));
    if (outcome == Outcome.SILENT) {
      why.add("keys that nobody answers for: " + unread);
    }
    long lost = missing.values().stream().mapToLong(List::size).sum();
    List<String> all = Stream.of(killed, beside).flatMap(List::stream).toList();
    return new Round(number, all, kind.word(), what, atStake, lost, outcome, why);
  }

  /** What damage of a kind may end besides nodes. */
  private List<String> beside(Kind kind) {
    return switch (kind) {
      case CASSANDRA -> List.copyOf(cluster.databases());
      case SERVER -> sites.regions().stream().map(SqlServers::process).toList();
      case DATABASE -> sites.regions().stream().map(SqlServers::database).toList();
      default -> List.of();
    };
  }

  private List<String> some(List<String> all) {
    List<String> shuffled = new ArrayList<>(all);
    Collections.shuffle(shuffled, random);
    return all.isEmpty() ? all : shuffled.subList(0, 1 + random.nextInt(all.size()));
  }

  private void kill(Kind kind, String process) throws IOException, InterruptedException {
    if (kind == Kind.CASSANDRA) {
      cluster.killDatabase(process);
    } else {
      sites.kill(process);
    }
  }

  /** Processes to kill: any, or as many of a random choice as the protocol tolerates. */
  private List<String> subset(boolean beyond) {
    List<String> some = some(List.copyOf(cluster.processes().keySet()));
    if (beyond) {
      return List.copyOf(some);
    }
    List<String> tolerated = new ArrayList<>();
    Set<NodeSpec> down = new HashSet<>();
    for (String process : some) {
      List<NodeSpec> hosted =
          cluster.processes().get(process).stream().map(cluster.nodes()::get).toList();
      if (system.mayCrashTogether(hosted, down, cluster.config().settings())) {
        tolerated.add(process);
        down.addAll(hosted);
      }
    }
    return tolerated;
  }

  private void commit() throws IOException, InterruptedException {
    long before = acknowledged.count();
    if (!MachineLoad.within(2 * PATIENCE, () -> acknowledged.count() >= before + FRESH)) {
      acknowledged.stop();
      throw new IOException(
          String.format(
              Locale.ROOT,
              "only %d writes were acknowledged in %.0f s of a processor; see %s",
              acknowledged.count() - before,
              2 * PATIENCE,
              options.folder()));
    }
  }

  private static void fill(Path ballast) throws IOException {
    byte[] bytes = new byte[1 << 16];
    try (OutputStream out = Files.newOutputStream(ballast)) {
      for (int size = bytes.length; size > 0; ) {
        try {
          out.write(bytes, 0, size);
        } catch (IOException full) {
          size /= 2;
        }
      }
    } catch (IOException full) {
      return;
    }
  }

  private List<String> ended() {
    return running.entrySet().stream()
        .filter(process -> !process.getValue().isAlive())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Starts processes; adds what those said that refuse, and those that say nothing. */
  private void restart(Collection<String> names, List<String> why, List<String> wrong)
      throws IOException, InterruptedException {
    Map<String, Long> before = new TreeMap<>();
    for (String name : names) {
      Path output = cluster.output(name);
      before.put(name, Files.exists(output) ? Files.size(output) : 0);
      running.put(name, cluster.launch(name));
    }
    for (String name : names) {
      Process process = running.get(name);
      MachineLoad.Condition done =
          () ->
              !process.isAlive()
                  || cluster.processes().get(name).stream().allMatch(cluster::serves);
      if (!MachineLoad.within(2 * PATIENCE, done)) {
        // Has the JVM write down where its threads are.
        Commands.run(List.of("kill", "-QUIT", String.valueOf(process.pid())));
        wrong.add(name + " neither serves nor ends; its threads are in " + cluster.output(name));
      } else if (!process.isAlive()) {
        Optional<String> said = said(name, before.get(name));
        if (process.exitValue() == REFUSED && said.isPresent()) {
          why.add(name + ": " + said.get());
        } else {
          wrong.add(unexplained(name, process.exitValue()));
        }
      }
    }
  }

  /**
   * What is wrong with a process that ended and did not say why.
   *
   * @throws IOException where somebody else ended it, so that the round says nothing of the node
   */
  static String unexplained(String process, int code) throws IOException {
    if (FROM_OUTSIDE.contains(code)) {
      throw new IOException(
          process + " was ended from outside (for want of memory, or by hand), code " + code);
    }
    return process + " ended with " + code + " and no reason";
  }

  private Optional<String> said(String process, long from) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(cluster.output(process).toFile(), "r")) {
      byte[] bytes = new byte[(int) (file.length() - from)];
      file.seek(from);
      file.readFully(bytes);
      return new String(bytes, StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith("plumb: "))
          .findFirst();
    }
  }

  /** What nodes say of themselves that cannot come back, where somebody does not answer. */
  private List<String> restarts(List<String> killed, Set<Long> unread) {
    Set<String> said = new TreeSet<>();
    if (!unread.isEmpty()) {
      for (String process : killed) {
        for (String node : cluster.processes().get(process)) {
          said.add(system.restart(cluster.nodes().get(node), cluster.config().settings()).text());
        }
      }
      said.remove("");
    }
    return List.copyOf(said);
  }

  /** Reads every key; adds what is missing, and returns the keys that nobody answers for. */
  private Set<Long> read(Map<Long, List<Long>> missing, double patience)
      throws IOException, InterruptedException {
    Set<Long> unread = new TreeSet<>(acknowledged.keys());
    MachineLoad.within(
        patience,
        () -> {
          acknowledged.read(unread, missing);
          if (!unread.isEmpty() && options.store() != null) {
            // Who waited for Cassandra may have ended since.
            for (String process : ended()) {
              running.put(process, cluster.launch(process));
            }
          }
          return unread.isEmpty();
        });
    return unread;
  }

  /** Ends the cluster. */
  @Override
  public void close() throws IOException {
    if (client != null) {
      client.close();
      client = null;
    }
    if (cluster != null) {
      cluster.release();
      cluster = null;
      sites = null;
    }
    running.clear();
  }
}
