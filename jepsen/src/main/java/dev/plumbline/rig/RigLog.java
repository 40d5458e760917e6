package dev.plumbline.rig;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A role's durable log: a line of JSON for each opening and for each step that persists something,
 * synced before the step goes on. Beside it stands a file with the length that was synced. The page
 * cache outlives a process, so whoever ends one throws away what lies beyond that length ({@link
 * #discardUnsynced}).
 *
 * <p>A step's line holds its trace as well, so that what is durable is in the trace too, wherever
 * the process was ended.
 */
public final class RigLog implements AutoCloseable {
  private final FileChannel channel;
  private final MappedByteBuffer synced;
  private final List<Record> records = new ArrayList<>();
  private String lastTrace = "";
  private long epoch;
  private long length;

  RigLog(Path folder, String role) throws IOException {
    Files.createDirectories(folder);
    Path file = folder.resolve(role + ".log");
    boolean existed = Files.exists(file);
    channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    if (channel.tryLock() == null) {
      throw new IOException(file + " is in use by another process");
    }
    try (FileChannel marks =
        FileChannel.open(
            marker(file),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      synced = marks.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
      synced.order(ByteOrder.BIG_ENDIAN);
    }
    if (existed) {
      replay(Files.readAllBytes(file));
    }
    epoch++;
    append(Wire.bytes(java.util.Map.of("open", epoch)));
  }

  private static Path marker(Path file) {
    return Path.of(file + ".synced");
  }

  private void replay(byte[] bytes) throws IOException {
    int start = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        JsonNode line = Wire.parse(bytes, start, i - start);
        start = i + 1;
        if (line.has("open")) {
          epoch = line.get("open").asLong();
          lastTrace = "";
        } else {
          for (JsonNode record : line.get("records")) {
            records.add(Wire.read(record, Record.class));
          }
          lastTrace = line.get("trace").asText();
        }
      }
    }
    length = start;
    channel.truncate(length);
    channel.position(length);
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

  /** Makes a step's records durable, with its trace. */
  void append(List<Record> step, byte[] trace) throws IOException {
    append(
        Wire.bytes(
            java.util.Map.of(
                "records",
                step.stream().map(Wire::json).toList(),
                "trace",
                new String(trace, StandardCharsets.UTF_8))));
  }

  private void append(byte[] line) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(line.length + 1).put(line).put((byte) '\n').flip();
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
    channel.force(false);
    length += line.length + 1;
    synced.putLong(0, length);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /** Throws away what a process that is gone had written and not synced. Returns how many bytes. */
  public static long discardUnsynced(Path folder, String role) throws IOException {
    Path file = folder.resolve(role + ".log");
    if (!Files.exists(file) || !Files.exists(marker(file))) {
      return 0;
    }
    long synced = ByteBuffer.wrap(Files.readAllBytes(marker(file))).getLong();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      long beyond = Math.max(0, channel.size() - synced);
      channel.truncate(synced);
      return beyond;
    }
  }
}
