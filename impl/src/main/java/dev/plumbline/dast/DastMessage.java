package dev.plumbline.dast;

import dev.plumbline.machine.Message;
import java.util.List;
import java.util.Map;

/** What processes tell each other. Any message may be lost, repeated, delayed or overtaken. */
public sealed interface DastMessage extends Message {

  /** Algorithm 1, line 15: take part in an IRT. */
  record Prepare(Txn txn, Timestamp ts) implements DastMessage {}

  /** Line 16. */
  record Ack(String txn) implements DastMessage {}

  /** Line 20: an IRT is committed. */
  record Commit(Txn txn, Timestamp ts) implements DastMessage {}

  /** Algorithm 2, line 5: anticipate for your region. */
  record PrepRemote(Txn txn, Timestamp srcTs) implements DastMessage {}

  /** Line 15: take part in a CRT. */
  record PrepCrt(Txn txn, Timestamp at, String coordinator) implements DastMessage {}

  /**
   * Line 20, with the repair Vote: the commit timestamp is not below {@code at}.
   *
   * @param view the voter's, 0 where nodes are never replaced (repair ViewVotes)
   */
  record Vote(String txn, Timestamp at, long view) implements DastMessage {}

  /** Line 9: a CRT is committed; {@code now} is the coordinator's clock. */
  record CommitRemote(Txn txn, Timestamp ts, Timestamp now) implements DastMessage {}

  /**
   * A clock and what the receiver must know of up to it (sections 4.2, 4.3).
   *
   * @param holds all CRTs that hold the sender's clock, by the time that it stays below
   * @param notes transactions that access the receiver
   */
  record Clock(Timestamp ts, Map<String, Long> holds, List<Note> notes) implements DastMessage {}

  /** A transaction in a clock message. */
  record Note(Txn txn, boolean committed, Timestamp at, String coordinator) {}

  /**
   * The notes of a clock message arrived (Algorithm 1, line 17).
   *
   * @param view the one in which they were taken, 0 where nodes are never replaced: an incarnation
   *     has told nothing in views before its own
   */
  record ClockAck(Timestamp ts, long view) implements DastMessage {}

  /** Values for a dependent shard (sections 4.1, 5). */
  record Output(String txn, String shard, Map<String, Long> values) implements DastMessage {}

  /** A shard that misses an input asks for it again. */
  record AskOutput(String txn) implements DastMessage {}

  /** A shard's results for the coordinator. */
  record Result(String txn, String shard, boolean applied, Map<Integer, List<Long>> seen)
      implements DastMessage {}

  /** A manager measures a round trip; {@code sent} is its own wall clock. */
  record Ping(long sent, Timestamp ts) implements DastMessage {}

  record Pong(long sent, Timestamp ts) implements DastMessage {}

  /** A message of a certain incarnation of its sender; all are, where nodes may be replaced. */
  record From(long incarnation, DastMessage body) implements DastMessage {
    public From {
      if (body instanceof From) {
        throw new IllegalArgumentException("a message in two envelopes");
      }
    }
  }

  /** Algorithm 2, lines 2 and 8: keep a CRT's state for its coordinator. */
  record Keep(Note note) implements DastMessage {}

  record Kept(String txn, boolean committed) implements DastMessage {}

  /** A node that knows nothing wants to be a member. */
  record Join() implements DastMessage {}

  /** A node is not a member any more, as this incarnation. */
  record Out(long incarnation) implements DastMessage {}

  /** Algorithm 4, line 2. */
  record Transfer(String to, long incarnation) implements DastMessage {}

  /**
   * Line 12: a part of a checkpoint, which is the whole of most.
   *
   * @param incarnation the receiver's
   * @param number of the checkpoint, among those of the sender's incarnation
   * @param part from 0
   * @param of how many parts there are
   */
  record Install(long incarnation, long number, int part, int of, Checkpoint checkpoint)
      implements DastMessage {}

  /** The parts before this one arrived. */
  record AskPart(long number, int part) implements DastMessage {}

  /** Line 13, told by the new replica itself; {@code view} is the checkpoint's. */
  record Installed(long view, Timestamp upTo) implements DastMessage {}

  /**
   * The first phase for a view (Algorithm 3, line 9; Algorithm 4, line 7; section 4.4 for a new
   * manager).
   *
   * @param round of the same view; answers to earlier ones do not count
   * @param add the new member, or empty
   * @param addTime what clocks stay below until then
   */
  record ViewPrep(long number, long round, List<String> remove, String add, long addTime)
      implements DastMessage {}

  /**
   * A member's answer.
   *
   * @param ignored nodes that it was ever asked to remove
   * @param irts those of removed coordinators that it knows (repair ReportAll), and its own (repair
   *     ReportOwn)
   * @param crts likewise, with whether they are committed (repair CommittedWins)
   * @param parts CRTs that some member may not have (repair ReportPart), and those that the member
   *     coordinates and has not decided (repair KeepPrepared)
   * @param clock its own (repair AddVote)
   * @param manager the newest clock of a manager that it was told
   * @param anticipated the newest anticipated timestamp (repair KeepAnticipated)
   */
  record ViewAck(
      long number,
      long round,
      List<String> ignored,
      List<Note> irts,
      List<Note> crts,
      List<Note> parts,
      Timestamp clock,
      Timestamp manager,
      Timestamp anticipated)
      implements DastMessage {}

  /** Decided changes, the oldest first. */
  record ViewCommit(List<Change> changes) implements DastMessage {}

  /** The sender is in this view. */
  record ViewTaken(long number) implements DastMessage {}

  /** Algorithm 3, line 17, or the commit instead: a CRT of a removed coordinator. */
  record Resolve(Note note) implements DastMessage {}

  record Resolved(String txn) implements DastMessage {}

  /**
   * Asks for the {@link Resolve} of a CRT that is prepared for long: this replica's predecessor may
   * have answered that.
   */
  record AskEnd(String txn) implements DastMessage {}
}
