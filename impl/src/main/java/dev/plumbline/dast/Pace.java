package dev.plumbline.dast;

import java.util.TreeMap;

/**
 * How often a message with many notes is repeated. One that goes out with every interval comes
 * faster than it can be read, and nobody gets to the end of what waits.
 */
final class Pace {
  /** Notes that can be sent and read in an interval. */
  static final int FEW = 2_000;

  /** For how many more intervals each message is waited for. */
  private final TreeMap<String, Integer> waits = new TreeMap<>();

  /** Whether a message with so many notes may go out, which then is waited for. */
  boolean starts(String what, int notes) {
    if (waits.containsKey(what)) {
      return false;
    }
    if (notes > FEW) {
      waits.put(what, notes / FEW);
    }
    return true;
  }

  /** Whether a message is waited for. */
  boolean waits(String what) {
    return waits.containsKey(what);
  }

  /** It arrived, or is of no use any more. */
  void ends(String what) {
    waits.remove(what);
  }

  /** An interval after which what was not answered is repeated. */
  void interval() {
    waits.replaceAll((what, left) -> left - 1);
    waits.values().removeIf(left -> left < 0);
  }
}
