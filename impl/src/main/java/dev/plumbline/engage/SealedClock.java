package dev.plumbline.engage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A clock as cloudlets give it out.
 *
 * @param seals one for each entry; empty where that is 0
 */
public record SealedClock(VectorClock clock, List<String> seals) {
  private static final String NONE = "";

  public SealedClock {
    seals = List.copyOf(seals);
  }

  /** Nothing is known. */
  public static SealedClock zero(int cloudlets) {
    return new SealedClock(VectorClock.zero(cloudlets), Collections.nCopies(cloudlets, NONE));
  }

  /** A clock with all its seals. */
  static SealedClock of(VectorClock clock, Layout layout, Seals by) {
    List<String> seals = new ArrayList<>(clock.entries().size());
    for (int i = 0; i < clock.entries().size(); i++) {
      seals.add(clock.at(i) == 0 ? NONE : by.of(layout.cloudlets().get(i), clock.at(i)));
    }
    return new SealedClock(clock, seals);
  }

  /** Each entry goes with its seal, so what clients merge needs no new one. */
  SealedClock max(SealedClock other) {
    List<String> most = new ArrayList<>(seals.size());
    for (int i = 0; i < seals.size(); i++) {
      most.add(clock.at(i) >= other.clock.at(i) ? seals.get(i) : other.seals.get(i));
    }
    return new SealedClock(clock.max(other.clock), most);
  }
}
