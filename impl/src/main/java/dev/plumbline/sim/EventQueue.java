package dev.plumbline.sim;

import java.util.Arrays;

/** Events by time; those of the same microsecond in the order of scheduling. A binary heap. */
final class EventQueue {

  /** Something that happens at a time. */
  abstract static class Event {
    private long at;
    private long order;

    abstract void happen();
  }

  private Event[] heap = new Event[1024];
  private int size;
  private long scheduled;
  private long now;

  /** The reference clock: microseconds since the start. */
  long now() {
    return now;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** The time of the next event, microseconds; the queue must not be empty. */
  long nextAt() {
    return heap[0].at;
  }

  void at(long time, Event event) {
    if (time < now) {
      throw new IllegalArgumentException("an event in the past: " + time + " < " + now);
    }
    event.at = time;
    event.order = scheduled++;
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    int i = size++;
    while (i > 0) {
      int parent = (i - 1) >>> 1;
      if (!before(event, heap[parent])) {
        break;
      }
      heap[i] = heap[parent];
      i = parent;
    }
    heap[i] = event;
  }

  void at(long time, Runnable action) {
    at(
        time,
        new Event() {
          @Override
          void happen() {
            action.run();
          }
        });
  }

  /** Advances to the next event and lets it happen. */
  void step() {
    Event next = heap[0];
    Event last = heap[--size];
    heap[size] = null;
    if (size > 0) {
      int i = 0;
      for (int child = 1; child < size; child = 2 * i + 1) {
        if (child + 1 < size && before(heap[child + 1], heap[child])) {
          child++;
        }
        if (!before(heap[child], last)) {
          break;
        }
        heap[i] = heap[child];
        i = child;
      }
      heap[i] = last;
    }
    now = next.at;
    next.happen();
  }

  private static boolean before(Event a, Event b) {
    return a.at < b.at || (a.at == b.at && a.order < b.order);
  }
}
