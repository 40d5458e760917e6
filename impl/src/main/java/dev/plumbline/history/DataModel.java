package dev.plumbline.history;

import java.util.Locale;

/** What the clients did, which decides what a read must return. */
public enum DataModel {
  /** Appends to lists and reads of whole lists; a value is appended to a key at most once. */
  LIST_APPEND,
  /** Reads and writes of registers; a value is written to a key at most once. */
  RW_REGISTER,
  /** Registers that hold balances: values repeat, and the sum over all keys never changes. */
  BANK;

  /** The name used on the command line. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** List-append if anything is appended, else registers. A bank must be named. */
  public static DataModel of(History history) {
    boolean appends =
        history.ops().stream()
            .flatMap(op -> op.value().stream())
            .anyMatch(ObservedMicroOp.Append.class::isInstance);
    return appends ? LIST_APPEND : RW_REGISTER;
  }
}
