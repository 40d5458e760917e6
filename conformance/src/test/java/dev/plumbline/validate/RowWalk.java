package dev.plumbline.validate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.system.K2System;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.Spec;
import dev.plumbline.trace.TraceEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Judges a log by walking the graph of a specification whose steps are the log's rows, written into
 * the module as constants. Names are the log's own; forgets nothing, reuses no name, and shares no
 * stepping with the validator.
 */
abstract class RowWalk {
  static final K2Config CONFIG =
      new K2System().config(Settings.repaired(new K2System().clockBounds()));

  final MergedLog log;
  private final List<String> rows = new ArrayList<>();
  private final List<Integer> eventOf = new ArrayList<>();

  RowWalk(MergedLog log) {
    this.log = log;
  }

  /** Adds the rows of event {@code i}. */
  abstract void read(int i, TraceEvent e);

  /** The core module. */
  abstract String module();

  /** Definitions of the walk's module, after all rows were added. */
  abstract List<String> definitions();

  /** Lines of its configuration. */
  abstract List<String> configuration();

  /** Adds a row; values are TLA+ text. */
  final void row(int event, String step, String... fields) {
    Map<String, String> record = new TreeMap<>(Map.of("step", quote(step)));
    for (int i = 0; i < fields.length; i += 2) {
      record.put(fields[i], fields[i + 1]);
    }
    List<String> parts = new ArrayList<>();
    record.forEach((field, value) -> parts.add(field + " |-> " + value));
    rows.add("[" + String.join(", ", parts) + "]");
    eventOf.add(event);
  }

  /** The first event that no behaviour explains, -1 if there is none. */
  final int firstUnexplained(Path folder) throws IOException {
    for (int i = 0; i < log.entries().size(); i++) {
      read(i, log.entries().get(i).event());
    }
    List<String> lines = new ArrayList<>(definitions());
    lines.add("LogRows == <<" + String.join(",\n", rows) + ">>");
    List<String> constants = new ArrayList<>(configuration());
    constants.add("Rows <- LogRows");
    Spec spec = PlainWalk.load(folder, module(), lines, constants);
    Set<Spec.State> states = new LinkedHashSet<>(spec.initialStates());
    for (int event : eventOf) {
      Set<Spec.State> next = new LinkedHashSet<>();
      for (Spec.State s : states) {
        next.addAll(after(spec, s));
      }
      if (next.isEmpty()) {
        return event;
      }
      states = next;
    }
    return -1;
  }

  /** A row that cannot be evaluated is no step. */
  private static List<Spec.State> after(Spec spec, Spec.State s) {
    try {
      return spec.steps(s).stream().map(Spec.Step::to).toList();
    } catch (RuntimeException e) {
      return List.of();
    }
  }

  static String quote(String s) {
    return '"' + s + '"';
  }

  static String set(Iterable<String> names) {
    List<String> quoted = new ArrayList<>();
    names.forEach(n -> quoted.add(quote(n)));
    return "{" + String.join(", ", quoted) + "}";
  }

  static JsonNode arg(TraceEvent e, String name) {
    return e.args().getOrDefault(name, MissingNode.getInstance());
  }

  static JsonNode state(TraceEvent e, String name) {
    return e.state().getOrDefault(name, MissingNode.getInstance());
  }
}
