package dev.plumbline.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiPredicate;

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
  private final ClockBounds bounds;
  private final List<NodeSpec> nodes;
  private final List<NodeSpec> trueTimeNodes;
  private final List<NodeSpec> heirs;
  private final BiPredicate<NodeSpec, Set<NodeSpec>> mayCrash;
  private final List<Fault> faults = new ArrayList<>();

  private FaultGenerator(
      long seed,
      Topology topology,
      ClockBounds bounds,
      BiPredicate<NodeSpec, Set<NodeSpec>> mayCrash) {
    this.mayCrash = mayCrash;
    this.random = new SplittableRandom(seed);
    this.topology = topology;
    this.bounds = bounds;
    nodes = topology.nodes();
    trueTimeNodes = nodes.stream().filter(NodeSpec::trueTime).toList();
    heirs =
        topology.roles().values().stream()
            .filter(members -> members.size() > 1)
            .flatMap(List::stream)
            .toList();
  }

  /**
   * Makes a plan whose faults begin from {@code from} on and are over at {@code until}.
   *
   * @param mayCrash whether a node may crash while others are down or recovering
   * @param from microseconds
   * @param until microseconds
   */
  static FaultPlan generate(
      long seed,
      Topology topology,
      ClockBounds bounds,
      Set<FaultKind> kinds,
      Set<BrokenAssumption> broken,
      BiPredicate<NodeSpec, Set<NodeSpec>> mayCrash,
      long from,
      long until) {
    FaultGenerator generator = new FaultGenerator(seed, topology, bounds, mayCrash);
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
    generator.faults.sort(Comparator.comparingLong(Fault::at));
    return new FaultPlan(generator.faults, until);
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
      case PAUSE -> faults.add(new Fault.Pause(at, end, pick(nodes).id()));
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
              new Fault.TrueTime(between(from, until), node.id(), shift, bounds.epsilonMicros()));
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
    Set<NodeSpec> others = new HashSet<>();
    for (Fault fault : faults) {
      if (fault instanceof Fault.Crash crash
          && crash.at() < until + RECOVERY_MICROS
          && at < crash.until() + RECOVERY_MICROS) {
        nodes.stream().filter(n -> n.id().equals(crash.node())).forEach(others::add);
      }
    }
    if (mayCrash.test(node, others)) {
      faults.add(new Fault.Crash(at, until, node.id()));
    }
  }

  private void partition(long at, long until) {
    boolean oneWay = random.nextBoolean();
    if (random.nextBoolean()) {
      faults.add(
          new Fault.Partition(
              at, until, List.of(pick(nodes).id()), List.of(pick(nodes).id()), oneWay));
      return;
    }
    List<String> one = new ArrayList<>();
    List<String> other = new ArrayList<>();
    if (topology.regions().size() > 1 && random.nextBoolean()) {
      topology.regions().forEach(region -> (random.nextBoolean() ? one : other).add(region));
    } else {
      nodes.forEach(node -> (random.nextBoolean() ? one : other).add(node.id()));
    }
    faults.add(new Fault.Partition(at, until, one, other, oneWay));
  }

  /** All clocks go somewhere within their bounds, often to the very edge. */
  private void clocks(long at) {
    for (NodeSpec node : trueTimeNodes) {
      long half = edge(bounds.epsilonMicros());
      long shift = random.nextBoolean() ? edge(half) : -edge(half);
      faults.add(new Fault.TrueTime(at, node.id(), shift, half));
    }
    for (NodeSpec node : nodes) {
      long ppm = edge(bounds.driftPpm());
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
