package dev.plumbline.trace;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Writes one node's trace. Equal events give equal bytes: objects are sorted by key. */
public final class TraceWriter implements AutoCloseable {
  private static final JsonFactory JSON = new JsonFactory();

  private final String node;
  private final String role;
  private final JsonGenerator json;
  private final Map<String, Long> actions = new LinkedHashMap<>();
  private long count;

  /**
   * @param node the node's id
   * @param role the role that it plays or stands by for
   * @param out takes the lines, UTF-8; closed by {@link #close}
   */
  public TraceWriter(String node, String role, OutputStream out) {
    this(node, role, out, 0);
  }

  /** Goes on with a trace that already has {@code written} events. */
  public TraceWriter(String node, String role, OutputStream out, long written) {
    this.node = node;
    this.role = role;
    this.count = written;
    try {
      json = JSON.createGenerator(out);
      json.setRootValueSeparator(null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * What all events of a step have in common.
   *
   * @param at reference clock when it started, microseconds
   * @param local the node's interval clock then
   * @param recv the identity of the message handled, or null
   * @param by what a step without one began with, or empty
   * @param sender the name before the colon of the sent messages' identities
   * @param firstSent the number of the first message sent
   * @param sentCount how many were sent, numbered without gaps
   * @param persisted how many records were appended to the role's log
   */
  public record Step(
      long at,
      long local,
      String recv,
      String by,
      String sender,
      long firstSent,
      int sentCount,
      int persisted) {}

  /** An action of a specification that a step was, its arguments, and the state after it. */
  public record Action(String name, Map<String, ?> args, Map<String, ?> state) {}

  /** Writes a step's events: one for each action, or one that names none if it did anything. */
  public void step(Step step, List<Action> actions) {
    int persisted = step.persisted;
    for (int i = 0; i < actions.size(); i++) {
      Action action = actions.get(i);
      write(step, persisted, action.name, action.args, action.state);
      persisted = 0;
    }
    if (actions.isEmpty() && (step.recv != null || step.sentCount > 0 || persisted > 0)) {
      write(step, persisted, TraceEvent.STUTTER, Map.of(), Map.of());
    }
  }

  /** Writes what happens to a node and is no step of it. */
  public void environment(long at, long local, String action, Map<String, ?> args) {
    write(new Step(at, local, null, "", node, 0, 0, 0), 0, action, args, Map.of());
  }

  private void write(
      Step step, int persisted, String action, Map<String, ?> args, Map<String, ?> state) {
    count++;
    actions.merge(action, 1L, Long::sum);
    try {
      json.writeStartObject();
      json.writeNumberField("n", count);
      json.writeStringField("node", node);
      if (!role.equals(node)) {
        json.writeStringField("role", role);
      }
      json.writeNumberField("at", step.at);
      json.writeNumberField("local", step.local);
      json.writeStringField("action", action);
      json.writeFieldName("args");
      writeMap(args);
      if (step.recv != null) {
        json.writeStringField("recv", step.recv);
      }
      if (!step.by.isEmpty()) {
        json.writeStringField("by", step.by);
      }
      if (step.sentCount > 0) {
        json.writeArrayFieldStart("sent");
        for (int i = 0; i < step.sentCount; i++) {
          json.writeString(step.sender + ':' + (step.firstSent + i));
        }
        json.writeEndArray();
      }
      if (persisted > 0) {
        json.writeNumberField("persisted", persisted);
      }
      if (!state.isEmpty()) {
        json.writeFieldName("state");
        writeMap(state);
      }
      json.writeEndObject();
      json.writeRaw('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Hands all events written so far to the stream. */
  public void flush() {
    try {
      json.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How often each action was written. */
  public Map<String, Long> actions() {
    return actions;
  }

  @Override
  public void close() {
    try {
      json.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void writeMap(Map<?, ?> map) throws IOException {
    json.writeStartObject();
    if (map.size() > 1) {
      Map<String, Object> sorted = new TreeMap<>();
      map.forEach((key, value) -> sorted.put(String.valueOf(key), value));
      for (Map.Entry<String, Object> entry : sorted.entrySet()) {
        json.writeFieldName(entry.getKey());
        writeValue(entry.getValue());
      }
    } else {
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        json.writeFieldName(String.valueOf(entry.getKey()));
        writeValue(entry.getValue());
      }
    }
    json.writeEndObject();
  }

  private void writeValue(Object value) throws IOException {
    if (value instanceof String string) {
      json.writeString(string);
    } else if (value instanceof Long || value instanceof Integer) {
      json.writeNumber(((Number) value).longValue());
    } else if (value instanceof Boolean bool) {
      json.writeBoolean(bool);
    } else if (value instanceof Enum<?> constant) {
      json.writeString(constant.name());
    } else if (value instanceof Map<?, ?> map) {
      writeMap(map);
    } else if (value instanceof List<?> list) {
      writeArray(list);
    } else if (value instanceof Set<?> set) {
      writeArray(sorted(set));
    } else {
      throw new IllegalArgumentException(
          "action arguments are strings, integers, booleans, enums, lists, sets and maps of these,"
              + " not "
              + (value == null ? "null" : value.getClass().getName()));
    }
  }

  private void writeArray(Collection<?> values) throws IOException {
    json.writeStartArray();
    for (Object value : values) {
      writeValue(value);
    }
    json.writeEndArray();
  }

  /** Numbers by size, all else by its text, so that no hash order reaches the log. */
  private static List<?> sorted(Set<?> set) {
    if (set.stream().allMatch(value -> value instanceof Number)) {
      return set.stream().map(value -> ((Number) value).longValue()).sorted().toList();
    }
    return set.stream().sorted((a, b) -> String.valueOf(a).compareTo(String.valueOf(b))).toList();
  }
}
