package dev.plumbline.engage.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.LogReading;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Tla;
import dev.plumbline.engage.Broker;
import dev.plumbline.engage.ClientSession;
import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.EngageMessage;
import dev.plumbline.engage.EngageTimer;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.TreeCloudlet;
import dev.plumbline.engage.system.EngageSystem;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.Values;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** How {@code BrokerCausality} reads in the terms of cloudlets, their brokers and clients. */
final class BrokerCausalityBinding extends EngageModule {
  private static final String PREFIX = "BrokerCausality.";
  private static final List<String> CLOCKS = List.of("rc", "wc", "tc");

  private final Layout layout;

  BrokerCausalityBinding(Settings settings) {
    super("BrokerCausality", settings);
    layout = new EngageSystem().layout(settings);
    names(Shape.set(Shape.PLAIN), "G", "g", "waiting", "held");
    names(Shape.tuple(Shape.PLAIN), "newest");
    names(Shape.set(CLIENT), "holds");
    shown("holds");
    // What came before its turn is handled at a timer.
    begins("", "BrokerReceive", "CloudletReceive");
    begins("timer", "BrokerReceive", "CloudletReceive");
    begins("request", "ClientRead", "ClientWrite");
    begins("timer", "ServeHeld", "Execute", "FlushTimer");
    self("i");
    self("b");
    from(e -> Set.of(e.arg("a").asText()), "BrokerReceive");
    from(e -> Set.of(layout.uplink(e.role())), "CloudletReceive");
    argument("first", e -> BooleanNode.valueOf(e.arg("c").asText().endsWith(".1")));
    demand("Payload", "\"brokers\"");
    constant("Cloudlets", Set.copyOf(layout.cloudlets()));
    constant("Brokers", Set.copyOf(layout.brokers()));
    constant("MaxLosses", 1);
    constant("MaxLinkFailures", 1);
    constant("MaxCrashes", 1);
    constant("Fallible", "<- Nodes");
    repairs(EngageConfig.REPAIRS.toArray(String[]::new));
    corpora("published", "tag");
    probes(Set.of(), OWN);
    given("down", "links are the environment's");
    given("crashed", "what is down is the environment's doing");
    given("faults", "counts what the environment did");
    given("payloads", "payloads travel with notifications");
    given("arrived", "payloads travel with notifications");
    readBy(Reading::new);
  }

  // ---- logs ------------------------------------------------------------------------------------

  private final class Reading extends LogReading {
    private final SortedSet<String> objects = new TreeSet<>();
    private final Map<String, Integer> first = new HashMap<>();
    private final Set<String> taken = new HashSet<>();

    /** The clocks that each client's life brought last, and those of the life before, by event. */
    private final Map<String, TraceEvent> brought = new HashMap<>();

    private final Map<Integer, TraceEvent> before = new HashMap<>();

    private Map<String, Term> forgotten;

    Reading(MergedLog log, int room) {
      super(BrokerCausalityBinding.this, log, room);
      round(ROUND);
    }

    @Override
    protected void scan(int i, TraceEvent e) {
      JsonNode o = e.args().get("o");
      if (o != null && concerns(i)) {
        objects.add(o.asText());
        String client = e.args().get("c").asText();
        if (first.putIfAbsent(client, i) == null) {
          before.put(i, brought.get(earlier(client)));
        }
        if (e.arg("sends").asBoolean()) {
          brought.put(client.replaceFirst(ClientSession.RESUMED + "$", ""), e);
        }
      }
      if (e.args().containsKey("m") && e.recv().filter(id -> !taken.add(id)).isPresent()) {
        throw error(
            i,
            "message " + e.recv().get() + " is taken a second time",
            "log recv with the message that the step handled");
      }
    }

    /** The life before one that goes on with its clocks; one of another client's has none. */
    private static String earlier(String client) {
      int dot = client.lastIndexOf('.') + 1;
      return client.substring(dot).matches("\\d{1,9}")
          ? client.substring(0, dot) + (Integer.parseInt(client.substring(dot)) - 1)
          : "";
    }

    @Override
    protected void constants() {
      List<String> cloudlets = layout.cloudlets();
      Map<String, Integer> rank = new TreeMap<>();
      cloudlets.forEach(i -> rank.put(i, rank.size() + 1));
      Set<Set<String>> links = new HashSet<>();
      layout.neighbours().forEach((a, all) -> all.forEach(b -> links.add(Set.of(a, b))));
      // Few functions of many objects each: the parser goes a level deeper at each @@.
      Map<String, SortedSet<String>> placements = new TreeMap<>();
      objects.forEach(
          o ->
              placements
                  .computeIfAbsent(Tla.of(Set.copyOf(layout.replicas(o))), r -> new TreeSet<>())
                  .add(o));
      StringBuilder replicas = new StringBuilder("[o \\in {} |-> {}]");
      placements.forEach(
          (at, of) -> replicas.append(" @@ [o \\in %s |-> %s]".formatted(Tla.of(of), at)));
      constant("Clients", Tla.range(1, size(CLIENT)));
      constant("Objects", objects);
      constant("Rank", Tla.function(rank));
      constant("Replicas", Tla.text(replicas.toString()));
      constant("Tree", links);
      String asks = "SUBSET {\"RYW\", \"MR\", \"WFR\", \"MW\"}";
      constant("Asks", Tla.text("[c \\in LogClients |-> " + asks + "]"));
      constant("MaxOps", Tla.text("[c \\in LogClients |-> 1]"));
    }

    @Override
    public String specification() {
      return "LogSpec";
    }

    @Override
    public List<Step> steps(int i) {
      TraceEvent e = event(i);
      if (e.ends()) {
        return crash(e.role());
      }
      List<Step> steps = new ArrayList<>(super.steps(i));
      if (e.args().containsKey("o")
          && concerns(i)
          && first.get(e.args().get("c").asText()).equals(i)) {
        steps.add(0, call(i, "", "Enter"));
      }
      if (e.action().equals(PREFIX + "ClientWrite")) {
        steps.add(trim(e.args().get("i"), e.args().get("o")));
      } else if (e.action().equals(PREFIX + "ServeHeld")) {
        steps.add(trim(e.args().get("r").get("at"), e.args().get("r").get("obj")));
      } else if (e.action().equals(PREFIX + "Execute")) {
        steps.add(trim(e.args().get("i"), e.args().get("u").get("obj")));
      }
      return steps;
    }

    /** The clocks that a client had in the life before; a flush is about no object. */
    @Override
    protected Term own(int i, String parameter) {
      if (parameter.equals("had")) {
        TraceEvent last = before.get(i);
        List<Term> clocks = new ArrayList<>();
        if (last != null) {
          CLOCKS.forEach(clock -> clocks.add(value(i, clock, last.arg(clock))));
        }
        return Term.sequence(clocks);
      }
      boolean flush =
          event(i).action().equals(PREFIX + "CloudletReceive")
              && event(i).args().get("m").get("kind").asText().equals("MF");
      return flush && List.of("newest", "vc").contains(parameter)
          ? Term.sequence(List.of())
          : super.own(i, parameter);
    }

    private Step trim(JsonNode i, JsonNode o) {
      List<Term> arguments = List.of(Term.string(i.asText()), Term.string(o.asText()));
      return new Step("", "Trim", arguments, false);
    }

    private List<Step> crash(String role) {
      List<Term> node = List.of(Term.string(role));
      boolean cloudlet = layout.index(role) >= 0;
      String crash = cloudlet ? "CrashCloudlet" : "CrashBroker";
      List<Step> steps = new ArrayList<>();
      steps.add(new Step(crash, crash, node, false));
      steps.add(new Step("Restart", "Restart", node, false));
      if (cloudlet) {
        steps.add(new Step("", "GaveUp", node, false));
      }
      return steps;
    }

    /** Asked for after every event, while the number of clients takes the whole log to find. */
    @Override
    public Map<String, Term> forgotten() {
      if (forgotten == null) {
        Term none = Term.sequence(List.of());
        Term zero = Term.of(0);
        forgotten =
            Map.of(
                "hist",
                Term.sequence(Collections.nCopies(size(CLIENT), none)),
                "faults",
                Term.record(Map.of("losses", zero, "failures", zero, "crashes", zero)));
      }
      return forgotten;
    }
  }

  // ---- machines --------------------------------------------------------------------------------

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    return new Machines(asPublished(model), bug);
  }

  private final class Machines extends EngageWorld {
    private final Group<Server> brokers = group((name, n) -> new Server(name));
    private final boolean resends;

    Machines(SortedSet<String> asPublished, Optional<SeededBug> bug) {
      super(BrokerCausalityBinding.this, asPublished, bug);
      resends = !asPublished.contains(EngageConfig.RESEND);
      variable("link", this::links);
      variable("pending", this::pending);
      on("BrokerReceive", p -> receive(server(p.get("a")), brokers.get(p.get("b"))));
      on(
          "CloudletReceive",
          p -> {
            String i = p.get("i").textValue();
            receive(brokers.get((Object) layout.uplink(i)), cloudlets.get((Object) i));
          });
      on("FlushTimer", p -> flush(brokers.get(p.get("b")), p.get("n").textValue()));
      on("LoseMessage", p -> lose(p.get("a").textValue(), p.get("b").textValue()));
      on("LinkFails", p -> fails(p.get("t").get(0).textValue(), p.get("t").get(1).textValue()));
      outside("LinkReturns");
      on("CrashBroker", p -> crash(brokers.get(p.get("b"))));
      on("CrashCloudlet", p -> crash(cloudlets.get(p.get("i"))));
      on("Restart", p -> server(p.get("n")).crashed = false);
    }

    @Override
    protected void open(ObjectNode initial) {
      List<List<String>> edges = edges(initial.get("link"));
      List<String> names = names(initial.get("clock"));
      SortedSet<String> inner = new TreeSet<>();
      List<List<String>> links = new ArrayList<>();
      for (List<String> edge : edges) {
        if (!names.contains(edge.get(0))) {
          inner.add(edge.get(0));
        }
        if (edge.get(0).compareTo(edge.get(1)) < 0) {
          links.add(edge);
        }
      }
      layout = Layout.of(names, List.copyOf(inner), links, placement(initial.get("store")));
      ObjectNode domain = Values.F.objectNode();
      inner.forEach(name -> domain.put(name, 0));
      open(brokers, domain);
      begin(initial, edges);
      brokers.all().forEach(this::start);
    }

    @Override
    Machine machine(String name) {
      return layout.index(name) >= 0
          ? new TreeCloudlet(config, layout, name)
          : new Broker(config, layout, name);
    }

    @Override
    protected void settle() {
      cloudlets.all().forEach(this::take);
      brokers.all().forEach(this::take);
    }

    private Server server(JsonNode name) {
      return named(name.textValue());
    }

    private Server named(String name) {
      return (Server) holder(name);
    }

    // -- the environment

    private boolean works(Server from, Server to) {
      JsonNode link = Values.set(List.of(value("", from.name), value("", to.name)));
      return !from.crashed && !to.crashed && !Values.contains(given("down"), link);
    }

    @Override
    void carry(Wire wire, String from, String to, EngageMessage.Numbered message) {
      if (resends || works(named(from), named(to))) {
        super.carry(wire, from, to, message);
      }
    }

    private void receive(Server from, Server to) {
      if (from != null && to != null && works(from, to)) {
        hand(from, to);
      }
    }

    private void flush(Server broker, String neighbour) {
      if (!broker.crashed) {
        broker.fire(new EngageTimer.FlushDue(neighbour), NOW);
      }
    }

    private void lose(String a, String b) {
      wires.get(key(a, b)).messages.remove();
    }

    private void fails(String a, String b) {
      breaks(a, b);
      breaks(b, a);
    }

    private void breaks(String a, String b) {
      if (!resends) {
        wires.get(key(a, b)).messages.clear();
      }
    }

    private void crash(Server server) {
      server.crashed = true;
      for (String neighbour : layout.neighbours().get((String) server.name)) {
        breaks((String) server.name, neighbour);
        breaks(neighbour, (String) server.name);
      }
      start(server);
      lose(server);
    }

    // -- what is seen

    private JsonNode links() {
      ObjectNode links = Values.F.objectNode();
      wires.forEach((edge, wire) -> links.set(edge, under(wire)));
      return links;
    }

    private JsonNode pending() {
      Map<String, JsonNode> all = new TreeMap<>();
      for (String i : layout.cloudlets()) {
        all.put(key(i, layout.uplink(i)), value("vc", zero()));
      }
      for (Server b : brokers.all()) {
        ((Broker) b.machine)
            .pending()
            .forEach((n, clock) -> all.put(key((String) b.name, n), value("vc", clock)));
      }
      ObjectNode pending = Values.F.objectNode();
      all.forEach(pending::set);
      return pending;
    }

    private Map<String, Long> zero() {
      Map<String, Long> zero = new TreeMap<>();
      layout.cloudlets().forEach(i -> zero.put(i, 0L));
      return zero;
    }
  }
}
