package dev.plumbline.trace;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeType;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
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
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern AT = Pattern.compile("\"at\":(\\d{1,18})");

  private TraceReader() {}

  /** A trace that is not in the format of {@code docs/architecture.md}. */
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
    try (Stream<String> lines = Files.lines(file)) {
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
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    List<TraceEvent> events = new ArrayList<>();
    int number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
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

  private static TraceEvent event(String source, int number, String line) {
    JsonNode json;
    try {
      json = JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new MalformedTrace(source, number, "no JSON: " + e.getOriginalMessage());
    }
    String node = field(source, number, json, "node", JsonNodeType.STRING).textValue();
    List<String> sent = new ArrayList<>();
    for (JsonNode identity : json.path("sent")) {
      sent.add(identity.asText());
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
        sent,
        object(json.path("state")));
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
