package dev.plumbline.history;

import java.util.Locale;

/** How a read-only transaction at a replica is to be judged. */
public enum ReadMode {
  /** Strictly, together with the read-write transactions. */
  LINEARIZABLE,
  /** Exactly the state at the timestamp asked for, which may be old. */
  SNAPSHOT;

  /** The name used in histories. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
