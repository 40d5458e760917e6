package dev.plumbline.mutate;

import java.util.ArrayList;
import java.util.List;

/**
 * One change of a module.
 *
 * @param id module, operator, kind of change, and a hash of what is replaced by what: it survives
 *     edits elsewhere
 * @param line where the change begins
 * @param text the whole changed module
 * @param probe the module with something in the changed place that cannot be evaluated, or empty:
 *     who explores it without an error never gets there
 */
public record Mutant(
    String id,
    String module,
    String operator,
    String kind,
    int line,
    String original,
    String text,
    String probe) {

  /** The changed lines: each old one after {@code -}, each new one after {@code +}. */
  public String diff() {
    List<String> before = original.lines().toList();
    List<String> after = text.lines().toList();
    int same = 0;
    while (same < Math.min(before.size(), after.size())
        && before.get(same).equals(after.get(same))) {
      same++;
    }
    int tail = 0;
    while (tail < Math.min(before.size(), after.size()) - same
        && before.get(before.size() - 1 - tail).equals(after.get(after.size() - 1 - tail))) {
      tail++;
    }
    List<String> lines = new ArrayList<>();
    before.subList(same, before.size() - tail).forEach(l -> lines.add("- " + l.stripTrailing()));
    after.subList(same, after.size() - tail).forEach(l -> lines.add("+ " + l.stripTrailing()));
    return String.join("\n", lines);
  }
}
