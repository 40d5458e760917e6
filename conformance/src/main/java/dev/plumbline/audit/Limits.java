package dev.plumbline.audit;

import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What docs/limits.md says, paragraph by paragraph: {@code <!-- about: WORD… -->} before each names
 * the kinds of links, or the protocol, that it limits; {@code all} is everything.
 */
final class Limits {
  private static final Pattern ABOUT = Pattern.compile("<!-- about: ([\\w ]+) -->");
  private static final Pattern TITLE = Pattern.compile("\\*\\*([^*]+?)\\.?\\*\\*\\s*");

  private Limits() {}

  /** One paragraph. */
  record Limit(List<String> about, String title, String text, int line) {
    boolean concerns(String protocol, Set<Kind> kinds) {
      return about.contains("all")
          || about.contains(protocol)
          || kinds.stream().anyMatch(k -> about.contains(k.word()));
    }
  }

  /** All paragraphs; none if there is no such page. */
  static List<Limit> read(Path page) {
    List<Limit> all = new ArrayList<>();
    if (!Files.isRegularFile(page)) {
      return all;
    }
    List<String> lines;
    try {
      lines = Files.readAllLines(page, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> about = List.of();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      Matcher comment = ABOUT.matcher(line);
      Matcher title = TITLE.matcher(line);
      if (comment.matches()) {
        about = Arrays.asList(comment.group(1).strip().split("\\s+", -1));
      } else if (title.lookingAt()) {
        if (about.isEmpty()) {
          throw new InputError(
              page.toString(),
              i + 1,
              "nothing says what this limits",
              "put <!-- about: all --> before it, or kinds of links: check world mutant corpus …");
        }
        StringBuilder text = new StringBuilder(line.substring(title.end()));
        for (int k = i + 1; k < lines.size() && lines.get(k).startsWith("- "); k++) {
          text.append('\n').append(lines.get(k));
        }
        all.add(new Limit(about, title.group(1), text.toString().strip(), i + 1));
        about = List.of();
      }
    }
    return all;
  }
}
