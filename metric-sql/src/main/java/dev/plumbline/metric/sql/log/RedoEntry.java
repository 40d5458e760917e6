package dev.plumbline.metric.sql.log;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * What one transaction changed: in protobuf, compressed by zlib.
 *
 * <pre>
 * message RedoEntry { string request = 1; repeated Part part = 2; }
 * message Part { oneof part { Change change = 1; Counter counter = 2; Ddl ddl = 3; End end = 4; } }
 * message Change { string table = 1; optional string before = 2; optional string after = 3; }
 * message Counter { string name = 1; string state = 2; }
 * message Ddl { string context = 1; string sql = 2; }
 * message End { string contents = 1; }
 * </pre>
 *
 * <p>Each encoded entry begins with its uncompressed length as a varint.
 */
public record RedoEntry(String request, List<Part> parts) {
  /** No entry is larger than this, compressed or not. */
  public static final int LARGEST = 256 << 20;

  /** One part of an entry. */
  public sealed interface Part permits Change, Counter, Ddl, End {}

  /** A row before and after, in the dialect's text; null where there was none. */
  public record Change(String table, String before, String after) implements Part {

    /** The change that takes this one back. */
    public Change inverse() {
      return new Change(table, after, before);
    }
  }

  /** The state of a sequence or of a table's identity column. */
  public record Counter(String name, String state) implements Part {}

  /** A statement of initialization, and the context in which its names are read. */
  public record Ddl(String context, String sql) implements Part {}

  /** Initialization has ended, with these contents. */
  public record End(String contents) implements Part {}

  public RedoEntry {
    parts = List.copyOf(parts);
  }

  /**
   * Tells of an entry that its parts grow too long, before all of them are in memory. What it lets
   * pass may be too long all the same.
   */
  public static final class Growth implements AutoCloseable {
    /** The name of the request and what stands between parts change little of it. */
    private static final long MOST = MetricProcess.LONGEST + MetricProcess.LONGEST / 4;

    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    private final byte[] buffer = new byte[8192];
    private long plain;
    private long compressed;

    /** Whether there may be room for one more. */
    public boolean fits(Part part) {
      for (String text : texts(part)) {
        if (text != null) {
          plain += utf8(text);
          if (plain > MetricProcess.LONGEST && plain <= LARGEST) {
            deflater.setInput(text.getBytes(StandardCharsets.UTF_8));
            while (!deflater.needsInput()) {
              compressed += deflater.deflate(buffer);
            }
          }
        }
      }
      return plain <= LARGEST && compressed <= MOST;
    }

    @Override
    public void close() {
      deflater.end();
    }
  }

  /** Whether it is short enough for {@link #decode}, however well it is compressed. */
  public boolean fits() {
    // A part and each of its texts has a tag and a length before it.
    long length = 20L + utf8(request);
    for (Part part : parts) {
      length += 20;
      for (String text : texts(part)) {
        length += text == null ? 0 : 10L + utf8(text);
      }
    }
    return length <= LARGEST;
  }

  private static long utf8(String text) {
    return CodedOutputStream.computeStringSizeNoTag(text);
  }

  public byte[] encode() {
    try {
      ByteArrayOutputStream plain = new ByteArrayOutputStream();
      CodedOutputStream out = CodedOutputStream.newInstance(plain);
      out.writeString(1, request);
      for (Part part : parts) {
        out.writeByteArray(2, encode(part));
      }
      out.flush();
      return deflate(plain.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String[] texts(Part part) {
    if (part instanceof Change c) {
      return new String[] {c.table, c.before, c.after};
    } else if (part instanceof Counter c) {
      return new String[] {c.name, c.state};
    } else if (part instanceof Ddl d) {
      return new String[] {d.context, d.sql};
    }
    return new String[] {((End) part).contents};
  }

  private static byte[] encode(Part part) throws IOException {
    int field =
        part instanceof Change ? 1 : part instanceof Counter ? 2 : part instanceof Ddl ? 3 : 4;
    String[] strings = texts(part);
    ByteArrayOutputStream inner = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(inner);
    for (int i = 0; i < strings.length; i++) {
      if (strings[i] != null) {
        out.writeString(i + 1, strings[i]);
      }
    }
    out.flush();
    ByteArrayOutputStream outer = new ByteArrayOutputStream();
    out = CodedOutputStream.newInstance(outer);
    out.writeByteArray(field, inner.toByteArray());
    out.flush();
    return outer.toByteArray();
  }

  /** Refuses what {@link #encode} did not make. */
  public static RedoEntry decode(byte[] encoded) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(inflate(encoded));
    in.setSizeLimit(Integer.MAX_VALUE);
    String request = null;
    List<Part> parts = new ArrayList<>();
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == WireFormat.WIRETYPE_LENGTH_DELIMITED + 8) {
        request = in.readStringRequireUtf8();
      } else if (tag == WireFormat.WIRETYPE_LENGTH_DELIMITED + 16) {
        parts.add(part(in.readByteArray()));
      } else {
        throw new IOException("a redo entry has an unknown field, tag " + tag);
      }
    }
    if (request == null) {
      throw new IOException("a redo entry has no request");
    }
    return new RedoEntry(request, parts);
  }

  private static Part part(byte[] bytes) throws IOException {
    CodedInputStream outer = CodedInputStream.newInstance(bytes);
    int field = outer.readTag() >>> 3;
    CodedInputStream in = CodedInputStream.newInstance(outer.readByteArray());
    String[] strings = new String[4];
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag >>> 3 > 3) {
        throw new IOException("a part of a redo entry has an unknown field, tag " + tag);
      }
      strings[tag >>> 3] = in.readStringRequireUtf8();
    }
    if (strings[1] == null
        || outer.readTag() != 0
        || ((field == 2 || field == 3) && strings[2] == null)) {
      throw new IOException("a part of a redo entry is not whole");
    }
    return switch (field) {
      case 1 -> new Change(strings[1], strings[2], strings[3]);
      case 2 -> new Counter(strings[1], strings[2]);
      case 3 -> new Ddl(strings[1], strings[2]);
      case 4 -> new End(strings[1]);
      default -> throw new IOException("a redo entry has an unknown part, field " + field);
    };
  }

  private static byte[] deflate(byte[] plain) throws IOException {
    Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    deflater.setInput(plain);
    deflater.finish();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(plain.length / 4 + 64);
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.writeUInt32NoTag(plain.length);
    out.flush();
    byte[] buffer = new byte[8192];
    while (!deflater.finished()) {
      bytes.write(buffer, 0, deflater.deflate(buffer));
    }
    deflater.end();
    return bytes.toByteArray();
  }

  private static byte[] inflate(byte[] encoded) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(encoded);
    int length = in.readUInt32();
    if (length < 0 || length > LARGEST) {
      throw new IOException(
          "a redo entry of "
              + Integer.toUnsignedString(length)
              + " bytes; no more than "
              + LARGEST);
    }
    int start = in.getTotalBytesRead();
    Inflater inflater = new Inflater();
    inflater.setInput(encoded, start, encoded.length - start);
    byte[] plain = new byte[length];
    try {
      int n = 0;
      while (n < length) {
        int more = inflater.inflate(plain, n, length - n);
        if (more == 0) {
          throw new IOException("a redo entry is cut short");
        }
        n += more;
      }
      if (inflater.inflate(new byte[1]) != 0
          || !inflater.finished()
          || inflater.getRemaining() > 0) {
        throw new IOException("a redo entry is longer than it says");
      }
    } catch (DataFormatException e) {
      throw new IOException("a redo entry is damaged: " + e.getMessage(), e);
    } finally {
      inflater.end();
    }
    return plain;
  }
}
