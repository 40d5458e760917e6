package dev.plumbline.trace;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeType;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Reads traces; says file and line of the first thing wrong. */
public final class TraceReader {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
  private static final List<String> FIELDS =
      List.of(
          "n",
          "node",
          "role",
          "at",
          "local",
          "action",
          "args",
          "recv",
          "by",
          "sent",
          "persisted",
          "state");
  private static final Pattern AT = Pattern.compile("\"at\":(\\d{1,18})");

  private TraceReader() {}

  /** A trace that is not in the format of {@code docs/trace-log.md}. */
  public static final class MalformedTrace extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MalformedTrace(String source, int line, String problem) {
      super(source + ":" + line + ": " + problem);
    }
  }

  /** Reads one node's file. */
  public static List<TraceEvent> read(Path file) throws IOException {
    return read(file, 1, Long.MAX_VALUE);
  }

  /**
   * Reads a file whose first event has the number {@code first}, up to a time of the reference
   * clock, microseconds.
   */
  public static List<TraceEvent> read(Path file, long first, long until) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return read(file.toString(), in, first, until);
    }
  }

  /** When a file's events happened, in its order, microseconds of the reference clock. */
  public static LongStream times(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
      return LongStream.of(
          lines
              .map(AT::matcher)
              .filter(Matcher::find)
              .mapToLong(at -> Long.parseLong(at.group(1)))
              .toArray());
    }
  }

  /** Reads one node's trace from memory; {@code source} names it in errors. */
  public static List<TraceEvent> read(String source, byte[] trace) {
    try {
      return read(source, new ByteArrayInputStream(trace), 1, Long.MAX_VALUE);
    } catch (IOException e) {
      throw new IllegalStateException("reading from memory failed", e);
    }
  }

  private static List<TraceEvent> read(String source, InputStream in, long first, long until)
      throws IOException {
    InputStream bytes = new BufferedInputStream(in);
    List<TraceEvent> events = new ArrayList<>();
    int number = 0;
    for (byte[] read = line(bytes); read != null; read = line(bytes)) {
      number++;
      String line = text(source, number, read);
      if (line.isBlank()) {
        throw new MalformedTrace(source, number, "an empty line; remove it");
      }
      TraceEvent event = event(source, number, line);
      if (event.at() > until) {
        return events;
      }
      long expected = events.isEmpty() ? first : events.get(events.size() - 1).n() + 1;
      if (event.n() != expected) {
        throw new MalformedTrace(
            source, number, "\"n\" is " + event.n() + " where " + expected + " is next");
      }
      if (!events.isEmpty() && !event.node().equals(events.get(0).node())) {
        throw new MalformedTrace(
            source, number, "an event of " + event.node() + " in the log of another node");
      }
      events.add(event);
    }
    return events;
  }

  /** The bytes up to the next end of a line, or null at the end. */
  private static byte[] line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    int next = in.read();
    if (next < 0) {
      return null;
    }
    for (; next >= 0 && next != '\n'; next = in.read()) {
      line.write(next);
    }
    return line.toByteArray();
  }

  private static String text(String source, int number, byte[] line) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
    } catch (CharacterCodingException e) {
      throw new MalformedTrace(source, number, "no UTF-8 text");
    }
  }

  private static TraceEvent event(String source, int number, String line) {
    JsonNode json;
    try {
      json = JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new MalformedTrace(source, number, "no JSON: " + e.getOriginalMessage());
    }
    if (json.getNodeType() != JsonNodeType.OBJECT) {
      throw new MalformedTrace(source, number, "no JSON object");
    }
    json.fieldNames()
        .forEachRemaining(
            name -> {
              if (!FIELDS.contains(name)) {
                throw new MalformedTrace(
                    source,
                    number,
                    "no field \"" + name + "\"; an event has " + String.join(", ", FIELDS));
              }
            });
    numbers(source, number, json);
    String node = field(source, number, json, "node", JsonNodeType.STRING).textValue();
    List<String> sent = new ArrayList<>();
    if (json.has("sent")) {
      for (JsonNode identity : field(source, number, json, "sent", JsonNodeType.ARRAY)) {
        if (!identity.isTextual()) {
          throw new MalformedTrace(source, number, "\"sent\" has " + identity + ", no identity");
        }
        sent.add(identity.textValue());
      }
    }
    for (String text : List.of("recv", "by", "role")) {
      if (json.has(text)) {
        field(source, number, json, text, JsonNodeType.STRING);
      }
    }
    for (String object : List.of("args", "state")) {
      if (json.has(object)) {
        field(source, number, json, object, JsonNodeType.OBJECT);
      }
    }
    return new TraceEvent(
        field(source, number, json, "n", JsonNodeType.NUMBER).longValue(),
        node,
        json.path("role").asText(node),
        field(source, number, json, "at", JsonNodeType.NUMBER).longValue(),
        field(source, number, json, "local", JsonNodeType.NUMBER).longValue(),
        field(source, number, json, "action", JsonNodeType.STRING).textValue(),
        object(json.path("args")),
        Optional.ofNullable(json.path("recv").textValue()),
        json.path("by").asText(),
        sent,
        persisted(source, number, json),
        object(json.path("state")));
  }

  private static long persisted(String source, int number, JsonNode json) {
    if (!json.has("persisted")) {
      return 0;
    }
    long records = field(source, number, json, "persisted", JsonNodeType.NUMBER).longValue();
    if (records < 1) {
      throw new MalformedTrace(
          source, number, "\"persisted\" is " + records + "; without records leave it out");
    }
    return records;
  }

  /** A number that is no integer, or too large for one, would be cut off in silence. */
  private static void numbers(String source, int number, JsonNode json) {
    if (json.isNumber() && !(json.isIntegralNumber() && json.canConvertToLong())) {
      throw new MalformedTrace(source, number, json + " is no integer of 64 bits");
    }
    json.forEach(inner -> numbers(source, number, inner));
  }

  private static JsonNode field(
      String source, int number, JsonNode json, String name, JsonNodeType type) {
    JsonNode value = json.path(name);
    if (value.getNodeType() != type) {
      throw new MalformedTrace(
          source,
          number,
          "field \"" + name + "\" is " + value.getNodeType() + " where a " + type + " is needed");
    }
    return value;
  }

  private static Map<String, JsonNode> object(JsonNode json) {
    Map<String, JsonNode> fields = new TreeMap<>();
    json.fields().forEachRemaining(entry -> fields.put(entry.getKey(), entry.getValue()));
    return fields;
  }
}
