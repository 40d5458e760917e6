package dev.plumbline.metric;

import java.util.List;

/**
 * By what replicas order writes: the lock reference, then the number of the write under it (repair
 * {@code refStamp}); as published the client's clock, then its number.
 */
public record Stamp(long first, long second) implements Comparable<Stamp> {
  /** Of a value that was never written. */
  public static final Stamp ZERO = new Stamp(0, 0);

  @Override
  public int compareTo(Stamp other) {
    return first != other.first
        ? Long.compare(first, other.first)
        : Long.compare(second, other.second);
  }

  /** As the specification has it. */
  public List<Long> words() {
    return List.of(first, second);
  }
}
