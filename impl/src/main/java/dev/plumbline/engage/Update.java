package dev.plumbline.engage;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An update of an object (section III-D).
 *
 * @param source the cloudlet that made it
 * @param number the source's sequence number
 * @param value what it writes
 * @param clock the object's clock after it
 */
public record Update(String source, long number, String object, String value, VectorClock clock) {

  /** In flushes, which carry none. */
  static Update none(int cloudlets) {
    return new Update("none", 0, "none", "", VectorClock.zero(cloudlets));
  }

  Id id() {
    return new Id(source, number);
  }

  /** Its place among all updates: causes stand before effects, all cloudlets agree. */
  List<Long> place(Layout layout) {
    return List.of(clock.sum(), (long) layout.index(source), number);
  }

  /** Whether it stands behind another update of its object. */
  boolean after(Update other, Layout layout) {
    long sum = clock.sum();
    long others = other.clock.sum();
    return sum > others || (sum == others && layout.index(source) > layout.index(other.source));
  }

  /** As the specification has it. */
  public Map<String, Object> words(Layout layout) {
    return new TreeMap<>(
        Map.of("src", source, "snb", number, "obj", object, "vc", layout.words(clock)));
  }

  /** What names an update. */
  public record Id(String source, long number) implements Comparable<Id> {
    @Override
    public int compareTo(Id other) {
      int sources = source.compareTo(other.source);
      return sources != 0 ? sources : Long.compare(number, other.number);
    }
  }
}
