package dev.plumbline.cluster;

import dev.plumbline.node.ConfigException;
import dev.plumbline.node.NodeMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * What {@code cluster.json} holds, from before anything is made until all is taken away.
 *
 * @param owner the process that starts the cluster
 * @param finished whether the cluster outlives its owner
 * @param networks null on loopback
 * @param mounts file systems that were mounted for it
 * @param processes those that were started, with those that run no node
 * @param nodes each process's nodes
 */
public record ClusterState(
    String protocol,
    Proc owner,
    boolean finished,
    String delays,
    Networks networks,
    List<String> mounts,
    Map<String, Proc> processes,
    Map<String, List<String>> nodes) {
  private static final long STOP_SECONDS = 10;
  private static final long POLL_MILLIS = 20;
  private static final Path PROCESSES = Path.of("/proc");

  public ClusterState {
    Objects.requireNonNull(protocol, "protocol");
    Objects.requireNonNull(mounts, "mounts");
    Objects.requireNonNull(processes, "processes");
    Objects.requireNonNull(nodes, "nodes");
  }

  /** A process, by its id and the kernel's clock tick at its start. */
  public record Proc(long pid, long started) {
    static Proc of(long pid) {
      return new Proc(pid, startTick(pid));
    }

    /** Whether it is this very process that runs. */
    public boolean alive() {
      return started != 0 && startTick(pid) == started;
    }
  }

  static Path file(Path folder) {
    return folder.resolve("cluster.json");
  }

  /**
   * What runs in a folder, if a cluster was started there.
   *
   * @throws ConfigException if {@code cluster.json} does not say
   */
  public static Optional<ClusterState> of(Path folder) throws IOException {
    Path file = file(folder);
    return Files.exists(file) ? Registry.read(file, ClusterState.class) : Optional.empty();
  }

  /**
   * Ends a folder's cluster: asks its processes to stop, ends those that do not, and takes its
   * networks and mounts away. Its files stay. Returns how many processes there were.
   */
  public int down(Path folder, Registry registry) throws IOException {
    List<ProcessHandle> running = running(folder);
    // Cassandra last: nodes may still be writing to it.
    for (boolean last : List.of(false, true)) {
      List<ProcessHandle> some = running.stream().filter(p -> last == cassandra(p)).toList();
      end(some, ProcessHandle::destroy);
    }
    clear(folder);
    Files.deleteIfExists(file(folder));
    registry.forget(folder, this);
    return running.size();
  }

  /**
   * Ends what is left of a cluster, at once. Returns how many processes there were.
   *
   * @throws IOException if a mount or a process is still there
   */
  int clear(Path folder) throws IOException {
    List<ProcessHandle> running = running(folder);
    end(running, ProcessHandle::destroyForcibly);
    List<Long> left = running.stream().map(ProcessHandle::pid).filter(ClusterState::runs).toList();
    if (!left.isEmpty()) {
      throw new IOException("processes of " + folder + " do not end: " + left);
    }
    if (networks != null && networks.remote()) {
      for (String region : networks.regions()) {
        Commands.run(networks.inside(region, endNodes(folder.toString())));
      }
    }
    for (String mount : mounts) {
      if (Commands.succeeds(List.of("mountpoint", "-q", mount))) {
        unmount(mount);
      }
    }
    if (networks != null) {
      networks.down();
    }
    return running.size();
  }

  /** Waits a while for files that a process which ends has not closed yet. */
  static void unmount(String mount) throws IOException {
    List<String> command = List.of("umount", mount);
    long deadline = System.nanoTime() + STOP_SECONDS * 1_000_000_000;
    while (!Commands.succeeds(command)) {
      if (System.nanoTime() > deadline) {
        Commands.must(command);
        return;
      }
      pause();
    }
  }

  /**
   * What ends, on a host, the processes that run nodes; it does not find itself.
   *
   * @param folder whose nodes; empty for any
   */
  static List<String> endNodes(String folder) {
    String main = NodeMain.class.getName();
    String script =
        "for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/cmdline 2>/dev/null | grep -qx '[%s]%s'"
            + " && grep -qaF -- \"$0/conf/\" $p/cmdline && kill -KILL ${p##*/}; done; true";
    return List.of("sh", "-c", script.formatted(main.substring(0, 1), main.substring(1)), folder);
  }

  private boolean cassandra(ProcessHandle process) {
    return processes.entrySet().stream()
        .anyMatch(
            p ->
                p.getValue().pid() == process.pid() && p.getKey().startsWith(Cluster.database("")));
  }

  /**
   * Ends processes, and waits a while for them and for what they started: the guard of a server's
   * database goes a moment after the server, and would end the database of the next one.
   */
  static void end(List<ProcessHandle> processes, Consumer<ProcessHandle> how) throws IOException {
    List<ProcessHandle> theirs = processes.stream().flatMap(ProcessHandle::descendants).toList();
    processes.forEach(how);
    gone(processes);
    gone(theirs);
  }

  /** Waits a while for processes to end. */
  private static void gone(List<ProcessHandle> processes) throws IOException {
    long deadline = System.nanoTime() + STOP_SECONDS * 1_000_000_000;
    while (processes.stream().map(ProcessHandle::pid).anyMatch(ClusterState::runs)
        && System.nanoTime() < deadline) {
      pause();
    }
  }

  /** Whether there is such a process, and not only what its parent has not asked about yet. */
  private static boolean runs(long pid) {
    return startTick(pid) != 0;
  }

  /** The processes written down, and those that are of this folder without being so. */
  private List<ProcessHandle> running(Path folder) throws IOException {
    Set<Long> pids = new TreeSet<>();
    processes.values().stream().filter(Proc::alive).forEach(p -> pids.add(p.pid()));
    Set<String> configurations = new TreeSet<>();
    for (List<String> hosted : nodes.values()) {
      hosted.forEach(node -> configurations.add(conf(folder, node).toString()));
    }
    try (Stream<Path> all = Files.list(PROCESSES)) {
      for (Path process : all.filter(p -> p.getFileName().toString().matches("\\d+")).toList()) {
        List<String> arguments = arguments(process);
        boolean node =
            arguments.contains(NodeMain.class.getName())
                && arguments.stream().anyMatch(configurations::contains);
        if (node || CassandraServers.within(arguments, folder.resolve(Cluster.CASSANDRA))) {
          pids.add(Long.parseLong(process.getFileName().toString()));
        }
      }
    }
    return pids.stream().flatMap(pid -> ProcessHandle.of(pid).stream()).toList();
  }

  private static List<String> arguments(Path process) {
    try {
      return List.of(Files.readString(process.resolve("cmdline")).split("\0", -1));
    } catch (IOException e) {
      return List.of();
    }
  }

  static Path conf(Path folder, String node) {
    return folder.resolve("conf").resolve(node + ".yaml");
  }

  /** When a process started, in the kernel's clock ticks; 0 if there is none. */
  private static long startTick(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return fields[0].equals("Z") ? 0 : Long.parseLong(fields[19]);
    } catch (IOException e) {
      return 0;
    }
  }

  static void pause() throws IOException {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
