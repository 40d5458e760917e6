package dev.plumbline.history;

import java.util.List;

/**
 * One step of a transaction. Keys are {@link Long}, {@link String} or {@link Keyword}, one kind in
 * a history; values are integers.
 */
public sealed interface ObservedMicroOp {

  Object key();

  /** Appends {@code value} to the list at {@code key}. */
  record Append(Object key, long value) implements ObservedMicroOp {}

  /**
   * Sets the register at {@code key}.
   *
   * @param value null where the client has not computed it yet: never in an {@code ok}
   */
  record Write(Object key, Long value) implements ObservedMicroOp {}

  /**
   * Reads {@code key}.
   *
   * @param result a {@link Long} or a {@code List<Long>}; null for a read not answered, and in an
   *     {@code ok} for a key never written
   */
  record Read(Object key, Object result) implements ObservedMicroOp {
    /** The result as a list; null is the empty list. */
    @SuppressWarnings("unchecked")
    public List<Long> list() {
      return result == null ? List.of() : (List<Long>) result;
    }
  }
}
