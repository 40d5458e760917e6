package dev.plumbline.k2.system;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.protocol.Fault;
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

/** What K2's runs should come into. */
final class K2Situations {
  private static final long EPOCH_MICROS = 1_000_000;

  /** Long enough for a coordinator to be suspected, short enough for it to commit afterwards. */
  private static final long CUT_OFF_MICROS = 1_300_000;

  private K2Situations() {}

  static List<Situation> all() {
    return List.of(
        new Situation(
            "write-across-a-cut",
            "a write is repeated, and its data node has cut an epoch in between",
            log -> repeated(log, "EpochCut.CutEpoch"),
            K2Situations::repliesHeldAcrossACut),
        new Situation(
            "write-across-a-takeover",
            "a write is repeated, and its data node has opened its log again in between",
            log -> repeated(log, TraceEvent.RESTART),
            K2Situations::repliesHeldAcrossATakeover),
        new Situation(
            "commit-of-an-aborted",
            "a commit is asked for after its recorder has aborted the transaction",
            K2Situations::commitOfAnAborted,
            K2Situations::coordinatorCutOff),
        new Situation(
            "commit-of-an-inherited-abort",
            "a commit is asked for after its recorder has aborted the transaction and its log was"
                + " opened again",
            K2Situations::commitOfAnInheritedAbort,
            K2Situations::coordinatorCutOffAndTakeovers),
        new Situation(
            "coordinator-back-before-suspicion",
            "a coordinator has started again when a transaction of its last life is suspected",
            K2Situations::backBeforeSuspicion,
            K2Situations::coordinatorCrashes),
        new Situation(
            "commit-after-a-takeover",
            "a transaction that wrote before its recorder's log was opened again is committed there",
            K2Situations::commitAfterTakeover,
            K2Situations::repliesHeldAcrossATakeover),
        new Situation(
            "old-owner-acts",
            "a data node handles a request after its heir has opened the log",
            K2Situations::oldOwnerActs,
            K2Situations::repliesHeldAcrossATakeover),
        new Situation(
            "wait-across-an-epoch",
            "a read waits for a decision while its data node cuts an epoch",
            K2Situations::waitAcrossACut,
            K2Situations::coordinatorCutOff));
  }

  // ------------------------------------------------------------------ logs

  /** A parameter of the action, or a field of the message that it handles. */
  private static String argument(TraceEvent event, String name) {
    JsonNode message = event.args().get("m");
    return message == null ? event.args().get(name).asText() : message.path(name).asText();
  }

  private static boolean is(TraceEvent event, String action) {
    return event.action().equals(action);
  }

  /** A write that its role handled is handled there again after {@code between}. */
  private static boolean repeated(List<TraceEvent> log, String between) {
    Map<String, Set<String>> before = new HashMap<>();
    Map<String, Set<String>> handled = new HashMap<>();
    for (TraceEvent e : log) {
      if (is(e, between)) {
        before
            .computeIfAbsent(e.role(), r -> new HashSet<>())
            .addAll(handled.getOrDefault(e.role(), Set.of()));
      } else if (is(e, "Mvto.HandleWrite")) {
        String write = argument(e, "t") + " " + argument(e, "k");
        if (before.getOrDefault(e.role(), Set.of()).contains(write)) {
          return true;
        }
        handled.computeIfAbsent(e.role(), r -> new HashSet<>()).add(write);
      }
    }
    return false;
  }

  private static boolean commitOfAnAborted(List<TraceEvent> log) {
    return log.stream()
        .anyMatch(
            e ->
                is(e, "Mvto.HandleCommit")
                    && e.state().containsKey("record")
                    && e.state().get("record").asText().equals("ABORTED"));
  }

  private static boolean commitOfAnInheritedAbort(List<TraceEvent> log) {
    Map<String, Set<String>> aborted = new HashMap<>();
    Map<String, Set<String>> inherited = new HashMap<>();
    for (TraceEvent e : log) {
      if (is(e, "EpochVisibility.Abort")) {
        aborted.computeIfAbsent(e.role(), r -> new HashSet<>()).add(argument(e, "t"));
      } else if (is(e, TraceEvent.RESTART)) {
        inherited
            .computeIfAbsent(e.role(), r -> new HashSet<>())
            .addAll(aborted.getOrDefault(e.role(), Set.of()));
      } else if (is(e, "Mvto.HandleCommit")
          && inherited.getOrDefault(e.role(), Set.of()).contains(argument(e, "t"))) {
        return true;
      }
    }
    return false;
  }

  private static boolean backBeforeSuspicion(List<TraceEvent> log) {
    Map<String, Set<String>> begun = new HashMap<>();
    Set<String> orphans = new HashSet<>();
    for (TraceEvent e : log) {
      if (is(e, "Mvto.Begin")) {
        begun.computeIfAbsent(e.role(), r -> new HashSet<>()).add(argument(e, "t"));
      } else if (is(e, TraceEvent.RESTART)) {
        orphans.addAll(begun.getOrDefault(e.role(), Set.of()));
      } else if (is(e, "Mvto.SuspectCoordinator") && orphans.contains(argument(e, "t"))) {
        return true;
      }
    }
    return false;
  }

  private static boolean commitAfterTakeover(List<TraceEvent> log) {
    Map<String, Set<String>> wrote = new HashMap<>();
    Map<String, Set<String>> inherited = new HashMap<>();
    for (TraceEvent e : log) {
      if (is(e, "Mvto.HandleWrite")) {
        wrote.computeIfAbsent(e.role(), r -> new HashSet<>()).add(argument(e, "t"));
      } else if (is(e, TraceEvent.RESTART)) {
        inherited
            .computeIfAbsent(e.role(), r -> new HashSet<>())
            .addAll(wrote.getOrDefault(e.role(), Set.of()));
      } else if (is(e, "EpochVisibility.Commit")
          && inherited.getOrDefault(e.role(), Set.of()).contains(argument(e, "t"))) {
        return true;
      }
    }
    return false;
  }

  private static boolean oldOwnerActs(List<TraceEvent> log) {
    Map<String, String> owner = new HashMap<>();
    for (TraceEvent e : log) {
      if (is(e, TraceEvent.RESTART)) {
        owner.put(e.role(), e.node());
      } else if (e.action().startsWith("Mvto.Handle")
          && !owner.getOrDefault(e.role(), e.node()).equals(e.node())) {
        return true;
      }
    }
    return false;
  }

  private static boolean waitAcrossACut(List<TraceEvent> log) {
    Set<String> waiting = new HashSet<>();
    for (TraceEvent e : log) {
      JsonNode waits = e.state().get("waiting");
      if (waits != null && !waits.isEmpty()) {
        waiting.add(e.node());
      } else if (waits != null) {
        waiting.remove(e.node());
      } else if (is(e, "EpochCut.CutEpoch") && waiting.contains(e.node())) {
        return true;
      }
    }
    return false;
  }

  // ------------------------------------------------------------------ faults

  private static String pick(List<String> from, SplittableRandom random) {
    return from.get(random.nextInt(from.size()));
  }

  /** Nothing gets from a data node to others' regions while it cuts an epoch. */
  private static List<Fault> repliesHeldAcrossACut(
      Topology topology, SplittableRandom random, long from, long until) {
    List<Fault> faults = new ArrayList<>();
    for (long cut = (from / EPOCH_MICROS + 1) * EPOCH_MICROS; cut < until; cut += EPOCH_MICROS) {
      long begin = Math.max(from, cut - 400_000);
      long end = Math.min(until, cut + 300_000);
      if (end > begin) {
        String role = pick(topology.rolesOf(K2Deployment.DATA_NODE), random);
        faults.add(new Fault.Partition(begin, end, List.of(role), topology.regions(), true));
      }
    }
    return faults;
  }

  /** A data node's answers are late, and another takes over from it meanwhile. */
  private static List<Fault> repliesHeldAcrossATakeover(
      Topology topology, SplittableRandom random, long from, long until) {
    String role = pick(topology.rolesOf(K2Deployment.DATA_NODE), random);
    String heir = topology.roles().get(role).get(1).id();
    long end = Math.min(until, from + 600_000);
    long middle = from + (end - from) / 2;
    return List.of(
        new Fault.Partition(from, end, List.of(role), topology.regions(), true),
        new Fault.Failover(middle, heir, end - middle));
  }

  /** Nothing that a coordinator sends arrives until it is suspected. */
  private static List<Fault> coordinatorCutOff(
      Topology topology, SplittableRandom random, long from, long until) {
    String coordinator = pick(topology.rolesOf(K2Deployment.COORDINATOR), random);
    long end = Math.min(until, from + CUT_OFF_MICROS);
    return List.of(new Fault.Partition(from, end, List.of(coordinator), topology.regions(), true));
  }

  /** The same, and all data nodes are taken over when their recorders have suspected it. */
  private static List<Fault> coordinatorCutOffAndTakeovers(
      Topology topology, SplittableRandom random, long from, long until) {
    List<Fault> faults = new ArrayList<>(coordinatorCutOff(topology, random, from, until));
    long at = from + (Math.min(until, from + CUT_OFF_MICROS) - from) * 3 / 4;
    for (String role : topology.rolesOf(K2Deployment.DATA_NODE)) {
      faults.add(new Fault.Failover(at, topology.roles().get(role).get(1).id(), 0));
    }
    return faults;
  }

  private static List<Fault> coordinatorCrashes(
      Topology topology, SplittableRandom random, long from, long until) {
    String coordinator = pick(topology.rolesOf(K2Deployment.COORDINATOR), random);
    return List.of(
        new Fault.Crash(
            from, Math.min(until, from + random.nextLong(20_000, 200_000)), coordinator));
  }
}
