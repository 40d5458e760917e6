package dev.plumbline.k2;

import java.util.List;

/** What coordinators answer clients. */
public sealed interface K2Response {

  record Begun(String txn, Timestamp ts) implements K2Response {}

  record Value(List<Long> value) implements K2Response {}

  /** The write was sent; whether it succeeded shows at the commit. */
  record Accepted() implements K2Response {}

  record Committed(Timestamp ts) implements K2Response {}

  /** Nothing was or will be written. */
  record Aborted(String why) implements K2Response {}

  /**
   * The coordinator has forgotten the transaction, or it is another's. It may have been committed
   * if that was asked for; otherwise it never will be.
   */
  record Unknown(String why) implements K2Response {}
}
