package dev.plumbline.graph;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.protocol.Services;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a protocol's paper measured, measured again; listed in {@code
 * META-INF/services/dev.plumbline.graph.Figures}.
 */
public interface Figures {

  /** The name on the command line. */
  String protocol();

  /** Whether processes are measured, in real time; else it is virtual time. */
  default boolean processes() {
    return false;
  }

  /** What files with these figures are called by. */
  default String sheet() {
    return protocol() + (processes() ? "-processes" : "");
  }

  /** The command that writes the figures' page, without the tool's name. */
  default String update() {
    return "bench " + protocol() + (processes() ? " --processes" : "") + " --update";
  }

  /** Names of the figures, in their order. */
  List<String> names();

  /** What they show, in one sentence. */
  String description();

  /**
   * Draws pictures into the folder.
   *
   * @param out for text
   * @param wanted some of {@link #names}; all if empty
   * @return 0, or 1 if a shape that the paper shows is missed
   */
  int draw(Path folder, PrintWriter out, long seed, Set<String> wanted) throws IOException;

  /** The numbers of what {@link #draw} made last. */
  ObjectNode report();

  /** What {@link #draw} made last: each figure's text by its name, each picture by its file's. */
  Map<String, String> drawn();

  /** All that there are. */
  static List<Figures> all() {
    return Services.all(Figures.class).stream()
        .sorted((a, b) -> a.protocol().compareTo(b.protocol()))
        .toList();
  }

  /** Those of a protocol, in virtual time or of processes. */
  static Optional<Figures> of(String protocol, boolean processes) {
    return all().stream()
        .filter(f -> f.protocol().equals(protocol) && f.processes() == processes)
        .findFirst();
  }
}
