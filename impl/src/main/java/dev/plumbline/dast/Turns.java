package dev.plumbline.dast;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * What is repeated in an interval where not all can be. A process that sends more than it has time
 * for reads nothing any more, and one that is away answers to nothing: others have their turn.
 */
final class Turns {
  /** The last that had its turn. */
  private String last = "";

  /**
   * Goes on after the last one of the interval before, until as much was sent as can be read.
   *
   * @param send sends what is to be said of one, and says how many messages these were
   */
  <V> void repeat(TreeMap<String, V> all, ToIntFunction<V> send) {
    int left = Pace.FEW;
    for (SortedMap<String, V> part : List.of(all.tailMap(last, false), all.headMap(last, true))) {
      for (Map.Entry<String, V> each : part.entrySet()) {
        if (left <= 0) {
          return;
        }
        left -= send.applyAsInt(each.getValue());
        last = each.getKey();
      }
    }
  }
}
