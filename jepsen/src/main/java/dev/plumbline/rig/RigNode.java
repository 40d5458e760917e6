package dev.plumbline.rig;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Topology;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.trace.TraceWriter;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process that plays one role: {@code RigNode CONFIG NODE}. It ends when the process that started
 * it does.
 */
public final class RigNode {
  /** Numbers of an incarnation's messages; no incarnation sends more. */
  private static final long NUMBERS = 1_000_000_000;

  private static final long MOST_WAIT_MICROS = 100_000;

  private record Pending(Input input, String recv, Connection client) {}

  private record Alarm(Timer timer, long due) {}

  private record Outgoing(String to, Message message) {}

  private record Reply(long requestId, Record response) {}

  private record Action(String name, Map<String, ?> args, Map<String, ?> state) {}

  private final RigConfig config;
  private final NodeSpec spec;
  private final String id;
  private final RigClocks clocks;
  private final RigLog log;
  private final Machine machine;
  private final OutputStream traceFile;
  private final ByteArrayOutputStream traced = new ByteArrayOutputStream();
  private final TraceWriter trace;
  private final LinkedBlockingQueue<Pending> inbox = new LinkedBlockingQueue<>();
  private final PriorityQueue<Alarm> alarms =
      new PriorityQueue<>((a, b) -> Long.compare(a.due, b.due));
  private final Map<Timer, Alarm> armed = new HashMap<>();
  private final Map<String, RigLink> links = new HashMap<>();
  private final Map<Long, Pending> asked = new HashMap<>();
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final Set<String> cut = ConcurrentHashMap.newKeySet();
  private volatile double loss;
  private long sent;

  private RigNode(RigConfig config, String id) throws IOException {
    this.config = config;
    this.id = id;
    spec = config.spec(id);
    Topology topology = config.topology();
    long now = now();
    clocks =
        new RigClocks(
            spec.trueTime(),
            config.system().clockBounds().epsilonMicros(),
            now,
            ThreadLocalRandom.current().nextLong(1_000_000_000L));
    log = new RigLog(Path.of(config.data(), id), spec.role());
    Machine correct = config.system().machine(spec, topology, config.settings());
    SeededBug bug = config.seeded().orElse(null);
    machine = bug == null ? correct : bug.machine(spec, topology, config.settings(), correct);
    Path file = Path.of(config.trace(), id + ".ndjson");
    Files.createDirectories(file.getParent());
    long written = repaired(file, log.lastTrace());
    traceFile = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    trace = new TraceWriter(id, spec.role(), traced, written);
    sent = log.epoch() * NUMBERS;
    Map<String, NodeSpec> owners = new HashMap<>();
    topology.nodes().forEach(node -> owners.putIfAbsent(node.role(), node));
    int region = topology.network().index(spec.region());
    owners.forEach(
        (role, node) -> {
          if (!node.id().equals(id)) {
            int other = topology.network().index(node.region());
            long oneWay = topology.network().rttMicros(region, other) * config.rttPercent() / 200;
            links.put(role, new RigLink(id, config.nodes().get(node.id()), oneWay));
          }
        });
  }

  public static void main(String[] args) throws Exception {
    RigNode node = new RigNode(RigConfig.read(Path.of(args[0])), args[1]);
    ProcessHandle.current()
        .parent()
        .ifPresent(parent -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(0)));
    node.listen();
    node.run();
  }

  /** Microseconds of the reference clock. */
  private long now() {
    return (System.nanoTime() - config.origin()) / 1000;
  }

  /**
   * Cuts off a half-written last line, and adds what the log knows of the last step and the trace
   * does not. Returns the number of events.
   */
  private static long repaired(Path file, String lastStep) throws IOException {
    if (!Files.exists(file)) {
      return 0;
    }
    String text = Files.readString(file);
    text = text.substring(0, text.lastIndexOf('\n') + 1);
    if (!lastStep.isEmpty() && !text.contains(lastStep)) {
      text += lastStep;
    }
    Files.writeString(file, text);
    return text.chars().filter(c -> c == '\n').count();
  }

  private void listen() throws IOException {
    RigConfig.Address address = config.nodes().get(id);
    ServerSocket server =
        new ServerSocket(address.port(), 200, InetAddress.getByName(address.host()));
    thread(
        "accept",
        () -> {
          while (true) {
            Socket socket = server.accept();
            thread("read", () -> new Connection(socket).read());
          }
        });
  }

  /** What a thread does until its connection or the process ends. */
  private interface Work {
    void run() throws IOException;
  }

  private static void thread(String name, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                // The other end is gone; it will connect again.
                Thread.currentThread().interrupt();
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Somebody connected to this node: a node, a client, or the suites. */
  private final class Connection {
    private final Socket socket;
    private final DataOutputStream out;

    Connection(Socket socket) throws IOException {
      this.socket = socket;
      socket.setTcpNoDelay(true);
      out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    void read() throws IOException {
      try (socket) {
        DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        while (true) {
          receive(Wire.read(in));
        }
      }
    }

    private void receive(Wire.Frame frame) throws IOException {
      switch (frame.kind()) {
        case "message" -> {
          if (cut.contains(frame.node()) || ThreadLocalRandom.current().nextDouble() < loss) {
            dropped.incrementAndGet();
          } else {
            inbox.add(
                new Pending(
                    new Input.Deliver(frame.from(), Wire.read(frame.body(), Message.class)),
                    frame.node() + ':' + frame.number(),
                    null));
          }
        }
        case "request" -> {
          Record request = Wire.read(frame.body(), Record.class);
          inbox.add(new Pending(new Input.ClientRequest(frame.number(), request), null, this));
        }
        case "admin" -> send("report", frame.number(), admin(frame.body()));
        default -> throw new IOException("a frame of kind " + frame.kind());
      }
    }

    /** Answers a client; one that is gone gives up by itself. */
    void answer(long number, Record response) throws IOException {
      if (!socket.isClosed()) {
        byte[] frame = Wire.encode("reply", id, number, spec.role(), "", response);
        synchronized (this) {
          try {
            Wire.write(out, frame);
          } catch (IOException e) {
            socket.close();
          }
        }
      }
    }

    synchronized void send(String kind, long number, Object body) throws IOException {
      Wire.write(out, Wire.encode(kind, id, number, spec.role(), "", body));
    }
  }

  /** Brings a fault about, or ends one; always answers with how things stand. */
  private Map<String, Object> admin(JsonNode command) {
    long now = now();
    if (command.has("drift")) {
      clocks.drift(now, command.get("drift").asLong());
    }
    if (command.has("shift")) {
      clocks.shift(
          command.get("shift").asLong(),
          command.path("half").asLong(-1),
          command.path("strobe").asLong(0));
    }
    if (command.has("cut")) {
      Set<String> nodes = new HashSet<>();
      command.get("cut").forEach(node -> nodes.add(node.asText()));
      cut.retainAll(nodes);
      cut.addAll(nodes);
    }
    if (command.has("loss")) {
      loss = command.get("loss").asDouble();
    }
    if (command.has("slow")) {
      links.values().forEach(link -> link.slow(command.get("slow").asLong()));
    }
    ClockReading reading = clocks.read(now);
    Map<String, Object> report = new HashMap<>();
    report.put("at", now);
    report.put("local", reading.localMicros());
    report.put("shift", clocks.shift(now));
    report.put("dropped", dropped.get());
    report.put(
        "delay", links.values().stream().mapToLong(RigLink::lastDelayMicros).max().orElse(0));
    report.put("epoch", log.epoch());
    report.put("pid", ProcessHandle.current().pid());
    return report;
  }

  private void run() throws IOException {
    if (log.epoch() > 1) {
      event(TraceEvent.CRASH, Map.of());
      event(
          TraceEvent.RESTART,
          Map.of("role", spec.role(), "epoch", log.epoch(), "records", log.records().size()));
    }
    step(new Pending(new Input.Start(log.epoch(), log.records()), null, null));
    while (true) {
      long now = now();
      Alarm first = alarms.peek();
      if (first != null && armed.get(first.timer) != first) {
        alarms.remove();
      } else if (first != null && clocks.local(now) >= first.due) {
        alarms.remove();
        armed.remove(first.timer);
        step(new Pending(new Input.TimerFired(first.timer), null, null));
      } else {
        long wait = first == null ? MOST_WAIT_MICROS : clocks.until(first.due, now);
        try {
          Pending pending = inbox.poll(Math.min(wait, MOST_WAIT_MICROS), TimeUnit.MICROSECONDS);
          if (pending != null) {
            step(pending);
          }
        } catch (InterruptedException e) {
          return;
        }
      }
    }
  }

  private void event(String action, Map<String, ?> args) throws IOException {
    long now = now();
    trace.write(now, clocks.local(now), action, args, null, id, 0, 0, Map.of());
    writeTrace();
  }

  private byte[] writeTrace() throws IOException {
    trace.flush();
    byte[] bytes = traced.toByteArray();
    traced.reset();
    traceFile.write(bytes);
    return bytes;
  }

  /** Handles one input; nothing leaves before the step is durable and in the trace. */
  private void step(Pending pending) throws IOException {
    Input input = pending.input;
    if (input instanceof Input.ClientRequest request) {
      long number = requests.incrementAndGet();
      asked.put(
          number,
          new Pending(
              new Input.ClientRequest(request.requestId(), request.request()),
              null,
              pending.client));
      input = new Input.ClientRequest(number, request.request());
    }
    long now = now();
    ClockReading reading = clocks.read(now);
    Step step = new Step(reading.localMicros());
    machine.handle(input, reading, step);
    long firstSent = sent + 1;
    sent += step.messages.size();
    step.log(now, pending.recv, firstSent);
    trace.flush();
    if (!step.records.isEmpty()) {
      log.append(step.records, traced.toByteArray());
    }
    writeTrace();
    for (int i = 0; i < step.messages.size(); i++) {
      Outgoing out = step.messages.get(i);
      long number = firstSent + i;
      if (out.to.equals(spec.role())) {
        inbox.add(
            new Pending(new Input.Deliver(spec.role(), out.message), id + ':' + number, null));
      } else {
        links
            .get(out.to)
            .send(Wire.encode("message", id, number, spec.role(), out.to, out.message));
      }
    }
    step.alarms.forEach(
        alarm -> {
          armed.put(alarm.timer, alarm);
          if (alarm.due == Long.MAX_VALUE) {
            armed.remove(alarm.timer);
          } else {
            alarms.add(alarm);
          }
        });
    for (Reply reply : step.replies) {
      Pending client = asked.remove(reply.requestId);
      if (client != null) {
        client.client.answer(((Input.ClientRequest) client.input).requestId(), reply.response);
      }
    }
  }

  /** Collects what a step does. */
  private final class Step implements Effects {
    private final long local;
    private final List<Outgoing> messages = new ArrayList<>();
    private final List<Alarm> alarms = new ArrayList<>();
    private final List<Reply> replies = new ArrayList<>();
    private final List<Action> actions = new ArrayList<>();
    private final List<Record> records = new ArrayList<>();

    Step(long local) {
      this.local = local;
    }

    void log(long at, String recv, long firstSent) {
      if (actions.isEmpty() && (recv != null || !messages.isEmpty())) {
        actions.add(new Action(TraceEvent.STUTTER, Map.of(), Map.of()));
      }
      for (Action action : actions) {
        trace.write(
            at,
            local,
            action.name,
            action.args,
            recv,
            id,
            firstSent,
            messages.size(),
            action.state);
      }
    }

    @Override
    public void send(String to, Message message) {
      messages.add(new Outgoing(to, message));
    }

    @Override
    public void setTimer(Timer timer, long delayMicros) {
      alarms.add(new Alarm(timer, local + delayMicros + 1));
    }

    @Override
    public void cancelTimer(Timer timer) {
      alarms.add(new Alarm(timer, Long.MAX_VALUE));
    }

    @Override
    public void reply(long requestId, Record response) {
      replies.add(new Reply(requestId, response));
    }

    @Override
    public void persist(Record record) {
      records.add(record);
    }

    @Override
    public boolean tracing() {
      return true;
    }

    @Override
    public void trace(String action, Map<String, ?> args, Map<String, ?> state) {
      actions.add(new Action(action, args, state));
    }
  }
}
