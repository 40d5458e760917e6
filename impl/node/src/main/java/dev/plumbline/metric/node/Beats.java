package dev.plumbline.metric.node;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The beats of locks' holders, lock by lock or process by process, as one who waits has read them.
 * Times are nanoseconds of this process's own clock.
 */
final class Beats {
  private static final int MOST = 10_000;

  private final long lease;

  /** By key, or by process; who gives up and asks again goes on from what it saw. The oldest go. */
  private final Map<String, Seen> seen =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Seen> eldest) {
          return size() > MOST;
        }
      };

  /**
   * A holder's beat as it was read first.
   *
   * @param since when that read had ended
   */
  private record Seen(long reference, Long beat, long since) {}

  Beats(long lease) {
    this.lease = lease;
  }

  /**
   * Whether the beat of a lock's reference, or of a process's epoch, has been the same for a lease:
   * from the end of one read to the beginning of another, so that a slow read or a pause lapses
   * nothing.
   *
   * @param beat null if the holder has written none
   * @param begun when the read of this beat began
   * @param ended when it had ended
   */
  boolean lapsed(String key, long reference, Long beat, long begun, long ended) {
    Seen before = seen.get(key);
    if (before == null || before.reference != reference || !Objects.equals(before.beat, beat)) {
      seen.put(key, new Seen(reference, beat, ended));
      return false;
    }
    return begun - before.since >= lease;
  }

  void forget(String key) {
    seen.remove(key);
  }
}
