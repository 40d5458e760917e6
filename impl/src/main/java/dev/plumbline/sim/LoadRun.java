package dev.plumbline.sim;

import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.ClientDriver.Call;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;

/**
 * A closed loop of clients that measures: each asks for one transaction after the other, in one
 * request and without a pause unless their source says otherwise. For speed under load; nothing is
 * judged.
 */
public final class LoadRun {
  private static final int PURPOSE = 31;

  /** What a client asks for next, and what its latency is booked under. */
  public record Asked(Call call, String kind) {}

  /** Decides what clients ask for. */
  @FunctionalInterface
  public interface Source {
    Asked next(String region, int client, SplittableRandom random);

    /** A client was answered; returns what the same operation asks for next, null if it is over. */
    default Asked answered(int client, Record response) {
      return null;
    }

    /** How long a client thinks before its next operation. */
    default long thinkMicros(SplittableRandom random) {
      return 0;
    }
  }

  /**
   * An answered request.
   *
   * @param atMicros when the answer came, virtual time
   */
  public record Sample(String kind, long atMicros, long latencyMicros) {}

  /**
   * What a run left when all clients had their answers and the system came to rest.
   *
   * @param unanswered clients that still wait
   * @param machines by role
   */
  public record Rest(List<Sample> samples, int unanswered, SortedMap<String, Machine> machines) {}

  private static final long ASK_AGAIN_MICROS = 1_000_000;
  private static final long REST_MICROS = 20_000_000;

  private LoadRun() {}

  /**
   * Runs {@code untilMicros} of virtual time.
   *
   * @param clients in each region
   */
  public static List<Sample> of(
      ProtocolSystem protocol,
      Settings settings,
      long seed,
      List<Fault> faults,
      int clients,
      long untilMicros,
      Source source) {
    Simulator sim = simulator(protocol, settings, seed);
    List<Sample> samples = new ArrayList<>();
    sim.start(new FaultPlan(faults, untilMicros));
    clients(sim, protocol.topology(settings), samples, seed, clients, Long.MAX_VALUE, source);
    run(sim, untilMicros);
    return samples;
  }

  /**
   * The same until the faults are healed, then nothing new is asked and the system comes to rest.
   * Clients ask again for what was not answered in a second.
   */
  static Rest toRest(
      ProtocolSystem protocol,
      Settings settings,
      long seed,
      FaultPlan plan,
      int clients,
      Source source) {
    Simulator sim = simulator(protocol, settings, seed);
    List<Sample> samples = new ArrayList<>();
    sim.start(plan);
    List<Client> loops =
        clients(
            sim,
            protocol.topology(settings),
            samples,
            seed,
            clients,
            plan.healedAtMicros(),
            source);
    run(sim, plan.healedAtMicros() + REST_MICROS);
    int unanswered = (int) loops.stream().filter(loop -> loop.waits).count();
    return new Rest(samples, unanswered, sim.owners());
  }

  private static Simulator simulator(ProtocolSystem protocol, Settings settings, long seed) {
    Topology topology = protocol.topology(settings);
    return new Simulator(
        seed,
        settings.clocks(),
        topology,
        spec -> protocol.bandwidth(spec, settings),
        spec -> protocol.machine(spec, topology, settings),
        spec -> null);
  }

  private static List<Client> clients(
      Simulator sim,
      Topology topology,
      List<Sample> samples,
      long seed,
      int clients,
      long lastMicros,
      Source source) {
    List<Client> loops = new ArrayList<>();
    for (String region : topology.regions()) {
      for (int i = 0; i < clients; i++) {
        int client = loops.size();
        SplittableRandom random = new SplittableRandom(Draw.bits(seed, client, PURPOSE));
        Client loop = new Client(sim, samples, region, client, random, lastMicros, source);
        loops.add(loop);
        sim.events().at(1 + random.nextLong(100_000), loop::next);
      }
    }
    return loops;
  }

  private static void run(Simulator sim, long untilMicros) {
    sim.run(untilMicros, () -> true);
    if (sim.failure() != null) {
      throw new IllegalStateException(sim.failure());
    }
  }

  private static final class Client {
    private final Simulator sim;
    private final List<Sample> samples;
    private final String region;
    private final int number;
    private final SplittableRandom random;
    private final long lastMicros;
    private final Source source;
    private long asks;
    private boolean waits;

    Client(
        Simulator sim,
        List<Sample> samples,
        String region,
        int number,
        SplittableRandom random,
        long lastMicros,
        Source source) {
      this.sim = sim;
      this.samples = samples;
      this.region = region;
      this.number = number;
      this.random = random;
      this.lastMicros = lastMicros;
      this.source = source;
    }

    void next() {
      if (sim.events().now() < lastMicros) {
        waits = true;
        asks++;
        ask(source.next(region, number, random), asks, sim.events().now());
      }
    }

    private void ask(Asked asked, long ask, long start) {
      sim.call(
          region,
          asked.call().role(),
          asked.call().request(),
          response -> {
            if (waits && ask == asks) {
              Asked more = source.answered(number, response);
              if (more == null) {
                over(asked, start);
              } else {
                asks++;
                ask(more, asks, start);
              }
            }
          });
      if (lastMicros < Long.MAX_VALUE) {
        sim.events()
            .at(
                sim.events().now() + ASK_AGAIN_MICROS,
                () -> {
                  if (waits && ask == asks) {
                    ask(asked, ask, start);
                  }
                });
      }
    }

    private void over(Asked asked, long start) {
      waits = false;
      long now = sim.events().now();
      samples.add(new Sample(asked.kind(), now, now - start));
      long think = source.thinkMicros(random);
      if (think > 0) {
        sim.events().at(now + think, this::next);
      } else {
        next();
      }
    }
  }
}
