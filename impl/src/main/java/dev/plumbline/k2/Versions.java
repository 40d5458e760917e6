package dev.plumbline.k2;

import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The write streams and versions of a participant's keys, in timestamp order. */
public final class Versions {
  private final Map<Long, TreeMap<Timestamp, Version>> byKey = new TreeMap<>();

  /** All of a key, without the initial value. */
  NavigableMap<Timestamp, Version> of(long key) {
    TreeMap<Timestamp, Version> versions = byKey.get(key);
    return versions == null
        ? Collections.emptyNavigableMap()
        : Collections.unmodifiableNavigableMap(versions);
  }

  /** The newest version not above a timestamp. */
  Version newest(long key, Timestamp ts) {
    Map.Entry<Timestamp, Version> entry = of(key).floorEntry(ts);
    return entry == null ? Version.INITIAL : entry.getValue();
  }

  void add(K2Record.Intent intent) {
    byKey
        .computeIfAbsent(intent.key(), key -> new TreeMap<>())
        .putIfAbsent(intent.txn().ts(), Version.intent(intent));
  }

  /** Whether a decision changes anything here. */
  boolean concerns(K2Record.Resolved resolved) {
    Version version = of(resolved.key()).get(resolved.txn().ts());
    return version != null && !(version.committed() && resolved.committed());
  }

  /** The intent becomes a version, or goes. */
  void resolve(K2Record.Resolved resolved) {
    TreeMap<Timestamp, Version> versions = byKey.get(resolved.key());
    if (versions != null && resolved.committed()) {
      versions.computeIfPresent(
          resolved.txn().ts(), (ts, version) -> version.commit(resolved.epoch()));
    } else if (versions != null) {
      versions.remove(resolved.txn().ts());
    }
  }

  /** All keys' versions, without initial values. */
  public Map<Long, NavigableMap<Timestamp, Version>> all() {
    Map<Long, NavigableMap<Timestamp, Version>> all = new TreeMap<>();
    byKey.forEach((key, versions) -> all.put(key, Collections.unmodifiableNavigableMap(versions)));
    return all;
  }
}
