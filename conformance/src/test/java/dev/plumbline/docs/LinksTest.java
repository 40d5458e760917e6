package dev.plumbline.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every link between documents leads somewhere: to a file, and to a heading where it names one. */
class LinksTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Set<String> MADE =
      Set.of("target", ".plumb", ".git", "store", "node_modules");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^()\\s]+)\\)");

  @TempDir Path folder;

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    List<Path> documents = documents(ROOT);
    assertThat(documents).hasSizeGreaterThan(60);
    assertThat(broken(documents)).isEmpty();
  }

  @Test
  void brokenLinksAreSeen() throws IOException {
    Path page = folder.resolve("a.md");
    Files.writeString(
        page,
        """
        # A page: `code`, twice
        [here](#a-page-code-twice) [gone](none.md) [b](b.md#there) [b](b.md#missing)
        [away](https://example.org/none) `[no](link)`
        ```
        [no](link-in-code)
        ```
        """);
    Files.writeString(folder.resolve("b.md"), "## There\n");
    assertThat(broken(documents(folder)))
        .containsExactly("a.md:2: none.md", "a.md:2: b.md#missing");
  }

  private static List<Path> documents(Path root) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> entries = Files.list(root)) {
      for (Path p : entries.sorted().toList()) {
        if (Files.isDirectory(p) && !MADE.contains(p.getFileName().toString())) {
          found.addAll(documents(p));
        } else if (p.toString().endsWith(".md")) {
          found.add(p);
        }
      }
    }
    return found;
  }

  private static List<String> broken(List<Path> documents) throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : documents) {
      List<String> lines = prose(page);
      for (int i = 0; i < lines.size(); i++) {
        Matcher link = LINK.matcher(lines.get(i).replaceAll("`[^`]*`", ""));
        while (link.find()) {
          if (!leads(page, link.group(1))) {
            broken.add(page.getFileName() + ":" + (i + 1) + ": " + link.group(1));
          }
        }
      }
    }
    return broken;
  }

  private static boolean leads(Path page, String link) throws IOException {
    if (link.matches("[a-z]+:.*")) {
      return true;
    }
    int at = link.indexOf('#');
    String name = at < 0 ? link : link.substring(0, at);
    Path target = name.isEmpty() ? page : page.resolveSibling(name).normalize();
    if (!Files.exists(target)) {
      return false;
    }
    return at < 0
        || !target.toString().endsWith(".md")
        || headings(target).contains(link.substring(at + 1));
  }

  /** The lines of a page, those inside code blocks empty. */
  private static List<String> prose(Path page) throws IOException {
    List<String> lines = new ArrayList<>();
    boolean code = false;
    for (String line : Files.readAllLines(page, StandardCharsets.UTF_8)) {
      boolean fence = line.strip().startsWith("```");
      lines.add(code || fence ? "" : line);
      code ^= fence;
    }
    return lines;
  }

  /** Headings as links name them: lower case, spaces as hyphens, no punctuation. */
  private static Set<String> headings(Path page) throws IOException {
    Set<String> names = new HashSet<>();
    for (String line : prose(page)) {
      if (line.matches("#+ .*")) {
        String text = line.replaceFirst("#+ ", "").replaceAll("\\]\\([^)]*\\)", "");
        String name =
            text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
        for (int n = 0; !names.add(n == 0 ? name : name + "-" + n); n++) {
          continue;
        }
      }
    }
    return names;
  }
}
