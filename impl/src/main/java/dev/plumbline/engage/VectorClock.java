package dev.plumbline.engage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How much is known of each cloudlet's updates (section III-C).
 *
 * @param entries a sequence number for each cloudlet, in the order of the {@link Layout}
 */
public record VectorClock(List<Long> entries) {

  public VectorClock {
    entries = List.copyOf(entries);
  }

  /** Nothing is known. */
  static VectorClock zero(int cloudlets) {
    return new VectorClock(Collections.nCopies(cloudlets, 0L));
  }

  long at(int cloudlet) {
    return entries.get(cloudlet);
  }

  VectorClock with(int cloudlet, long number) {
    List<Long> changed = new ArrayList<>(entries);
    changed.set(cloudlet, number);
    return new VectorClock(changed);
  }

  VectorClock max(VectorClock other) {
    if (covers(other)) {
      return this;
    }
    List<Long> most = new ArrayList<>(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      most.add(Math.max(entries.get(i), other.entries.get(i)));
    }
    return new VectorClock(most);
  }

  /** Whether no entry is below the other's. */
  public boolean covers(VectorClock other) {
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i) < other.entries.get(i)) {
        return false;
      }
    }
    return true;
  }

  boolean isZero() {
    return sum() == 0;
  }

  long sum() {
    long sum = 0;
    for (int i = 0; i < entries.size(); i++) {
      sum += entries.get(i);
    }
    return sum;
  }
}
