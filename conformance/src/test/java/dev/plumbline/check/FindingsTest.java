package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each finding is of one kind, which its page and the index say. */
class FindingsTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Path PAGES = ROOT.resolve("docs/findings");

  private static Map<String, Findings.Kind> kinds() {
    Map<String, Findings.Kind> all = new TreeMap<>();
    new Workspace(ROOT).protocols().forEach(p -> all.putAll(Findings.of(p)));
    return all;
  }

  /** What is wrong with a page and its row of the index. */
  private static List<String> faults(Map<String, Findings.Kind> kinds, String page, String index) {
    return kinds.entrySet().stream()
        .flatMap(
            f -> {
              String id = f.getKey();
              String words = f.getValue().words();
              boolean row =
                  index.contains(
                      "| [%s](%s.md) | %s |".formatted(id, id.toLowerCase(Locale.ROOT), words));
              boolean said = page.lines().anyMatch(l -> l.equals("**Kind:** " + words + "."));
              return Stream.of(row ? "" : id + ": index", said ? "" : id + ": page");
            })
        .filter(fault -> !fault.isEmpty())
        .toList();
  }

  @Test
  void everyFindingHasAKindThatItsPageAndTheIndexSay() throws IOException {
    Map<String, Findings.Kind> kinds = kinds();
    TreeSet<String> pages = new TreeSet<>();
    try (Stream<Path> files = Files.list(PAGES)) {
      files
          .map(f -> f.getFileName().toString())
          .filter(f -> f.endsWith(".md") && !f.equals("README.md"))
          .forEach(f -> pages.add(f.replace(".md", "").toUpperCase(Locale.ROOT)));
    }
    assertThat(kinds.keySet()).isEqualTo(pages);
    String index = Files.readString(PAGES.resolve("README.md"));
    for (Map.Entry<String, Findings.Kind> f : kinds.entrySet()) {
      String page = Files.readString(PAGES.resolve(f.getKey().toLowerCase(Locale.ROOT) + ".md"));
      assertThat(faults(Map.of(f.getKey(), f.getValue()), page, index)).isEmpty();
    }
  }

  @Test
  void anotherKindIsNoticed() {
    Map<String, Findings.Kind> kinds = Map.of("X-F1", Findings.Kind.READING);
    String index = "| [X-F1](x-f1.md) | fails in a named reading | what |";
    String page = "# X-F1\n\n**Kind:** fails in a named reading.\n";
    assertThat(faults(kinds, page, index)).isEmpty();
    assertThat(faults(Map.of("X-F1", Findings.Kind.PUBLISHED), page, index))
        .containsExactly("X-F1: index", "X-F1: page");
  }
}
