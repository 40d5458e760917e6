package dev.plumbline.sim;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.trace.TraceWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A node: a single server with a queue, clocks, and at most one running instance of its role. */
final class SimNode {
  /** What waits in a node's queue; envelope is null unless a message, alarm unless a timer. */
  private record Pending(Input input, Envelope envelope, Alarm alarm) {}

  /** A message under way; its copies share it. */
  static final class Envelope {
    final SimNode sender;
    final long number;
    final SimRole to;
    final Input.Deliver delivery;
    private int copies;
    private boolean delivered;

    Envelope(SimNode sender, long number, SimRole to, Input.Deliver delivery) {
      this.sender = sender;
      this.number = number;
      this.to = to;
      this.delivery = delivery;
    }

    void copied() {
      copies++;
    }

    void consumed() {
      copies--;
      delivered = true;
    }

    /** A copy is gone; the sender logs the loss of the last if none arrived. */
    void dropped() {
      copies--;
      if (copies == 0 && !delivered) {
        sender.logLoss(this);
      }
    }

    String identity() {
      return sender.spec.id() + ':' + number;
    }
  }

  final NodeSpec spec;
  final int index;
  final int region;
  final SimRole role;
  final IntervalClock clock;

  private final Simulator sim;
  private final EventQueue events;
  private final TraceWriter trace;
  private final ArrayDeque<Pending> inbox = new ArrayDeque<>();
  private final Map<Timer, Alarm> timers = new HashMap<>();
  private final Step step = new Step();
  private final List<Envelope> lostDuringStep = new ArrayList<>();

  /** Requests that the running instance received and has not answered. */
  private final Set<Long> asked = new HashSet<>();

  private Machine machine;
  private long epoch;
  private int instance;
  private boolean up = true;

  /** Of the pause that ends last; 0 outside pauses. */
  private long pausedUntil;

  private boolean busy;
  private boolean finishDeferred;
  private long sentCount;
  private long shiftMicros;
  private long halfWidthMicros;

  SimNode(Simulator sim, NodeSpec spec, int index, int region, SimRole role, TraceWriter trace) {
    this.sim = sim;
    this.events = sim.events();
    this.spec = spec;
    this.index = index;
    this.region = region;
    this.role = role;
    this.trace = trace;
    this.clock = new IntervalClock(sim.clockOrigin(index, 0));
    this.halfWidthMicros = sim.clockBounds().epsilonMicros() / 2;
  }

  boolean up() {
    return up;
  }

  /** The running instance, or null. */
  Machine machine() {
    return machine;
  }

  void trueTime(long shift, long halfWidth) {
    shiftMicros = shift;
    halfWidthMicros = halfWidth;
  }

  /**
   * Opens the role's log and starts an instance; {@code first} ones leave no event in the trace.
   */
  void start(boolean first) {
    stop();
    epoch = role.log.open();
    List<Record> durable = role.log.records();
    machine = sim.newMachine(spec);
    role.owner = this;
    if (!first) {
      log(TraceEvent.RESTART, Map.of("role", role.name, "epoch", epoch, "records", durable.size()));
    }
    accept(new Pending(new Input.Start(epoch, durable), null, null));
  }

  /** Drops the instance with its timers, queue and unfinished step. */
  private void stop() {
    instance++;
    machine = null;
    busy = false;
    finishDeferred = false;
    logLosses();
    timers.clear();
    asked.clear();
    if (step.envelope != null) {
      step.envelope.dropped();
      step.envelope = null;
    }
    for (Pending pending : inbox) {
      if (pending.envelope != null) {
        pending.envelope.dropped();
      }
    }
    inbox.clear();
  }

  void crash() {
    if (machine != null && busy && !step.records.isEmpty() && sim.survives(this)) {
      finishUnseen();
    }
    stop();
    up = false;
    pausedUntil = 0;
    log(TraceEvent.CRASH, Map.of());
  }

  /** Comes back: as owner if nobody took over, else standing by. */
  void restart() {
    up = true;
    clock.reset(events.now(), sim.clockOrigin(index, instance));
    if (role.owner == this) {
      start(false);
    }
  }

  void pause(long until) {
    pausedUntil = Math.max(pausedUntil, until);
  }

  /** Where a pause ends: another may last longer. */
  void endPause() {
    if (events.now() >= pausedUntil) {
      resume();
    }
  }

  void resume() {
    if (pausedUntil == 0) {
      return;
    }
    pausedUntil = 0;
    if (finishDeferred) {
      finishDeferred = false;
      finish();
    } else {
      next();
    }
  }

  /** A message reaches this node. */
  void arrive(Envelope envelope) {
    if (!up) {
      envelope.dropped();
    } else if (machine == null) {
      sim.network().forward(this, envelope);
    } else {
      accept(new Pending(envelope.delivery, envelope, null));
    }
  }

  /** A client's request reaches this node. */
  void request(Input.ClientRequest request) {
    if (up && machine == null) {
      sim.network().forwardRequest(this, request);
    } else if (up) {
      accept(new Pending(request, null, null));
    }
  }

  private void accept(Pending pending) {
    inbox.add(pending);
    next();
  }

  private void next() {
    if (busy || pausedUntil > 0 || machine == null) {
      return;
    }
    Pending pending = inbox.poll();
    while (pending != null
        && pending.alarm != null
        && !timers.remove(pending.alarm.timer, pending.alarm)) {
      pending = inbox.poll();
    }
    if (pending == null) {
      return;
    }
    busy = true;
    long now = events.now();
    long local = clock.read(now);
    ClockReading reading =
        spec.trueTime()
            ? new ClockReading(
                local, now + shiftMicros - halfWidthMicros, now + shiftMicros + halfWidthMicros)
            : ClockReading.local(local);
    step.begin(pending, now, local);
    sim.countStep();
    if (pending.input instanceof Input.ClientRequest request) {
      asked.add(request.requestId());
    }
    if (!sim.takes(spec, pending.input)) {
      return;
    }
    try {
      machine.handle(pending.input, reading, step);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      sim.failed(spec.id(), pending.input, e);
      return;
    }
    long service = spec.stepMicros() + (step.records.isEmpty() ? 0 : spec.syncMicros());
    events.at(now + service, new Completion(instance));
  }

  private void finish() {
    if (!step.records.isEmpty() && !role.log.append(epoch, step.records)) {
      log(TraceEvent.FENCED, Map.of("role", role.name, "epoch", epoch));
      fence();
      return;
    }
    busy = false;
    consume();
    long firstSent = sentCount + 1;
    sentCount += step.messages.size();
    if (trace != null) {
      step.log(firstSent);
    }
    logLosses();
    for (int i = 0; i < step.messages.size(); i++) {
      Outgoing out = step.messages.get(i);
      sim.network().send(envelope(out, firstSent + i));
    }
    for (int i = 0; i < step.alarms.size(); i++) {
      arm(step.alarms.get(i));
    }
    for (int i = 0; i < step.replies.size(); i++) {
      Reply reply = step.replies.get(i);
      sim.network().reply(this, reply.requestId, reply.response);
    }
    next();
  }

  /** The step's records became durable, but the node is gone before anything else happens. */
  private void finishUnseen() {
    if (!role.log.append(epoch, step.records)) {
      return;
    }
    consume();
    long firstSent = sentCount + 1;
    sentCount += step.messages.size();
    if (trace != null) {
      step.log(firstSent);
      for (int i = 0; i < step.messages.size(); i++) {
        Envelope envelope = envelope(step.messages.get(i), firstSent + i);
        envelope.copied();
        envelope.dropped();
      }
    }
  }

  private void consume() {
    if (step.envelope != null) {
      step.envelope.consumed();
      step.envelope = null;
    }
  }

  /** Stops an instance that lost its role; what waits for it goes to the new owner. */
  private void fence() {
    List<Pending> waiting = new ArrayList<>();
    if (step.envelope != null || step.input instanceof Input.ClientRequest) {
      waiting.add(new Pending(step.input, step.envelope, null));
      step.envelope = null;
    }
    waiting.addAll(inbox);
    inbox.clear();
    stop();
    role.learns(index);
    for (Pending pending : waiting) {
      if (pending.envelope != null) {
        sim.network().forward(this, pending.envelope);
      } else if (pending.input instanceof Input.ClientRequest request) {
        sim.network().forwardRequest(this, request);
      }
    }
  }

  private Envelope envelope(Outgoing out, long number) {
    return new Envelope(this, number, out.to, new Input.Deliver(role.name, out.message));
  }

  private void arm(Alarm alarm) {
    if (alarm.cancels) {
      timers.remove(alarm.timer);
      return;
    }
    timers.put(alarm.timer, alarm);
    alarm.startedBy = instance;
    events.at(clock.whenReads(events.now(), alarm.due), alarm);
  }

  /** Logs a loss; one that happens during a step after it, so that the log stays in time order. */
  void logLoss(Envelope envelope) {
    if (busy && trace != null) {
      lostDuringStep.add(envelope);
    } else {
      log(TraceEvent.LOSE, Map.of("message", envelope.identity(), "to", envelope.to.name));
    }
  }

  private void logLosses() {
    if (!lostDuringStep.isEmpty()) {
      lostDuringStep.forEach(this::logLoss);
      lostDuringStep.clear();
    }
  }

  private void log(String action, Map<String, ?> args) {
    if (trace != null) {
      long now = events.now();
      trace.environment(now, clock.read(now), action, args);
    }
  }

  private record Outgoing(SimRole to, Message message) {}

  private record Reply(long requestId, Record response) {}

  /** The end of a step's service time. */
  private final class Completion extends EventQueue.Event {
    private final int startedBy;

    Completion(int startedBy) {
      this.startedBy = startedBy;
    }

    @Override
    void happen() {
      if (startedBy != instance) {
        return;
      }
      if (pausedUntil > 0) {
        finishDeferred = true;
      } else {
        finish();
      }
    }
  }

  /** An armed timer, or the disarming of one. */
  private final class Alarm extends EventQueue.Event {
    private final Timer timer;
    private final long due;
    private final boolean cancels;
    private int startedBy;

    Alarm(Timer timer, long due, boolean cancels) {
      this.timer = timer;
      this.due = due;
      this.cancels = cancels;
    }

    @Override
    void happen() {
      if (startedBy != instance || timers.get(timer) != this) {
        return;
      }
      long now = events.now();
      if (clock.read(now) < due) {
        events.at(clock.whenReads(now, due), this);
        return;
      }
      accept(new Pending(new Input.TimerFired(timer), null, this));
    }
  }

  /** Collects what a step does until it is released; one per node, used again and again. */
  private final class Step implements Effects {
    private final List<Outgoing> messages = new ArrayList<>();
    private final List<Alarm> alarms = new ArrayList<>();
    private final List<Reply> replies = new ArrayList<>();
    private final List<TraceWriter.Action> actions = new ArrayList<>();
    private final List<Record> records = new ArrayList<>();
    private Input input;
    private Envelope envelope;
    private Envelope received;
    private long at;
    private long local;

    void begin(Pending pending, long now, long localMicros) {
      input = pending.input;
      envelope = pending.envelope;
      received = envelope;
      at = now;
      local = localMicros;
      messages.clear();
      alarms.clear();
      replies.clear();
      actions.clear();
      records.clear();
    }

    /** Writes the step's events. */
    void log(long firstSent) {
      String recv = received == null ? null : received.identity();
      trace.step(
          new TraceWriter.Step(
              at,
              local,
              recv,
              input.cause(),
              spec.id(),
              firstSent,
              messages.size(),
              records.size()),
          actions);
    }

    @Override
    public void send(String to, Message message) {
      messages.add(new Outgoing(sim.role(to), message));
    }

    @Override
    public void setTimer(Timer timer, long delayMicros) {
      if (delayMicros < 0) {
        throw new IllegalArgumentException("a timer's delay is negative: " + delayMicros);
      }
      alarms.add(new Alarm(timer, local + delayMicros + 1, false));
    }

    @Override
    public void cancelTimer(Timer timer) {
      alarms.add(new Alarm(timer, 0, true));
    }

    @Override
    public void reply(long requestId, Record response) {
      if (!asked.remove(requestId)) {
        throw new IllegalArgumentException(
            "an answer to request "
                + requestId
                + ", which this instance did not receive or has answered");
      }
      replies.add(new Reply(requestId, response));
    }

    @Override
    public void persist(Record record) {
      records.add(record);
    }

    @Override
    public boolean tracing() {
      return trace != null;
    }

    @Override
    public void trace(String action, Map<String, ?> args, Map<String, ?> state) {
      if (trace != null) {
        actions.add(new TraceWriter.Action(action, args, state));
      }
    }
  }
}
