package dev.plumbline.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.node.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The clusters that there are on this machine, a file each, written before anything is made and
 * deleted after all is taken away: so that what a dead run left can be found, even when its folder
 * is gone.
 */
public final class Registry {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path OF_ROOT = Path.of("/run/plumbline");

  /** A cluster and its folder. */
  public record Entry(String folder, Cluster.State state) {
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
    List<Entry> all = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".json")).sorted().toList()) {
          read(file, Entry.class).ifPresent(all::add);
        }
      }
    }
    return all;
  }

  void save(Path cluster, Cluster.State state) throws IOException {
    Files.createDirectories(folder);
    write(file(cluster), new Entry(cluster.toString(), state));
  }

  void forget(Path cluster) throws IOException {
    Files.deleteIfExists(file(cluster));
  }

  private Path file(Path cluster) {
    return folder.resolve(HexFormat.of().toHexDigits(cluster.toString().hashCode()) + ".json");
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

  /**
   * Ends and takes away what dead runs left, and nothing else: clusters whose starter ended before
   * it was done, or, where {@code finished} says so, all of whose processes have ended. Returns
   * what each was, in words.
   */
  public List<String> sweep(boolean finished) throws IOException {
    List<String> swept = new ArrayList<>();
    for (Entry entry : all()) {
      Cluster.State state = entry.state();
      boolean dead =
          state.finished()
              ? finished && state.processes().values().stream().noneMatch(Cluster.Proc::alive)
              : !state.owner().alive();
      if (dead) {
        Path cluster = Path.of(entry.folder());
        int ended = Cluster.clear(cluster, state);
        Files.deleteIfExists(Cluster.stateFile(cluster));
        forget(cluster);
        swept.add(
            state.protocol()
                + " in "
                + cluster
                + ": "
                + ended
                + " processes, "
                + (state.networks() == null ? 0 : state.networks().regions().size())
                + " namespaces, "
                + state.mounts().size()
                + " mounts");
      }
    }
    return swept;
  }
}
