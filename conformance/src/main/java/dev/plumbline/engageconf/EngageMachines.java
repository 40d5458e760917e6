package dev.plumbline.engageconf;

import dev.plumbline.engage.EngageConfig;
import dev.plumbline.machine.Machine;
import dev.plumbline.sim.ClockBounds;
import dev.plumbline.sim.RttTable;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.Topology;
import dev.plumbline.sim.engage.EngageSystem;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;

/** How the machines of a model are configured, and started, with a seeded bug or without. */
final class EngageMachines {
  private static final long ALL_VERSIONS = 1_000;

  final EngageConfig config;
  private final Settings settings;
  private final Optional<SeededBug> bug;

  EngageMachines(SortedSet<String> asPublished, Optional<SeededBug> bug) {
    this.bug = bug;
    settings =
        new Settings(
            new ClockBounds(0, 0), asPublished, new TreeMap<>(Map.of("versions", ALL_VERSIONS)));
    config = new EngageSystem().config(settings);
  }

  /** A node starts with a new machine. */
  void start(EngageWorld.Server server, Machine correct) {
    Topology alone = new Topology(List.of(server.spec), RttTable.single(server.spec.region(), 1));
    server.start(
        bug.map(b -> b.machine(server.spec, alone, settings, correct)).orElse(correct),
        EngageWorld.NOW);
  }
}
