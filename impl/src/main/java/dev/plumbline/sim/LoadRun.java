package dev.plumbline.sim;

import dev.plumbline.sim.ClientDriver.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A closed loop of clients that measures: each asks for one transaction after the other, in one
 * request, without a pause. For speed under load; nothing is judged.
 */
public final class LoadRun {
  private static final int PURPOSE = 31;

  /** What a client asks for next, and what its latency is booked under. */
  public record Asked(Call call, String kind) {}

  /** Decides what clients ask for. */
  @FunctionalInterface
  public interface Source {
    Asked next(String region, int client, SplittableRandom random);
  }

  /**
   * An answered request.
   *
   * @param atMicros when the answer came, virtual time
   */
  public record Sample(String kind, long atMicros, long latencyMicros) {}

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
    Topology topology = protocol.topology(settings);
    Simulator sim =
        new Simulator(
            seed,
            settings.clocks(),
            topology,
            spec -> protocol.machine(spec, topology, settings),
            spec -> null);
    List<Sample> samples = new ArrayList<>();
    sim.start(new FaultPlan(faults, untilMicros));
    int number = 0;
    for (String region : topology.regions()) {
      for (int i = 0; i < clients; i++) {
        int client = number++;
        SplittableRandom random = new SplittableRandom(Draw.bits(seed, client, PURPOSE));
        Client loop = new Client(sim, samples, region, client, random, source);
        sim.events().at(1 + random.nextLong(100_000), loop::next);
      }
    }
    sim.run(untilMicros, () -> true);
    if (sim.failure() != null) {
      throw new IllegalStateException(sim.failure());
    }
    return samples;
  }

  private record Client(
      Simulator sim,
      List<Sample> samples,
      String region,
      int number,
      SplittableRandom random,
      Source source) {

    void next() {
      Asked asked = source.next(region, number, random);
      long start = sim.events().now();
      sim.call(
          region,
          asked.call().role(),
          asked.call().request(),
          response -> {
            long now = sim.events().now();
            samples.add(new Sample(asked.kind(), now, now - start));
            next();
          });
    }
  }
}
