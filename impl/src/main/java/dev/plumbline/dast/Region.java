package dev.plumbline.dast;

import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.machine.Effects;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a node knows of the clocks of its region (maxTs, Algorithm 1) and what it must tell
 * (sections 4.2, 4.3).
 *
 * <p>A clock message carries every note that its receiver has not acknowledged. So whoever has seen
 * a clock above a timestamp knows of all of its owner's transactions up to there.
 */
final class Region {
  /** A note and the newest timestamp made before it. */
  private record Due(Note note, Timestamp since) {}

  final StretchableClock clock;
  private final String self;
  private final DastConfig config;
  private final TreeMap<String, Timestamp> max = new TreeMap<>();
  private final TreeMap<String, Map<String, Long>> told = new TreeMap<>();
  private final TreeMap<String, TreeMap<String, Due>> due = new TreeMap<>();
  private final TreeMap<String, Note> mine = new TreeMap<>();
  private final Pace pace = new Pace();
  private long hold = StretchableClock.FREE;

  Region(Layout layout, String self, DastConfig config) {
    this.self = self;
    this.config = config;
    clock = new StretchableClock(layout.nid(self), config.repaired(DastConfig.STRETCHED_LOW));
    List<String> peers = new ArrayList<>(layout.nodes(layout.region(self)));
    peers.add(layout.manager(layout.region(self)));
    peers.remove(self);
    for (String peer : peers) {
      max.put(peer, Timestamp.ZERO);
      due.put(peer, new TreeMap<>());
    }
  }

  /** The head of waitQ, given the node's own part of it. */
  long head(Map<String, Long> own) {
    long head = hold;
    for (long time : own.values()) {
      head = Math.min(head, time);
    }
    for (Map<String, Long> holds : told.values()) {
      for (long time : holds.values()) {
        head = Math.min(head, time);
      }
    }
    return head;
  }

  /** Until told otherwise the clock stays below this (Algorithm 4, line 15). */
  void hold(long time) {
    hold = time;
  }

  long heldBelow() {
    return hold;
  }

  /** What a peer's clock is known to have passed; ZERO if nothing is. */
  Timestamp passedBy(String peer) {
    return max.getOrDefault(peer, Timestamp.ZERO);
  }

  /** What peers' clocks stay below, by peer and CRT. */
  Map<String, Map<String, Long>> told() {
    return told;
  }

  /** A peer is no member any more. */
  void remove(String peer) {
    max.remove(peer);
    told.remove(peer);
    due.remove(peer);
    pace.ends(peer);
  }

  /**
   * A new member, whose clock starts at {@code at}: it must be told of what it replicates and what
   * came after its checkpoint (Algorithm 4, lines 20 and 21).
   */
  void add(String peer, Timestamp at, Timestamp executed, Layout layout) {
    max.put(peer, at);
    TreeMap<String, Due> missing = new TreeMap<>();
    for (Note note : mine.values()) {
      if (executed.before(note.at()) && note.txn().participants(layout).contains(peer)) {
        missing.put(note.txn().id(), new Due(note, clock.last()));
      }
    }
    due.put(peer, missing);
  }

  /** Notes that some peer may not have. */
  List<Note> due() {
    return due.values().stream().flatMap(d -> d.values().stream()).map(Due::note).toList();
  }

  /** Has a participant told of a transaction of this node. */
  void note(String peer, Note note) {
    if (config.failover()) {
      mine.put(note.txn().id(), note);
    }
    if (due.containsKey(peer) && !peer.equals(self)) {
      due.get(peer).put(note.txn().id(), new Due(note, clock.last()));
    }
  }

  /**
   * Announce, at the sender: tells every process of the region. Who is to read many notes is told
   * nothing else meanwhile.
   */
  void tell(Timestamp now, Map<String, Long> own, Effects effects) {
    for (Map.Entry<String, TreeMap<String, Due>> peer : due.entrySet()) {
      if (pace.starts(peer.getKey(), peer.getValue().size())) {
        List<Note> notes = peer.getValue().values().stream().map(Due::note).toList();
        effects.send(peer.getKey(), new Clock(now, own, notes));
      }
    }
  }

  /** An interval after which what was not answered is sent again. */
  void resend() {
    pace.interval();
  }

  /** A peer has all that was noted before {@code ts} was made. */
  void acknowledged(String peer, Timestamp ts) {
    TreeMap<String, Due> pending = due.get(peer);
    if (pending != null) {
      pending.values().removeIf(d -> d.since().before(ts));
      if (pending.size() <= Pace.FEW) {
        pace.ends(peer);
      }
    }
  }

  /** Announce, at the receiver; false for a message older than one that was heard. */
  boolean heard(String peer, Clock message, long wall, Map<String, Long> own, Effects effects) {
    Timestamp known = max.get(peer);
    if (known == null || message.ts().before(known)) {
      return false;
    }
    max.put(peer, message.ts());
    told.put(peer, message.holds());
    seen(message.ts(), wall, own, effects);
    return true;
  }

  /** Calibration by a timestamp of the region, and the repair Follow. */
  void seen(Timestamp ts, long wall, Map<String, Long> own, Effects effects) {
    boolean follows = config.repaired(DastConfig.STRETCHED_STAYS);
    clock.hear(self, wall, ts, follows, head(own), effects);
  }

  /** A new reading of the clock. */
  Timestamp now(long wall, Map<String, Long> own, Effects effects) {
    return clock.create(self, wall, head(own), effects);
  }

  /** Whether every other process of the region is past {@code ts}. */
  boolean passed(Timestamp ts) {
    return max.values().stream().allMatch(ts::before);
  }
}
