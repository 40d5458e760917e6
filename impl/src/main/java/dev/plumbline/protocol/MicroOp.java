package dev.plumbline.protocol;

/**
 * One operation of a transaction.
 *
 * @param kind what it does
 * @param key the key
 * @param value READ: null before, what was read after (a {@code Long}, a {@code List<Long>}, or
 *     null for a key never written); WRITE and APPEND: the {@code Long} written; ADD: the {@code
 *     Long} added, reported afterwards as a WRITE of the sum
 */
public record MicroOp(Kind kind, long key, Object value) {

  /** What a micro-operation does. */
  public enum Kind {
    READ,
    /** Replaces the key's register. */
    WRITE,
    /** Appends to the key's list. */
    APPEND,
    /** Writes what this transaction read of the key before, plus a number. */
    ADD
  }

  public static MicroOp read(long key) {
    return new MicroOp(Kind.READ, key, null);
  }

  public static MicroOp write(long key, long value) {
    return new MicroOp(Kind.WRITE, key, value);
  }

  public static MicroOp append(long key, long value) {
    return new MicroOp(Kind.APPEND, key, value);
  }

  public static MicroOp add(long key, long delta) {
    return new MicroOp(Kind.ADD, key, delta);
  }
}
