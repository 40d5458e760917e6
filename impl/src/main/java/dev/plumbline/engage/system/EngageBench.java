package dev.plumbline.engage.system;

import dev.plumbline.engage.Broker;
import dev.plumbline.engage.ClientSession;
import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.EngageMessage;
import dev.plumbline.engage.EngageRecord;
import dev.plumbline.engage.EngageRequest;
import dev.plumbline.engage.EngageResponse;
import dev.plumbline.engage.LabelCloudlet;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.MeshCloudlet;
import dev.plumbline.engage.SealedClock;
import dev.plumbline.engage.TreeCloudlet;
import dev.plumbline.engage.Update;
import dev.plumbline.engage.VectorClock;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.ForwardingEffects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.protocol.Bandwidth;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import dev.plumbline.sim.LoadRun;
import dev.plumbline.sim.LoadRun.Asked;
import dev.plumbline.sim.Zipf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The paper's evaluation in virtual time (section IV): ENGAGE beside a store of vector clocks that
 * cloudlets tell each other (Bayou as the paper configures it) and a metadata service of labels
 * alone (Saturn), on the same machines, network and load.
 */
public final class EngageBench {
  private static final EngageSystem ENGAGE = new EngageSystem();
  private static final long SECOND = 1_000_000;
  private static final long WARM = SECOND;

  /** Under way at the end of what is measured may still arrive. */
  private static final long REST = SECOND;

  private static final long BACKGROUND_THINK = 20_000;

  /** Of a client, after one of warming up; each ends at another cloudlet. */
  private static final int ROUNDS = 5;

  private static final int LOCAL_OPS = 10;

  /** Longer than any remote operation should take, on average over a client's rounds. */
  private static final long REMOTE_MICROS = 500_000;

  /**
   * Of a partition, by YCSB's Zipfian distribution. As few as operations are: how often an object
   * is written decides how fresh what depends on it is.
   */
  private static final int KEYS = 10;

  private static final Zipf KEY = new Zipf(KEYS, 0.99);

  /** As long as a record of YCSB. */
  private static final String VALUE = "x".repeat(1_000);

  /** Far above any round trip: nothing is lost here. */
  private static final long RESEND = SECOND;

  /** Longer than any run: nothing is flushed by its timer. */
  private static final long NEVER = 3_600 * SECOND;

  /** What is measured. */
  public enum Store {
    ENGAGE,
    BAYOU,
    SATURN
  }

  /** All four guarantees. */
  public static final List<String> CAUSAL = List.of("RYW", "MR", "WFR", "MW");

  /**
   * A point of a figure. At every site one client does ten operations at its own cloudlet and then
   * one at another, as in Figure 5: five times, each time at another, the same ones for every
   * point. A second one, whose latency is not measured, keeps writing and reading at its own with
   * 20 ms of thought, so that the load hardly depends on what is varied.
   *
   * @param setting 1: locality-driven (Fig. 3a), 2: uniform (Fig. 3b)
   * @param flushMicros the timeout of flushes
   * @param thinkMicros a client's average pause
   * @param writePercent of the operations
   * @param asks the guarantees of every operation
   * @param asPublished repairs that are switched off
   */
  public record Point(
      Store store,
      long setting,
      long flushMicros,
      long thinkMicros,
      int writePercent,
      List<String> asks,
      List<String> asPublished) {

    /** As the paper has it where nothing is varied. */
    public static Point of(Store store, long setting) {
      return new Point(store, setting, 100_000, 20_000, 50, CAUSAL, List.of());
    }

    public Point flush(long micros) {
      return new Point(store, setting, micros, thinkMicros, writePercent, asks, asPublished);
    }

    public Point think(long micros) {
      return new Point(store, setting, flushMicros, micros, writePercent, asks, asPublished);
    }

    public Point writes(int percent) {
      return new Point(store, setting, flushMicros, thinkMicros, percent, asks, asPublished);
    }

    public Point asking(List<String> some) {
      return new Point(store, setting, flushMicros, thinkMicros, writePercent, some, asPublished);
    }

    public Point without(List<String> repairs) {
      return new Point(store, setting, flushMicros, thinkMicros, writePercent, asks, repairs);
    }
  }

  /**
   * What a point gave; averages in microseconds, rates a second.
   *
   * @param remote latency of operations at another cloudlet than the client's
   * @param remotes how many of them
   * @param local latency of operations at the client's own
   * @param visible how long it took until an update was applied at all other replicas
   * @param updates how many of them
   * @param unseen updates that were not applied everywhere a second after the end
   * @param flushes that travelled by themselves
   * @param control the same, a second
   * @param operations answered
   * @param messages between nodes, acknowledgements included
   * @param bytes of these messages
   * @param records made durable
   */
  public record Measured(
      double remote,
      long remotes,
      double local,
      double visible,
      long updates,
      long unseen,
      long flushes,
      double control,
      double operations,
      double messages,
      double bytes,
      double records) {}

  private final Point point;
  private final Settings settings;
  private final Layout layout;
  private final EngageDeployment deployment;
  private final EngageConfig config;
  private final long end;
  private final Map<Update.Id, Spread> spreads = new HashMap<>();
  private long control;
  private long messages;
  private long bytes;
  private long records;

  /** An update on its way to other replicas. */
  private static final class Spread {
    final long from;
    int missing;
    long until;

    Spread(long from, int missing) {
      this.from = from;
      this.missing = missing;
    }
  }

  private EngageBench(Point point) {
    this.point = point;
    end = WARM + (ROUNDS + 1) * ((LOCAL_OPS + 2) * point.thinkMicros() + REMOTE_MICROS);
    List<String> behaviours = new ArrayList<>(point.asPublished());
    if (point.store() == Store.SATURN) {
      behaviours.add(EngageConfig.AT_ONCE);
      behaviours.add(EngageConfig.RESEND);
      behaviours.add(EngageConfig.KEEP_TAG);
    }
    settings =
        new Settings(
            ENGAGE.clockBounds(),
            new TreeSet<>(behaviours),
            new TreeMap<>(
                Map.of(
                    "setting",
                    point.setting(),
                    "mesh",
                    point.store() == Store.BAYOU ? 1L : 0L,
                    "resendMicros",
                    RESEND,
                    "flushMicros",
                    point.store() == Store.SATURN ? NEVER : point.flushMicros())));
    deployment = EngageDeployment.of(settings);
    layout =
        point.store() == Store.SATURN
            ? LabelCloudlet.withMoves(deployment.layout())
            : deployment.layout();
    config = ENGAGE.config(settings);
  }

  /**
   * Measures.
   *
   * @throws IllegalStateException if some client did not get through its rounds
   */
  public static Measured run(Point point, long seed) {
    EngageBench bench = new EngageBench(point);
    Load load = bench.load();
    List<LoadRun.Sample> samples =
        LoadRun.of(bench.new Watched(), bench.settings, seed, List.of(), 2, bench.end + REST, load);
    for (Client client : load.clients.values()) {
      if (client.measured && client.rounds <= ROUNDS) {
        throw new IllegalStateException(
            point + ": the client of " + client.home + " began " + client.rounds + " rounds");
      }
    }
    return bench.measured(samples);
  }

  private Measured measured(List<LoadRun.Sample> all) {
    double seconds = (end - WARM) / (double) SECOND;
    List<LoadRun.Sample> samples =
        all.stream().filter(s -> s.atMicros() >= WARM && s.atMicros() < end).toList();
    List<Spread> done = spreads.values().stream().filter(s -> s.missing == 0).toList();
    return new Measured(
        latency(all, Load.REMOTE),
        all.stream().filter(s -> s.kind().equals(Load.REMOTE)).count(),
        latency(samples, Load.LOCAL),
        done.stream().mapToLong(s -> s.until - s.from).average().orElse(0),
        done.size(),
        spreads.size() - done.size(),
        control,
        control / seconds,
        samples.size() / seconds,
        messages / seconds,
        bytes / seconds,
        records / seconds);
  }

  private static double latency(List<LoadRun.Sample> samples, String kind) {
    return samples.stream()
        .filter(s -> s.kind().equals(kind))
        .mapToLong(LoadRun.Sample::latencyMicros)
        .average()
        .orElse(0);
  }

  // ---- what machines do ------------------------------------------------------------------------

  private void sent(Message message, long now) {
    if (now >= WARM && now < end) {
      messages++;
      bytes += message.length();
      control += message instanceof EngageMessage.Flush ? 1 : 0;
    }
  }

  private void persisted(Record record, long now) {
    if (now >= WARM && now < end) {
      records++;
    }
    if (record instanceof EngageRecord.Wrote wrote) {
      int others = layout.replicas(wrote.update().object()).size() - 1;
      if (now >= WARM && now < end && !LabelCloudlet.moves(wrote.update())) {
        spreads.put(
            new Update.Id(wrote.update().source(), wrote.update().number()),
            new Spread(now, others));
      }
    } else if (record instanceof EngageRecord.Executed executed) {
      Spread spread = spreads.get(new Update.Id(executed.source(), executed.number()));
      if (spread != null) {
        spread.missing--;
        spread.until = now;
      }
    }
  }

  /** A machine whose doings are counted. All nodes start at time 0, and no clock drifts. */
  private final class WatchedMachine implements Machine {
    private final Machine real;
    private long origin = -1;

    /**
     * Whether a record reaches the disk. As published a broker keeps nothing, and a cloudlet what
     * it wrote and executed; nobody starts again here, so nobody misses the others.
     */
    private boolean keeps(Record record) {
      return real instanceof Broker
          ? !point.asPublished().contains(EngageConfig.DURABLE_BROKER)
          : !point.asPublished().contains(EngageConfig.DURABLE_CLOUDLET)
              || !(record instanceof EngageRecord.Took);
    }

    WatchedMachine(Machine real) {
      this.real = real;
    }

    @Override
    public void handle(Input input, ClockReading clock, Effects effects) {
      origin = origin < 0 ? clock.localMicros() : origin;
      long now = clock.localMicros() - origin;
      real.handle(
          input,
          clock,
          new ForwardingEffects(effects) {
            @Override
            public void send(String to, Message message) {
              sent(message, now);
              super.send(to, message);
            }

            @Override
            public void persist(Record record) {
              if (keeps(record)) {
                persisted(record, now);
                super.persist(record);
              }
            }
          });
    }
  }

  private final class Watched implements ProtocolSystem {
    @Override
    public String name() {
      return ENGAGE.name();
    }

    @Override
    public ClockBounds clockBounds() {
      return ENGAGE.clockBounds();
    }

    @Override
    public Topology topology(Settings given) {
      return ENGAGE.topology(given);
    }

    @Override
    public Bandwidth bandwidth(NodeSpec node, Settings given) {
      return deployment.limit(node.region());
    }

    @Override
    public Machine machine(NodeSpec node, Topology topology, Settings given) {
      if (node.kind().equals(EngageDeployment.BROKER)) {
        return new WatchedMachine(new Broker(config, layout, node.role()));
      }
      return new WatchedMachine(
          switch (point.store()) {
            case ENGAGE -> new TreeCloudlet(config, layout, node.role());
            case BAYOU -> new MeshCloudlet(config, layout, node.role());
            case SATURN -> new LabelCloudlet(config, layout, node.role());
          });
    }

    @Override
    public ClientDriver client(
        long id, int place, String region, Topology topology, Settings given) {
      throw new UnsupportedOperationException("clients are this bench's own");
    }
  }

  // ---- what clients do -------------------------------------------------------------------------

  private Load load() {
    return point.store() == Store.SATURN ? new Labelled() : new Load();
  }

  /** A client's session and where it is in its round. */
  private final class Client {
    final String home;
    final boolean measured;
    final ClientSession session;
    String cloudlet;
    int done;
    int rounds;

    Client(int number, String site) {
      home = deployment.preferred(site, 0);
      measured = number % 2 == 0;
      session = new ClientSession(config, layout, "s" + number);
      cloudlet = home;
    }
  }

  private class Load implements LoadRun.Source {
    static final String LOCAL = "local";
    static final String REMOTE = "remote";
    static final String BACK = "back";
    static final String BACKGROUND = "background";
    static final String MORE = "more";

    private final Map<Integer, Client> clients = new HashMap<>();
    private Client thinking;

    @Override
    public final Asked next(String region, int number, SplittableRandom random) {
      Client client = clients.computeIfAbsent(number, n -> new Client(n, region));
      String from = client.cloudlet;
      boolean leaves = client.measured && client.done == LOCAL_OPS;
      client.done = leaves ? 0 : client.done + 1;
      client.cloudlet = leaves ? other(client) : client.home;
      String kind = client.measured ? LOCAL : BACKGROUND;
      if (leaves) {
        // The first round warms up; what comes after the last is not wanted.
        kind = client.rounds >= 1 && client.rounds <= ROUNDS ? REMOTE : MORE;
        client.rounds++;
      } else if (!from.equals(client.home)) {
        kind = BACK;
      }
      boolean write = random.nextInt(100) < point.writePercent();
      return asked(client, from, write ? Optional.of(VALUE) : Optional.empty(), random, kind);
    }

    private String other(Client client) {
      List<String> all = layout.cloudlets();
      int step = 1 + (all.size() - 1) / ROUNDS * (client.rounds % ROUNDS);
      return all.get((layout.index(client.home) + step) % all.size());
    }

    /** An object that the cloudlet replicates. */
    protected final String object(String cloudlet, SplittableRandom random) {
      List<String> here =
          deployment.layout().partitions().entrySet().stream()
              .filter(p -> p.getValue().contains(cloudlet))
              .map(Map.Entry::getKey)
              .toList();
      return here.get(random.nextInt(here.size())) + "/" + KEY.next(random);
    }

    protected Asked asked(
        Client client, String from, Optional<String> value, SplittableRandom random, String kind) {
      String object = object(client.cloudlet, random);
      EngageRequest request =
          value
              .map(v -> client.session.write(object, v, client.cloudlet, point.asks()))
              .orElseGet(() -> client.session.read(object, client.cloudlet, point.asks()));
      return new Asked(new ClientDriver.Call(client.cloudlet, (Record) request), kind);
    }

    @Override
    public Asked answered(int number, Record response) {
      Client client = client(number);
      if (response instanceof EngageResponse.Value value) {
        client.session.answered(client.cloudlet, value);
      } else {
        client.session.answered(client.cloudlet, (EngageResponse.Written) response);
      }
      return null;
    }

    /** The client that was answered; it is the next one to think. */
    protected final Client client(int number) {
      thinking = clients.get(number);
      return thinking;
    }

    /** From half of the average to one and a half times it. */
    @Override
    public final long thinkMicros(SplittableRandom random) {
      long think = thinking.measured ? point.thinkMicros() : BACKGROUND_THINK;
      return think / 2 + random.nextLong(think + 1);
    }
  }

  /** A client that moves first writes a label where it is, and then waits for it where it goes. */
  private final class Labelled extends Load {
    private record Move(String from, Asked then) {}

    private final Map<Client, Move> moves = new HashMap<>();

    @Override
    protected Asked asked(
        Client client, String from, Optional<String> value, SplittableRandom random, String kind) {
      String object = object(client.cloudlet, random);
      EngageRequest.Token none = token(false, SealedClock.zero(layout.cloudlets().size()));
      Asked then = request(client.cloudlet, client.session.life(), object, value, none, kind);
      if (from.equals(client.cloudlet)) {
        return then;
      }
      moves.put(client, new Move(from, then));
      String label = LabelCloudlet.migration(from, client.cloudlet);
      return request(from, client.session.life(), label, Optional.of(""), none, kind);
    }

    private Asked request(
        String cloudlet,
        String life,
        String object,
        Optional<String> value,
        EngageRequest.Token token,
        String kind) {
      List<String> asks = token.sent() ? List.of("RYW", "MW") : List.of();
      Record request =
          value.isPresent()
              ? new EngageRequest.Write(life, object, value.get(), asks, token)
              : new EngageRequest.Read(life, object, asks, token);
      return new Asked(new ClientDriver.Call(cloudlet, request), kind);
    }

    /** What names one update, or none. */
    private EngageRequest.Token token(boolean sent, SealedClock update) {
      VectorClock none = SealedClock.zero(layout.cloudlets().size()).clock();
      return new EngageRequest.Token(
          config.cluster(), sent, none, update.clock(), update.clock(), update.seals());
    }

    @Override
    public Asked answered(int number, Record response) {
      Move move = moves.remove(client(number));
      if (move == null) {
        return null;
      }
      EngageRequest then = (EngageRequest) move.then.call().request();
      return request(
          move.then.call().role(),
          then.session(),
          then.object(),
          then instanceof EngageRequest.Write write ? Optional.of(write.value()) : Optional.empty(),
          token(true, ((EngageResponse.Written) response).kept()),
          move.then.kind());
    }
  }
}
