package dev.plumbline.k2;

import dev.plumbline.machine.Effects;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A data node's log of intents, decisions and cuts, sent to replicas in order (K2, section 6.4) and
 * again until acknowledged. An entry's number is its place among all ever persisted, so it survives
 * failovers.
 */
public final class DataLog {
  private static final int MOST_ENTRIES = 256;

  /** Of the values in one message, unless one alone has more: 5 MiB at 21 bytes each. */
  private static final long MOST_NUMBERS = 1 << 18;

  private static final long UNKNOWN = -1;

  private final List<K2Record> entries = new ArrayList<>();
  private final Map<String, Long> acked = new TreeMap<>();
  private final Map<String, Long> sent = new TreeMap<>();

  DataLog(List<String> replicas) {
    for (String replica : replicas) {
      acked.put(replica, UNKNOWN);
      sent.put(replica, 0L);
    }
  }

  void restore(K2Record entry) {
    entries.add(entry);
  }

  /** Asks all replicas how far they are. */
  void start(Effects effects) {
    acked.keySet().forEach(replica -> send(replica, entries.size(), effects));
  }

  /** Takes an entry that this step persists. */
  void append(K2Record entry, Effects effects) {
    entries.add(entry);
    acked.forEach(
        (replica, known) -> {
          if (sent.get(replica) == entries.size() - 1) {
            send(replica, entries.size() - 1, effects);
          }
        });
  }

  private void send(String replica, long from, Effects effects) {
    long to = end(from);
    effects.send(
        replica,
        new K2Message.LogEntries(from, List.copyOf(entries.subList((int) from, (int) to))));
    sent.put(replica, to);
  }

  /** Where a message that starts with an entry ends: the network takes none that is too long. */
  private long end(long from) {
    long most = Math.min(entries.size(), from + MOST_ENTRIES);
    long numbers = 0;
    for (long i = from; i < most; i++) {
      if (entries.get((int) i) instanceof K2Record.Intent intent) {
        numbers += intent.value().size();
      }
      if (numbers > MOST_NUMBERS && i > from) {
        return i;
      }
    }
    return most;
  }

  void acknowledged(String replica, long next, Effects effects) {
    Long before = acked.get(replica);
    if (before == null || next > entries.size()) {
      return;
    }
    acked.put(replica, next);
    if (before == UNKNOWN || (sent.get(replica) <= next && next < entries.size())) {
      if (next < entries.size()) {
        send(replica, next, effects);
      }
    }
  }

  /** Sends again what is not acknowledged. */
  void resend(Effects effects) {
    acked.forEach(
        (replica, next) -> {
          if (next == UNKNOWN) {
            send(replica, entries.size(), effects);
          } else if (next < entries.size()) {
            send(replica, next, effects);
          }
        });
  }

  /** Whether every replica has everything. */
  boolean complete() {
    return acked.values().stream().allMatch(next -> next == entries.size());
  }

  /** All entries, in order. */
  public List<K2Record> entries() {
    return List.copyOf(entries);
  }
}
