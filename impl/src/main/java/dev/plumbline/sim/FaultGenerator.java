package dev.plumbline.sim;

import dev.plumbline.protocol.BrokenAssumption;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Situation;
import dev.plumbline.protocol.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/**
 * Makes a fault plan from a seed: rounds of trouble, each with a few kinds of fault, with quiet
 * periods between them.
 */
final class FaultGenerator {
  /** After which a node that came back counts as recovered. */
  private static final long RECOVERY_MICROS = 3_000_000;

  private static final long SHORTEST_ROUND_MICROS = 150_000;
  private static final long LONGEST_ROUND_MICROS = 600_000;
  private static final long LONGEST_QUIET_MICROS = 300_000;
  private static final long BROKEN_CLOCK_MICROS = 200_000;
  private static final long FASTEST_PPM = 9_000_000;
  private static final long SLOWEST_PPM = -900_000;

  private final SplittableRandom random;
  private final Topology topology;
  private final Limits limits;
  private final long healed;
  private final List<NodeSpec> nodes;
  private final List<NodeSpec> trueTimeNodes;
  private final List<NodeSpec> heirs;
  private final List<Fault> faults = new ArrayList<>();

  private FaultGenerator(long seed, Topology topology, Limits limits, long healed) {
    this.random = new SplittableRandom(seed);
    this.topology = topology;
    this.limits = limits;
    this.healed = healed;
    nodes = topology.nodes();
    trueTimeNodes = nodes.stream().filter(NodeSpec::trueTime).toList();
    heirs =
        topology.roles().values().stream()
            .filter(members -> members.size() > 1)
            .flatMap(List::stream)
            .toList();
  }

  /**
   * What a plan stays within.
   *
   * @param mayCrash whether a node may lose its state while others are down or recovering
   * @param silenceMicros after which a silent node is removed and loses its state; 0 if none ever
   *     is
   */
  record Limits(
      ClockBounds clocks, BiPredicate<NodeSpec, Set<NodeSpec>> mayCrash, long silenceMicros) {
    static Limits of(ProtocolSystem system, Settings settings) {
      return new Limits(
          system.clockBounds(),
          (node, others) -> system.mayCrash(node, others, settings),
          system.silenceMicros(settings));
    }
  }

  /** The same for a plan that is to provoke nothing. */
  static FaultPlan generate(
      long seed,
      Topology topology,
      Limits limits,
      Set<FaultKind> kinds,
      Set<BrokenAssumption> broken,
      long from,
      long until) {
    return generate(seed, topology, limits, kinds, broken, List.of(), from, until);
  }

  /**
   * Makes a plan whose faults begin from {@code from} on and are over at {@code until}.
   *
   * @param wanted situations to provoke once each, with faults of these kinds
   * @param from microseconds
   * @param until microseconds
   */
  static FaultPlan generate(
      long seed,
      Topology topology,
      Limits limits,
      Set<FaultKind> kinds,
      Set<BrokenAssumption> broken,
      List<Situation> wanted,
      long from,
      long until) {
    FaultGenerator generator = new FaultGenerator(seed, topology, limits, until);
    long at = from;
    List<FaultKind> chosen = kinds.stream().sorted().toList();
    while (at + SHORTEST_ROUND_MICROS < until && (!chosen.isEmpty() || !broken.isEmpty())) {
      long end =
          Math.min(until, at + generator.between(SHORTEST_ROUND_MICROS, LONGEST_ROUND_MICROS));
      int count = chosen.isEmpty() ? 0 : (int) generator.between(1, Math.min(4, chosen.size()));
      for (int i = 0; i < count; i++) {
        generator.add(chosen.get(generator.random.nextInt(chosen.size())), at, end);
      }
      for (BrokenAssumption assumption : broken.stream().sorted().toList()) {
        generator.add(assumption, at, end);
      }
      at = end + generator.between(0, LONGEST_QUIET_MICROS);
    }
    for (Situation situation : wanted) {
      long begin = generator.between(from, until - SHORTEST_ROUND_MICROS);
      situation
          .provocation()
          .faults(topology, generator.random, begin, until)
          .forEach(fault -> generator.provoke(fault, kinds));
    }
    generator.faults.removeIf(fault -> fault.at() >= until);
    generator.faults.sort(Comparator.comparingLong(Fault::at));
    return new FaultPlan(generator.faults, until);
  }

  private void provoke(Fault fault, Set<FaultKind> kinds) {
    boolean bearable =
        !(fault instanceof Fault.Crash crash)
            || nodes.stream()
                .filter(node -> node.id().equals(crash.node()))
                .allMatch(node -> mayLoseItsState(crash.at(), crash.until(), node));
    if (kinds.contains(FaultKind.of(fault)) && bearable) {
      faults.add(fault);
    }
  }

  private void add(FaultKind kind, long from, long until) {
    long at = between(from, from + (until - from) / 2);
    long end = between(at + (until - at) / 2, until);
    switch (kind) {
      case LOSS ->
          faults.add(new Fault.Loss(at, end, selector(), selector(), (int) between(20, 300)));
      case DUPLICATE ->
          faults.add(new Fault.Duplicate(at, end, selector(), selector(), (int) between(50, 500)));
      case DELAY ->
          faults.add(new Fault.Delay(at, end, selector(), selector(), between(500, 150_000)));
      case REORDER ->
          faults.add(new Fault.Reorder(at, end, selector(), selector(), between(500, 80_000)));
      case PARTITION -> partition(at, end);
      case CRASH -> crash(at, end, pick(nodes));
      case PAUSE -> pause(at, end, pick(nodes));
      case CLOCK -> clocks(at);
      case FAILOVER -> failover(at, end);
    }
  }

  private void add(BrokenAssumption assumption, long from, long until) {
    switch (assumption) {
      case ORACLE_BOUND -> {
        for (NodeSpec node : trueTimeNodes) {
          long shift = between(-BROKEN_CLOCK_MICROS, BROKEN_CLOCK_MICROS);
          faults.add(
              new Fault.TrueTime(
                  between(from, until), node.id(), shift, limits.clocks().epsilonMicros()));
        }
      }
      case DRIFT -> {
        for (NodeSpec node : nodes) {
          long ppm = random.nextBoolean() ? FASTEST_PPM : SLOWEST_PPM;
          faults.add(new Fault.Drift(between(from, until), node.id(), ppm));
        }
      }
    }
  }

  private void crash(long at, long until, NodeSpec node) {
    if (mayLoseItsState(at, until, node)) {
      faults.add(new Fault.Crash(at, until, node.id()));
    }
  }

  /**
   * Where silent nodes are removed, every fourth pause is long enough for that, if it may be. No
   * two pauses of a node meet: together they could be.
   */
  private void pause(long at, long until, NodeSpec node) {
    long silence = limits.silenceMicros();
    long late = at + silence + between(silence / 10, silence);
    boolean removed = silence > 0 && random.nextInt(4) == 0 && late <= healed;
    long end = removed && mayLoseItsState(at, late, node) ? late : until;
    if (faults.stream().noneMatch(other -> pauses(other, node, at, end))) {
      faults.add(new Fault.Pause(at, end, node.id()));
    }
  }

  private static boolean pauses(Fault fault, NodeSpec node, long at, long until) {
    return fault instanceof Fault.Pause pause
        && pause.node().equals(node.id())
        && pause.at() <= until
        && at <= pause.until();
  }

  private boolean mayLoseItsState(long at, long until, NodeSpec node) {
    Set<String> others = new HashSet<>();
    for (Fault fault : faults) {
      if (fault instanceof Fault.Crash crash) {
        if (meet(at, until, crash.at(), crash.until())) {
          others.add(crash.node());
        }
      } else if (fault instanceof Fault.Pause pause
          && limits.silenceMicros() > 0
          && pause.until() - pause.at() > limits.silenceMicros()
          && meet(at, until, pause.at(), pause.until())) {
        others.add(pause.node());
      }
    }
    return limits
        .mayCrash()
        .test(
            node, nodes.stream().filter(n -> others.contains(n.id())).collect(Collectors.toSet()));
  }

  private static boolean meet(long at, long until, long otherAt, long otherUntil) {
    return otherAt < until + RECOVERY_MICROS && at < otherUntil + RECOVERY_MICROS;
  }

  /** None where the draws cut off nobody. */
  private void partition(long at, long until) {
    boolean oneWay = random.nextBoolean();
    List<String> one = new ArrayList<>();
    List<String> other = new ArrayList<>();
    if (random.nextBoolean()) {
      one.add(pick(nodes).id());
      other.add(pick(nodes).id());
    } else if (topology.regions().size() > 1 && random.nextBoolean()) {
      topology.regions().forEach(region -> (random.nextBoolean() ? one : other).add(region));
    } else {
      nodes.forEach(node -> (random.nextBoolean() ? one : other).add(node.id()));
    }
    if (!one.isEmpty() && !other.isEmpty() && !one.equals(other)) {
      faults.add(new Fault.Partition(at, until, one, other, oneWay));
    }
  }

  /** All clocks go somewhere within their bounds, often to the very edge. */
  private void clocks(long at) {
    for (NodeSpec node : trueTimeNodes) {
      long half = edge(limits.clocks().epsilonMicros());
      long shift = random.nextBoolean() ? edge(half) : -edge(half);
      faults.add(new Fault.TrueTime(at, node.id(), shift, half));
    }
    for (NodeSpec node : nodes) {
      long ppm = edge(limits.clocks().driftPpm());
      faults.add(new Fault.Drift(at, node.id(), random.nextBoolean() ? ppm : -ppm));
    }
  }

  private void failover(long at, long until) {
    if (heirs.isEmpty()) {
      return;
    }
    NodeSpec heir = pick(heirs);
    long spread = between(0, Math.max(1, until - at));
    if (random.nextBoolean()) {
      for (Map.Entry<String, List<NodeSpec>> role : topology.roles().entrySet()) {
        if (role.getKey().equals(heir.role())) {
          NodeSpec victim = pick(role.getValue());
          if (!victim.equals(heir)) {
            faults.add(new Fault.Crash(at, until, victim.id()));
          }
        }
      }
    }
    faults.add(new Fault.Failover(at, heir.id(), spread));
  }

  private String selector() {
    return switch (random.nextInt(3)) {
      case 0 -> "*";
      case 1 -> topology.regions().get(random.nextInt(topology.regions().size()));
      default -> pick(nodes).id();
    };
  }

  private NodeSpec pick(List<NodeSpec> from) {
    return from.get(random.nextInt(from.size()));
  }

  private long edge(long bound) {
    return random.nextBoolean() ? bound : between(0, bound);
  }

  private long between(long low, long high) {
    return high <= low ? low : random.nextLong(low, high + 1);
  }
}
