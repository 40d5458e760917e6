package dev.plumbline.metric.binding;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.Place;
import dev.plumbline.bind.World;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.Outbox;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.metric.Change;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.MetricMessage;
import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.MetricRequest;
import dev.plumbline.metric.MetricTimer;
import dev.plumbline.metric.Phase;
import dev.plumbline.metric.Position;
import dev.plumbline.metric.Redo;
import dev.plumbline.metric.RequestId;
import dev.plumbline.metric.Stamp;
import dev.plumbline.metric.Uuid;
import dev.plumbline.metric.Value;
import dev.plumbline.metric.system.MetricSystem;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What the worlds of {@code Ownership} and {@code RedoLog} share: Metric processes, and a store in
 * this world's hands, which does at once what it is asked for, when an action says so. It keeps
 * what was written; who holds a lock is the model's business. Transactions come whole, or each
 * process has a site that leads them.
 */
abstract class MetricWorld extends World {
  private static final ClockReading NOW = ClockReading.local(0);
  static final String ROW = "r";

  /** Tables of whole transactions, where there are none. */
  private static final List<String> NOT_LED = List.of("whole");

  private static final String LOCKS = "locks";
  private static final List<String> REPLICAS = List.of("A", "B", "C");

  final Group<Process> processes = group((name, n) -> new Process(name));
  final SortedMap<String, Value> values = new TreeMap<>();
  private final SortedMap<String, Long> references = new TreeMap<>();
  private final Deployment deployment;
  private final boolean led;
  private MetricConfig config;

  /** A Metric process, with what it has asked the store for and got no answer to. */
  static final class Process extends Place {
    final SortedMap<String, Long> requests = new TreeMap<>();
    StoppedDatabase database = new StoppedDatabase();
    final LeadingSite site = new LeadingSite();
    MetricMessage.Acquire acquiring;
    MetricMessage asking;

    Process(Object name) {
      super(name, NodeSpec.of("p" + name, "metric-process", "here", 1, 0));
    }

    MetricProcess process() {
      return (MetricProcess) machine;
    }
  }

  /**
   * @param led whether sites lead the transactions
   */
  MetricWorld(
      Binding binding, SortedSet<String> asPublished, boolean led, Optional<SeededBug> bug) {
    super(binding);
    this.led = led;
    MetricSystem system = new MetricSystem();
    deployment =
        Deployment.of(system, system.clockBounds(), asPublished, Map.of("alpha", 1L << 40), bug);
  }

  /** Everybody begins, with these tables. */
  final void begin(JsonNode names, List<String> tables) {
    MetricConfig some = new MetricSystem().config(deployment.settings());
    config =
        new MetricConfig(
            led ? NOT_LED : tables,
            some.leaseMicros(),
            some.heartbeatMicros(),
            some.resendMicros(),
            some.patienceMicros(),
            some.alpha(),
            some.asPublished());
    values.clear();
    references.clear();
    open(processes, names);
    processes.all().forEach(this::start);
  }

  /** A process starts, or starts again; its database is there. */
  final void start(Process p) {
    MetricProcess correct =
        new MetricProcess(
            new MetricProcess.Parts(
                config,
                p.spec.role(),
                ((Integer) p.name).longValue(),
                LOCKS,
                REPLICAS,
                Optional.of(p.database)));
    p.acquiring = null;
    p.asking = null;
    p.site.lost();
    p.start(deployment.alone(p.spec, correct), NOW);
    take(p);
  }

  final void give(Process p, Input input) {
    give(p, input, clock(p));
  }

  final void give(Process p, Input input, ClockReading clock) {
    p.give(input, clock);
    take(p);
  }

  /** What a process's clock shows; a model may say. */
  ClockReading clock(Process p) {
    return NOW;
  }

  /** The process goes on by itself. */
  final void step(Process p) {
    give(p, new Input.TimerFired(new MetricTimer.Step()));
  }

  final void impatient(Process p) {
    give(p, new Input.TimerFired(new MetricTimer.Patience()));
  }

  private void take(Process p) {
    for (Outbox.Sent sent : p.out.take()) {
      if (sent.message() instanceof MetricMessage.Acquire acquire) {
        p.acquiring = acquire;
        p.requests.put(acquire.key(), acquire.request());
      } else if (sent.message() instanceof MetricMessage.Put
          || sent.message() instanceof MetricMessage.Get) {
        p.asking = (MetricMessage) sent.message();
      } else if (sent.message() instanceof MetricMessage.Release release) {
        released(p, release.key());
      }
    }
    while (led && !p.out.replies.isEmpty()) {
      Record answer = p.out.replies.poll();
      boolean leads = p.site.stage() != LeadingSite.Stage.IDLE;
      MetricRequest next = p.site.told(answer);
      if (next != null) {
        ask(p, next);
      } else if (leads && p.site.stage() == LeadingSite.Stage.IDLE) {
        failed(p, answer);
      } else if (p.site.stage() == LeadingSite.Stage.APPENDED) {
        Uuid mine = p.process().mine();
        p.site.demand(new Position(mine, entry(mine).queue().size()));
        appended(p);
      }
    }
  }

  /** A site's transaction has failed, it is told. */
  void failed(Process p, Record answer) {}

  /** A site is told that its transaction is in the redo log. */
  void appended(Process p) {}

  /** A site asks its process, which reads the redo log at once if that is what it is asked. */
  final void ask(Process p, MetricRequest request) {
    give(p, new Input.ClientRequest(1, (Record) request));
    if (p.process().phase() == Phase.LED_READ) {
      until(p, Phase.LED);
    }
  }

  /** A process gives a lock back, which it may have lost. */
  void released(Process p, String key) {}

  /** The lock that a process waits for is its own. */
  final void grant(Process p) {
    MetricMessage.Acquire acquire = p.acquiring;
    p.acquiring = null;
    long reference = references.merge(acquire.key(), 1L, Long::sum);
    give(
        p,
        new Input.Deliver(
            LOCKS, new MetricMessage.Granted(acquire.key(), acquire.request(), reference, false)));
  }

  /** A quorum does what a process asks. */
  final void serve(Process p) {
    MetricMessage asked = p.asking;
    p.asking = null;
    if (asked instanceof MetricMessage.Put put) {
      values.put(put.key(), put.value());
    }
    for (String replica : REPLICAS.subList(0, 2)) {
      give(p, new Input.Deliver(replica, answer(asked)));
    }
  }

  private MetricMessage answer(MetricMessage asked) {
    if (asked instanceof MetricMessage.Put put) {
      return new MetricMessage.Stored(put.key(), put.operation());
    }
    MetricMessage.Get get = (MetricMessage.Get) asked;
    Value value = values.get(get.key());
    return value == null
        ? new MetricMessage.Newest(get.key(), get.operation(), Stamp.ZERO, Value.NONE)
        : new MetricMessage.Newest(get.key(), get.operation(), new Stamp(1, 1), value);
  }

  /** The store refuses what a process asks. */
  final void refuse(Process p) {
    MetricMessage asked = p.asking;
    p.asking = null;
    long operation =
        asked instanceof MetricMessage.Put put
            ? put.operation()
            : ((MetricMessage.Get) asked).operation();
    give(
        p,
        new Input.Deliver(
            REPLICAS.get(0), new MetricMessage.Refused(asked.key(), operation, Long.MAX_VALUE)));
  }

  /** Lets a process go on, with an obliging store, until it has reached one of these. */
  final void until(Process p, Phase... wanted) {
    List<Phase> ends = List.of(wanted);
    for (int i = 0; i < 1_000 && !ends.contains(p.process().phase()); i++) {
      if (p.acquiring != null) {
        grant(p);
      } else if (p.asking != null) {
        serve(p);
      } else {
        step(p);
      }
    }
  }

  /** Whether sites lead the transactions. */
  final boolean led() {
    return led;
  }

  /**
   * What the model calls the handler that is next, which is the site's where the process waits for
   * it. The two have to agree whether there is a transaction, and whose turn it is.
   *
   * @param called what the model calls a process's phase
   * @param sites what it calls a site's stage, as far as the site may be next
   */
  final String next(
      Process p, Function<Phase, String> called, Map<LeadingSite.Stage, String> sites) {
    Phase phase = p.process().phase();
    boolean waits = phase == Phase.IDLE && p.process().waiting() > 0;
    boolean over = phase == Phase.IDLE && !waits;
    boolean idle = p.site.stage() == LeadingSite.Stage.IDLE;
    if (!led) {
      return called.apply(phase);
    } else if (over != idle || p.site.owed() != (over || phase == Phase.LED ? 0 : 1)) {
      return "%s, and the site at %s owed %d answers"
          .formatted(phase, p.site.stage(), p.site.owed());
    }
    return phase == Phase.LED
        ? sites.getOrDefault(p.site.stage(), "the site's " + p.site.stage())
        : called.apply(waits ? Phase.QUERY : phase);
  }

  /** Somebody wants what a process has. */
  final void wanted(Process p) {
    String key = MetricConfig.entryKey(p.process().mine());
    Long request = p.requests.get(key);
    if (request != null) {
      give(p, new Input.Deliver(LOCKS, new MetricMessage.Wanted(key, request)));
      step(p);
    }
  }

  /** What is stored under the key of an entry. */
  final Value entry(Uuid uuid) {
    return values.getOrDefault(MetricConfig.entryKey(uuid), Value.NONE);
  }

  // ---- records ---------------------------------------------------------------------------------

  /** The record of a table in a process's database. */
  int record(Process p, String table) {
    if (led) {
      return p.site.row(table);
    }
    return record(p.database.rows(table).getOrDefault(ROW, List.of()));
  }

  /** A table's only row: the number of what wrote it, 0 for nothing. */
  static int record(List<Long> row) {
    return row.isEmpty() ? 0 : row.get(1).intValue();
  }

  /** The number of a request, 0 for none. */
  static int number(RequestId id) {
    return id.equals(RequestId.NONE) ? 0 : Integer.parseInt(id.client().substring(1));
  }

  final Set<String> changed(Redo redo) {
    if (led) {
      return redo.tables();
    }
    return redo.changes().stream().map(Change::table).collect(Collectors.toSet());
  }
}
