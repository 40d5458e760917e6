package dev.plumbline.dast.binding;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.graph.Values;

/** What the specifications call timestamps and transactions. */
final class DastValues {
  private DastValues() {}

  /** The triple: time, nid, frac. */
  static ArrayNode triple(Timestamp ts) {
    return Values.F.arrayNode().add((int) ts.time()).add((int) ts.nid()).add((int) ts.frac());
  }

  /** {@code Failover}'s number of a timestamp, in which frac is 0. */
  static int stamp(Timestamp ts) {
    return (int) (10 * ts.time() + ts.nid());
  }

  /** The phase of a transaction; null is one that a node does not know. */
  static String phase(Note note) {
    return note == null ? "none" : note.committed() ? "committed" : "prepared";
  }
}
