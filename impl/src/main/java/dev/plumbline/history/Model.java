package dev.plumbline.history;

import java.util.Locale;

/** What a history is asked to satisfy. The names are Elle's, except the last three. */
public enum Model {
  /** One serial order explains everything and respects real time; snapshot reads may be old. */
  STRICT_SERIALIZABLE,
  SERIALIZABLE,
  STRONG_SESSION_SERIALIZABLE,
  SNAPSHOT_ISOLATION,
  STRONG_SESSION_SNAPSHOT_ISOLATION,
  REPEATABLE_READ,
  READ_COMMITTED,
  READ_ATOMIC,
  PREFIX,
  /** Every snapshot read returns exactly the claimed state at the timestamp that it asked for. */
  SNAPSHOT_READS,
  /** Each operation keeps the session guarantees that it asks for; {@link SessionChecker}. */
  SESSION_GUARANTEES,
  /** The same, as if every operation asked for all four. */
  CAUSAL;

  /** The name used on the command line and by the checkers. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether it speaks of single operations of sessions, and not of transactions. */
  public boolean ofOperations() {
    return this == SESSION_GUARANTEES || this == CAUSAL;
  }

  /** Whether the real-time order of all transactions counts. */
  public boolean realTime() {
    return this == STRICT_SERIALIZABLE;
  }

  /** Whether the order of a process's own transactions counts. */
  public boolean sessions() {
    return this == STRONG_SESSION_SERIALIZABLE || this == STRONG_SESSION_SNAPSHOT_ISOLATION;
  }
}
