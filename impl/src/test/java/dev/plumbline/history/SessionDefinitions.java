package dev.plumbline.history;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The definitions of session guarantees written out pair by pair, for small histories. */
final class SessionDefinitions {
  private record Done(ObservedTransaction t, Visit visit, ObservedMicroOp micro, boolean write) {
    Object key() {
      return micro.key();
    }
  }

  private final List<Done> all = new ArrayList<>();
  private final Map<String, List<Done>> sessions = new LinkedHashMap<>();
  private final List<Done> writes = new ArrayList<>();

  SessionDefinitions(History history) {
    for (ObservedTransaction t : ObservedTransaction.of(history)) {
      ObservedMicroOp micro = t.value().get(0);
      Done d = new Done(t, t.invoke().visit(), micro, micro instanceof ObservedMicroOp.Write);
      if (d.write) {
        writes.add(d);
      }
      if (t.ok()) {
        all.add(d);
        sessions.computeIfAbsent(d.visit.session(), s -> new ArrayList<>()).add(d);
      }
    }
  }

  /** The write that a read returned, or null. */
  private Done source(Done read) {
    Object value = ((ObservedMicroOp.Read) read.micro).result();
    return writes.stream()
        .filter(w -> w.key().equals(read.key()))
        .filter(w -> ((ObservedMicroOp.Write) w.micro).value().equals(value))
        .findFirst()
        .orElse(null);
  }

  private static ClaimedTimestamp place(Done write) {
    return write.t.completion().ts();
  }

  private boolean shows(Done read, Done write) {
    Done source = source(read);
    return source != null && !earlier(source, write);
  }

  /** Two writes are compared where both have a place. */
  private static boolean earlier(Done a, Done b) {
    return place(a) != null && place(b) != null && place(a).compareTo(place(b)) < 0;
  }

  /** What of the same session came before, acknowledged. */
  private List<Done> before(Done d) {
    return sessions.getOrDefault(d.visit.session(), List.of()).stream()
        .filter(e -> e.t.completion().index() < d.t.completion().index())
        .toList();
  }

  private Done learnt(Done d) {
    return d.write ? d : source(d);
  }

  boolean readYourWrites() {
    return reads(Guarantee.READ_YOUR_WRITES, true);
  }

  boolean monotonicReads() {
    return reads(Guarantee.MONOTONIC_READS, false);
  }

  private boolean reads(Guarantee g, boolean own) {
    for (List<Done> s : sessions.values()) {
      for (Done d : s) {
        if (!d.write && d.visit.asked().contains(g)) {
          for (Done e : before(d)) {
            Done w = learnt(e);
            if (e.write == own && w != null && w.key().equals(d.key()) && !shows(d, w)) {
              return false;
            }
          }
        }
      }
    }
    return true;
  }

  boolean monotonicWrites() {
    return writes(Guarantee.MONOTONIC_WRITES, true);
  }

  boolean writesFollowReads() {
    return writes(Guarantee.WRITES_FOLLOW_READS, false);
  }

  private boolean writes(Guarantee g, boolean own) {
    for (Done b : writes) {
      if (!b.visit.asked().contains(g)) {
        continue;
      }
      for (Done e : before(b)) {
        Done a = e.write == own ? learnt(e) : null;
        if (a == null) {
          continue;
        }
        if (b.t.ok() && a.key().equals(b.key()) && earlier(b, a)) {
          return false;
        }
        if (owed(b, a, false)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether somebody read the write b and afterwards, at that node, was not shown a. */
  private boolean owed(Done b, Done a, boolean elsewhere) {
    for (List<Done> s : sessions.values()) {
      for (Done first : s) {
        for (Done then : s) {
          if (!first.write
              && !then.write
              && first.t.completion().index() <= then.t.completion().index()
              && first.visit.node().equals(then.visit.node())
              && !(elsewhere && first.visit.node().equals(b.visit.node()))
              && source(first) == b
              && then.key().equals(a.key())
              && !shows(then, a)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private void past(Done d, Set<Done> known) {
    for (Done e : before(d)) {
      Done w = learnt(e);
      if (w != null && known.add(w)) {
        past(w, known);
      }
    }
  }

  boolean causal() {
    for (List<Done> s : sessions.values()) {
      for (Done d : s) {
        if (!d.write && d.visit.asked().containsAll(Guarantee.all())) {
          Set<Done> known = new HashSet<>();
          past(d, known);
          for (Done w : known) {
            if (w.key().equals(d.key()) && !shows(d, w)) {
              return false;
            }
          }
        }
      }
    }
    return true;
  }

  /** What lies in a write's causal past stands before it, and is shown wherever it came to. */
  boolean visible() {
    for (Done b : writes) {
      Set<Done> known = new HashSet<>();
      past(b, known);
      for (Done a : known) {
        if (b.t.ok() && a.key().equals(b.key()) && earlier(b, a)) {
          return false;
        }
        if (owed(b, a, true)) {
          return false;
        }
      }
    }
    return true;
  }

  boolean convergence() {
    for (Done a : all) {
      for (Done b : all) {
        if (a.visit.last() && b.visit.last() && a.key().equals(b.key())) {
          if (!Objects.equals(
              ((ObservedMicroOp.Read) a.micro).result(),
              ((ObservedMicroOp.Read) b.micro).result())) {
            return false;
          }
        }
      }
    }
    return true;
  }

  boolean noLoss() {
    for (Done a : all) {
      for (Done d : all) {
        Done w = learnt(d);
        if (a.visit.last() && w != null && a.key().equals(w.key()) && !shows(a, w)) {
          return false;
        }
      }
    }
    return true;
  }
}
