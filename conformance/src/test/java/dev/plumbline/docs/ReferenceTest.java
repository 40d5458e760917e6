package dev.plumbline.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Reference pages stay short and true without a date. Words of text and of tables written by hand
 * count; code, tables that a command makes, and the addresses of links do not.
 */
class ReferenceTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final int LEAST = 600;
  private static final int MOST = 900;
  private static final List<String> BOUNDED =
      List.of(
          "docs/architecture.md",
          "docs/jepsen.md",
          "docs/mutation.md",
          "docs/node.md",
          "specs/catenae/README.md",
          "specs/dast/README.md",
          "specs/engage/README.md",
          "specs/k2/README.md",
          "specs/metric/README.md");

  /** What a diary says and a reference does not. */
  private static final Pattern DIARY =
      Pattern.compile(
          "\\b20\\d\\d-\\d\\d-\\d\\d\\b"
              + "|(?i)\\b(used to|so far|since then|at first|until now|recently|previously"
              + "|formerly|by now|(was|were) run|earlier (run|host|state|version)s?"
              + "|(was|were) judged again|(busy|loaded|idle) machine)\\b");

  private static final Pattern CHAIN = Pattern.compile("[^.;:|]*;[^.|]*;[^.|]*");
  private static final List<String> TERMS =
      List.of(
          "IRT",
          "CRT",
          "PCT",
          "MVTO",
          "linearization",
          "corpus",
          "lockstep",
          "band",
          "lane",
          "finding",
          "repair",
          "world");

  /** The lines that count: those of code and of made tables are empty. */
  private static List<String> text(String page) {
    List<String> lines = new ArrayList<>();
    boolean code = false;
    boolean made = false;
    for (String line : page.lines().toList()) {
      boolean fence = line.strip().startsWith("```");
      made |= line.matches("<!-- .*: made by .*");
      lines.add(code || fence || made || line.startsWith("<!--") ? "" : line);
      made &= !line.startsWith("<!-- end -->");
      code ^= fence;
    }
    return lines;
  }

  private static long words(String page) {
    return text(page).stream()
        .flatMap(line -> Arrays.stream(line.replaceAll("\\]\\([^)]*\\)", "]").split("\\s+", -1)))
        .filter(word -> word.matches(".*[\\p{L}\\p{N}].*"))
        .count();
  }

  private static List<String> faults(Pattern of, String page) {
    List<String> faults = new ArrayList<>();
    List<String> lines = text(page);
    for (int i = 0; i < lines.size(); i++) {
      Matcher m = of.matcher(lines.get(i).replaceAll("`[^`]*`", "`"));
      while (m.find()) {
        faults.add((i + 1) + ": " + m.group().strip());
      }
    }
    return faults;
  }

  private static String read(String page) throws IOException {
    return Files.readString(ROOT.resolve(page), StandardCharsets.UTF_8);
  }

  @Test
  void referencePagesAreShortAndHaveNoChains() throws IOException {
    for (String page : BOUNDED) {
      assertThat(words(read(page))).as(page).isBetween((long) LEAST, (long) MOST);
      assertThat(faults(CHAIN, read(page))).as(page).isEmpty();
    }
  }

  @Test
  void referencePagesAreTrueWithoutADate() throws IOException {
    List<String> pages = new ArrayList<>(BOUNDED);
    try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
      files
          .map(f -> "docs/" + f.getFileName())
          .filter(f -> f.endsWith(".md") && !f.equals("docs/limits.md"))
          .forEach(pages::add);
    }
    assertThat(pages).hasSizeGreaterThan(30);
    for (String page : pages) {
      assertThat(faults(DIARY, read(page))).as(page).isEmpty();
    }
  }

  @Test
  void theGlossaryHasTheWords() throws IOException {
    String glossary = read("docs/glossary.md");
    for (String term : TERMS) {
      assertThat(glossary)
          .as(term)
          .containsPattern("(?m)^\\| ([^|]*, )?" + term + "(, [^|]*)? \\|");
    }
  }

  @Test
  void aFindingsInitialStateIsFolded() throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve("docs/findings"))) {
      for (Path f : files.filter(p -> p.toString().endsWith(".md")).toList()) {
        assertThat(open(Files.readString(f, StandardCharsets.UTF_8))).as(f.toString()).isEmpty();
      }
    }
  }

  private static List<String> open(String page) {
    return page.lines().filter(l -> l.startsWith("| 0 |") && !l.contains("<details>")).toList();
  }

  @Test
  void whatIsRefusedIsSeen() {
    String page =
        """
        # One two
        <!-- claims: made by ./plumb audit --update -->
        | none of these | counts |
        <!-- end -->
        three [four](five.md) — six
        ```
        nor this
        ```
        It was run again on 2030-01-01, as it used to be.
        One; two; three.
        A `one; two; three` is code. One; two. Three; four.
        """;
    assertThat(words(page)).isEqualTo(5 + 11 + 3 + 10);
    assertThat(faults(DIARY, page)).containsExactly("9: was run", "9: 2030-01-01", "9: used to");
    assertThat(faults(CHAIN, page)).hasSize(1).allMatch(f -> f.startsWith("10: One; two; three"));
    assertThat(open("| 0 | `Init` | `x: 0` |\n")).hasSize(1);
    assertThat(open("| 0 | `Init` | <details>`x: 0`</details> |\n")).isEmpty();
  }
}
