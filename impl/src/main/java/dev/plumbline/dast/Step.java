package dev.plumbline.dast;

/**
 * What a transaction asks of one key.
 *
 * @param index its place in the transaction
 * @param kind what to do
 * @param value the operand; 0 for a read
 */
public record Step(int index, Kind kind, long key, long value) {

  /** What can be done with a key. */
  public enum Kind {
    READ,
    /** Replaces the number. */
    WRITE,
    /** Adds to the number. */
    ADD,
    /** Appends to the list. */
    APPEND
  }
}
