package dev.plumbline.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
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
 * A log in RocksDB. A step is one batch. RocksDB keeps its write-ahead log in memory until it is
 * flushed and synced, once a step: a process that is ended before that takes the step's records
 * with it. Two counters in the file {@code bytes} show how many were written and how many of them
 * synced.
 *
 * <p>A log is refused where RocksDB finds it damaged anywhere but in a tail that was cut off.
 */
final class RocksStore implements LogStore {
  private static final byte[] EPOCH = {'e'};
  private static final byte[] LAST_TRACE = {'t'};
  private static final byte RECORD = 'r';
  private static final int BUFFER = 1 << 20;

  static {
    RocksDB.loadLibrary();
  }

  private final Path folder;
  private final Path log;
  private final Options options =
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
  private final WriteOptions unsynced = new WriteOptions();
  private RocksDB db;
  private MappedByteBuffer bytes;

  /**
   * @param folder of the node's data
   */
  RocksStore(Path folder) {
    this.folder = folder;
    log = log(folder);
  }

  /** The folder of RocksDB's files. */
  static Path log(Path folder) {
    return folder.resolve("rocksdb");
  }

  /** Opening for writing drops what a cut took from view, for good: this looks first. */
  @Override
  public Found look(boolean expected, Sink sink) throws IOException {
    boolean there = Files.exists(log.resolve("CURRENT"));
    if (!there && expected) {
      throw lost("there is no file CURRENT in it", null);
    } else if (!there) {
      return new Found(0, "");
    }
    try (RocksDB found = RocksDB.openReadOnly(options, log.toString())) {
      byte[] epoch = found.get(EPOCH);
      byte[] trace = found.get(LAST_TRACE);
      try (RocksIterator all = found.newIterator()) {
        for (all.seek(key(0)); all.isValid() && all.key()[0] == RECORD; all.next()) {
          sink.record(ByteBuffer.wrap(all.key()).getLong(1), all.value());
        }
        all.status();
      }
      return new Found(
          epoch == null ? 0 : ByteBuffer.wrap(epoch).getLong(),
          trace == null ? "" : new String(trace, StandardCharsets.UTF_8));
    } catch (RocksDBException e) {
      throw fault(e);
    }
  }

  @Override
  public void take(long epoch, long records) throws IOException {
    try {
      db = RocksDB.open(options, log.toString());
    } catch (RocksDBException e) {
      throw fault(e);
    }
    bytes = counters(folder);
    try (WriteBatch batch = new WriteBatch()) {
      batch.put(EPOCH, ByteBuffer.allocate(Long.BYTES).putLong(epoch).array());
      batch.delete(LAST_TRACE);
      write(batch);
    } catch (RocksDBException e) {
      throw fault(e);
    }
    sync();
  }

  private IOException fault(RocksDBException e) {
    return e.getStatus() != null && e.getStatus().getCode() == Status.Code.Corruption
        ? lost("the log is damaged (" + e.getMessage() + ")", e)
        : new IOException("the log in " + folder + ": " + e.getMessage(), e);
  }

  @Override
  public LostLog lost(String what, Throwable cause) {
    return new LostLog(log, what, cause);
  }

  private static MappedByteBuffer counters(Path folder) throws IOException {
    try (FileChannel file =
        FileChannel.open(
            counterFile(folder),
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

  private static Path counterFile(Path folder) {
    return folder.resolve("bytes");
  }

  private static byte[] key(long number) {
    return ByteBuffer.allocate(1 + Long.BYTES).put(RECORD).putLong(number).array();
  }

  @Override
  public void write(long first, List<byte[]> records, byte[] trace) throws IOException {
    try (WriteBatch batch = new WriteBatch()) {
      long number = first;
      for (byte[] record : records) {
        batch.put(key(number++), record);
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

  @Override
  public void sync() throws IOException {
    try {
      db.flushWal(true);
    } catch (RocksDBException e) {
      throw new IOException("the log cannot be synced: " + e.getMessage(), e);
    }
    bytes.putLong(Long.BYTES, bytes.getLong(0));
  }

  /** Bytes that a process that is gone had written to its log and not yet synced. */
  static long unsyncedBytes(Path folder) throws IOException {
    Path file = counterFile(folder);
    if (!Files.exists(file)) {
      return 0;
    }
    ByteBuffer counters = ByteBuffer.wrap(Files.readAllBytes(file));
    return counters.getLong(0) - counters.getLong(Long.BYTES);
  }

  @Override
  public void close() {
    if (db != null) {
      db.close();
    }
    unsynced.close();
    options.close();
  }
}
