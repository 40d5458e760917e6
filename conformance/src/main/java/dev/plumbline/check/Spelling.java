package dev.plumbline.check;

import dev.plumbline.protocol.Near;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the modules of a protocol's folder, and the common ones, name; read as text. */
public final class Spelling {
  private static final Pattern COMMENT = Pattern.compile("\\\\\\*.*|\\(\\*[\\s\\S]*?\\*\\)");

  /** A kind of name. */
  public enum Kind {
    STRING("\"([^\"\n]+)\""),
    OPERATOR("(?m)(\\w+)\\s*(?:\\([^()\n]*(?:\\([^()\n]*\\)[^()\n]*)*\\))?\\s*=="),
    WORD("(\\w+)");

    private final Pattern pattern;

    Kind(String pattern) {
      this.pattern = Pattern.compile(pattern);
    }
  }

  private final Path folder;
  private final Map<Kind, Set<String>> known = new EnumMap<>(Kind.class);
  private String text;

  public Spelling(Path folder) {
    this.folder = folder;
  }

  /** Demands that a module guards something by each repair in a constant's value. */
  void demandRepairs(YamlNode value) {
    Kind.STRING
        .pattern
        .matcher(value.text())
        .results()
        .forEach(
            r -> demand(Kind.STRING, r.group(1), value, "the repair ", "name one that it has"));
  }

  void demandAction(YamlNode at, String name) {
    demand(Kind.OPERATOR, name, at, "the action ", "name an operator of a module");
  }

  void demandVariable(YamlNode at, String name) {
    demand(Kind.WORD, name, at, "the variable ", "name a variable of a module");
  }

  /** All names of a kind. */
  public Set<String> known(Kind kind) {
    return known.computeIfAbsent(
        kind,
        k ->
            k.pattern
                .matcher(text())
                .results()
                .map(r -> r.group(1))
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  private void demand(Kind kind, String name, YamlNode at, String what, String otherwise) {
    if (!known(kind).contains(name)) {
      throw at.error(
          "no module in " + folder + " has " + what + name,
          Near.remedy(name, known(kind), otherwise));
    }
  }

  private String text() {
    if (text == null) {
      StringBuilder all = new StringBuilder();
      for (Path place : new Path[] {folder, folder.resolveSibling("common")}) {
        if (Files.isDirectory(place)) {
          try (Stream<Path> files = Files.list(place)) {
            files
                .filter(f -> f.toString().endsWith(".tla"))
                .sorted()
                .forEach(f -> all.append(Workspace.text(f)).append('\n'));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      }
      text = COMMENT.matcher(all).replaceAll(" ");
    }
    return text;
  }
}
