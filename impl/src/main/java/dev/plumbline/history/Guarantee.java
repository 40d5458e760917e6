package dev.plumbline.history;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a client may ask of an operation, after Terry et al., <em>Session Guarantees for Weakly
 * Consistent Replicated Data</em> (1994). All four together are causal consistency for that client.
 */
public enum Guarantee {
  /** A read shows the client's earlier writes. */
  READ_YOUR_WRITES("ryw"),
  /** A read shows what the client's earlier reads showed. */
  MONOTONIC_READS("mr"),
  /** A write is shown nowhere without what its client had read before. */
  WRITES_FOLLOW_READS("wfr"),
  /** A write is shown nowhere without its client's earlier writes. */
  MONOTONIC_WRITES("mw");

  private final String word;

  Guarantee(String word) {
    this.word = word;
  }

  /** The name used in histories. */
  public String word() {
    return word;
  }

  /** All four. */
  public static Set<Guarantee> all() {
    return EnumSet.allOf(Guarantee.class);
  }

  static Guarantee of(String word) {
    return Arrays.stream(values())
        .filter(g -> g.word.equals(word))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("a guarantee is ryw, mr, wfr or mw, found " + word));
  }
}
