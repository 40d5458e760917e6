package dev.plumbline.node;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A role's durable log: its fencing epoch, its records, and the trace of the last step that
 * persisted something, so that what is durable can be put into the trace wherever the process was
 * ended. It lies in a {@link LogStore}.
 *
 * <p>Records are numbered without gaps, and a {@link Mark} in the node's folder says how many there
 * are to be. A log is refused where its store finds it damaged, where a number is missing, and
 * where there are fewer records than marked.
 */
public final class DurableLog implements AutoCloseable {
  private final Path folder;
  private final LogStore store;
  private final Mark mark;
  private List<Record> records = new ArrayList<>();
  private final int earlier;
  private final long epoch;
  private final String lastTrace;
  private long next;
  private long syncs;

  /** A log in RocksDB, in the node's folder; see {@link #of}. */
  DurableLog(Path folder) throws IOException {
    this(folder, new RocksStore(folder), "");
  }

  /**
   * Opens the log of a configuration's node, with an epoch higher than all before. It lies in the
   * node's folder where Cassandra is what the nodes themselves reach ({@link Outside}).
   *
   * @throws LostLog if it holds less than this node answered for, or that cannot be told
   * @throws IOException if another process has it open, it is another node's, or it cannot be read
   *     or written
   */
  static DurableLog of(NodeConfig config) throws IOException {
    Path folder = Path.of(config.data());
    boolean own = config.cassandra() == null || config.system().outside(config.settings());
    return new DurableLog(
        folder,
        own ? new RocksStore(folder) : new CassandraStore(config.cassandra(), config.node()),
        config.protocol() + "/" + config.node());
  }

  /**
   * The same in a store, which is closed with it, or if it cannot be opened.
   *
   * @param folder of the mark
   * @param owner whose log it is
   */
  DurableLog(Path folder, LogStore store, String owner) throws IOException {
    this.folder = folder;
    this.store = store;
    Mark made = null;
    boolean opened = false;
    try {
      Files.createDirectories(folder);
      made = Mark.open(folder, RocksStore.log(folder), owner);
      mark = made;
      LogStore.Found found = store.look(mark.records() > 0, this::found);
      earlier = records.size();
      if (next < mark.records()) {
        throw store.lost(
            "it holds " + next + " records, and " + mark.records() + " were acknowledged", null);
      } else if (mark.fresh() && found.epoch() > 0) {
        throw mark.missing();
      }
      epoch = Math.max(mark.epoch(), found.epoch()) + 1;
      lastTrace = found.trace();
      store.take(epoch, next);
      syncs++;
      mark.opened(epoch, next);
      opened = true;
    } catch (FileSystemException e) {
      throw new IOException("the log in " + folder + " cannot be opened: " + e, e);
    } finally {
      if (!opened) {
        store.close();
        if (made != null) {
          made.close();
        }
      }
    }
  }

  private void found(long number, byte[] value) throws LostLog {
    if (number != next) {
      throw store.lost("record " + next + " is missing, the next one is " + number, null);
    }
    try {
      records.add(Wire.record(value));
    } catch (RefusedFrame e) {
      throw store.lost("record " + next + " is none of this program's", e);
    }
    next++;
  }

  /** This opening's fencing epoch. */
  long epoch() {
    return epoch;
  }

  /** How many records earlier openings left. */
  int earlier() {
    return earlier;
  }

  /** These records, until {@link #forget}. */
  List<Record> records() {
    return List.copyOf(records);
  }

  /** Whoever goes on with the records has them now: they are not to be in memory twice. */
  void forget() {
    records = List.of();
  }

  /** The trace of the last durable step before this opening; empty if there was none. */
  String lastTrace() {
    return lastTrace;
  }

  /** How often this opening synced. */
  long syncs() {
    return syncs;
  }

  /** Makes a step's records durable, with its trace. */
  void append(List<Record> step, byte[] trace) throws IOException {
    write(step, trace);
    store.sync();
    syncs++;
    mark.durable(next);
  }

  /** The first half of {@link #append}: written, and lost if the process ends here. */
  void write(List<Record> step, byte[] trace) throws IOException {
    store.write(next, step.stream().map(Wire::record).toList(), trace);
    next += step.size();
  }

  /**
   * The node is about to release what it did at this reading of its reference clock.
   *
   * @throws IOException if that cannot be written down
   */
  void served(long now) throws IOException {
    mark.served(now);
  }

  /**
   * Refuses a reference clock that was set back since the node last served.
   *
   * @throws IOException saying by how much
   */
  void demandLater(long now) throws IOException {
    if (now < mark.clock()) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s: the reference clock is %.3f s behind the time at which this node last served;"
                  + " it does not serve, since its timestamps would repeat\n"
                  + "  remedy: set the clock right, or wait until it has passed that time",
              folder.resolve("mark"),
              (mark.clock() - now) / 1e6));
    }
  }

  /** Bytes that a process that is gone had written to its log in RocksDB and not yet synced. */
  public static long unsyncedBytes(Path folder) throws IOException {
    return RocksStore.unsyncedBytes(folder);
  }

  @Override
  public void close() throws IOException {
    store.close();
    mark.close();
  }
}
