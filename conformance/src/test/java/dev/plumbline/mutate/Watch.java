package dev.plumbline.mutate;

import dev.plumbline.protocol.SeededBug;
import java.util.TreeMap;
import java.util.TreeSet;

/** Looks over the shoulders of a run's machines, and changes nothing of the run. */
abstract class Watch implements SeededBug {
  /** What was wrong, each once. */
  final TreeSet<String> wrong = new TreeSet<>();

  /** How often each thing was looked at: a check that nothing reaches shows nothing. */
  final TreeMap<String, Integer> seen = new TreeMap<>();

  private final String protocol;

  Watch(String protocol) {
    this.protocol = protocol;
  }

  @Override
  public final String protocol() {
    return protocol;
  }

  @Override
  public final String name() {
    return "watched";
  }

  @Override
  public final String description() {
    return "nothing: the machines are looked at";
  }

  final void expect(boolean right, String what, Object detail) {
    seen.merge(what, 1, Integer::sum);
    if (!right && wrong.stream().noneMatch(w -> w.startsWith(what))) {
      wrong.add(what + ": " + detail);
    }
  }
}
