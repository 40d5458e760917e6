package dev.plumbline.check;

import java.util.LinkedHashMap;
import java.util.Map;

/** What kind each of a protocol's findings is: {@code findings} in its checks.yaml. */
public final class Findings {
  /** Whose fault it is, in the words of the pages and of their index. */
  public enum Kind {
    PUBLISHED("fails as published"),
    READING("fails in a named reading"),
    OUTSIDE("outside what the paper states"),
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
    Map<String, Kind> all = new LinkedHashMap<>();
    YamlNode.read(protocol.file())
        .optional("findings")
        .ifPresent(
            n ->
                n.entries()
                    .forEach(
                        (id, kind) -> {
                          String name = kind.oneOf("published", "reading", "outside", "ours");
                          all.put(id, Kind.valueOf(name.toUpperCase(java.util.Locale.ROOT)));
                        }));
    return all;
  }
}
