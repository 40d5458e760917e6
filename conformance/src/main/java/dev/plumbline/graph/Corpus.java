package dev.plumbline.graph;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.graph.StateGraph.Edge;
import dev.plumbline.graph.StateGraph.Label;
import dev.plumbline.tlc.InputError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Behaviours that take every step of a small model, as text. Sections, one item a line:
 *
 * <ul>
 *   <li>{@code values}: what recurs inside states and parameters; {@code #n} refers to the n-th
 *       value of this list, from 0;
 *   <li>{@code actions}: an action with its parameters;
 *   <li>{@code states}: {@code <p} names an earlier state, then come the variables that differ from
 *       it; the first state has them all;
 *   <li>{@code rejected}: a state, and actions that are not enabled there but that a message
 *       present there asks for, or that a participant may try at any time;
 *   <li>{@code behaviours}: a state, then pairs of an action and the state it leads to.
 * </ul>
 *
 * States and actions are numbered in order, from 0.
 */
public final class Corpus {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<Label> labels = new ArrayList<>();
  private final List<ObjectNode> states = new ArrayList<>();
  private final Map<Integer, int[]> rejected = new TreeMap<>();
  private final List<int[]> behaviours = new ArrayList<>();

  private Corpus() {}

  public List<Label> labels() {
    return labels;
  }

  /** All variables; equal parts are the same object. */
  public List<ObjectNode> states() {
    return states;
  }

  /** By state, labels that must be refused there. */
  public Map<Integer, int[]> rejected() {
    return rejected;
  }

  /** A state, then label and state alternately. */
  public List<int[]> behaviours() {
    return behaviours;
  }

  /** Steps of all behaviours together. */
  public int steps() {
    return behaviours.stream().mapToInt(b -> b.length / 2).sum();
  }

  /** Writes a graph's corpus. */
  public static String text(String title, StateGraph g) {
    Interner interner = new Interner();
    Map<Label, Integer> labels = new LinkedHashMap<>();
    List<String> actionLines = new ArrayList<>();
    List<String> stateLines = new ArrayList<>();
    List<String> rejectedLines = new ArrayList<>();
    List<String> behaviourLines = new ArrayList<>();
    Set<Label> sorted = new java.util.TreeSet<>();
    for (int n = 0; n < g.size(); n++) {
      g.edges(n).forEach(e -> sorted.add(e.label()));
      sorted.addAll(g.rejected(n));
    }
    for (Label l : sorted) {
      labels.put(l, labels.size());
      actionLines.add(l.action() + " " + interner.shallow(l.parameters()));
    }
    for (int n = 0; n < g.size(); n++) {
      stateLines.add(stateLine(g, n, interner));
      if (!g.rejected(n).isEmpty()) {
        StringBuilder line = new StringBuilder().append(n);
        g.rejected(n).forEach(l -> line.append(' ').append(labels.get(l)));
        rejectedLines.add(line.toString());
      }
    }
    for (List<Integer> path : g.covering()) {
      int at = path.get(0);
      StringBuilder line = new StringBuilder().append(at);
      for (int e : path.subList(1, path.size())) {
        Edge edge = g.edges(at).get(e);
        at = edge.to();
        line.append(' ').append(labels.get(edge.label())).append(' ').append(at);
      }
      behaviourLines.add(line.toString());
    }
    StringBuilder text = new StringBuilder("# ").append(title).append('\n');
    section(text, "values", interner.lines);
    section(text, "actions", actionLines);
    section(text, "states", stateLines);
    section(text, "rejected", rejectedLines);
    section(text, "behaviours", behaviourLines);
    return text.toString();
  }

  private static String stateLine(StateGraph g, int n, Interner interner) {
    ObjectNode state = g.state(n);
    int base = g.parent(n) >= 0 ? g.parent(n) : n > 0 ? 0 : -1;
    StringBuilder line = new StringBuilder(base < 0 ? "" : "<" + base);
    for (Map.Entry<String, JsonNode> v : state.properties()) {
      if (base < 0 || !g.state(base).get(v.getKey()).equals(v.getValue())) {
        line.append(line.length() == 0 ? "" : " ");
        line.append(v.getKey()).append('=').append(interner.refer(v.getValue()));
      }
    }
    return line.toString();
  }

  private static void section(StringBuilder text, String name, List<String> lines) {
    text.append(name).append('\n');
    lines.forEach(l -> text.append(l).append('\n'));
  }

  /** Numbers composite values, inner ones first. */
  private static final class Interner {
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> lines = new ArrayList<>();

    String refer(JsonNode v) {
      if (v.isEmpty()) {
        return v.toString();
      }
      String text = shallow(v);
      Integer n = numbers.get(text);
      if (n == null) {
        n = lines.size();
        numbers.put(text, n);
        lines.add(text);
      }
      return "#" + n;
    }

    /** The value's JSON with references in place of composite members. */
    String shallow(JsonNode v) {
      StringBuilder s = new StringBuilder();
      if (v.isArray()) {
        v.forEach(e -> s.append(s.length() == 0 ? "" : ",").append(refer(e)));
        return "[" + s + "]";
      }
      for (Map.Entry<String, JsonNode> e : v.properties()) {
        s.append(s.length() == 0 ? "" : ",");
        s.append(TextNode.valueOf(e.getKey())).append(':').append(refer(e.getValue()));
      }
      return "{" + s + "}";
    }
  }

  /**
   * Reads a corpus.
   *
   * @throws InputError naming the line that is wrong
   */
  public static Corpus parse(String file, String text) {
    Corpus corpus = new Corpus();
    List<JsonNode> values = new ArrayList<>();
    String section = "";
    int line = 0;
    for (String s : text.split("\n", -1)) {
      line++;
      try {
        switch (s) {
          case "values", "actions", "states", "rejected", "behaviours" -> section = s;
          case "" -> {}
          default -> {
            if (!s.startsWith("#") || !section.isEmpty()) {
              corpus.item(section, s, values);
            }
          }
        }
      } catch (RuntimeException | JsonProcessingException e) {
        throw new InputError(
            file,
            line,
            "no line of a corpus: " + e,
            "regenerate with " + ToolCommand.line("corpus --update"));
      }
    }
    if (!text.endsWith("\n") || !corpus.whole()) {
      throw new InputError(
          file,
          line,
          "it is cut off: its last line has no end, or no behaviour reaches some state",
          "regenerate with " + ToolCommand.line("corpus --update"));
    }
    return corpus;
  }

  /** Whether behaviours end with a state, and reach every one. */
  private boolean whole() {
    BitSet reached = new BitSet();
    for (int[] behaviour : behaviours) {
      for (int i = 0; i < behaviour.length; i += 2) {
        reached.set(behaviour[i]);
      }
    }
    return !states.isEmpty()
        && reached.cardinality() == states.size()
        && behaviours.stream().allMatch(b -> b.length % 2 == 1);
  }

  /** The first step that another corpus has otherwise; empty if their behaviours are the same. */
  Optional<Difference> difference(Corpus other) {
    for (int b = 0; b < Math.min(behaviours.size(), other.behaviours.size()); b++) {
      int[] mine = behaviours.get(b);
      int[] its = other.behaviours.get(b);
      List<String> path = new ArrayList<>();
      for (int i = 0; i < Math.max(mine.length, its.length); i += 2) {
        String label = label(mine, i);
        path.add(label);
        List<Difference.Variable> different = new ArrayList<>();
        if (!label.equals(other.label(its, i))) {
          different.add(new Difference.Variable("(action)", label, other.label(its, i)));
        } else {
          ObjectNode got = other.states.get(its[i]);
          for (Map.Entry<String, JsonNode> v : states.get(mine[i]).properties()) {
            if (!v.getValue().equals(got.get(v.getKey()))) {
              different.add(
                  new Difference.Variable(
                      v.getKey(), v.getValue().toString(), String.valueOf(got.get(v.getKey()))));
            }
          }
        }
        if (!different.isEmpty()) {
          return Optional.of(
              new Difference("behaviour " + b + ", step " + i / 2, label, false, different, path));
        }
      }
    }
    return Optional.empty();
  }

  private String label(int[] behaviour, int at) {
    return at == 0
        ? "Init"
        : at < behaviour.length ? labels.get(behaviour[at - 1]).toString() : "(none)";
  }

  private void item(String section, String s, List<JsonNode> values)
      throws JsonProcessingException {
    switch (section) {
      case "values" -> values.add(value(s, values));
      case "actions" -> {
        int blank = s.indexOf(' ');
        labels.add(
            new Label(s.substring(0, blank), (ObjectNode) value(s.substring(blank + 1), values)));
      }
      case "states" -> {
        ObjectNode state = JSON.createObjectNode();
        for (String part : s.split(" ", -1)) {
          if (part.startsWith("<")) {
            state.setAll(states.get(Integer.parseInt(part.substring(1))));
          } else if (!part.isEmpty()) {
            int is = part.indexOf('=');
            state.set(part.substring(0, is), value(part.substring(is + 1), values));
          }
        }
        states.add(state);
      }
      case "rejected" -> {
        int[] numbers = numbers(s);
        rejected.put(numbers[0], Arrays.copyOfRange(numbers, 1, numbers.length));
      }
      case "behaviours" -> behaviours.add(numbers(s));
      default -> throw new IllegalArgumentException("outside of any section: " + s);
    }
  }

  private static int[] numbers(String s) {
    return Arrays.stream(s.split(" ")).mapToInt(Integer::parseInt).toArray();
  }

  private static JsonNode value(String s, List<JsonNode> values) throws JsonProcessingException {
    if (s.startsWith("#")) {
      return values.get(Integer.parseInt(s.substring(1)));
    }
    return resolve(JSON.readTree(quoteReferences(s)), values);
  }

  /** {@code #7} outside of strings becomes {@code {"#":7}}. */
  private static String quoteReferences(String s) {
    StringBuilder out = new StringBuilder();
    boolean inString = false;
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c == '\\' && inString) {
        out.append(c).append(s.charAt(++i));
        continue;
      }
      if (c == '"') {
        inString = !inString;
      }
      if (c == '#' && !inString) {
        int end = i + 1;
        while (end < s.length() && Character.isDigit(s.charAt(end))) {
          end++;
        }
        out.append("{\"#\":").append(s, i + 1, end).append('}');
        i = end - 1;
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  private static JsonNode resolve(JsonNode v, List<JsonNode> values) {
    if (v.isObject() && v.size() == 1 && v.has("#")) {
      return values.get(v.get("#").intValue());
    }
    if (v instanceof ArrayNode a) {
      for (int i = 0; i < a.size(); i++) {
        a.set(i, resolve(a.get(i), values));
      }
    } else if (v instanceof ObjectNode o) {
      for (Map.Entry<String, JsonNode> e : List.copyOf(o.properties())) {
        o.set(e.getKey(), resolve(e.getValue(), values));
      }
    }
    return v;
  }
}
