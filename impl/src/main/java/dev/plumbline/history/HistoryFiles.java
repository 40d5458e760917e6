package dev.plumbline.history;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ObjIntConsumer;
import java.util.stream.Collectors;
import us.bpsm.edn.EdnException;
import us.bpsm.edn.TaggedValue;
import us.bpsm.edn.parser.Parseable;
import us.bpsm.edn.parser.Parser;
import us.bpsm.edn.parser.Parsers;

/**
 * Reads and writes histories, one operation at a time: Jepsen's EDN (maps or {@code
 * #jepsen.history.Op} one after the other, or in one vector) and JSON lines. The file's ending
 * decides: {@code .json}, {@code .jsonl} and {@code .ndjson} are JSON.
 */
public final class HistoryFiles {
  private HistoryFiles() {}

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

  /** Reads a whole history. */
  public static History read(Path file) throws IOException, HistoryException {
    var ops = new ArrayList<Op>();
    int[][] lines = {new int[1024]};
    stream(
        file,
        (op, line) -> {
          if (ops.size() == lines[0].length) {
            lines[0] = Arrays.copyOf(lines[0], 2 * ops.size());
          }
          lines[0][ops.size()] = line;
          ops.add(op);
        });
    return new History(file.toString(), ops, Arrays.copyOf(lines[0], ops.size()));
  }

  /** Hands on each operation with the line on which it starts. */
  public static void stream(Path file, ObjIntConsumer<Op> sink)
      throws IOException, HistoryException {
    try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      skipByteOrderMark(in);
      if (json(file)) {
        streamJson(file, in, sink);
      } else {
        streamEdn(file, in, sink);
      }
    } catch (java.nio.charset.CharacterCodingException e) {
      throw new HistoryException(List.of(file + ": not UTF-8 text"));
    }
  }

  private static void skipByteOrderMark(BufferedReader in) throws IOException {
    in.mark(1);
    if (in.read() != '\ufeff') {
      in.reset();
    }
  }

  /** Writes a whole history in the format that the file's ending names. */
  public static void write(Path file, Iterable<Op> ops) throws IOException {
    try (Writer writer = new Writer(file)) {
      ops.forEach(writer::write);
    }
  }

  /** Writes operations as they come. */
  public static final class Writer implements Closeable {
    private final BufferedWriter out;
    private final boolean json;

    public Writer(Path file) throws IOException {
      out = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
      json = json(file);
    }

    /** Writes one operation as one line. */
    public void write(Op op) {
      try {
        out.write(json ? JSON.writeValueAsString(OpFields.toJson(op)) : OpFields.toEdn(op));
        out.write('\n');
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }

  private static boolean json(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    return name.endsWith(".json") || name.endsWith(".jsonl") || name.endsWith(".ndjson");
  }

  private static void streamJson(Path file, BufferedReader in, ObjIntConsumer<Op> sink)
      throws IOException, HistoryException {
    int line = 0;
    for (String text = in.readLine(); text != null; text = in.readLine()) {
      line++;
      if (text.isBlank()) {
        continue;
      }
      Object value;
      try {
        value = JSON.readValue(text, Object.class);
      } catch (JsonProcessingException e) {
        throw broken(
            file, line, "not JSON: " + JsonFault.words(e) + "; each line must be one operation");
      }
      if (value instanceof List) {
        throw broken(file, line, "each line must be one operation, not an array of them");
      }
      sink.accept(op(file, line, value), line);
    }
  }

  private static void streamEdn(Path file, BufferedReader in, ObjIntConsumer<Op> sink)
      throws IOException, HistoryException {
    var text = new Lines(in);
    Parser parser = Parsers.newParser(Parsers.defaultConfiguration());
    int first = next(file, text, parser);
    int close = first == '[' ? ']' : first == '(' ? ')' : -1;
    if (close < 0 && first >= 0) {
      text.unread(first);
    }
    while (true) {
      int next = next(file, text, parser);
      if (next < 0 && close < 0) {
        return;
      }
      if (next < 0) {
        throw broken(file, text.line, "the file ends inside the vector of operations");
      }
      if (close >= 0 && next == close) {
        if (next(file, text, parser) >= 0) {
          throw broken(file, text.line, "something follows the vector of operations");
        }
        return;
      }
      text.unread(next);
      int line = text.line;
      sink.accept(op(file, line, value(file, text, parser)), line);
    }
  }

  /** The first character of what comes next, past blanks, comments and what {@code #_} discards. */
  private static int next(Path file, Lines text, Parser parser)
      throws IOException, HistoryException {
    int c = text.skipBlank();
    while (c == '#') {
      int second = text.read();
      if (second != '_') {
        text.unread(second);
        return c;
      }
      value(file, text, parser);
      c = text.skipBlank();
    }
    return c;
  }

  private static Object value(Path file, Lines text, Parser parser)
      throws IOException, HistoryException {
    int line = text.line;
    Object value;
    try {
      value = plain(parser.nextValue(text));
    } catch (EdnException | IllegalArgumentException e) {
      throw broken(file, line, "not EDN: " + e.getMessage());
    } catch (StackOverflowError e) {
      throw broken(file, line, "not a history: brackets lie too deep in each other");
    }
    if (value == Parser.END_OF_INPUT) {
      throw broken(file, line, "not EDN: a value is missing");
    }
    return value;
  }

  private static Op op(Path file, int line, Object value) throws HistoryException {
    try {
      return OpFields.parse(value);
    } catch (IllegalArgumentException e) {
      throw broken(file, line, e.getMessage());
    }
  }

  private static HistoryException broken(Path file, int line, String problem) {
    return new HistoryException(List.of(file + ":" + line + ": " + problem));
  }

  /** EDN values as the values that JSON would have given, except what JSON does not have. */
  private static Object plain(Object value) {
    if (value instanceof us.bpsm.edn.Keyword keyword) {
      String prefix = keyword.getPrefix();
      return new Keyword(prefix.isEmpty() ? keyword.getName() : prefix + "/" + keyword.getName());
    }
    if (value instanceof TaggedValue tagged && tagged.getValue() instanceof Map) {
      return plain(tagged.getValue());
    }
    if (value instanceof BigInteger big && big.bitLength() < Long.SIZE) {
      return big.longValue();
    }
    if (value instanceof List<?> list) {
      var plain = new ArrayList<Object>(list.size());
      list.forEach(item -> plain.add(plain(item)));
      return plain;
    }
    if (value instanceof Set<?> set) {
      return set.stream().map(HistoryFiles::plain).collect(Collectors.toSet());
    }
    if (value instanceof Map<?, ?> map) {
      var plain = new HashMap<Object, Object>();
      map.forEach(
          (key, item) -> {
            Object named = plain(key);
            Object name = named instanceof Keyword keyword ? keyword.name() : named;
            if (plain.containsKey(name)) {
              throw new IllegalArgumentException("a map has " + name + " twice, in two forms");
            }
            plain.put(name, plain(item));
          });
      return plain;
    }
    return value;
  }

  /** Characters with two steps back and a count of lines. */
  private static final class Lines implements Parseable {
    private static final int NONE = -2;

    /** As JSON's reader has it: a number of millions of digits would take minutes to read. */
    private static final int MOST_DIGITS = 1_000;

    private final BufferedReader in;
    private int back = NONE;
    private int further = NONE;
    private int line = 1;
    private int digits;

    Lines(BufferedReader in) {
      this.in = in;
    }

    /** The next character that is no blank, comma or comment, or -1 at the end. */
    int skipBlank() throws IOException {
      while (true) {
        int c = read();
        if (c == ';') {
          while (c >= 0 && c != '\n') {
            c = read();
            digits = 0;
          }
        } else if (c < 0 || !(Character.isWhitespace(c) || c == ',')) {
          return c;
        }
      }
    }

    @Override
    public int read() throws IOException {
      int c = back;
      if (c == NONE) {
        c = in.read();
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
        if (digits > MOST_DIGITS) {
          throw new IllegalArgumentException("more than " + MOST_DIGITS + " digits in a row");
        }
      }
      back = further;
      further = NONE;
      if (c == '\n') {
        line++;
      }
      return c;
    }

    @Override
    public void unread(int c) {
      further = back;
      back = c;
      if (c == '\n') {
        line--;
      }
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
