package dev.plumbline.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.node.ConfigException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * The clusters that there are on this machine, a file each, written before anything is made and
 * deleted after all is taken away: so that what a dead run left can be found, even when its folder
 * is gone.
 */
public final class Registry {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path OF_ROOT = Path.of("/run/plumbline");
  private static final int NAME_BYTES = 16;

  /** A file's lock is the whole process's. */
  private static final ReentrantLock ONE_HERE = new ReentrantLock();

  /** A cluster and its folder. */
  public record Entry(String folder, ClusterState state) {
    public Entry {
      Objects.requireNonNull(folder, "folder");
      Objects.requireNonNull(state, "state");
    }
  }

  private final Path folder;

  /**
   * @param folder where the files are
   */
  public Registry(Path folder) {
    this.folder = folder;
  }

  /**
   * The machine's where this process may write it, as root may; else one beside {@code cache}.
   *
   * @param cache what makes nodes start quickly
   */
  public static Registry here(Path cache) {
    return new Registry(
        Files.isWritable(OF_ROOT.getParent()) ? OF_ROOT : cache.resolveSibling("clusters"));
  }

  /**
   * Everything that is written down.
   *
   * @throws ConfigException if a file does not say what runs
   */
  public List<Entry> all() throws IOException {
    return List.copyOf(files().values());
  }

  private Map<Path, Entry> files() throws IOException {
    Map<Path, Entry> all = new TreeMap<>();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".json")).toList()) {
          read(file, Entry.class).ifPresent(entry -> all.put(file, entry));
        }
      }
    }
    return all;
  }

  void save(Path cluster, ClusterState state) throws IOException {
    Files.createDirectories(folder);
    write(file(cluster), new Entry(cluster.toString(), state));
  }

  void forget(Path cluster) throws IOException {
    Files.deleteIfExists(file(cluster));
  }

  /** A folder's cluster, also one that was started in another folder, which was moved since. */
  void forget(Path cluster, ClusterState state) throws IOException {
    if (!Files.deleteIfExists(file(cluster))) {
      for (Map.Entry<Path, Entry> written : files().entrySet()) {
        if (written.getValue().state().equals(state)) {
          Files.deleteIfExists(written.getKey());
        }
      }
    }
  }

  /**
   * What runs of the cluster that was started in a folder, which may have been moved or deleted
   * since.
   *
   * @throws ConfigException if the file does not say
   */
  public Optional<ClusterState> running(Path cluster) throws IOException {
    return read(file(cluster), Entry.class)
        .map(Entry::state)
        .filter(s -> s.processes().values().stream().anyMatch(ClusterState.Proc::alive));
  }

  private Path file(Path cluster) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(cluster.toString().getBytes(StandardCharsets.UTF_8));
      return folder.resolve(HexFormat.of().formatHex(hash, 0, NAME_BYTES) + ".json");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The networks of all clusters that are written down. */
  List<Networks> networks() throws IOException {
    return all().stream().map(e -> e.state().networks()).filter(Objects::nonNull).toList();
  }

  /** What a starter waits for, who then takes names and addresses and writes them down. */
  interface Turn extends AutoCloseable {
    @Override
    void close() throws IOException;
  }

  /**
   * Waits until no other starter, of this process or another, looks for what is free. Ends when it
   * is closed, or with this process.
   */
  Turn turn() throws IOException {
    ONE_HERE.lock();
    try {
      Files.createDirectories(folder);
      FileChannel file =
          FileChannel.open(
              folder.resolve("turn"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        file.lock();
      } catch (IOException | RuntimeException e) {
        file.close();
        throw e;
      }
      return () -> {
        try {
          file.close();
        } finally {
          ONE_HERE.unlock();
        }
      };
    } catch (IOException | RuntimeException e) {
      ONE_HERE.unlock();
      throw e;
    }
  }

  /**
   * What {@link #write} wrote; empty if it is not there, as when its cluster goes at this moment.
   *
   * @throws ConfigException if the file holds something else
   */
  static <T> Optional<T> read(Path file, Class<T> what) throws IOException {
    try {
      T value = JSON.readValue(Files.readAllBytes(file), what);
      if (value == null) {
        throw broken(file);
      }
      return Optional.of(value);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (JsonProcessingException e) {
      throw broken(file);
    }
  }

  private static ConfigException broken(Path file) {
    return new ConfigException(
        file.toString(),
        0,
        "does not say what runs, as plumb wrote it",
        "end what still runs of this cluster, and delete the file");
  }

  /** Whole or not at all. */
  static void write(Path file, Object value) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".new");
    JSON.writerWithDefaultPrettyPrinter().writeValue(unfinished.toFile(), value);
    Files.move(
        unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Whether a cluster of a folder is being started, or runs. */
  boolean lives(Path cluster) throws IOException {
    return read(file(cluster), Entry.class)
        .map(Entry::state)
        .filter(
            state ->
                state.finished()
                    ? state.processes().values().stream().anyMatch(ClusterState.Proc::alive)
                    : state.owner().alive())
        .isPresent();
  }

  /**
   * Ends and takes away what dead runs left, and nothing else: clusters whose starter ended before
   * it was done, or, where {@code finished} says so, all of whose processes have ended. Returns
   * what each was, in words.
   *
   * @throws IOException if something of one could not be taken away, after all others were; it
   *     stays written down
   */
  public List<String> sweep(boolean finished) throws IOException {
    List<String> swept = new ArrayList<>();
    List<IOException> failed = new ArrayList<>();
    for (Map.Entry<Path, Entry> written : files().entrySet()) {
      ClusterState state = written.getValue().state();
      boolean dead =
          state.finished()
              ? finished && state.processes().values().stream().noneMatch(ClusterState.Proc::alive)
              : !state.owner().alive();
      if (dead) {
        try {
          swept.add(swept(written.getKey(), written.getValue()));
        } catch (IOException e) {
          failed.add(e);
        }
      }
    }
    if (!failed.isEmpty()) {
      IOException first = failed.remove(0);
      failed.forEach(first::addSuppressed);
      throw first;
    }
    return swept;
  }

  private static String swept(Path written, Entry entry) throws IOException {
    ClusterState state = entry.state();
    Path cluster = Path.of(entry.folder());
    int ended = state.clear(cluster);
    Files.deleteIfExists(ClusterState.file(cluster));
    Files.deleteIfExists(written);
    return state.protocol()
        + " in "
        + cluster
        + ": "
        + ended
        + " processes, "
        + (state.networks() == null ? 0 : state.networks().regions().size())
        + " namespaces, "
        + state.mounts().size()
        + " mounts";
  }
}
