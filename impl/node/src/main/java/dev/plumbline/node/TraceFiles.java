package dev.plumbline.node;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A node's trace in files of bounded size: {@code NODE.ndjson}, then {@code NODE.2.ndjson} and so
 * on. None is deleted: a log with a gap cannot be validated. Without a folder nothing is written.
 */
final class TraceFiles implements AutoCloseable {
  private static final int BLOCK = 1 << 16;

  private final Path folder;
  private final String node;
  private final long limit;
  private final long events;
  private int segment = 1;
  private long size;
  private OutputStream out;

  /**
   * Goes on with what is there: cuts off a half-written last line and adds the last durable step if
   * the trace lacks it.
   */
  TraceFiles(Path folder, String node, long limit, String lastStep) throws IOException {
    this.folder = folder;
    this.node = node;
    this.limit = limit;
    if (folder == null) {
      out = OutputStream.nullOutputStream();
      events = 0;
      return;
    }
    try {
      Files.createDirectories(folder);
    } catch (FileSystemException e) {
      throw new IOException(
          "the folder of the trace, "
              + folder
              + ", cannot be made: "
              + e
              + "\n  remedy: name another one (key trace), or make it",
          e);
    }
    while (Files.exists(file(segment + 1))) {
      segment++;
    }
    String tail = repaired(file(segment));
    if (tail.isEmpty() && segment > 1) {
      tail = repaired(file(segment - 1));
    }
    long last;
    try {
      last = lastNumber(tail);
    } catch (NumberFormatException | StringIndexOutOfBoundsException e) {
      throw new IOException(
          file(segment)
              + ": its last line is no event of a trace\n"
              + "  remedy: put the file aside, or name another folder for the trace",
          e);
    }
    open();
    for (String line : lastStep.lines().map(line -> line + '\n').toList()) {
      if (lastNumber(line) > last) {
        last = lastNumber(line);
        write(line.getBytes(StandardCharsets.UTF_8));
      }
    }
    events = last;
  }

  private Path file(int number) {
    return folder.resolve(number == 1 ? node + ".ndjson" : node + '.' + number + ".ndjson");
  }

  /** Cuts off what follows the last line's end; returns the last line, "" if there is none. */
  private static String repaired(Path file) throws IOException {
    if (!Files.exists(file)) {
      return "";
    }
    try (RandomAccessFile f = new RandomAccessFile(file.toFile(), "rw")) {
      long end = lineEnd(f, f.length()) + 1;
      f.setLength(end);
      long start = lineEnd(f, end - 1) + 1;
      byte[] line = new byte[Math.toIntExact(end - start)];
      f.seek(start);
      f.readFully(line);
      return new String(line, StandardCharsets.UTF_8);
    }
  }

  /** Where the last line ends that ends before a place; -1 if none does. */
  private static long lineEnd(RandomAccessFile f, long before) throws IOException {
    byte[] block = new byte[BLOCK];
    for (long to = before; to > 0; to -= BLOCK) {
      int length = (int) Math.min(BLOCK, to);
      f.seek(to - length);
      f.readFully(block, 0, length);
      for (int i = length - 1; i >= 0; i--) {
        if (block[i] == '\n') {
          return to - length + i;
        }
      }
    }
    return -1;
  }

  /** The number of the last line's event, 0 if there is none. */
  private static long lastNumber(String lines) {
    if (lines.isEmpty()) {
      return 0;
    }
    int start = lines.lastIndexOf('\n', lines.length() - 2) + 1;
    int number = start + "{\"n\":".length();
    return Long.parseLong(lines.substring(number, lines.indexOf(',', number)));
  }

  private void open() throws IOException {
    out =
        Files.newOutputStream(file(segment), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    size = Files.size(file(segment));
  }

  /** How many events there were when this was opened. */
  long events() {
    return events;
  }

  /** Writes the lines of one step, all into one file. */
  void write(byte[] lines) throws IOException {
    if (size > 0 && size + lines.length > limit && folder != null) {
      out.close();
      segment++;
      open();
    }
    out.write(lines);
    size += lines.length;
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
