package dev.plumbline.protocol;

import dev.plumbline.trace.TraceEvent;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * Something that a run may come into, and in which errors hide. Unlike an action it takes several
 * steps, in one order and often at several nodes.
 *
 * @param name on the command line and in {@code coverage.yaml}
 * @param meaning in one sentence
 * @param seen whether a run's log shows it: the events of all nodes in the order of the reference
 *     clock
 * @param provocation faults that may lead there
 */
public record Situation(
    String name, String meaning, Predicate<List<TraceEvent>> seen, Provocation provocation) {

  /** Makes faults that begin from {@code from} on and may last to {@code until}. */
  @FunctionalInterface
  public interface Provocation {
    List<Fault> faults(Topology topology, SplittableRandom random, long from, long until);
  }
}
