package dev.plumbline.explain;

import dev.plumbline.check.Workspace;
import dev.plumbline.graph.Figures;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A page of {@code docs/results} that says how a protocol's figures compare with its paper's, and
 * has what {@code plumb bench} says of each between marks of its own; with pictures in {@code
 * docs/bench}.
 */
public final class FigurePage {
  /** The seed of pages. */
  public static final long SEED = 1;

  private static final String END = "```\n<!-- end -->";

  private final Path root;
  private final String update;
  private final Path page;

  public FigurePage(Path root, Figures figures) {
    this(root, figures.sheet(), figures.update());
  }

  /**
   * @param sheet what the page is called by
   * @param update the command that writes it, without the tool's name
   */
  FigurePage(Path root, String sheet, String update) {
    this.root = root;
    this.update = update;
    this.page = root.resolve("docs/results/" + sheet + "-bench.md");
  }

  /** Whether the protocol has such a page. */
  public boolean exists() {
    return Files.isRegularFile(page);
  }

  /** Files that do not have what was drawn. */
  public List<Path> differences(Map<String, String> drawn) throws IOException {
    List<Path> differ = new ArrayList<>();
    for (Map.Entry<Path, String> file : files(drawn).entrySet()) {
      if (!Files.isRegularFile(file.getKey())
          || !Files.readString(file.getKey()).equals(file.getValue())) {
        differ.add(file.getKey());
      }
    }
    return differ;
  }

  /** Writes what was drawn. */
  public void update(Map<String, String> drawn) throws IOException {
    files(drawn).forEach(Workspace::writeWhole);
  }

  private Map<Path, String> files(Map<String, String> drawn) throws IOException {
    TreeMap<Path, String> files = new TreeMap<>();
    String text = Files.readString(page);
    for (Map.Entry<String, String> each : drawn.entrySet()) {
      if (each.getKey().endsWith(".svg")) {
        files.put(root.resolve("docs/bench").resolve(each.getKey()), each.getValue());
      } else {
        text = replaced(text, each.getKey(), each.getValue());
      }
    }
    files.put(page, text);
    return files;
  }

  private String replaced(String text, String figure, String said) {
    String mark = "<!-- figure %s: made by ./plumb %s -->\n```\n".formatted(figure, update);
    int start = text.indexOf(mark);
    int end = text.indexOf(END, start);
    if (start < 0 || end < 0) {
      throw new InputError(
          page.toString(), 0, "it has no place for figure " + figure, "add\n" + mark + END);
    }
    return text.substring(0, start + mark.length()) + said + text.substring(end);
  }
}
