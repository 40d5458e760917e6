package dev.plumbline.engage.binding;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.Place;
import dev.plumbline.bind.World;
import dev.plumbline.engage.ClientSession;
import dev.plumbline.engage.Cloudlet;
import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.EngageMessage;
import dev.plumbline.engage.EngageRequest;
import dev.plumbline.engage.EngageResponse;
import dev.plumbline.engage.EngageTimer;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.Update;
import dev.plumbline.engage.system.EngageSystem;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.Outbox;
import dev.plumbline.graph.Values;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * What the worlds of ENGAGE's modules share: cloudlets, clients and ordered links between nodes.
 * Links are in this world's hands: a message is taken from its sender as soon as it is sent, handed
 * over when an action says so, and acknowledged then.
 */
abstract class EngageWorld extends World {
  static final ClockReading NOW = ClockReading.local(0);
  private static final long ALL_VERSIONS = 1_000;
  private static final ObjectMapper JSON = new ObjectMapper();

  final EngageConfig config;
  final Group<Server> cloudlets = group((name, n) -> new Server(name));
  final Group<Client> clients = group((name, n) -> new Client(name));
  final Map<String, Wire> wires = new TreeMap<>();
  private final Deployment deployment;
  Layout layout;

  /** A cloudlet or a broker. */
  static final class Server extends Place {
    boolean crashed;

    Server(Object name) {
      super(name, NodeSpec.of((String) name, "node", "here", 1, 0));
    }

    Cloudlet cloudlet() {
      return (Cloudlet) machine;
    }
  }

  /** A client, and what it asked for and has no answer to. */
  static final class Client extends Place {
    ClientSession session;
    EngageRequest request;
    Map<String, Object> asked;
    boolean lost;
    final List<Map<String, Object>> done = new ArrayList<>();

    Client(Object name) {
      super(name, null);
    }
  }

  /** A directed link: what is under way, and how many messages were ever taken from its sender. */
  static final class Wire {
    final ArrayDeque<EngageMessage.Numbered> messages = new ArrayDeque<>();
    long taken;
  }

  EngageWorld(Binding binding, SortedSet<String> asPublished, Optional<SeededBug> bug) {
    super(binding);
    deployment = deployment(asPublished, bug);
    config = new EngageSystem().config(deployment.settings());
    function("clock", cloudlets, c -> layout.words(c.cloudlet().clock()));
    function("heard", cloudlets, c -> layout.words(c.cloudlet().heard()));
    function("waiting", cloudlets, c -> updates(c.cloudlet().waiting()));
    function("store", cloudlets, c -> store(c.cloudlet()));
    function("readClock", clients, c -> layout.words(c.session.readClock()));
    function("writeClock", clients, c -> layout.words(c.session.writeClock()));
    function("tagClock", clients, c -> layout.words(c.session.tagClock()));
    function("attached", clients, c -> c.session.attached());
    variable("held", this::held, cloudlets, clients);
    function("hist", clients, c -> c.done);
    on("ClientRead", p -> ask(p, "r"));
    on("ClientWrite", p -> ask(p, "w"));
    on("ServeHeld", this::serveHeld);
    on("Execute", this::execute);
  }

  /** What the machines of a model are configured by. */
  static Deployment deployment(SortedSet<String> asPublished, Optional<SeededBug> bug) {
    Map<String, Long> parameters = Map.of("versions", ALL_VERSIONS);
    return Deployment.of(new EngageSystem(), new ClockBounds(0, 0), asPublished, parameters, bug);
  }

  // ---- deployment ------------------------------------------------------------------------------

  /** The edges that the domain of a variable names. */
  static List<List<String>> edges(JsonNode function) {
    List<List<String>> edges = new ArrayList<>();
    for (Iterator<String> keys = function.fieldNames(); keys.hasNext(); ) {
      try {
        JsonNode pair = JSON.readTree(keys.next());
        edges.add(List.of(pair.get(0).textValue(), pair.get(1).textValue()));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("no pair of nodes", e);
      }
    }
    return edges;
  }

  /** The cloudlets of each object. */
  static Map<String, List<String>> placement(JsonNode store) {
    Map<String, List<String>> placement = new TreeMap<>();
    store
        .properties()
        .forEach(
            cloudlet ->
                cloudlet
                    .getValue()
                    .fieldNames()
                    .forEachRemaining(
                        object ->
                            placement
                                .computeIfAbsent(object, o -> new ArrayList<>())
                                .add(cloudlet.getKey())));
    return placement;
  }

  static List<String> names(JsonNode function) {
    List<String> names = new ArrayList<>();
    function.fieldNames().forEachRemaining(names::add);
    return names;
  }

  /** Everybody begins. */
  final void begin(ObjectNode initial, List<List<String>> edges) {
    wires.clear();
    edges.forEach(edge -> wires.put(key(edge.get(0), edge.get(1)), new Wire()));
    open(clients, initial.get("readClock"));
    for (Client c : clients.all()) {
      name((String) c.name, c.name);
      c.session = new ClientSession(config, layout, (String) c.name);
      c.asked = null;
      c.lost = false;
    }
    open(cloudlets, initial.get("clock"));
    cloudlets.all().forEach(this::start);
  }

  abstract Machine machine(String name);

  /** A node starts, or starts again, with a new machine. */
  final void start(Server server) {
    server.start(deployment.alone(server.spec, machine((String) server.name)), NOW);
  }

  // ---- links -----------------------------------------------------------------------------------

  static String key(String from, String to) {
    return Values.sequence(List.of(TextNode.valueOf(from), TextNode.valueOf(to))).toString();
  }

  /** What a node sent is under way; what it sent before is known by its number. */
  final void take(Server from) {
    for (Outbox.Sent sent : from.out.take()) {
      if (sent.message() instanceof EngageMessage.Numbered message) {
        Wire wire = wires.get(key((String) from.name, sent.to()));
        if (message.number() > wire.taken) {
          wire.taken = message.number();
          carry(wire, (String) from.name, sent.to(), message);
        }
      }
    }
  }

  /** A message enters a link. */
  void carry(Wire wire, String from, String to, EngageMessage.Numbered message) {
    wire.messages.add(message);
  }

  /** Hands over the oldest message of a link, and its acknowledgement. */
  final void hand(Server from, Server to) {
    Wire wire = wires.get(key((String) from.name, (String) to.name));
    if (wire == null || wire.messages.isEmpty()) {
      return;
    }
    EngageMessage.Numbered message = wire.messages.remove();
    to.give(new Input.Deliver((String) from.name, message), NOW);
    // Where nothing is sent again, what is missing before it is lost.
    to.fireIfSet(new EngageTimer.Skip((String) from.name), NOW);
    to.fireIfSet(new EngageTimer.Next((String) from.name), NOW);
    if (!from.crashed) {
      EngageMessage ack = new EngageMessage.Ack(message.tree(), message.number());
      from.give(new Input.Deliver((String) to.name, ack), NOW);
    }
  }

  final JsonNode under(Wire wire) {
    return Values.sequence(wire.messages.stream().map(m -> value("m", m.words(layout))).toList());
  }

  // ---- clients ---------------------------------------------------------------------------------

  private void ask(ObjectNode p, String op) {
    Client c = clients.get(p.get("c"));
    Server at = cloudlets.get(p.get("i"));
    if (c.asked != null || at.crashed) {
      return;
    }
    List<String> asks = List.copyOf(Values.strings(p.get("G")));
    String object = p.get("o").textValue();
    String cloudlet = (String) at.name;
    EngageRequest request =
        op.equals("r")
            ? c.session.read(object, cloudlet, asks)
            : c.session.write(object, c.name + "." + c.done.size(), cloudlet, asks);
    c.request = request;
    c.asked = Map.of("at", cloudlet, "g", asks, "obj", object, "op", op);
    long id = id(c);
    at.give(new Input.ClientRequest(id, (Record) request), NOW);
    answer(c, at);
  }

  /** What a cloudlet held that crashed, its clients ask for again when it can be served. */
  final void lose(Server at) {
    for (Client c : clients.all()) {
      c.lost |= c.asked != null && c.asked.get("at").equals(at.name);
    }
  }

  private long id(Client c) {
    return 1 + List.copyOf(clients.all()).indexOf(c);
  }

  private void serveHeld(ObjectNode p) {
    Client c = clients.get(p.get("r").get("c"));
    Server at = cloudlets.get(p.get("r").get("at"));
    if (at.crashed || c.asked == null || !value("", asked(c)).equals(p.get("r"))) {
      return;
    }
    if (c.lost) {
      c.lost = false;
      at.give(new Input.ClientRequest(id(c), (Record) c.request), NOW);
    } else {
      at.fire(new EngageTimer.Serve(id(c)), NOW);
    }
    answer(c, at);
  }

  /** The client takes the answer, if there is one. */
  private void answer(Client c, Server at) {
    Record response = at.out.replies.poll();
    if (response == null) {
      return;
    }
    String cloudlet = (String) at.name;
    Map<String, Object> done = new TreeMap<>(c.asked);
    if (response instanceof EngageResponse.Value value) {
      c.session.answered(cloudlet, value);
      done.put("id", List.of("none", 0));
      List<Update> saw = at.cloudlet().object((String) c.asked.get("obj")).updates();
      List<String> newest =
          saw.stream().skip(Math.max(0, saw.size() - 1)).map(Update::value).toList();
      if (!value.values().equals(newest)) {
        throw new IllegalStateException(c.name + " reads " + value.values() + ", not " + newest);
      }
      done.put("saw", saw.stream().map(u -> List.of(u.source(), u.number())).toList());
    } else if (response instanceof EngageResponse.Written written) {
      c.session.answered(cloudlet, written);
      done.put("id", List.of(cloudlet, written.number()));
      done.put("saw", List.of());
    } else {
      throw new IllegalStateException("refused: " + response);
    }
    c.asked = null;
    c.done.add(Map.copyOf(done));
    c.changed();
  }

  /** What a client asked for, with its name. */
  private static Map<String, Object> asked(Client c) {
    Map<String, Object> asked = new TreeMap<>(c.asked);
    asked.put("c", c.name);
    return asked;
  }

  private Set<Map<String, Object>> held() {
    Set<Map<String, Object>> held = new HashSet<>();
    for (Server s : cloudlets.all()) {
      s.cloudlet()
          .held()
          .values()
          .forEach(
              request -> {
                Map<String, Object> words = new LinkedHashMap<>(s.cloudlet().words(request));
                String life = request.session();
                words.put("c", life.substring(0, life.lastIndexOf('.')));
                held.add(words);
              });
    }
    for (Client c : clients.all()) {
      if (c.lost) {
        held.add(asked(c));
      }
    }
    return held;
  }

  // ---- cloudlets -------------------------------------------------------------------------------

  private void execute(ObjectNode p) {
    Server i = cloudlets.get(p.get("i"));
    JsonNode u = p.get("u");
    boolean waits =
        i.cloudlet().waiting().stream().anyMatch(w -> value("u", w.words(layout)).equals(u));
    if (!i.crashed && waits) {
      i.fire(new EngageTimer.Execute(u.get("src").textValue(), u.get("snb").longValue()), NOW);
    }
  }

  private List<Object> updates(List<Update> updates) {
    return List.copyOf(updates.stream().map(u -> u.words(layout)).toList());
  }

  private Map<String, Object> store(Cloudlet cloudlet) {
    Map<String, Object> store = new TreeMap<>();
    layout
        .partitions()
        .forEach(
            (object, replicas) -> {
              if (replicas.contains(cloudlet.name())) {
                Cloudlet.Replica replica = cloudlet.object(object);
                store.put(
                    object,
                    Map.of("log", updates(replica.updates()), "vc", layout.words(replica.clock())));
              }
            });
    return store;
  }
}
