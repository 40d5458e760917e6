package dev.plumbline.dast;

import dev.plumbline.dast.DastMessage.Note;
import java.util.List;

/**
 * A decided change of view; what the register holds.
 *
 * @param view the new view
 * @param removed nodes that are not members any more
 * @param added the new member, or empty
 * @param at where the new member's clock starts
 * @param executed up to where its checkpoint goes
 * @param irts that were reported: committed
 * @param crts of removed coordinators: committed or, if the note says otherwise, aborted
 * @param parts CRTs that every member has from now on; one that its coordinator, a member, has not
 *     decided is kept for it
 * @param anticipated the newest timestamp that the manager anticipated: members that have it may go
 */
public record Change(
    View view,
    List<String> removed,
    String added,
    Timestamp at,
    Timestamp executed,
    List<Note> irts,
    List<Note> crts,
    List<Note> parts,
    Timestamp anticipated) {

  /** A register of before has none. */
  public Change {
    anticipated = anticipated == null ? Timestamp.ZERO : anticipated;
  }

  /** Of a manager that has anticipated nothing. */
  public Change(
      View view,
      List<String> removed,
      String added,
      Timestamp at,
      Timestamp executed,
      List<Note> irts,
      List<Note> crts,
      List<Note> parts) {
    this(view, removed, added, at, executed, irts, crts, parts, Timestamp.ZERO);
  }
}
