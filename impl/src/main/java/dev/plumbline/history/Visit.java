package dev.plumbline.history;

import java.util.Set;

/**
 * Who asked for an operation where, and what for: needed to judge session guarantees.
 *
 * @param session the client, which outlives its processes
 * @param node the replica that serves it
 * @param asked the guarantees asked for
 * @param last whether it is a read after everything was healed and has settled
 */
public record Visit(String session, String node, Set<Guarantee> asked, boolean last) {
  public Visit {
    asked = Set.copyOf(asked);
  }
}
