package dev.plumbline.attack;

import dev.plumbline.cluster.MachineLoad;
import dev.plumbline.cluster.StorePlan;
import dev.plumbline.node.Frame;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.node.Wire;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * A hostile peer. Attacks in phases, and looks after each: every process lives, memory is bounded,
 * everything that was refused is counted, no handler failed, an ordinary client goes on.
 */
public final class Attack {
  /** More than a node's heap and buffers may hold. */
  static final long MOST_MIB = 800;

  /** Connections of the phase {@code crowd}. */
  static final int CROWD = 4_000;

  /** Of them those that may stay. */
  static final int STRANGERS = 256;

  private static final int GLANCE_MILLIS = 500;

  private static final String REFUSED = "plumb_frames_refused_total";
  private static final String CROWDED = REFUSED + "{reason=\"crowded\"}";
  private static final String FAILURES = "plumb_handler_failures_total";
  private static final String CLIENT = dev.plumbline.cluster.Cluster.CLIENT;
  private static final int FLOOD = 500;

  /**
   * What a phase came to.
   *
   * @param tries connections, or rounds of a flood
   * @param refused connections that had to be refused, and were
   * @param counted what the nodes counted as refused meanwhile
   * @param problems what does not hold; empty if all does
   */
  public record Phase(String name, int tries, int refused, long counted, List<String> problems) {}

  @FunctionalInterface
  interface Move {
    /** One connection, or a round; how many refusals it must have brought about. */
    int make() throws IOException;
  }

  private final Target target;
  private final NodeConfig config;
  private final ProtocolSystem protocol;
  private final Random random;
  private final Bodies bodies;
  private final List<String> nodes;
  private final Map<String, String> kinds = new LinkedHashMap<>();
  private final Map<String, List<Record>> lies = new LinkedHashMap<>();
  private final List<Class<?>> known = new ArrayList<>();
  private final Deque<Line> open = new ArrayDeque<>();
  private final Map<String, Move> moves = new LinkedHashMap<>();
  private int patienceMillis = 15_000;
  private final List<String> notRefused = new ArrayList<>();

  Attack(Target target, long seed) {
    this(target, Protocols.named(target.config().protocol()), seed);
  }

  /**
   * @param protocol whose records are taken; all others have to be refused
   */
  Attack(Target target, ProtocolSystem protocol, long seed) {
    this.target = target;
    this.protocol = protocol;
    config = target.config();
    random = new Random(seed);
    nodes = List.copyOf(config.nodes().keySet());
    bodies = new Bodies(random, nodes);
    for (NodeSpec owner : NodeConfig.owners(config.topology()).values()) {
      kinds.put(owner.id(), owner.kind());
      lies.put(owner.id(), protocol.lies(owner.role(), config.settings()));
    }
    Set<Class<?>> all = new LinkedHashSet<>(List.of(Wire.Hello.class, NodeConfig.Address.class));
    for (ProtocolSystem each : Protocols.all()) {
      all.addAll(each.responses());
      Set<String> of = new LinkedHashSet<>();
      each.topology(NodeConfig.of(each.name(), Map.of()).settings())
          .roles()
          .values()
          .forEach(specs -> of.add(specs.get(0).kind()));
      for (String kind : of) {
        all.addAll(each.requests(kind));
        of.forEach(other -> all.addAll(each.messages(kind, other)));
      }
    }
    moves.put("records", this::records);
    moves.put("frames", this::frames);
    moves.put("bodies", this::bodies);
    moves.put("requests", this::requests);
    if (lies.values().stream().anyMatch(some -> !some.isEmpty())) {
      moves.put("lies", this::lies);
    }
    moves.put("certificates", this::certificates);
    moves.put("replay", this::replay);
    moves.put("half-open", this::halfOpen);
    moves.put("crowd", this::crowd);
    moves.put("flood", this::flood);
    all.stream().sorted((a, b) -> a.getName().compareTo(b.getName())).forEach(known::add);
  }

  /**
   * Attacks a cluster of its own on loopback.
   *
   * @param folder for the cluster
   * @param cache for what makes nodes start quickly
   * @param store where nodes keep their logs; null for their folders
   * @param done is told each phase as it ends
   */
  public static List<Phase> run(
      String protocol,
      Path folder,
      Path cache,
      StorePlan store,
      long seconds,
      long seed,
      Consumer<Phase> done)
      throws IOException {
    try (LiveTarget target = new LiveTarget(protocol, folder, cache, store)) {
      return new Attack(target, seed).run(seconds, done);
    }
  }

  /** All phases, each for its share of the time. */
  List<Phase> run(long seconds, Consumer<Phase> done) throws IOException {
    List<Phase> phases = new ArrayList<>();
    long each = seconds * 1_000_000_000L / moves.size();
    for (Map.Entry<String, Move> move : moves.entrySet()) {
      Phase phase = phase(move.getKey(), move.getValue(), each);
      phases.add(phase);
      done.accept(phase);
    }
    return phases;
  }

  /** One phase. */
  Phase one(String name, long seconds) throws IOException {
    return phase(name, moves.get(name), seconds * 1_000_000_000L);
  }

  /** How long a refusal, or its count, may take where a processor is to be had. */
  void patience(int millis) {
    patienceMillis = millis;
  }

  Phase phase(String name, Move move, long nanos) throws IOException {
    long before = target.count(REFUSED);
    long failures = target.count(FAILURES);
    notRefused.clear();
    List<String> failed = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    int tries = 0;
    int refused = 0;
    long end = System.nanoTime() + nanos;
    do {
      tries++;
      try {
        refused += move.make();
      } catch (IOException e) {
        failed.add(e.toString());
      }
    } while (System.nanoTime() < end && target.dead().isEmpty());
    List<String> dead = target.dead();
    if (!dead.isEmpty()) {
      problems.add("ended: " + String.join(", ", dead));
      return new Phase(name, tries, refused, 0, problems);
    }
    if (!notRefused.isEmpty()) {
      problems.add(notRefused.size() + " not refused, such as " + notRefused.get(0));
    }
    if (failed.size() == tries) {
      problems.add("no connection was to be had: " + failed.get(0));
    }
    String stuck = target.clientStuck();
    if (!stuck.isEmpty()) {
      problems.add("a client does not go on: " + stuck);
    }
    open.forEach(Line::close);
    open.clear();
    long counted = counted(before, refused);
    if (counted < refused) {
      problems.add(refused + " were refused and " + counted + " counted");
    }
    long bugs = target.count(FAILURES) - failures;
    if (bugs > 0) {
      problems.add(bugs + " times a handler failed; see the log for the input");
    }
    long mib = target.mostMib();
    if (mib > MOST_MIB) {
      problems.add("a process held " + mib + " MiB, more than " + MOST_MIB);
    }
    return new Phase(name, tries, refused, counted, problems);
  }

  /** What was counted since; a count may come a little later than what it counts. */
  private long counted(long before, int wanted) throws IOException {
    long[] counted = new long[1];
    within(
        () -> {
          counted[0] = target.count(REFUSED) - before;
          return counted[0] >= wanted;
        });
    return counted[0];
  }

  private String some() {
    return nodes.get(random.nextInt(nodes.size()));
  }

  private Line as(String name, String node) throws IOException {
    return Line.secured(config, node, Path.of(config.tls()), name);
  }

  /** 1 if the connection is closed as it has to be. */
  int demandClosed(Line line, String what) throws IOException {
    if (line.closed(GLANCE_MILLIS) || within(() -> line.closed(GLANCE_MILLIS))) {
      return 1;
    }
    notRefused.add(what);
    return 0;
  }

  /** Whether it comes about in time, which is not the clock's but a processor's. */
  private boolean within(MachineLoad.Condition condition) throws IOException {
    try {
      return MachineLoad.within(patienceMillis / 1_000.0, condition);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  // ---- phases --------------------------------------------------------------------------------

  /** Bytes that are no TLS. */
  private int records() throws IOException {
    NodeConfig.Address at = config.nodes().get(some());
    try (Line line = Line.plain(at, at.port())) {
      byte[] bytes = new byte[5 + random.nextInt(40)];
      random.nextBytes(bytes);
      byte[] first = {(byte) 0x80, 0x00, 0x19, 0x16, 0x17};
      bytes[0] = first[random.nextInt(first.length)];
      if (random.nextBoolean()) {
        bytes[3] = (byte) random.nextInt(4);
        bytes[4] = (byte) random.nextInt(4);
      }
      line.send(bytes);
      return line.closed(10) ? 1 : 0;
    }
  }

  /** Frames that are none, after a proper HELLO. */
  private int frames() throws IOException {
    try (Line line = as(CLIENT, some())) {
      byte[] hello = line.bytes(Line.hello(CLIENT));
      byte[] frame = line.bytes(new Frame(Frame.Type.REQUEST, 1, new byte[] {'{', '}'}));
      switch (random.nextInt(6)) {
        case 0 -> frame[4] = (byte) (2 + random.nextInt(100));
        case 1 -> frame[5] = (byte) (4 + random.nextInt(100));
        case 2 -> frame[13] = (byte) (2 + random.nextInt(100));
        case 3 -> frame[0] = (byte) (1 + random.nextInt(200));
        case 4 -> frame[3] = (byte) random.nextInt(18);
        default -> frame[22 + random.nextInt(2)] = (byte) random.nextInt('{');
      }
      line.send(hello);
      line.send(frame);
      return demandClosed(line, "a broken frame");
    }
  }

  /** Records of every class in every role, from clients and from nodes: only those not taken. */
  private int bodies() throws IOException {
    String node = some();
    Class<?> type = known.get(random.nextInt(known.size()));
    boolean peer = random.nextBoolean();
    String name = CLIENT;
    Set<Class<?>> taken = protocol.requests(kinds.get(node));
    if (peer) {
      name = some();
      taken = protocol.messages(kinds.get(name), kinds.get(node));
    }
    byte[] body = taken.contains(type) ? bodies.spoilt(type) : bodies.valid(type);
    try (Line line = as(name, node)) {
      line.send(Line.hello(name));
      line.send(new Frame(peer ? Frame.Type.MESSAGE : Frame.Type.REQUEST, 1, body));
      return demandClosed(line, type.getName() + " from " + name + " to " + node);
    }
  }

  /** Requests of the right types that may make no sense: refused, answered or passed over. */
  private int requests() throws IOException {
    String node = some();
    List<Class<?>> asked = List.copyOf(protocol.requests(kinds.get(node)));
    if (asked.isEmpty()) {
      return 0;
    }
    try (Line line = as(CLIENT, node)) {
      line.send(Line.hello(CLIENT));
      for (int i = 1; i <= 50; i++) {
        byte[] body = bodies.valid(asked.get(random.nextInt(asked.size())));
        line.send(new Frame(Frame.Type.REQUEST, i, body));
      }
      return line.closed(20) ? 1 : 0;
    }
  }

  /** Requests of the right form that say what is not so, such as a past that nobody had. */
  private int lies() throws IOException {
    String node = some();
    if (lies.get(node).isEmpty()) {
      return 0;
    }
    try (Line line = as(CLIENT, node)) {
      line.send(Line.hello(CLIENT));
      long number = 0;
      for (Record lie : lies.get(node)) {
        line.send(new Frame(Frame.Type.REQUEST, ++number, Wire.record(lie)));
      }
      if (line.closed(20)) {
        notRefused.add("a frame of the right form was refused: one of " + lies.get(node));
      }
      return 0;
    }
  }

  /** No certificate, another authority's, another's name. */
  private int certificates() throws IOException {
    String node = some();
    int which = random.nextInt(3);
    Path folder = which == 0 ? null : which == 1 ? target.strangers() : Path.of(config.tls());
    try (Line line = Line.secured(config, node, folder, CLIENT)) {
      line.send(Line.hello(which == 2 ? some() : CLIENT));
      return demandClosed(line, "certificate " + which);
    } catch (javax.net.ssl.SSLException e) {
      return 1;
    }
  }

  /** A session, or a frame, that was there before. */
  private int replay() throws IOException {
    String node = some();
    return random.nextBoolean() ? frameAgain(node) : sessionAgain(node);
  }

  private int frameAgain(String node) throws IOException {
    try (Line line = as(CLIENT, node);
        Line other = as(CLIENT, node)) {
      line.send(Line.hello(CLIENT));
      line.send(other.bytes(Line.hello(CLIENT)));
      return demandClosed(line, "a sequence number again");
    }
  }

  /**
   * Of two connections a node that has no processor may hear the later one first, and refuses the
   * other. Then the first gets a longer start, until it would have been heard.
   */
  int sessionAgain(String node) throws IOException {
    for (int start = 5; ; start *= 10) {
      String session = UUID.randomUUID().toString();
      try (Line line = as(CLIENT, node);
          Line again = as(CLIENT, node)) {
        line.send(Line.hello(CLIENT, session));
        line.closed(start);
        again.send(Line.hello(CLIENT, session));
        if (!within(() -> again.closed(GLANCE_MILLIS) || line.closed(GLANCE_MILLIS))) {
          notRefused.add("a session again");
          return 0;
        }
        if (again.closed(GLANCE_MILLIS)) {
          return 1;
        }
        if (start > patienceMillis) {
          notRefused.add("a session again, in the place of the one that was there before");
          return 0;
        }
      }
    }
  }

  /** Connections that are begun and left, at both ports; they stay open until the phase ends. */
  private int halfOpen() throws IOException {
    if (open.size() > 600) {
      return 0;
    }
    NodeConfig.Address at = config.nodes().get(some());
    Line line =
        switch (random.nextInt(3)) {
          case 0 -> Line.plain(at, at.admin());
          case 1 -> Line.plain(at, at.port());
          default -> as(CLIENT, nodes.get(random.nextInt(nodes.size())));
        };
    open.add(line);
    byte[] hello = line.bytes(Line.hello(CLIENT));
    byte[][] begun = {{}, {0x16, 3, 1}, "GET /heal".getBytes(StandardCharsets.US_ASCII), hello};
    byte[] bytes = begun[random.nextInt(begun.length)];
    line.send(java.util.Arrays.copyOf(bytes, bytes.length / 2));
    return 0;
  }

  /** Thousands of connections to one node, which stay open until the phase ends. */
  private int crowd() throws IOException {
    if (!open.isEmpty()) {
      open.forEach(Line::close);
      open.clear();
    }
    long before = target.count(CROWDED);
    NodeConfig.Address at = config.nodes().get(nodes.get(0));
    for (int i = 0; i < CROWD; i++) {
      open.add(Line.plain(at, at.port()));
    }
    // A connection that is left before the node has taken it is not refused: wait, and look.
    if (!within(() -> leftOpen() <= STRANGERS)) {
      notRefused.add(open.size() + " connections at once");
    }
    int refused = CROWD - open.size();
    // Without a bound all would go in the end, since they do not say their names in time.
    long gaveWay = target.count(CROWDED) - before;
    if (2 * gaveWay < refused) {
      notRefused.add("a crowd: of " + refused + " connections " + gaveWay + " gave way to others");
    }
    return refused;
  }

  /** Drops the connections that the other end closed, from the oldest on; how many are left. */
  private int leftOpen() {
    int seen = 0;
    for (Iterator<Line> lines = open.iterator(); seen <= STRANGERS && lines.hasNext(); ) {
      Line line = lines.next();
      if (line.closed(2)) {
        line.close();
        lines.remove();
      } else {
        seen++;
      }
    }
    return open.size();
  }

  /** Requests as fast as they can be sent, and nobody who reads the answers. */
  private int flood() throws IOException {
    List<String> asked =
        nodes.stream().filter(n -> !protocol.requests(kinds.get(n)).isEmpty()).toList();
    String node = asked.get(random.nextInt(asked.size()));
    List<Class<?>> types = List.copyOf(protocol.requests(kinds.get(node)));
    try (Line line = as(CLIENT, node)) {
      line.send(Line.hello(CLIENT));
      for (int i = 1; i <= FLOOD; i++) {
        if (!line.send(
            new Frame(
                Frame.Type.REQUEST, i, bodies.valid(types.get(random.nextInt(types.size())))))) {
          break;
        }
      }
      return 0;
    }
  }
}
