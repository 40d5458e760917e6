package dev.plumbline.sim;

import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.Bandwidth;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.RttTable;
import dev.plumbline.protocol.Topology;
import dev.plumbline.trace.TraceWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

/** Virtual time, nodes, network and faults of one run. Single-threaded; nothing is shared. */
final class Simulator {
  private static final int CLOCK_ORIGIN = 11;
  private static final int SURVIVES = 12;
  private static final int LEARNS = 13;
  private static final long MAX_ORIGIN_MICROS = 1_000_000_000L;

  private final EventQueue events = new EventQueue();
  private final long seed;
  private final ClockBounds clockBounds;
  private final Topology topology;
  private final Function<NodeSpec, Machine> machines;
  private final List<SimNode> nodes = new ArrayList<>();
  private final Map<String, SimRole> roles = new LinkedHashMap<>();
  private final Network network;
  private final Map<Long, OpenCall> calls = new HashMap<>();
  private final SortedMap<String, Long> faultsApplied = new TreeMap<>();
  private Taken taken;
  private long requests;
  private long steps;
  private long answeredMicros;
  private long answeredSteps;
  private String failure;

  private record OpenCall(int endpoint, Consumer<Record> answer) {}

  /** Links without limits. */
  Simulator(
      long seed,
      ClockBounds clockBounds,
      Topology topology,
      Function<NodeSpec, Machine> machines,
      Function<NodeSpec, TraceWriter> traces) {
    this(seed, clockBounds, topology, node -> Bandwidth.UNLIMITED, machines, traces);
  }

  /**
   * @param bandwidths what each node's link carries
   * @param machines makes a fresh machine for a node
   * @param traces makes a node's trace writer, or returns null for none
   */
  Simulator(
      long seed,
      ClockBounds clockBounds,
      Topology topology,
      Function<NodeSpec, Bandwidth> bandwidths,
      Function<NodeSpec, Machine> machines,
      Function<NodeSpec, TraceWriter> traces) {
    this.seed = seed;
    this.clockBounds = clockBounds;
    this.topology = topology;
    this.machines = machines;
    RttTable table = topology.network();
    int endpoints = topology.nodes().size() + table.regions().size();
    int[] regionOf = new int[endpoints];
    for (NodeSpec spec : topology.nodes()) {
      int index = nodes.size();
      regionOf[index] = table.index(spec.region());
      SimRole role = roles.computeIfAbsent(spec.role(), SimRole::new);
      SimNode node = new SimNode(this, spec, index, regionOf[index], role, traces.apply(spec));
      nodes.add(node);
      if (role.owner == null) {
        role.firstOwner(node, endpoints);
      }
    }
    for (int region = 0; region < table.regions().size(); region++) {
      regionOf[nodes.size() + region] = region;
    }
    network =
        new Network(this, table, regionOf, topology.nodes().stream().map(bandwidths).toList());
  }

  /** A run fails at what processes of this protocol would refuse, if that is said. */
  void demand(Taken what) {
    taken = what.isSaid() ? what : null;
  }

  /** Whether a process of a node would take an input; if not, the run has failed. */
  boolean takes(NodeSpec spec, Input input) {
    String objection = taken == null ? "" : taken.objection(spec, input);
    if (!objection.isEmpty()) {
      failure = objection;
    }
    return objection.isEmpty();
  }

  /** Starts the first owner of every role and schedules the plan. */
  void start(FaultPlan plan) {
    roles.values().forEach(role -> role.owner.start(true));
    for (Fault fault : plan.faults()) {
      if (fault.at() < plan.healedAtMicros()) {
        events.at(fault.at(), () -> apply(fault));
      }
    }
    events.at(plan.healedAtMicros(), this::heal);
  }

  /** Runs until {@code deadline}, or until a machine failed, or while {@code more} says so. */
  void run(long deadline, java.util.function.BooleanSupplier more) {
    while (failure == null
        && !events.isEmpty()
        && events.nextAt() <= deadline
        && more.getAsBoolean()) {
      events.step();
    }
  }

  EventQueue events() {
    return events;
  }

  long seed() {
    return seed;
  }

  ClockBounds clockBounds() {
    return clockBounds;
  }

  Network network() {
    return network;
  }

  long steps() {
    return steps;
  }

  void countStep() {
    steps++;
  }

  /** When a client last had an answer, microseconds; 0 if none had. */
  long answeredMicros() {
    return answeredMicros;
  }

  /** How many steps had been taken then. */
  long answeredSteps() {
    return answeredSteps;
  }

  /** How many faults took effect, by kind. */
  SortedMap<String, Long> faultsApplied() {
    return faultsApplied;
  }

  /** What a machine or client threw, or a process would refuse; or null. */
  String failure() {
    return failure;
  }

  /** Protocol code threw, at a node or in a client, on what it was given: the run has failed. */
  void failed(String who, Object given, Throwable thrown) {
    StackTraceElement[] trace = thrown.getStackTrace();
    failure =
        who + " threw " + thrown + (trace.length > 0 ? " at " + trace[0] : "") + " on " + given;
  }

  Machine newMachine(NodeSpec spec) {
    return machines.apply(spec);
  }

  /** The running owner of each role. */
  SortedMap<String, Machine> owners() {
    SortedMap<String, Machine> owners = new TreeMap<>();
    for (SimRole role : roles.values()) {
      if (role.owner.machine() != null) {
        owners.put(role.name, role.owner.machine());
      }
    }
    return owners;
  }

  SimRole role(String name) {
    SimRole role = roles.get(name);
    if (role == null) {
      throw new IllegalArgumentException("no role is called " + name);
    }
    return role;
  }

  long clockOrigin(int node, int instance) {
    return Draw.below(
        Draw.bits(seed, ((long) node << 32) + instance, CLOCK_ORIGIN), MAX_ORIGIN_MICROS);
  }

  /** Whether the records of a step that a crash interrupts reached the disk. */
  boolean survives(SimNode node) {
    return (Draw.bits(seed, ((long) node.index << 48) + events.now(), SURVIVES) & 1) == 0;
  }

  /** A client of a region asks a role; {@code answer} gets the response, if any. */
  void call(String region, String role, Record request, Consumer<Record> answer) {
    int endpoint = nodes.size() + topology.network().index(region);
    long id = ++requests;
    calls.put(id, new OpenCall(endpoint, answer));
    network.request(endpoint, role(role), new Input.ClientRequest(id, request));
  }

  int clientEndpoint(long requestId) {
    OpenCall call = calls.get(requestId);
    return call == null ? -1 : call.endpoint;
  }

  void respond(long requestId, Record response) {
    OpenCall call = calls.remove(requestId);
    if (call != null) {
      answeredMicros = events.now();
      answeredSteps = steps;
      call.answer.accept(response);
    }
  }

  private void apply(Fault fault) {
    boolean applied = true;
    if (fault instanceof Fault.Loss loss) {
      link(fault, List.of(loss.from()), List.of(loss.to()), loss.until());
    } else if (fault instanceof Fault.Duplicate duplicate) {
      link(fault, List.of(duplicate.from()), List.of(duplicate.to()), duplicate.until());
    } else if (fault instanceof Fault.Delay delay) {
      link(fault, List.of(delay.from()), List.of(delay.to()), delay.until());
    } else if (fault instanceof Fault.Reorder reorder) {
      link(fault, List.of(reorder.from()), List.of(reorder.to()), reorder.until());
    } else if (fault instanceof Fault.Partition partition) {
      link(fault, partition.from(), partition.to(), partition.until());
    } else if (fault instanceof Fault.Crash crash) {
      SimNode node = node(crash.node());
      applied = node.up();
      if (applied) {
        node.crash();
        events.at(crash.until(), () -> restart(node));
      }
    } else if (fault instanceof Fault.Pause pause) {
      SimNode node = node(pause.node());
      applied = node.up();
      if (applied) {
        node.pause(pause.until());
        events.at(pause.until(), node::endPause);
      }
    } else if (fault instanceof Fault.TrueTime clock) {
      node(clock.node()).trueTime(clock.shiftMicros(), clock.halfWidthMicros());
    } else if (fault instanceof Fault.Drift drift) {
      node(drift.node()).clock.drift(events.now(), drift.ppm());
    } else if (fault instanceof Fault.Failover failover) {
      applied = failover(failover);
    }
    if (applied) {
      faultsApplied.merge(FaultPlan.kind(fault), 1L, Long::sum);
    }
  }

  private void link(Fault fault, List<String> from, List<String> to, long until) {
    network.begin(fault, endpoints(from), endpoints(to));
    events.at(until, () -> network.end(fault));
  }

  private static void restart(SimNode node) {
    if (!node.up()) {
      node.restart();
    }
  }

  private boolean failover(Fault.Failover failover) {
    SimNode heir = node(failover.to());
    if (!heir.up() || heir.role.owner == heir) {
      return false;
    }
    SimNode old = heir.role.owner;
    heir.start(false);
    heir.role.learns(heir.index);
    int endpoints = nodes.size() + topology.network().regions().size();
    for (int endpoint = 0; endpoint < endpoints; endpoint++) {
      if (endpoint != heir.index && endpoint != old.index) {
        int learner = endpoint;
        long subject = ((long) endpoint << 48) + events.now();
        long after =
            Draw.below(Draw.bits(seed, subject, LEARNS), Math.max(1, failover.spreadMicros()));
        events.at(events.now() + after, () -> heir.role.learns(learner));
      }
    }
    return true;
  }

  private void heal() {
    network.heal();
    for (SimNode node : nodes) {
      node.resume();
      restart(node);
      node.clock.drift(events.now(), 0);
      node.trueTime(0, clockBounds.epsilonMicros() / 2);
    }
  }

  private SimNode node(String id) {
    for (SimNode node : nodes) {
      if (node.spec.id().equals(id)) {
        return node;
      }
    }
    throw new IllegalArgumentException("the fault plan names node " + id + ", which there is not");
  }

  private boolean[] endpoints(List<String> selectors) {
    List<String> regions = topology.network().regions();
    boolean[] selected = new boolean[nodes.size() + regions.size()];
    for (String selector : selectors) {
      boolean known = selector.equals("*");
      for (int i = 0; i < selected.length; i++) {
        String name = i < nodes.size() ? nodes.get(i).spec.id() : "";
        String region =
            i < nodes.size() ? nodes.get(i).spec.region() : regions.get(i - nodes.size());
        if (selector.equals("*") || selector.equals(name) || selector.equals(region)) {
          selected[i] = true;
          known = true;
        }
      }
      if (!known) {
        throw new IllegalArgumentException(
            "the fault plan names " + selector + ", which is no node or region");
      }
    }
    return selected;
  }
}
