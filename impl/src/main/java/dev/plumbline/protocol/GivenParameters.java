package dev.plumbline.protocol;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Protocol parameters, as users give them. */
public final class GivenParameters {
  /** Eleven days in microseconds: sums of such parameters do not overflow. */
  public static final long MOST = 1_000_000_000_000L;

  private GivenParameters() {}

  /**
   * Refuses names that the protocol does not know, and values that are too large. What tells
   * clusters apart may be any number.
   *
   * @throws IllegalArgumentException with the nearest name and all that there are, or the bound
   */
  public static void demand(ProtocolSystem protocol, Map<String, Long> given) {
    Set<String> known = new TreeSet<>(protocol.parameters());
    for (String name : given.keySet()) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            protocol.name()
                + " has no parameter \""
                + name
                + "\""
                + Near.hint(name, known)
                + " it has "
                + String.join(", ", known));
      }
      if (given.get(name) > MOST && !protocol.identity(1).containsKey(name)) {
        throw new IllegalArgumentException(
            name + " is " + given.get(name) + ", and at most " + MOST + " makes sense");
      }
    }
  }
}
