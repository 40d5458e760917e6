package dev.plumbline.check;

import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A TLC configuration file: read with line numbers, changed by a check's entry, written again. */
public final class Config {
  /** A name or a value with the line it came from; 0 when it came from checks.yaml. */
  record Item(String text, int line) {}

  private static final Pattern TOKEN =
      Pattern.compile("\\\\\\*[^\\n]*|\\(\\*[\\s\\S]*?\\*\\)|\"[^\"\\n]*\"|<-|[\\w!]+|\\S");
  private static final Map<String, String> KEYWORDS =
      Map.ofEntries(
          Map.entry("CONSTANT", "CONSTANT"),
          Map.entry("CONSTANTS", "CONSTANT"),
          Map.entry("INVARIANT", "INVARIANT"),
          Map.entry("INVARIANTS", "INVARIANT"),
          Map.entry("PROPERTY", "PROPERTY"),
          Map.entry("PROPERTIES", "PROPERTY"),
          Map.entry("CONSTRAINT", "CONSTRAINT"),
          Map.entry("CONSTRAINTS", "CONSTRAINT"),
          Map.entry("ACTION_CONSTRAINT", "ACTION_CONSTRAINT"),
          Map.entry("ACTION_CONSTRAINTS", "ACTION_CONSTRAINT"),
          Map.entry("SPECIFICATION", "SPECIFICATION"),
          Map.entry("INIT", "INIT"),
          Map.entry("NEXT", "NEXT"),
          Map.entry("VIEW", "VIEW"),
          Map.entry("SYMMETRY", "SYMMETRY"),
          Map.entry("CHECK_DEADLOCK", "CHECK_DEADLOCK"));

  private static final Pattern LITERAL = Pattern.compile("[\\w\\s{},\"]+");

  final Path file;

  /** Keyword (singular) to the names that follow it. */
  final Map<String, List<Item>> names = new LinkedHashMap<>();

  /** Constant to {@code = VALUE} or {@code <- DEFINITION}. */
  final Map<String, Item> constants = new LinkedHashMap<>();

  private Config(Path file) {
    this.file = file;
  }

  /**
   * Reads a configuration file.
   *
   * @throws InputError naming the line that is wrong
   */
  public static Config read(Path file) {
    String text;
    try {
      text = Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new InputError(
          file.toString(),
          0,
          "cannot be read: " + e.getMessage(),
          "correct config: in checks.yaml");
    }
    Config c = new Config(file);
    List<Item> tokens = new ArrayList<>();
    Matcher m = TOKEN.matcher(text);
    int line = 1;
    int at = 0;
    while (m.find()) {
      line += (int) text.substring(at, m.start()).chars().filter(x -> x == '\n').count();
      at = m.start();
      if (!m.group().startsWith("\\*") && !m.group().startsWith("(*")) {
        tokens.add(new Item(m.group(), line));
      }
    }
    c.parse(tokens);
    return c;
  }

  private void parse(List<Item> tokens) {
    int i = 0;
    String keyword = null;
    while (i < tokens.size()) {
      Item t = tokens.get(i);
      if (KEYWORDS.containsKey(t.text())) {
        keyword = KEYWORDS.get(t.text());
        i++;
      } else if (keyword == null) {
        throw error(
            t,
            "\"" + t.text() + "\" follows no keyword",
            "begin with SPECIFICATION, CONSTANTS, INVARIANTS …");
      } else if (keyword.equals("CONSTANT")) {
        i = constant(tokens, i);
      } else {
        names.computeIfAbsent(keyword, k -> new ArrayList<>()).add(t);
        i++;
      }
    }
  }

  private int constant(List<Item> tokens, int start) {
    Item first = tokens.get(start);
    int i = start;
    StringBuilder left = new StringBuilder();
    while (i < tokens.size()
        && !tokens.get(i).text().equals("=")
        && !tokens.get(i).text().equals("<-")) {
      if (KEYWORDS.containsKey(tokens.get(i).text())) {
        throw error(
            first,
            "constant " + first.text() + " is given no value",
            "write NAME = VALUE or NAME <- DEFINITION");
      }
      left.append(tokens.get(i++).text());
    }
    StringBuilder value = new StringBuilder();
    int depth = 0;
    int read = 0;
    for (int k = i; k < tokens.size(); k++) {
      String t = tokens.get(k).text();
      value.append(value.length() == 0 ? "" : " ").append(t);
      read++;
      depth += t.equals("{") || t.equals("[") ? 1 : t.equals("}") || t.equals("]") ? -1 : 0;
      if (read > 1 && depth == 0 && !t.equals("]")) {
        constants.put(left.toString(), new Item(value.toString(), first.line()));
        return k + 1;
      }
    }
    throw error(
        first,
        "constant " + first.text() + " is given no complete value",
        "write NAME = VALUE or NAME <- DEFINITION");
  }

  private InputError error(Item at, String message, String remedy) {
    return new InputError(file.toString(), at.line(), message, remedy);
  }

  /** Constants with their values as TLA+ text; {@code <- NAME} where one is replaced. */
  public Map<String, String> values() {
    Map<String, String> values = new LinkedHashMap<>();
    constants.forEach((name, item) -> values.put(name, item.text().replaceFirst("^= ", "")));
    return values;
  }

  /** Whether a configuration may have this TLA+ text as a value; other text needs a definition. */
  public static boolean literal(String value) {
    return LITERAL.matcher(value).matches();
  }

  Config copy() {
    Config c = new Config(file);
    c.names.putAll(names);
    c.constants.putAll(constants);
    return c;
  }

  List<String> list(String keyword) {
    return names.getOrDefault(keyword, List.of()).stream().map(Item::text).toList();
  }

  void set(String keyword, List<String> values) {
    names.put(keyword, values.stream().map(v -> new Item(v, 0)).toList());
  }

  String text() {
    StringBuilder s = new StringBuilder();
    names.forEach(
        (keyword, items) -> {
          if (!items.isEmpty()) {
            s.append(keyword);
            items.forEach(i -> s.append(' ').append(i.text()));
            s.append('\n');
          }
        });
    if (!constants.isEmpty()) {
      s.append("CONSTANTS\n");
      constants.forEach(
          (k, v) -> s.append("  ").append(k).append(' ').append(v.text()).append('\n'));
    }
    return s.toString();
  }
}
