package dev.plumbline.sim;

import dev.plumbline.history.HistoryRecorder;
import dev.plumbline.history.Op;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Situation;
import dev.plumbline.protocol.Topology;
import dev.plumbline.protocol.Transaction;
import dev.plumbline.trace.TraceWriter;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * One run: set up, workload under faults, healing, drain, and a last read of every key.
 *
 * <p>The same {@link RunConfig} gives the same bytes, in the history and in every trace.
 */
public final class SimulationRun {
  private static final int CLIENTS_PER_REGION = 2;
  private static final long FAULTS_FROM_MICROS = 1_000_000;
  private static final long MICROS_PER_TRANSACTION = 20_000;
  private static final long SHORTEST_WORKLOAD_MICROS = 2_000_000;
  private static final long LONGEST_THINK_MICROS = 30_000;
  private static final long TIMEOUT_MICROS = 3_000_000;
  private static final long DRAIN_MICROS = 2_000_000;

  /** Who was asked last may have to read what all transactions left, one after the other. */
  private static final long ROUND_TRIP_MICROS = 100_000;

  private static final long RETRY_MICROS = 300_000;
  private static final int FINAL_READ_TRIES = 20;
  private static final int WORKLOAD_PURPOSE = 21;
  private static final long LATEST_END_MICROS = 3_600_000_000L;
  private static final long MOST_STEPS_PER_TRANSACTION = 10_000;

  /** Machines that took so many steps while no client had an answer for so long get nowhere. */
  private static final long MOST_STEPS_UNANSWERED = 500_000;

  private static final long LONGEST_UNANSWERED_MICROS = 60_000_000;

  private final RunConfig config;
  private final Topology topology;
  private final Workload workload;
  private final FaultPlan plan;
  private final Simulator sim;
  private final HistoryRecorder recorder = new HistoryRecorder();
  private final SortedMap<String, ByteArrayOutputStream> traces = new TreeMap<>();
  private final List<TraceWriter> writers = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private final long workloadMicros;
  private int running;
  private long clientsCommitted;
  private boolean over;

  private SimulationRun(RunConfig asked) {
    topology = asked.protocol().topology(asked.settings());
    workload = Workload.named(asked.workload());
    workloadMicros = workloadMicros(asked);
    plan = asked.plan().orElseGet(() -> plan(asked, List.of()));
    config = asked.with(plan, asked.transactions());
    Settings settings = config.settings();
    sim =
        new Simulator(
            config.seed(),
            settings.clocks(),
            topology,
            spec -> config.protocol().bandwidth(spec, settings),
            spec -> machine(spec, settings),
            config.traced() ? this::trace : spec -> null);
    sim.demand(new Taken(config.protocol(), topology));
  }

  /** Runs to the end. */
  public static RunResult of(RunConfig config) {
    return new SimulationRun(config).result();
  }

  private static long workloadMicros(RunConfig config) {
    return Math.max(SHORTEST_WORKLOAD_MICROS, config.transactions() * MICROS_PER_TRANSACTION);
  }

  /** The faults that a configuration without a plan gets, and what may provoke these situations. */
  static FaultPlan plan(RunConfig config, List<Situation> wanted) {
    return FaultGenerator.generate(
        new SplittableRandom(config.seed()).split().nextLong(),
        config.protocol().topology(config.settings()),
        FaultGenerator.Limits.of(config.protocol(), config.settings()),
        config.faults(),
        config.broken(),
        wanted,
        FAULTS_FROM_MICROS,
        FAULTS_FROM_MICROS + workloadMicros(config));
  }

  private Machine machine(NodeSpec spec, Settings settings) {
    Machine correct = config.protocol().machine(spec, topology, settings);
    return config.bug().map(bug -> bug.machine(spec, topology, settings, correct)).orElse(correct);
  }

  private TraceWriter trace(NodeSpec spec) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    traces.put(spec.id(), out);
    TraceWriter writer = new TraceWriter(spec.id(), spec.role(), out);
    writers.add(writer);
    return writer;
  }

  private RunResult result() {
    sim.start(plan);
    int regions = topology.regions().size();
    int clients = regions * CLIENTS_PER_REGION;
    List<SimClient> all = new ArrayList<>();
    for (int process = 0; process <= clients; process++) {
      String region = topology.regions().get(process % regions);
      all.add(
          new SimClient(
              sim, recorder, config, topology, region, process, clients + 1, TIMEOUT_MICROS));
    }
    List<Loop> loops = new ArrayList<>();
    SimClient keeper = all.get(clients);
    for (int i = 0; i < clients; i++) {
      int share = config.transactions() / clients + (i < config.transactions() % clients ? 1 : 0);
      if (share > 0) {
        SplittableRandom random =
            new SplittableRandom(Draw.bits(config.seed(), i, WORKLOAD_PURPOSE));
        loops.add(new Loop(all.get(i), share, random));
      }
    }
    running = loops.size();
    Runnable begin = () -> loops.forEach(loop -> sim.events().at(loop.first(), loop::next));
    Optional<Transaction> setup = workload.setup();
    sim.events()
        .at(
            1,
            () ->
                setup.ifPresentOrElse(
                    transaction -> insist(keeper, transaction, "the set-up", begin), begin));
    sim.run(latestEndMicros(), () -> running > 0 && !runaway() && !unanswered());
    if (running == 0) {
      long drained = Math.max(sim.events().now(), plan.healedAtMicros()) + DRAIN_MICROS;
      sim.events().at(drained, () -> readEverything(keeper));
      sim.run(latestEndMicros(), () -> !over && !runaway());
      long patience = sim.events().now() + config.transactions() * ROUND_TRIP_MICROS;
      long end = sim.events().now();
      do {
        end += DRAIN_MICROS;
        sim.run(end, () -> !runaway());
      } while (busy() && end < patience && !runaway());
    }
    return close();
  }

  private RunResult close() {
    if (sim.failure() != null) {
      violations.add(sim.failure());
    } else if (!over) {
      violations.add(
          "the run did not end: "
              + sim.steps()
              + " steps, virtual time "
              + sim.events().now()
              + " µs"
              + (unanswered()
                  ? "; no client had an answer in the last "
                      + (sim.steps() - sim.answeredSteps())
                      + " steps"
                  : ""));
    } else {
      violations.addAll(config.protocol().violations(sim.owners(), config.settings()));
    }
    long nanos = sim.events().now() * 1000;
    for (long process : recorder.open()) {
      recorder.info(process, nanos, null, "the run ended");
    }
    List<Op> ops = recorder.history().ops();
    SortedMap<String, byte[]> logs = new TreeMap<>();
    SortedMap<String, Long> actions = new TreeMap<>();
    writers.forEach(
        writer -> {
          writer.close();
          writer.actions().forEach((action, count) -> actions.merge(action, count, Long::sum));
        });
    traces.forEach((node, out) -> logs.put(node, out.toByteArray()));
    RunStats stats =
        new RunStats(
            sim.steps(),
            sim.network().sent(),
            sim.events().now(),
            count(ops, Op.Type.OK),
            clientsCommitted,
            count(ops, Op.Type.FAIL),
            count(ops, Op.Type.INFO),
            sim.faultsApplied(),
            actions);
    return new RunResult(config, plan, recorder.history(), logs, List.copyOf(violations), stats);
  }

  /** As long as if every transaction of one client after the other went without an answer. */
  private long latestEndMicros() {
    return Math.max(LATEST_END_MICROS, config.transactions() * TIMEOUT_MICROS);
  }

  private boolean busy() {
    return sim.failure() == null && config.protocol().busy(sim.owners());
  }

  /** Whether machines keep each other busy without end. */
  private boolean runaway() {
    return sim.steps() > MOST_STEPS_PER_TRANSACTION * (config.transactions() + 100L);
  }

  /** Whether machines are busy, and with nothing that a client waits for. */
  private boolean unanswered() {
    return sim.steps() - sim.answeredSteps() > MOST_STEPS_UNANSWERED
        && sim.events().now() - sim.answeredMicros() > LONGEST_UNANSWERED_MICROS;
  }

  private static long count(List<Op> ops, Op.Type type) {
    return ops.stream().filter(op -> op.type() == type).count();
  }

  /** A client's share of the workload, spread over the time of the faults. */
  private final class Loop {
    private final SimClient client;
    private final int share;
    private final SplittableRandom random;
    private int done;

    Loop(SimClient client, int share, SplittableRandom random) {
      this.client = client;
      this.share = share;
      this.random = random;
    }

    long first() {
      return Math.max(FAULTS_FROM_MICROS, sim.events().now());
    }

    void next() {
      if (done == share) {
        running--;
        return;
      }
      Transaction transaction = workload.next(config.protocol().kinds(), random);
      client.run(
          transaction,
          outcome -> {
            if (outcome.kind() == ClientDriver.Outcome.Kind.COMMITTED) {
              clientsCommitted++;
            }
            sim.events().at(pause(), this::next);
          });
      done++;
    }

    private long pause() {
      long due = FAULTS_FROM_MICROS + workloadMicros / share * done;
      return Math.max(due, sim.events().now()) + random.nextLong(LONGEST_THINK_MICROS);
    }
  }

  private void readEverything(SimClient reader) {
    Iterator<Transaction> reads =
        config.protocol().lastReads(workload.keys(), config.settings()).iterator();
    readNext(reader, reads);
  }

  private void readNext(SimClient reader, Iterator<Transaction> reads) {
    if (!reads.hasNext()) {
      over = true;
      return;
    }
    Transaction transaction = reads.next();
    List<MicroOp> ops = transaction.ops();
    insist(
        reader,
        transaction,
        "the final read of keys " + ops.get(0).key() + " to " + ops.get(ops.size() - 1).key(),
        () -> readNext(reader, reads));
  }

  /** Runs a transaction until it commits; gives up, with a violation, after a number of tries. */
  private void insist(SimClient client, Transaction transaction, String what, Runnable then) {
    insist(client, transaction, what, then, FINAL_READ_TRIES);
  }

  private void insist(
      SimClient client, Transaction transaction, String what, Runnable then, int tries) {
    client.run(
        transaction,
        outcome -> {
          if (outcome.kind() == ClientDriver.Outcome.Kind.COMMITTED) {
            then.run();
          } else if (tries == 1) {
            violations.add(
                what + " did not commit in " + FINAL_READ_TRIES + " tries: " + outcome.error());
            if (unanswered()) {
              over = true;
            } else {
              then.run();
            }
          } else {
            sim.events()
                .at(
                    sim.events().now() + RETRY_MICROS,
                    () -> insist(client, transaction, what, then, tries - 1));
          }
        });
  }
}
