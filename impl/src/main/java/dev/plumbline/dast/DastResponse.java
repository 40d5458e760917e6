package dev.plumbline.dast;

import java.util.List;
import java.util.Map;

/** What a client is told. */
public sealed interface DastResponse {

  /**
   * The transaction was executed.
   *
   * @param ts its place in the serial order
   * @param applied false: it was aborted by its own condition, and wrote nothing
   * @param seen by step, the value read or written; of a step that does not suit what its key holds
   *     (see {@link Procedures#suits}), and so changed nothing, what it found
   */
  record Executed(Timestamp ts, boolean applied, Map<Integer, List<Long>> seen)
      implements DastResponse {}

  /** The transaction cannot be run; nothing was done. */
  record Refused(String why) implements DastResponse {}
}
