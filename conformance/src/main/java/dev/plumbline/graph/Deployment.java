package dev.plumbline.graph;

import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.RttTable;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The nodes that an adapter runs machines of.
 *
 * @param settings what a model's constants say
 * @param bug a seeded bug to run with
 */
public record Deployment(
    ProtocolSystem system, Settings settings, Topology topology, Optional<SeededBug> bug) {

  /** All nodes of a protocol. */
  public static Deployment of(ProtocolSystem system, Settings settings, Optional<SeededBug> bug) {
    return new Deployment(system, settings, system.topology(settings), bug);
  }

  /**
   * All nodes of a protocol with a model's settings.
   *
   * @param asPublished what machines do as published
   */
  public static Deployment of(
      ProtocolSystem system,
      ClockBounds clocks,
      SortedSet<String> asPublished,
      Map<String, Long> parameters,
      Optional<SeededBug> bug) {
    return of(system, new Settings(clocks, asPublished, new TreeMap<>(parameters)), bug);
  }

  /** The nodes of a kind that start as owners of their roles. */
  public Stream<NodeSpec> owners(String kind) {
    return topology.nodes().stream()
        .filter(node -> node.kind().equals(kind) && node.id().equals(node.role()));
  }

  /** One of them. */
  public NodeSpec owner(String kind, int index) {
    return owners(kind).skip(index).findFirst().orElseThrow();
  }

  /** A node's machine. */
  public Machine machine(NodeSpec node) {
    return seeded(node, system.machine(node, topology, settings));
  }

  /** A node's machine, made of one that has no bug. */
  public Machine seeded(NodeSpec node, Machine correct) {
    return seeded(node, topology, correct);
  }

  /** The same for a node that only a model has. */
  public Machine alone(NodeSpec node, Machine correct) {
    RttTable network = RttTable.single(node.region(), 1);
    return seeded(node, new Topology(List.of(node), network), correct);
  }

  private Machine seeded(NodeSpec node, Topology among, Machine correct) {
    return bug.map(b -> b.machine(node, among, settings, correct)).orElse(correct);
  }
}
