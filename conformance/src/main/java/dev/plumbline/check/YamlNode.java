package dev.plumbline.check;

import dev.plumbline.protocol.Near;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.reader.ReaderException;

/** A place in a YAML file that knows its line, so that every complaint can name it. */
public final class YamlNode {
  private final Path file;
  private final Node node;

  private YamlNode(Path file, Node node) {
    this.file = file;
    this.node = node;
  }

  public static YamlNode read(Path file) {
    try (Reader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      Node node = new Yaml(new LoaderOptions()).compose(in);
      if (node == null) {
        throw new InputError(file.toString(), 1, "the file is empty", document(file));
      }
      demandFinite(file, node, new ArrayList<>());
      return new YamlNode(file, node);
    } catch (MarkedYAMLException e) {
      int line = e.getProblemMark() == null ? 0 : e.getProblemMark().getLine() + 1;
      throw new InputError(
          file.toString(),
          line,
          "no YAML: " + e.getProblem(),
          "check indentation, quotes and brackets");
    } catch (YAMLException e) {
      boolean text = e instanceof ReaderException || e.getCause() instanceof IOException;
      throw new InputError(
          file.toString(),
          0,
          "no YAML: " + e.getMessage(),
          text ? "write it as UTF-8 text" : "write it with fewer aliases and brackets");
    } catch (IOException e) {
      throw new InputError(file.toString(), 0, "cannot be read: " + e.getMessage(), "");
    }
  }

  /** An anchor's value may hold an alias of itself: who reads that has no end. */
  private static void demandFinite(Path file, Node node, List<Node> within) {
    if (within.stream().anyMatch(n -> n == node)) {
      throw new YamlNode(file, node).error("this value holds itself", "remove the alias within it");
    }
    within.add(node);
    if (node instanceof SequenceNode s) {
      s.getValue().forEach(n -> demandFinite(file, n, within));
    } else if (node instanceof MappingNode m) {
      for (NodeTuple t : m.getValue()) {
        demandFinite(file, t.getKeyNode(), within);
        demandFinite(file, t.getValueNode(), within);
      }
    }
    within.remove(within.size() - 1);
  }

  /** Where it is said what such a file has. */
  private static String document(Path file) {
    return switch (file.getFileName().toString()) {
      case "mutants.yaml", "handmade.yaml" -> "see docs/mutants-file.md";
      case "coverage.yaml" -> "see docs/bindings.md";
      case "claims.yaml" -> "see docs/audit.md";
      default -> "see docs/checks-file.md";
    };
  }

  public int line() {
    return node.getStartMark().getLine() + 1;
  }

  public InputError error(String message, String remedy) {
    return new InputError(file.toString(), line(), message, remedy);
  }

  public Map<String, YamlNode> entries() {
    if (!(node instanceof MappingNode m)) {
      throw error("expected KEY: VALUE pairs", document(file));
    }
    Map<String, YamlNode> all = new LinkedHashMap<>();
    for (NodeTuple t : m.getValue()) {
      String key = new YamlNode(file, t.getKeyNode()).text();
      if (all.put(key, new YamlNode(file, t.getValueNode())) != null) {
        throw new YamlNode(file, t.getKeyNode())
            .error("the key " + key + " stands here twice", "remove one");
      }
    }
    return all;
  }

  /** The lines of its entries, or of its items: their names after {@code prefix}. */
  public Map<String, Integer> lines(String prefix) {
    Map<String, Integer> all = new LinkedHashMap<>();
    if (node instanceof MappingNode) {
      entries().forEach((name, n) -> all.put(prefix + name, n.line()));
    } else {
      items().forEach(n -> all.put(prefix + n.text(), n.line()));
    }
    return all;
  }

  public void onlyKeys(Set<String> known) {
    entries();
    for (NodeTuple t : ((MappingNode) node).getValue()) {
      YamlNode key = new YamlNode(file, t.getKeyNode());
      if (!known.contains(key.text())) {
        throw key.error(
            "unknown key " + key.text(),
            Near.to(key.text(), known).map(near -> "did you mean " + near + "? ").orElse("")
                + "known here: "
                + String.join(", ", new TreeSet<>(known)));
      }
    }
  }

  public Optional<YamlNode> optional(String key) {
    return Optional.ofNullable(entries().get(key));
  }

  public YamlNode get(String key) {
    return optional(key)
        .orElseThrow(() -> error("the key " + key + " is missing", "add " + key + ":"));
  }

  public List<YamlNode> items() {
    if (!(node instanceof SequenceNode s)) {
      throw error("expected a list", "write [A, B] or one '- item' a line");
    }
    List<YamlNode> all = new ArrayList<>();
    s.getValue().forEach(n -> all.add(new YamlNode(file, n)));
    return all;
  }

  public List<String> texts() {
    return items().stream().map(YamlNode::text).toList();
  }

  /** A scalar's text; {@code violates: X} written without quotes is read as that text. */
  public String text() {
    if (node instanceof ScalarNode s) {
      return s.getValue();
    }
    if (node instanceof MappingNode m && m.getValue().size() == 1) {
      NodeTuple t = m.getValue().get(0);
      return new YamlNode(file, t.getKeyNode()).text()
          + ": "
          + new YamlNode(file, t.getValueNode()).text();
    }
    throw error("expected a single value", "quote it if it holds special characters");
  }

  /** Whether it is a single value. */
  public boolean isText() {
    return node instanceof ScalarNode;
  }

  public String matching(String pattern, String meaning) {
    if (!text().matches(pattern)) {
      throw error("\"" + text() + "\" is no good here", "use " + meaning);
    }
    return text();
  }

  public String oneOf(String... allowed) {
    if (!Arrays.asList(allowed).contains(text())) {
      throw error(
          "\"" + text() + "\" is no good here",
          Near.to(text(), List.of(allowed)).map(near -> "did you mean " + near + "? ").orElse("")
              + "use one of "
              + String.join(", ", allowed));
    }
    return text();
  }

  public boolean bool() {
    return oneOf("true", "false").equals("true");
  }

  /** A whole number that Java's {@code int} holds. */
  public int small() {
    long n = integer();
    if (n != (int) n) {
      throw error("\"" + text() + "\" is too large", "use a number of at most nine digits");
    }
    return (int) n;
  }

  public long integer() {
    try {
      return Long.parseLong(text().replace("_", ""));
    } catch (NumberFormatException e) {
      throw error("\"" + text() + "\" is no whole number", "write digits, underscores allowed");
    }
  }
}
