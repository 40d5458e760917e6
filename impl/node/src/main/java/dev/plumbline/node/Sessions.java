package dev.plumbline.node;

import java.util.LinkedHashMap;
import java.util.Map;

/** The sessions seen last, so that a recorded connection cannot be played again. */
final class Sessions {
  private static final int REMEMBERED = 100_000;

  private final Map<String, Boolean> seen =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > REMEMBERED;
        }
      };

  /** Whether the session is new; it is not from now on. */
  synchronized boolean open(String session) {
    return seen.put(session, true) == null;
  }
}
