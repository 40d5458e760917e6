package dev.plumbline.history;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Which sessions may have a read that lacks something of its causal past. What sessions know of
 * some keys goes through the history once, from session to session, and then what they know of the
 * next keys: so the time does not grow with the number of sessions. Who is named here is looked at
 * by itself.
 */
final class CausalScreen {
  /** How many numbers are held at a time. */
  private static final int ROOM = 1 << 24;

  private static final int LEAST_KEYS = 16;

  /** What a session does: it asks for a write, learns that this was made, or has read. */
  enum Kind {
    ASKS,
    WROTE,
    READ
  }

  /**
   * A step of a session.
   *
   * @param index in the history
   * @param update the number of the write that is made or was shown, -1 where nothing was shown
   * @param rank the place of that write among all, -1 if it has none
   * @param judged whether it is a read that has to show its session's causal past
   */
  record Step(long index, Kind kind, int session, int key, int update, int rank, boolean judged) {}

  private final boolean[] suspects;
  private final int[] known;
  private final int[] asked;
  private final int width;
  private int low;

  private CausalScreen(int sessions, int keys, int updates) {
    suspects = new boolean[sessions];
    width = Math.min(keys, Math.max(LEAST_KEYS, ROOM / Math.max(sessions, updates)));
    known = new int[sessions * width];
    asked = new int[updates * width];
  }

  /**
   * The sessions, by number.
   *
   * @param steps in which no read shows a write that began after the read had ended
   */
  static boolean[] suspects(List<Step> steps, int sessions, int keys, int updates) {
    List<Step> inOrder = steps.stream().sorted(Comparator.comparing(Step::index)).toList();
    var screen = new CausalScreen(sessions, keys, updates);
    for (; screen.low < keys; screen.low += screen.width) {
      Arrays.fill(screen.known, 0);
      inOrder.forEach(screen::take);
    }
    return screen.suspects;
  }

  private void take(Step step) {
    int here = step.session * width;
    boolean among = step.key >= low && step.key < low + width;
    if (step.kind == Kind.ASKS) {
      System.arraycopy(known, here, asked, step.update * width, width);
      return;
    }
    if (step.judged && among) {
      int wanted = known[here + step.key - low];
      boolean lacks = step.update < 0 || (step.rank >= 0 && place(step) < wanted);
      suspects[step.session] |= wanted > 0 && lacks;
    }
    if (step.kind == Kind.READ && step.update >= 0) {
      int there = step.update * width;
      for (int i = 0; i < width; i++) {
        known[here + i] = Math.max(known[here + i], asked[there + i]);
      }
    }
    if (step.update >= 0 && among) {
      int at = here + step.key - low;
      known[at] = Math.max(known[at], place(step));
    }
  }

  /** What is known of a key is 0 at first, 1 for a write without a place. */
  private static int place(Step step) {
    return step.rank + 2;
  }
}
