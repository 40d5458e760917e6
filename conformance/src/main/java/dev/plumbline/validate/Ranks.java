package dev.plumbline.validate;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Values of one log, numbered from 1 in their order, since TLC's integers have 32 bits. */
public final class Ranks<T> {
  private final TreeSet<T> values;
  private Map<T, Integer> ranks;

  public Ranks(Comparator<T> order) {
    values = new TreeSet<>(order);
  }

  /** Takes note of a value; called for the whole log before {@link #of}. */
  public void add(T value) {
    values.add(value);
  }

  /** The value's number, from 1; -1 if it was not noted. */
  public int find(T value) {
    if (ranks == null) {
      ranks = new HashMap<>();
      for (T v : List.copyOf(values)) {
        ranks.put(v, ranks.size() + 1);
      }
    }
    return ranks.getOrDefault(value, -1);
  }

  /** The value's number, from 1. */
  public int of(T value) {
    int rank = find(value);
    if (rank < 0) {
      throw new IllegalArgumentException(value + " was not in the log");
    }
    return rank;
  }

  public int size() {
    return values.size();
  }
}
