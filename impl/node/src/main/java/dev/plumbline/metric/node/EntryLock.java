package dev.plumbline.metric.node;

import java.util.ArrayList;
import java.util.List;

/**
 * The lock of a key: what a lightweight transaction replaces by what follows it.
 *
 * @param version how often it was replaced; 0 if it is not there yet
 * @param last the highest reference that was given; the holder's, if there is one
 * @param holder who holds it; null for nobody
 * @param forced whether it was taken from somebody, and nobody let go of it in peace since
 * @param waiting in the order in which they asked
 */
record EntryLock(long version, long last, Asked holder, boolean forced, List<Asked> waiting) {
  /** Of a key that nobody asked for. */
  static final EntryLock FREE = new EntryLock(0, 0, null, false, List.of());

  /**
   * Who asked for it.
   *
   * @param request names the critical section among all of this client's, and grows
   */
  record Asked(String client, long request) {}

  EntryLock {
    waiting = List.copyOf(waiting);
  }

  /** The reference that holds it; 0 for none. */
  long held() {
    return holder == null ? 0 : last;
  }

  /** Somebody asks for it, perhaps again. This very lock if that changes nothing. */
  EntryLock askedBy(Asked who) {
    boolean same = holder != null && holder.client().equals(who.client());
    if (same && holder.request() >= who.request()) {
      return this;
    }
    boolean queued =
        waiting.stream()
            .anyMatch(w -> w.client().equals(who.client()) && w.request() >= who.request());
    if (same || holder == null) {
      // Who asks for it under a new name uses it no more; how it ended its use, it did not say.
      EntryLock more = queued ? this : queueing(who);
      return holder == null ? more.granted() : more.freed(true);
    }
    return queued ? this : queueing(who);
  }

  private EntryLock queueing(Asked who) {
    List<Asked> longer = new ArrayList<>(waiting);
    longer.removeIf(w -> w.client().equals(who.client()));
    longer.add(who);
    return new EntryLock(version, last, holder, forced, longer);
  }

  /**
   * Somebody does not use it any more, or wait for it.
   *
   * @param clean whether nothing was in progress, and the key is synchronized
   */
  EntryLock leftBy(Asked who, boolean clean) {
    if (who.equals(holder)) {
      return freed(!clean);
    } else if (!waiting.contains(who)) {
      return this;
    }
    List<Asked> shorter = new ArrayList<>(waiting);
    shorter.remove(who);
    return new EntryLock(version, last, holder, forced, shorter);
  }

  /** Its holder has it no more; whoever waits longest has it then. */
  EntryLock freed(boolean byForce) {
    return new EntryLock(version, last, null, byForce, waiting).granted();
  }

  private EntryLock granted() {
    return waiting.isEmpty()
        ? this
        : new EntryLock(
            version, last + 1, waiting.get(0), forced, waiting.subList(1, waiting.size()));
  }

  /** What stands there once it has replaced another. */
  EntryLock next() {
    return new EntryLock(version + 1, last, holder, forced, waiting);
  }
}
