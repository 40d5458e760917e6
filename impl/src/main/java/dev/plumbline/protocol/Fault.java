package dev.plumbline.protocol;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/**
 * One fault of a plan. Times are reference time in microseconds; a fault holds from {@code at}
 * until {@code until}. Selectors name a node, a region (its nodes and clients) or {@code *}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Fault.Loss.class, name = "loss"),
  @JsonSubTypes.Type(value = Fault.Duplicate.class, name = "duplicate"),
  @JsonSubTypes.Type(value = Fault.Delay.class, name = "delay"),
  @JsonSubTypes.Type(value = Fault.Reorder.class, name = "reorder"),
  @JsonSubTypes.Type(value = Fault.Partition.class, name = "partition"),
  @JsonSubTypes.Type(value = Fault.Crash.class, name = "crash"),
  @JsonSubTypes.Type(value = Fault.Pause.class, name = "pause"),
  @JsonSubTypes.Type(value = Fault.TrueTime.class, name = "true-time"),
  @JsonSubTypes.Type(value = Fault.Drift.class, name = "drift"),
  @JsonSubTypes.Type(value = Fault.Failover.class, name = "failover")
})
public sealed interface Fault {

  /** When it begins. */
  long at();

  /** Messages vanish with the given probability. */
  record Loss(long at, long until, String from, String to, int permille) implements Fault {}

  /** Messages arrive twice with the given probability. */
  record Duplicate(long at, long until, String from, String to, int permille) implements Fault {}

  /** Every message takes longer. */
  record Delay(long at, long until, String from, String to, long micros) implements Fault {}

  /** Every message takes longer by a random time of its own. */
  record Reorder(long at, long until, String from, String to, long spreadMicros) implements Fault {}

  /** Nothing gets from {@code from} to {@code to}, nor back unless {@code oneWay}. */
  record Partition(long at, long until, List<String> from, List<String> to, boolean oneWay)
      implements Fault {}

  /** A node stops without its unsynced writes and restarts at {@code until}. */
  record Crash(long at, long until, String node) implements Fault {}

  /** A node does nothing; its clocks run on. */
  record Pause(long at, long until, String node) implements Fault {}

  /**
   * A TrueTime clock shows the reference time + shift ± half-width from now on. Within the
   * assumption: |shift| ≤ half-width ≤ epsilon.
   */
  record TrueTime(long at, String node, long shiftMicros, long halfWidthMicros) implements Fault {}

  /** A node's interval clock runs at 1 + ppm / 10⁶ from now on. */
  record Drift(long at, String node, long ppm) implements Fault {}

  /**
   * {@code to} takes its role over from the present owner, which is not told. Every other node
   * learns of it at a time of its own within {@code spreadMicros}.
   */
  record Failover(long at, String to, long spreadMicros) implements Fault {}
}
