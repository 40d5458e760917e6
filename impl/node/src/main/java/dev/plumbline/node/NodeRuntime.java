package dev.plumbline.node;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.trace.TraceWriter;
import io.netty.channel.EventLoopGroup;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.MemoryPoolMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node: feeds one machine its inputs, one after the other, and releases what a step does once it
 * is durable and in the trace. Inputs that wait while a log is synced are handled together after
 * that, and share the next sync.
 */
final class NodeRuntime implements Receiver, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeRuntime.class);

  /** Numbers of an incarnation's messages; no incarnation sends more. */
  private static final long NUMBERS = 1_000_000_000_000L;

  private static final long MOST_WAIT_MICROS = 100_000;
  private static final long LARGEST_INTERVAL_START = 1_000_000_000;

  /** Inputs that wait, beside what the node sends itself. */
  private static final int INBOX = 4_000;

  /** Bytes of the inputs that wait, unless one alone has more. */
  static final long INBOX_BYTES = 8 << 20;

  /** Steps that share a sync at most. */
  private static final int MOST_STEPS = 256;

  /** Requests whose answers may still be awaited; older ones were given up by their clients. */
  private static final long MOST_ASKED = 100_000;

  private static final long MIB = 1 << 20;

  /** Before a role whose handler failed starts again. */
  private static final long PAUSE_MILLIS = 200;

  /**
   * An input.
   *
   * @param recv names the message, if it is one
   * @param replies the way back to a client, if it is a request
   * @param bytes how long it was on the network, 0 if it comes from this node
   */
  private record Pending(Input input, String recv, Replies replies, int bytes) {

    static Pending own(Input input) {
      return new Pending(input, null, null, 0);
    }
  }

  /** Where the answer to a request goes, and the number that the client gave it. */
  private record Asked(long number, Replies replies) {}

  /** A step that is not released yet, and the number of its first message. */
  private record Held(Step step, long firstSent) {}

  private final NodeConfig config;
  private final NodeSpec spec;
  private final Metrics metrics = new Metrics();
  private final Faults faults = new Faults();
  private final Map<String, NodeSpec> owners;
  private final Map<String, String> roles = new HashMap<>();
  private final BlockingQueue<Pending> inbox = new LinkedBlockingQueue<>();
  private final PriorityQueue<Step.Alarm> alarms =
      new PriorityQueue<>((a, b) -> Long.compare(a.due(), b.due()));
  private final Map<Timer, Step.Alarm> armed = new HashMap<>();
  private final Map<Long, Asked> asked = new HashMap<>();
  private final List<Held> held = new ArrayList<>();
  private final List<Record> unsynced = new ArrayList<>();
  private final ByteArrayOutputStream traced = new ByteArrayOutputStream();
  private final LongAdder steps = metrics.counter("plumb_steps_total");
  private final LongAdder syncs = metrics.counter("plumb_syncs_total");
  private final LongAdder persisted = metrics.counter("plumb_records_persisted_total");
  private final LongAdder filtered = metrics.counter("plumb_dropped_total", "queue", "faults");
  private final LongAdder lost = metrics.counter("plumb_dropped_total", "queue", "loss");
  private final LongAdder nobody = metrics.counter("plumb_dropped_total", "queue", "nobody");
  private final LongAdder overflow = metrics.counter("plumb_dropped_total", "queue", "inbox");
  private final LongAdder failures = metrics.counter("plumb_handler_failures_total");
  private final AtomicLong waitingBytes = new AtomicLong();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Clocks clocks;
  private DurableLog log;
  private Machine machine;
  private final TraceFiles traceFiles;
  private final TraceWriter trace;
  private final Transport transport;
  private final Outside outside;
  private final Admin admin;
  private volatile boolean stopping;
  private volatile boolean started;
  private boolean afterTimer;
  private long requests;
  private long sent;

  /**
   * Opens the log and starts to listen.
   *
   * @param loops run the connections
   * @param together the nodes of this process
   * @throws IOException if an address, a folder or a certificate cannot be had
   */
  NodeRuntime(NodeConfig config, EventLoopGroup loops, Map<String, Receiver> together)
      throws IOException {
    this.config = config;
    owners = NodeConfig.owners(config.topology());
    owners.forEach((role, owner) -> roles.put(owner.id(), role));
    spec = config.spec();
    clocks =
        new Clocks(
            spec.trueTime(),
            config.system().clockBounds().epsilonMicros(),
            config.origin(),
            config.wallOrigin(),
            Clocks.monotonic(),
            ThreadLocalRandom.current().nextLong(LARGEST_INTERVAL_START));
    machine = newMachine();
    Tls tls = config.tls() == null ? null : Tls.of(Path.of(config.tls()), config.node());
    log = DurableLog.of(config);
    try {
      demandUsable();
      sent = log.epoch() * NUMBERS;
      traceFiles =
          new TraceFiles(
              config.trace() == null ? null : Path.of(config.trace()),
              config.node(),
              config.traceFileMib() * MIB,
              log.lastTrace());
      trace = new TraceWriter(config.node(), spec.role(), traced, traceFiles.events());
      metrics.gauge("plumb_queue_length{queue=\"inbox\"}", inbox::size);
      HeapWatch.old().ifPresent(this::show);
      TakenTypes taken = TakenTypes.of(config.system(), spec, owners.values());
      transport = new Transport(config, taken, tls, loops, together, this, metrics);
      outside = Outside.of(config, this::answered);
      admin = new Admin(config, tls, loops, this, metrics);
    } catch (IOException | RuntimeException e) {
      release();
      throw e;
    }
  }

  private void show(MemoryPoolMXBean pool) {
    metrics.gauge("plumb_heap_kept_bytes", () -> pool.getCollectionUsage().getUsed());
    metrics.gauge("plumb_heap_room_bytes", () -> pool.getCollectionUsage().getMax());
  }

  /** Sent by a role that no node plays. */
  private void answered(String role, Message message) {
    offer(new Pending(new Input.Deliver(role, message), null, null, 0));
  }

  private Machine newMachine() {
    Machine correct = config.machine();
    return config
        .seeded()
        .map(bug -> bug.machine(spec, config.topology(), config.nodeSettings(), correct))
        .orElse(correct);
  }

  /**
   * Refuses to go on after an earlier opening where the protocol or the clock does not allow it.
   */
  private void demandUsable() throws IOException {
    if (spec.trueTime()) {
      log.demandLater(clocks.reference(Clocks.monotonic()));
    }
    if (log.epoch() > 1) {
      ProtocolSystem.Restart restart = config.system().restart(spec, config.settings());
      if (restart.refused()) {
        throw new IOException(config.data() + ": " + restart.text());
      } else if (!restart.text().isEmpty()) {
        LOG.warn("{}: {}", config.node(), restart.text());
      }
    }
  }

  /** The node's. */
  String name() {
    return config.node();
  }

  @Override
  public void message(String node, long number, Message message, int bytes) {
    if (faults.loses()) {
      lost.increment();
    } else if (faults.cuts(node)) {
      filtered.increment();
    } else {
      Input input = new Input.Deliver(roles.get(node), message);
      offer(new Pending(input, node + ':' + number, null, bytes));
    }
  }

  @Override
  public void probe(String node) {
    if (faults.cuts(node)) {
      filtered.increment();
    }
  }

  @Override
  public void request(long number, Record request, int bytes, String client, Replies replies) {
    offer(new Pending(new Input.ClientRequest(number, request, client), null, replies, bytes));
  }

  private void offer(Pending pending) {
    long bytes = waitingBytes.addAndGet(pending.bytes);
    // A long message is taken beside shorter ones, or it never would be where there are always
    // some.
    if (bytes - pending.bytes >= INBOX_BYTES || inbox.size() >= INBOX) {
      waitingBytes.addAndGet(-pending.bytes);
      overflow.increment();
    } else {
      inbox.add(pending);
    }
  }

  /** How things stand, for the admin port. */
  Map<String, Object> report() {
    long now = Clocks.monotonic();
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("node", config.node());
    report.put("role", spec.role());
    report.put("epoch", log.epoch());
    report.put("records", log.earlier());
    report.put("pid", ProcessHandle.current().pid());
    report.put("at", clocks.reference(now));
    report.put("local", clocks.local(now));
    report.put("shift", clocks.shift(now));
    report.put("skew", clocks.skew());
    report.put("dropped", filtered.sum());
    report.put("lost", lost.sum());
    report.put("delay", transport.lastDelayMicros());
    return report;
  }

  /** Brings faults about. */
  void inflict(Faults.Command command) {
    faults.apply(command, clocks, transport);
  }

  /** {@link #run} is about to be called. */
  void start() {
    started = true;
  }

  /**
   * Runs until {@link #stop}.
   *
   * @throws IOException if the log or the trace cannot be written; the node must not go on
   */
  void run() throws IOException {
    try {
      begin();
      while (!stopping) {
        Pending pending = next(MOST_WAIT_MICROS);
        while (pending != null) {
          try {
            step(pending);
          } catch (RuntimeException | StackOverflowError bug) {
            if (pending.bytes == 0) {
              throw bug;
            }
            beginAgain(pending, bug);
          }
          // Without records there is nothing to wait for.
          boolean more = !unsynced.isEmpty() && held.size() < MOST_STEPS;
          pending = more ? next(0) : null;
        }
        settle();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      release();
    }
  }

  private void begin() throws IOException {
    if (log.epoch() > 1) {
      event(TraceEvent.CRASH, Map.of());
      event(
          TraceEvent.RESTART,
          Map.of("role", spec.role(), "epoch", log.epoch(), "records", log.earlier()));
    }
    step(Pending.own(new Input.Start(log.epoch(), log.records())));
    log.forget();
    settle();
  }

  /**
   * A handler failed at what came from the network. Nothing of that step is released, and nobody
   * knows what it left behind in the machine: the role starts again from its log, as after a crash.
   */
  private void beginAgain(Pending pending, Throwable bug) throws IOException, InterruptedException {
    failures.increment();
    LOG.error(
        "{}: a bug at {}; the role starts again from its log", config.node(), pending.input, bug);
    settle();
    armed.clear();
    alarms.clear();
    asked.clear();
    // What it sent itself goes with it.
    inbox.removeIf(next -> next.bytes == 0 && next.recv != null);
    log.close();
    // Whoever sends it again is not to keep this process busy with nothing else.
    Thread.sleep(PAUSE_MILLIS);
    log = DurableLog.of(config);
    demandUsable();
    sent = log.epoch() * NUMBERS;
    machine = newMachine();
    begin();
  }

  /** Closes what there is; where the node could not be made that is not all. */
  private void release() throws IOException {
    if (admin != null) {
      admin.close();
    }
    if (outside != null) {
      outside.close();
    }
    if (transport != null) {
      transport.close();
    }
    if (traceFiles != null) {
      traceFiles.close();
    }
    log.close();
    stopped.countDown();
  }

  /** Stops after the step in progress. */
  void stop() {
    stopping = true;
  }

  /** The timer that is due, or what comes first within so many microseconds; else null. */
  private Pending next(long patience) throws InterruptedException {
    while (true) {
      long now = Clocks.monotonic();
      Step.Alarm first = alarms.peek();
      boolean due = first != null && clocks.local(now) >= first.due();
      if (first != null && !first.equals(armed.get(first.timer()))) {
        alarms.remove();
      } else if (due && !(afterTimer && !inbox.isEmpty())) {
        // In turns: a timer that is always due is not to keep everything else out.
        afterTimer = true;
        alarms.remove();
        armed.remove(first.timer());
        return Pending.own(new Input.TimerFired(first.timer()));
      } else {
        long wait = first == null ? patience : clocks.until(first.due(), now);
        afterTimer = false;
        Pending next = inbox.poll(Math.min(wait, patience), TimeUnit.MICROSECONDS);
        if (next != null) {
          waitingBytes.addAndGet(-next.bytes);
        }
        return next;
      }
    }
  }

  private void event(String action, Map<String, ?> args) throws IOException {
    long now = Clocks.monotonic();
    trace.environment(clocks.reference(now), clocks.local(now), action, args);
    traceFiles.write(takeTrace());
  }

  private byte[] takeTrace() {
    trace.flush();
    byte[] bytes = traced.toByteArray();
    traced.reset();
    return bytes;
  }

  /** Handles one input; nothing leaves before {@link #settle}. */
  private void step(Pending pending) {
    Input input = pending.input;
    if (input instanceof Input.ClientRequest request) {
      requests++;
      asked.put(requests, new Asked(request.requestId(), pending.replies));
      asked.remove(requests - MOST_ASKED);
      input = new Input.ClientRequest(requests, request.request(), request.client());
    }
    long now = Clocks.monotonic();
    long at = clocks.reference(now);
    ClockReading reading = clocks.read(now);
    Step step = new Step(reading.localMicros(), config.trace() != null);
    machine.handle(input, reading, step);
    steps.increment();
    long firstSent = sent + 1;
    sent += step.messages.size();
    if (config.trace() != null) {
      step.log(trace, at, pending.recv, input.cause(), config.node(), firstSent);
    }
    for (Step.Alarm alarm : step.alarms) {
      if (alarm.due() == Long.MAX_VALUE) {
        armed.remove(alarm.timer());
      } else {
        armed.put(alarm.timer(), alarm);
        alarms.add(alarm);
      }
    }
    unsynced.addAll(step.records);
    held.add(new Held(step, firstSent));
  }

  /** Makes the steps since the last time durable, with one sync, and releases what they do. */
  private void settle() throws IOException {
    byte[] lines = takeTrace();
    if (!unsynced.isEmpty()) {
      log.append(unsynced, lines);
      syncs.increment();
      persisted.add(unsynced.size());
      unsynced.clear();
    }
    traceFiles.write(lines);
    if (spec.trueTime() && !held.isEmpty()) {
      log.served(clocks.reference(Clocks.monotonic()));
    }
    for (Held next : held) {
      release(next.step, next.firstSent);
    }
    held.clear();
  }

  private void release(Step step, long firstSent) {
    long number = firstSent;
    for (Step.Outgoing out : step.messages) {
      NodeSpec to = owners.get(out.to());
      if (to == null && outside != null) {
        outside.take(out.to(), out.message());
      } else if (to == null) {
        nobody.increment();
      } else if (to.equals(spec)) {
        // Never lost, as in the simulator: no machine is tried without it.
        Input own = new Input.Deliver(spec.role(), out.message());
        inbox.add(new Pending(own, config.node() + ':' + number, null, 0));
      } else {
        transport.send(to.id(), number, out.message());
      }
      number++;
    }
    for (Step.Reply reply : step.replies) {
      Asked client = asked.remove(reply.requestId());
      if (client != null) {
        client.replies.answer(client.number, reply.response());
      }
    }
  }

  /** Returns once all is written and closed, after {@link #stop}. */
  @Override
  public void close() {
    try {
      if (started) {
        stopped.await(10, TimeUnit.SECONDS);
      } else {
        release();
      }
    } catch (IOException e) {
      LOG.warn("the trace of {} cannot be closed", config.node(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
