package dev.plumbline.dast;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A stored procedure (section 3.1): its pieces and the values that flow between them.
 *
 * <p>Registration refuses a value that nobody or two pieces give, and values that flow in a circle:
 * each of its pieces would wait for another.
 */
public record Procedure(String name, List<Piece> pieces) {

  /**
   * @throws IllegalArgumentException naming the piece and the value, or the cycle
   */
  public Procedure {
    pieces = List.copyOf(pieces);
    Map<String, Piece> byName = new LinkedHashMap<>();
    for (Piece piece : pieces) {
      if (byName.put(piece.name(), piece) != null) {
        throw new IllegalArgumentException(name + " has two pieces " + piece.name());
      }
    }
    for (Piece piece : pieces) {
      for (String input : piece.inputs()) {
        long givers = pieces.stream().filter(p -> p.outputs().contains(input)).count();
        if (givers != 1) {
          throw new IllegalArgumentException(
              name
                  + ": "
                  + piece.name()
                  + " needs "
                  + input
                  + ", which "
                  + givers
                  + " pieces give");
        }
      }
    }
    Set<String> done = new LinkedHashSet<>();
    for (Piece piece : pieces) {
      visit(name, pieces, piece, new ArrayList<>(), done);
    }
  }

  private static void visit(
      String name, List<Piece> pieces, Piece piece, List<String> path, Set<String> done) {
    int from = path.indexOf(piece.name());
    if (from >= 0) {
      List<String> cycle = new ArrayList<>(path.subList(from, path.size()));
      cycle.add(piece.name());
      throw new IllegalArgumentException(
          name + ": values flow in a circle: " + String.join(" <- ", cycle));
    }
    if (done.contains(piece.name())) {
      return;
    }
    path.add(piece.name());
    for (String input : piece.inputs()) {
      visit(name, pieces, giver(pieces, input), path, done);
    }
    path.remove(path.size() - 1);
    done.add(piece.name());
  }

  private static Piece giver(List<Piece> pieces, String value) {
    return pieces.stream().filter(p -> p.outputs().contains(value)).findFirst().orElseThrow();
  }

  /** The piece that gives a value. */
  public Piece giver(String value) {
    return giver(pieces, value);
  }

  /**
   * The piece of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public Piece piece(String piece) {
    return pieces.stream()
        .filter(p -> p.name().equals(piece))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(name + " has no piece " + piece));
  }
}
