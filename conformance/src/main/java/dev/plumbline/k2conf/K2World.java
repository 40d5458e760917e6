package dev.plumbline.k2conf;

import dev.plumbline.bind.Binding;
import dev.plumbline.bind.Place;
import dev.plumbline.bind.World;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.Outbox;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.K2Timer;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.sim.ClockBounds;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.k2.K2System;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;

/** What the worlds of K2's modules share. */
abstract class K2World extends World {
  static final long FOREVER_MICROS = 1_000_000_000_000L;

  final Deployment deployment;

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
  }

  /** A place starts, or starts again, with a new machine. */
  final void start(Place place, ClockReading clock) {
    place.start(deployment.machine(place.spec), clock);
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
