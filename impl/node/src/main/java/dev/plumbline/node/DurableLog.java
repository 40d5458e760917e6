package dev.plumbline.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * A role's durable log in RocksDB: its fencing epoch, its records, and the trace of the last step
 * that persisted something, so that what is durable can be put into the trace wherever the process
 * was ended.
 *
 * <p>A step is one batch. RocksDB keeps its write-ahead log in memory until it is flushed and
 * synced, once a step: a process that is ended before that takes the step's records with it. Two
 * counters in the file {@code bytes} show how many were written and how many of them synced.
 *
 * <p>Records are numbered without gaps, and a {@link Mark} beside the log says how many there are
 * to be. A log is refused where RocksDB finds it damaged anywhere but in a tail that was cut off,
 * where a number is missing, and where there are fewer records than marked.
 */
public final class DurableLog implements AutoCloseable {
  private static final byte[] EPOCH = {'e'};
  private static final byte[] LAST_TRACE = {'t'};
  private static final byte RECORD = 'r';
  private static final int BUFFER = 1 << 20;

  static {
    RocksDB.loadLibrary();
  }

  private final Path folder;
  private final Mark mark;
  private final Options options;
  private final WriteOptions unsynced = new WriteOptions();
  private final RocksDB db;
  private final MappedByteBuffer bytes;
  private final List<Record> records = new ArrayList<>();
  private final long epoch;
  private final String lastTrace;
  private long next;
  private long syncs;

  /**
   * Opens a log, with an epoch higher than all before.
   *
   * @throws LostLog if it holds less than this node answered for, or that cannot be told
   * @throws IOException if another process has it open, or it cannot be read or written
   */
  DurableLog(Path folder) throws IOException {
    this.folder = folder;
    Path log = folder.resolve("rocksdb");
    try {
      Files.createDirectories(folder);
      mark = Mark.open(folder, log);
    } catch (FileSystemException e) {
      throw new IOException("the log in " + folder + " cannot be opened: " + e, e);
    }
    options =
        new Options()
            .setCreateIfMissing(true)
            .setManualWalFlush(true)
            .setAllowFAllocate(false)
            .setWriteBufferSize(BUFFER)
            .setMaxBackgroundJobs(1)
            .setInfoLogLevel(InfoLogLevel.ERROR_LEVEL)
            .setKeepLogFileNum(1)
            .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
            .setTableFormatConfig(new BlockBasedTableConfig().setNoBlockCache(true));
    boolean opened = false;
    RocksDB made = null;
    try {
      long before = 0;
      String trace = "";
      if (Files.exists(log.resolve("CURRENT")) || mark.records() > 0) {
        // Opening for writing drops what a cut took from view, for good: look first, and leave a
        // folder that is refused as it is.
        try (RocksDB found = found(log)) {
          byte[] last = found.get(EPOCH);
          before = last == null ? 0 : ByteBuffer.wrap(last).getLong();
          last = found.get(LAST_TRACE);
          trace = last == null ? "" : new String(last, StandardCharsets.UTF_8);
          read(found, log);
        }
      }
      made = RocksDB.open(options, log.toString());
      db = made;
      bytes = counters(folder);
      epoch = Math.max(mark.epoch(), before) + 1;
      lastTrace = trace;
      try (WriteBatch batch = new WriteBatch()) {
        batch.put(EPOCH, ByteBuffer.allocate(Long.BYTES).putLong(epoch).array());
        batch.delete(LAST_TRACE);
        write(batch);
      }
      sync();
      mark.opened(epoch, next);
      opened = true;
    } catch (RocksDBException e) {
      if (e.getStatus() != null && e.getStatus().getCode() == Status.Code.Corruption) {
        throw new LostLog(log, "the log is damaged (" + e.getMessage() + ")", e);
      }
      throw new IOException("the log in " + folder + ": " + e.getMessage(), e);
    } catch (FileSystemException e) {
      throw new IOException("the log in " + folder + " cannot be opened: " + e, e);
    } finally {
      if (!opened) {
        mark.close();
        if (made != null) {
          made.close();
        }
        options.close();
      }
    }
  }

  private static MappedByteBuffer counters(Path folder) throws IOException {
    try (FileChannel file =
        FileChannel.open(
            folder.resolve("bytes"),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      // Written once, so that a disk without room is an error here and not a fault of the mapping.
      file.write(ByteBuffer.allocate(2 * Long.BYTES), 0);
      MappedByteBuffer map = file.map(FileChannel.MapMode.READ_WRITE, 0, 2 * Long.BYTES);
      map.order(ByteOrder.BIG_ENDIAN);
      return map;
    }
  }

  private RocksDB found(Path log) throws RocksDBException, LostLog {
    if (!Files.exists(log.resolve("CURRENT"))) {
      throw new LostLog(log, "there is no file CURRENT in it");
    }
    return RocksDB.openReadOnly(options, log.toString());
  }

  private void read(RocksDB found, Path log) throws RocksDBException, LostLog {
    try (RocksIterator all = found.newIterator()) {
      for (all.seek(key(0)); all.isValid() && all.key()[0] == RECORD; all.next()) {
        long number = ByteBuffer.wrap(all.key()).getLong(1);
        if (number != next) {
          throw new LostLog(log, "record " + next + " is missing, the next one is " + number);
        }
        records.add(record(log, all.value()));
        next++;
      }
      all.status();
    }
    if (next < mark.records()) {
      throw new LostLog(
          log, "it holds " + next + " records, and " + mark.records() + " were acknowledged");
    }
  }

  private Record record(Path log, byte[] value) throws LostLog {
    try {
      return Wire.record(value);
    } catch (RefusedFrame e) {
      throw new LostLog(log, "record " + next + " is none of this program's", e);
    }
  }

  private static byte[] key(long number) {
    return ByteBuffer.allocate(1 + Long.BYTES).put(RECORD).putLong(number).array();
  }

  /** This opening's fencing epoch. */
  long epoch() {
    return epoch;
  }

  /** The records of earlier openings. */
  List<Record> records() {
    return List.copyOf(records);
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
    sync();
    mark.durable(next);
  }

  /** The first half of {@link #append}: written, and lost if the process ends here. */
  void write(List<Record> step, byte[] trace) throws IOException {
    try (WriteBatch batch = new WriteBatch()) {
      for (Record record : step) {
        batch.put(key(next++), Wire.record(record));
      }
      batch.put(LAST_TRACE, trace);
      write(batch);
    } catch (RocksDBException e) {
      throw new IOException("the log cannot be written: " + e.getMessage(), e);
    }
  }

  private void write(WriteBatch batch) throws RocksDBException {
    bytes.putLong(0, bytes.getLong(0) + batch.getDataSize());
    db.write(unsynced, batch);
  }

  private void sync() throws IOException {
    try {
      db.flushWal(true);
    } catch (RocksDBException e) {
      throw new IOException("the log cannot be synced: " + e.getMessage(), e);
    }
    bytes.putLong(Long.BYTES, bytes.getLong(0));
    syncs++;
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

  /** Bytes that a process that is gone had written to its log and not yet synced. */
  public static long unsyncedBytes(Path folder) throws IOException {
    Path file = folder.resolve("bytes");
    if (!Files.exists(file)) {
      return 0;
    }
    ByteBuffer counters = ByteBuffer.wrap(Files.readAllBytes(file));
    return counters.getLong(0) - counters.getLong(Long.BYTES);
  }

  @Override
  public void close() throws IOException {
    db.close();
    unsynced.close();
    options.close();
    mark.close();
  }
}
