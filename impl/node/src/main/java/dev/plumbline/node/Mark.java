package dev.plumbline.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * What a node answered for, beside its log, in the file {@code mark}: its epoch, how many records
 * it made durable, until when it served by its reference clock, and whose mark it is. It is written
 * after the log is synced and before anything is released, so it never says more than the log
 * holds; a log that holds less lost something.
 *
 * <p>A write goes to the kernel, where it survives the process. Only {@link #force} makes it
 * survive the machine.
 */
final class Mark implements AutoCloseable {
  private static final long MAGIC = 0x504c554d424d4b31L;
  private static final int BYTES = 5 * Long.BYTES;

  /** Bytes of its owner's name, after the others. */
  private static final int MOST_OWNER = 1024;

  private final Path path;
  private final FileChannel file;
  private final boolean fresh;
  private byte[] owner;
  private long epoch;
  private long records;
  private long clock;

  private Mark(Path path, FileChannel file, String owner, boolean fresh) {
    this.path = path;
    this.owner = owner.getBytes(StandardCharsets.UTF_8);
    this.file = file;
    this.fresh = fresh;
  }

  /**
   * A folder's mark, or an empty one in a folder that holds neither mark nor log.
   *
   * @param owner whose it is; a mark that names nobody is anybody's
   */
  static Mark open(Path folder, Path log, String owner) throws IOException {
    Path path = folder.resolve("mark");
    boolean fresh = !Files.exists(path);
    if (fresh) {
      if (Files.exists(log)) {
        throw missing(path);
      }
      create(path, owner);
    }
    Mark mark =
        new Mark(
            path,
            FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE),
            owner,
            fresh);
    try {
      mark.read();
      mark.demandOwn(owner);
      return mark;
    } catch (IOException | RuntimeException e) {
      mark.close();
      throw e;
    }
  }

  /** Whole or not at all: a process may end half-way. */
  private static void create(Path path, String owner) throws IOException {
    Path unfinished = path.resolveSibling("mark.new");
    try (FileChannel out =
        FileChannel.open(
            unfinished,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      Mark empty = new Mark(unfinished, out, owner, true);
      empty.clock = Long.MIN_VALUE;
      out.write(ByteBuffer.wrap(empty.owner), BYTES);
      empty.write();
      empty.force();
    }
    Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
  }

  private static LostLog missing(Path path) {
    return new LostLog(path, "is missing, so what the log should hold is not known");
  }

  /** Says that there has to be an earlier mark, and takes this one back. */
  LostLog missing() throws IOException {
    Files.delete(path);
    return missing(path);
  }

  /** Whether this opening made it. */
  boolean fresh() {
    return fresh;
  }

  private void read() throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES + MOST_OWNER);
    while (bytes.hasRemaining() && file.read(bytes, bytes.position()) >= 0) {
      continue;
    }
    boolean whole = bytes.position() >= BYTES && file.size() == bytes.position();
    owner = Arrays.copyOfRange(bytes.array(), BYTES, Math.max(BYTES, bytes.position()));
    if (!whole || bytes.getLong(0) != MAGIC || bytes.getLong(BYTES - Long.BYTES) != check(bytes)) {
      throw new LostLog(path, "is damaged, so what the log beside it should hold is not known");
    }
    epoch = bytes.getLong(Long.BYTES);
    records = bytes.getLong(2 * Long.BYTES);
    clock = bytes.getLong(3 * Long.BYTES);
  }

  private long check(ByteBuffer bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes.array(), 0, BYTES - Long.BYTES);
    crc.update(owner);
    return crc.getValue();
  }

  private void demandOwn(String self) throws IOException {
    String whose = new String(owner, StandardCharsets.UTF_8);
    if (!whose.isEmpty() && !whose.equals(self)) {
      throw new IOException(
          path
              + ": this is the folder of "
              + whose
              + ", not of "
              + self
              + "\n  remedy: name the folder of this node (key data)");
    }
  }

  private void write() throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.putLong(MAGIC).putLong(epoch).putLong(records).putLong(clock);
    bytes.putLong(check(bytes)).flip();
    while (bytes.hasRemaining()) {
      file.write(bytes, bytes.position());
    }
  }

  /** The highest epoch that was taken. */
  long epoch() {
    return epoch;
  }

  /** How many records the log has to hold. */
  long records() {
    return records;
  }

  /** What the reference clock showed when the node last released something. */
  long clock() {
    return clock;
  }

  /** An epoch was taken, with so many records. */
  void opened(long taken, long held) throws IOException {
    epoch = taken;
    records = held;
    write();
    force();
  }

  /** So many records are durable. */
  void durable(long held) throws IOException {
    records = held;
    write();
  }

  /** The node is about to release what it did at this reading of the reference clock. */
  void served(long now) throws IOException {
    if (now > clock) {
      clock = now;
      write();
    }
  }

  private void force() throws IOException {
    file.force(false);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
