package dev.plumbline.dast.system;

import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Situation;
import dev.plumbline.protocol.Topology;
import dev.plumbline.trace.TraceEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** What DAST's runs should come into. */
final class DastSituations {
  private DastSituations() {}

  static List<Situation> all() {
    return List.of(
        new Situation(
            "manager-between-prepares",
            "a manager starts again after one participant of its region has prepared a CRT and"
                + " before another does",
            DastSituations::managerBetweenPrepares,
            DastSituations::managerCrashesAmongLateMessages),
        new Situation(
            "overlapping-views",
            "a change of view begins before a member has taken the one before it",
            DastSituations::overlappingViews,
            DastSituations::twoNodesAndALateMember),
        new Situation(
            "removed-twice",
            "a node that came back is removed again",
            DastSituations::removedTwice,
            DastSituations::twoCrashesOfOneNode),
        new Situation(
            "crt-resolved-by-a-view",
            "a CRT whose coordinator was removed is committed all the same",
            log -> log.stream().anyMatch(e -> e.action().equals("Failover.HandleResolved")),
            DastSituations::nodeCrashes),
        new Situation(
            "crt-aborted-by-a-view",
            "a CRT whose coordinator was removed is aborted",
            log -> log.stream().anyMatch(e -> e.action().equals("Failover.HandleAbort")),
            DastSituations::nodeCrashes));
  }

  // ------------------------------------------------------------------ logs

  /** Nodes and managers are named after their regions. */
  private static String region(String node) {
    return node.startsWith("m-") ? node.substring(2) : node.substring(0, node.indexOf('s'));
  }

  private static boolean managerBetweenPrepares(List<TraceEvent> log) {
    Map<String, Set<String>> prepared = new HashMap<>();
    Map<String, Set<String>> before = new HashMap<>();
    for (TraceEvent e : log) {
      String region = region(e.node());
      if (e.action().equals("TwoPhaseAnticipation.HandlePrepCrt")) {
        String t = e.args().get("t").asText();
        if (before.getOrDefault(region, Set.of()).contains(t)) {
          return true;
        }
        prepared.computeIfAbsent(region, r -> new HashSet<>()).add(t);
      } else if (e.action().equals(TraceEvent.RESTART) && e.node().startsWith("m-")) {
        before
            .computeIfAbsent(region, r -> new HashSet<>())
            .addAll(prepared.getOrDefault(region, Set.of()));
      }
    }
    return false;
  }

  private static boolean overlappingViews(List<TraceEvent> log) {
    Map<String, Long> begun = new HashMap<>();
    for (TraceEvent e : log) {
      if (e.action().equals("Failover.RemoveNode") || e.action().equals("Failover.AddReplica")) {
        begun.merge(region(e.node()), e.args().get("vid").asLong(), Math::max);
      } else if (e.action().equals("Failover.HandleViewCommit")
          && e.args().get("vid").asLong() < begun.getOrDefault(region(e.node()), 0L)) {
        return true;
      }
    }
    return false;
  }

  private static boolean removedTwice(List<TraceEvent> log) {
    Map<String, Long> removed = new HashMap<>();
    for (TraceEvent e : log) {
      if (e.action().equals("Failover.DecideView")) {
        long view = e.args().get("vid").asLong();
        for (var node : e.args().get("remove")) {
          Long earlier = removed.put(node.asText(), view);
          if (earlier != null && earlier < view) {
            return true;
          }
        }
      }
    }
    return false;
  }

  // ------------------------------------------------------------------ faults

  private static String pick(List<String> from, SplittableRandom random) {
    return from.get(random.nextInt(from.size()));
  }

  private static List<String> nodesOf(Topology topology, String region) {
    return topology.nodes().stream()
        .filter(n -> n.region().equals(region) && n.kind().equals(DastDeployment.NODE))
        .map(NodeSpec::id)
        .toList();
  }

  private static List<Fault> managerCrashesAmongLateMessages(
      Topology topology, SplittableRandom random, long from, long until) {
    String region = pick(topology.regions(), random);
    String manager = topology.rolesOf(DastDeployment.MANAGER, region).get(0);
    String late = pick(nodesOf(topology, region), random);
    long end = Math.min(until, from + 400_000);
    return List.of(
        new Fault.Delay(from, end, manager, late, 150_000),
        new Fault.Crash(from + (end - from) / 4, from + (end - from) / 4 + 60_000, manager));
  }

  /** Two nodes of different shards fall silent one after the other, and a third hears late. */
  private static List<Fault> twoNodesAndALateMember(
      Topology topology, SplittableRandom random, long from, long until) {
    String region = pick(topology.regions(), random);
    String manager = topology.rolesOf(DastDeployment.MANAGER, region).get(0);
    List<String> nodes = nodesOf(topology, region);
    String first = nodes.get(0);
    String second = nodes.get(nodes.size() - 1);
    String late = nodes.get(1);
    return List.of(
        new Fault.Crash(from, Math.min(until, from + 100_000), first),
        new Fault.Crash(Math.min(until, from + 200_000), Math.min(until, from + 300_000), second),
        new Fault.Delay(from, until, manager, late, 150_000));
  }

  private static List<Fault> twoCrashesOfOneNode(
      Topology topology, SplittableRandom random, long from, long until) {
    String node = pick(nodesOf(topology, pick(topology.regions(), random)), random);
    List<Fault> faults = new ArrayList<>();
    for (long at = from; at + 100_000 < until; at += 3_300_000) {
      faults.add(new Fault.Crash(at, at + 100_000, node));
    }
    return faults;
  }

  private static List<Fault> nodeCrashes(
      Topology topology, SplittableRandom random, long from, long until) {
    String node = pick(nodesOf(topology, pick(topology.regions(), random)), random);
    return List.of(new Fault.Crash(from, Math.min(until, from + 200_000), node));
  }
}
