package dev.plumbline.protocol;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/** The names of protocol parameters, as users give them. */
public final class ParameterNames {
  private ParameterNames() {}

  /**
   * Refuses names that the protocol does not know.
   *
   * @throws IllegalArgumentException with the nearest name, and all that there are
   */
  public static void demand(ProtocolSystem protocol, Collection<String> given) {
    Set<String> known = new TreeSet<>(protocol.parameters());
    for (String name : given) {
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
    }
  }
}
