package dev.plumbline.check;

import dev.plumbline.check.Checks.Check;
import dev.plumbline.protocol.Near;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What kind each of a protocol's findings is: {@code findings} in its checks.yaml. */
public final class Findings {
  /** Whose fault it is, in the words of the pages and of their index. */
  public enum Kind {
    PUBLISHED("fails as published"),
    READING("fails in a named reading"),
    OUTSIDE("outside what the paper states"),
    ADMITTED("what the paper admits"),
    OURS("a flaw of our own repair");

    private final String words;

    Kind(String words) {
      this.words = words;
    }

    public String words() {
      return words;
    }
  }

  private Findings() {}

  /** The kinds by the findings' ids. */
  public static Map<String, Kind> of(Checks protocol) {
    return of(YamlNode.read(protocol.file()), protocol.checks());
  }

  /** The same, of a file that is being read: each is of one of its checks. */
  static Map<String, Kind> of(YamlNode root, List<Check> checks) {
    Set<String> known = new TreeSet<>();
    checks.forEach(c -> known.add(c.finding()));
    known.remove("");
    Map<String, Kind> all = new LinkedHashMap<>();
    root.optional("findings")
        .ifPresent(
            n ->
                n.entries()
                    .forEach(
                        (id, kind) -> {
                          if (!known.contains(id)) {
                            throw kind.error(
                                "no check has the finding " + id,
                                Near.remedy(
                                    id,
                                    known,
                                    "add finding: " + id + " to its check, or remove it"));
                          }
                          String name =
                              kind.oneOf("published", "reading", "outside", "admitted", "ours");
                          all.put(id, Kind.valueOf(name.toUpperCase(java.util.Locale.ROOT)));
                        }));
    return all;
  }
}
