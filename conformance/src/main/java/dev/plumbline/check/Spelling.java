package dev.plumbline.check;

import dev.plumbline.sim.Near;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the modules of a protocol's folder, and the common ones, name; read as text. */
final class Spelling {
  private static final Pattern COMMENT = Pattern.compile("\\\\\\*.*|\\(\\*[\\s\\S]*?\\*\\)");
  private static final Pattern STRING = Pattern.compile("\"([^\"\n]+)\"");
  private static final Pattern DEFINED =
      Pattern.compile("(?m)(\\w+)\\s*(?:\\([^()\n]*(?:\\([^()\n]*\\)[^()\n]*)*\\))?\\s*==");
  private static final Pattern WORD = Pattern.compile("(\\w+)");

  private final Path folder;
  private String text;

  Spelling(Path folder) {
    this.folder = folder;
  }

  /** Demands that a module guards something by each repair in a constant's value. */
  void demandRepairs(YamlNode value) {
    STRING
        .matcher(value.text())
        .results()
        .forEach(r -> demand(STRING, r.group(1), value, "the repair ", "name one that it has"));
  }

  void demandAction(YamlNode at, String name) {
    demand(DEFINED, name, at, "the action ", "name an operator of a module");
  }

  void demandVariable(YamlNode at, String name) {
    demand(WORD, name, at, "the variable ", "name a variable of a module");
  }

  private void demand(Pattern kind, String name, YamlNode at, String what, String otherwise) {
    Set<String> known = new TreeSet<>();
    kind.matcher(text()).results().forEach(r -> known.add(r.group(1)));
    if (!known.contains(name)) {
      throw at.error(
          "no module in " + folder + " has " + what + name, Near.remedy(name, known, otherwise));
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
