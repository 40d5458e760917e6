package dev.plumbline.history;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Histories of a small replicated store that keeps causality, or is careless about it. */
final class SessionStore {
  private record Written(int number, int key, ClaimedTimestamp place, Set<Integer> needs) {}

  private final Random random;
  private final double careless;
  private final List<Op> ops = new ArrayList<>();
  private final List<Written> writes = new ArrayList<>();
  private final List<Set<Integer>> held = new ArrayList<>();
  private final Map<Integer, Set<Integer>> known = new HashMap<>();
  private long clock;

  private SessionStore(Random random, int nodes, double careless) {
    this.random = random;
    this.careless = careless;
    for (int i = 0; i < nodes; i++) {
      held.add(new HashSet<>());
    }
  }

  /**
   * One operation after the other, of sessions that wander between nodes.
   *
   * @param careless how likely a node serves a client, or takes a write, before what it needs
   */
  static History history(
      Random random, int sessions, int nodes, int keys, int operations, double careless) {
    var store = new SessionStore(random, nodes, careless);
    for (int i = 0; i < operations; i++) {
      int session = random.nextInt(sessions);
      store.operation(session, random.nextInt(nodes), random.nextInt(keys), false);
      for (int n = random.nextInt(3); n > 0 && !store.writes.isEmpty(); n--) {
        store.deliver(random.nextInt(nodes), random.nextInt(store.writes.size()));
      }
    }
    for (int node = 0; node < nodes; node++) {
      for (int w = 0; w < store.writes.size(); w++) {
        if (careless == 0 || random.nextDouble() > careless / 20) {
          store.held.get(node).add(w);
        }
      }
      for (int key = 0; key < keys; key++) {
        store.operation(random.nextInt(sessions + 1), node, key, true);
      }
    }
    return History.of(store.ops);
  }

  private boolean lax() {
    return random.nextDouble() < careless;
  }

  private void deliver(int node, int write) {
    if (lax() || held.get(node).containsAll(writes.get(write).needs)) {
      held.get(node).add(write);
    }
  }

  private void operation(int session, int node, int key, boolean last) {
    Set<Guarantee> asks = EnumSet.noneOf(Guarantee.class);
    boolean all = random.nextBoolean();
    for (Guarantee g : Guarantee.values()) {
      if (all || random.nextBoolean()) {
        asks.add(g);
      }
    }
    Set<Integer> mine = known.computeIfAbsent(session, s -> new HashSet<>());
    if (!last && !lax()) {
      held.get(node).addAll(mine);
    }
    var visit = new Visit("s" + session, "n" + node, asks, last);
    boolean read = last || random.nextBoolean();
    double fate = last ? 1 : random.nextDouble();
    if (read) {
      Written newest = null;
      for (int w : held.get(node)) {
        Written x = writes.get(w);
        if (x.key == key && (newest == null || x.place.compareTo(newest.place) > 0)) {
          newest = x;
        }
      }
      Long value = newest == null ? null : (long) newest.number;
      if (newest != null && !last) {
        mine.add(newest.number);
        mine.addAll(newest.needs);
      }
      line(session, "read", new ObservedMicroOp.Read(key(key), null), null, Op.Type.INVOKE, visit);
      line(session, "read", new ObservedMicroOp.Read(key(key), value), null, Op.Type.OK, visit);
      return;
    }
    int number = writes.size();
    var write = new ObservedMicroOp.Write(key(key), (long) number);
    var place = ClaimedTimestamp.of(lax() ? random.nextInt(20) : 100 + clock++, number);
    line(session, "write", write, null, Op.Type.INVOKE, visit);
    boolean unknown = fate < 0.1;
    line(session, "write", write, fate < 0.05 ? null : place, ended(unknown), visit);
    writes.add(new Written(number, key, place, new HashSet<>(mine)));
    held.get(node).add(number);
    if (!unknown) {
      mine.add(number);
    }
  }

  private static Op.Type ended(boolean unknown) {
    return unknown ? Op.Type.INFO : Op.Type.OK;
  }

  private static Object key(int key) {
    return (long) key;
  }

  private void line(
      int session,
      String f,
      ObservedMicroOp micro,
      ClaimedTimestamp ts,
      Op.Type type,
      Visit visit) {
    long index = ops.size();
    long process = type == Op.Type.INVOKE ? index : index - 1;
    ops.add(new Op(index, type, process, index, f, List.of(micro), ts, null, null, null, visit));
  }
}
