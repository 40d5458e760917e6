package dev.plumbline.cli;

import dev.plumbline.check.Workspace;
import dev.plumbline.graph.Conformance;
import dev.plumbline.mutate.Mutation;
import dev.plumbline.parts.Shard;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.worlds.Worlds;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

/** A command, and the protocol whose files and machines its result depends on. */
record Stage(String protocol, String name, List<String> arguments, boolean ownCache) {
  /** How many mutants the quick lane samples: a share of its 90 seconds. */
  private static final String MUTANTS = "3";

  /** Seeds in the nightly lane, and per cent of them whose logs are judged. */
  private static final String SEEDS = "10000";

  private static final String LOGS = "20";

  /** Rounds of the damage suite in the nightly lane. */
  private static final String DAMAGED = "200";

  /** Transactions of each long history in the nightly lane; its first seed. */
  private static final String LONG = "10000";

  private static final String LONG_SEED = "900";

  /** Seconds that a hostile peer has with each protocol, in the quick and in the nightly lane. */
  private static final String ATTACKED_QUICKLY = "8";

  private static final String ATTACKED = "300";

  /** Of a minute each, in the nightly lane. */
  private static final int CLUSTER_RUNS = 10;

  /** Stages that machines share. */
  static final Set<String> SHARED = Set.of("check", "worlds", "mutate", "simulate", "histories");

  static Stage of(String protocol, String name, String... arguments) {
    return new Stage(protocol, name, List.of(arguments), false);
  }

  String command() {
    return String.join(" ", arguments);
  }

  /** Whether machines share it; else one of them does it. */
  boolean shared() {
    return SHARED.contains(name);
  }

  /** What a shared stage calls itself in its ledger. */
  String ledger() {
    return switch (name) {
      case "check" -> "check";
      case "simulate", "histories" ->
          SimulateCommand.stage(
              protocol,
              Protocols.named(protocol).workloads().get(0),
              Integer.parseInt(arguments.get(arguments.indexOf("--txns") + 1)));
      default -> name + " " + protocol;
    };
  }

  /** All ledgers that a shared stage writes: its own, and the one of mutated machines. */
  List<String> ledgers(String lane, Workspace workspace) {
    return name.equals("mutate") && lane.equals("nightly") && Mutation.machines(protocol, workspace)
        ? List.of(ledger(), "mutate machines of " + protocol)
        : List.of(ledger());
  }

  /** As this machine is to do it. */
  Stage on(Shard shard) {
    if (shard.whole() || !shared()) {
      return this;
    }
    List<String> own = new ArrayList<>(arguments);
    own.addAll(List.of("--shard", shard.toString()));
    return new Stage(protocol, name, own, ownCache);
  }

  /** What a lane runs, in its order. */
  static List<Stage> ofLane(
      List<String> protocols, String lane, boolean fresh, Workspace workspace) {
    boolean quick = lane.equals("quick");
    List<Stage> stages = new ArrayList<>();
    List<String> check = new ArrayList<>(List.of("check", "--lane", lane));
    if (fresh) {
      check.add("--fresh");
    }
    check.addAll(protocols);
    stages.add(new Stage(String.join(" ", protocols), "check", check, true));
    for (String p : protocols) {
      if (workspace.protocols().stream()
          .anyMatch(c -> c.protocol().equals(p) && Worlds.described(c))) {
        stages.add(Stage.of(p, "worlds", "worlds", p, "--lane", lane));
      }
      if (mutated(p, workspace)) {
        List<String> mutate = new ArrayList<>(List.of("mutate", p, "--lane", lane));
        if (quick) {
          mutate.addAll(List.of("--sample", MUTANTS));
        }
        if (fresh) {
          mutate.add("--fresh");
        }
        stages.add(new Stage(p, "mutate", mutate, true));
      }
      if (conforms(p)) {
        stages.add(Stage.of(p, "corpus", "corpus", p));
        stages.add(Stage.of(p, "replay", "replay", p, "--lockstep=" + (quick ? "quick" : "all")));
        stages.add(Stage.of(p, "coverage", "coverage", p));
      }
      if (implemented(p)) {
        String seeds = quick ? String.valueOf(Conformance.named(p).quickSeeds()) : SEEDS;
        List<String> simulate = new ArrayList<>(List.of("simulate", p, "--seeds", seeds));
        simulate.addAll(List.of("--txns", "200", "--faults", "all"));
        if (!quick) {
          simulate.addAll(List.of("--logs", LOGS));
        }
        stages.add(new Stage(p, "simulate", simulate, false));
      }
      if (implemented(p) && transactions(p) && !quick) {
        stages.add(
            Stage.of(
                p,
                "histories",
                "simulate",
                p,
                "--seed",
                LONG_SEED,
                "--seeds",
                "10",
                "--txns",
                LONG,
                "--logs",
                "0",
                "--black-boxes"));
      }
      if (Bugs.listed(p) && !quick) {
        stages.add(Stage.of(p, "bugs", "bugs", p));
      }
      if (implemented(p)) {
        stages.add(
            Stage.of(p, "attack", "attack", p, "--seconds", quick ? ATTACKED_QUICKLY : ATTACKED));
      }
      if (implemented(p) && !quick) {
        LongStream.rangeClosed(1, CLUSTER_RUNS)
            .mapToObj(seed -> Stage.of(p, "jepsen", "jepsen", p, "--seed", String.valueOf(seed)))
            .forEach(stages::add);
        stages.add(Stage.of(p, "damage", "damage", p, "--rounds", DAMAGED));
      }
    }
    return stages;
  }

  static boolean transactions(String protocol) {
    return !Protocols.named(protocol).model().ofOperations();
  }

  static boolean conforms(String protocol) {
    return Conformance.all().stream().anyMatch(c -> c.protocol().equals(protocol));
  }

  static boolean mutated(String protocol, Workspace workspace) {
    return workspace.protocols().stream()
        .filter(p -> p.protocol().equals(protocol))
        .anyMatch(p -> Files.isRegularFile(Mutation.file(p)));
  }

  static boolean implemented(String protocol) {
    return Protocols.all().stream().anyMatch(p -> p.name().equals(protocol));
  }
}
