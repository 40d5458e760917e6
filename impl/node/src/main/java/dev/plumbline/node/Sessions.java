package dev.plumbline.node;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** The sessions seen last, so that a recorded connection cannot be played again. */
final class Sessions {
  private static final int REMEMBERED = 100_000;

  private final Map<UUID, Boolean> seen =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Boolean> eldest) {
          return size() > REMEMBERED;
        }
      };

  /** Whether this is what a session is called: a UUID as it is written. */
  static boolean isSession(String session) {
    try {
      return UUID.fromString(session).toString().equals(session);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Whether the session is new; it is not from now on. */
  synchronized boolean open(String session) {
    return seen.put(UUID.fromString(session), true) == null;
  }
}
