package dev.plumbline.client;

import dev.plumbline.protocol.MicroOp;
import java.util.List;

/** How a transaction ended. */
public sealed interface Outcome {

  /**
   * It took effect.
   *
   * @param ops its operations with the values read and written
   * @param timestamp its place in the serial order that the system claims, compared element by
   *     element; empty for a read at a named timestamp
   */
  record Committed(List<MicroOp> ops, List<Long> timestamp) implements Outcome {}

  /** It had no effect and never will. */
  record Aborted(String reason) implements Outcome {}

  /**
   * Whether it took effect cannot be told.
   *
   * @param why what happened, such as no answer in time
   * @param ops its operations with the values written, as far as known
   * @param timestamp its place should it have committed; empty if that is not known
   */
  record Unknown(String why, List<MicroOp> ops, List<Long> timestamp) implements Outcome {}
}
