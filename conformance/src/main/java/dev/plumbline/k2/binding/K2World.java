package dev.plumbline.k2.binding;

import dev.plumbline.bind.Binding;
import dev.plumbline.bind.Place;
import dev.plumbline.bind.World;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.Outbox;
import dev.plumbline.k2.Coordinator;
import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Timer;
import dev.plumbline.k2.Timestamp;
import dev.plumbline.k2.Transaction;
import dev.plumbline.k2.system.K2System;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;

/** What the worlds of K2's modules share. */
abstract class K2World extends World {
  static final long FOREVER_MICROS = 1_000_000_000_000L;

  /** The unit of a model's timestamps. */
  static final long MILLI = 1_000;

  final Deployment deployment;
  final long ttl;

  /** A transaction; its coordinator is null before it begins and once it is lost. */
  static class Transacting extends Place {
    Transaction txn;

    Transacting(Object name, NodeSpec spec) {
      super(name, spec);
    }

    final String id() {
      return txn.txn().id();
    }

    final long ts() {
      return txn == null ? 0 : txn.txn().ts().micros() / MILLI;
    }

    final void lose() {
      machine = null;
      changed();
    }
  }

  /** A data node with its recorder, for a key. */
  static class Keeping extends Place {
    final long key;

    Keeping(Object name, int number, Deployment deployment) {
      super(name, deployment.owner("data-node", number));
      key = number;
    }

    final DataNode data() {
      return (DataNode) machine;
    }
  }

  /**
   * @param asPublished what machines do as published
   * @param parameters besides leases that never end
   */
  K2World(
      Binding binding,
      ClockBounds clocks,
      SortedSet<String> asPublished,
      Map<String, Long> parameters,
      Optional<SeededBug> bug) {
    super(binding);
    TreeMap<String, Long> all = new TreeMap<>(parameters);
    all.put("leaseMicros", FOREVER_MICROS);
    deployment = Deployment.of(new K2System(), clocks, asPublished, all, bug);
    ttl = new K2System().config(deployment.settings()).ttlMicros();
  }

  /** A place starts, or starts again, with a new machine. */
  final void start(Place place, ClockReading clock) {
    place.start(deployment.machine(place.spec), clock);
  }

  /** A transaction begins, with timestamp {@code n}. */
  final void begin(Transacting t, K2Request.Mode mode, long n, ClockReading clock) {
    start(t, clock);
    boolean chosen = mode == K2Request.Mode.SNAPSHOT;
    t.ask(new K2Request.Begin(mode, chosen ? new Timestamp(n * MILLI, 0, 0, 0) : null), clock);
    if (!chosen) {
      timestamp(t, clock, 1, n * MILLI - ttl);
    }
    t.txn = ((Coordinator) t.machine).transactions().values().iterator().next();
    name(t.id(), t.name);
  }

  /** Answers the request for a batch so that the next timestamp is a TTL after {@code up}. */
  static void timestamp(Place place, ClockReading clock, long oracle, long up) {
    place.fire(new K2Timer.NextTimestamp(), clock);
    long id = 0;
    for (Outbox.Sent sent : place.out.sent) {
      id = sent.message() instanceof K2Message.BatchRequest r ? r.id() : id;
    }
    place.out.sent.removeIf(sent -> sent.message() instanceof K2Message.BatchRequest);
    place.give(new Input.Deliver("oracle", new K2Message.BatchReply(id, oracle, up)), clock);
    place.fire(new K2Timer.NextTimestamp(), clock);
  }
}
