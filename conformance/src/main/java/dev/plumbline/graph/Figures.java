package dev.plumbline.graph;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.StreamSupport;

/**
 * What a protocol's paper measured, measured again; listed in {@code
 * META-INF/services/dev.plumbline.graph.Figures}.
 */
public interface Figures {

  /** The name on the command line. */
  String protocol();

  /** Names of the figures, in their order. */
  List<String> names();

  /** What they show, in one sentence. */
  String description();

  /**
   * Draws pictures into the folder.
   *
   * @param wanted some of {@link #names}; all if empty
   * @param json print the report as JSON in place of text
   * @return 0, or 1 if a shape that the paper shows is missed
   */
  int draw(Path folder, PrintWriter out, long seed, Set<String> wanted, boolean json)
      throws IOException;

  /** What {@link #draw} made last: each figure's text by its name, each picture by its file's. */
  Map<String, String> drawn();

  /** All that there are. */
  static List<Figures> all() {
    return StreamSupport.stream(ServiceLoader.load(Figures.class).spliterator(), false)
        .sorted((a, b) -> a.protocol().compareTo(b.protocol()))
        .toList();
  }

  /** Those of a protocol. */
  static Optional<Figures> of(String protocol) {
    return all().stream().filter(f -> f.protocol().equals(protocol)).findFirst();
  }
}
