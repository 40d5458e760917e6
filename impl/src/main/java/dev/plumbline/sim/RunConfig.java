package dev.plumbline.sim;

import dev.plumbline.protocol.BrokenAssumption;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.GivenParameters;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a run is: with the program, this decides everything that happens.
 *
 * @param seed decides the plan (unless given), the workload and every delay
 * @param transactions how many the clients run together
 * @param workload a name that {@link Workload#named} knows
 * @param faults kinds of fault to plan
 * @param broken assumptions to break
 * @param asPublished published behaviours switched on
 * @param parameters protocol parameters
 * @param bug a seeded bug
 * @param plan faults in place of planned ones
 * @param traced whether nodes log their steps
 */
public record RunConfig(
    ProtocolSystem protocol,
    long seed,
    int transactions,
    String workload,
    Set<FaultKind> faults,
    Set<BrokenAssumption> broken,
    SortedSet<String> asPublished,
    SortedMap<String, Long> parameters,
    Optional<SeededBug> bug,
    Optional<FaultPlan> plan,
    boolean traced) {
  public RunConfig {
    if (transactions < 1) {
      throw new IllegalArgumentException("a run needs at least one transaction");
    }
    Workload.named(workload);
    if (!protocol.workloads().contains(workload)) {
      throw new IllegalArgumentException(
          protocol.name()
              + "'s clients cannot run the workload "
              + workload
              + "; they run "
              + String.join(", ", protocol.workloads()));
    }
    for (BrokenAssumption assumption : broken) {
      if (!protocol.assumptions().contains(assumption)) {
        throw new IllegalArgumentException(
            protocol.name() + " does not assume " + assumption + ", so it cannot be broken");
      }
    }
    GivenParameters.demand(protocol, parameters);
    if (protocol.outside(new Settings(protocol.clockBounds(), asPublished, parameters))) {
      throw new IllegalArgumentException(
          "with these parameters nodes of "
              + protocol.name()
              + " reach a database, which the simulator does not have; try ./plumb cluster or"
              + " ./plumb jepsen");
    }
    for (FaultKind kind : kinds(Set.of(), plan)) {
      if (!protocol.tolerated().contains(kind)) {
        throw new IllegalArgumentException(
            "the plan has a fault that "
                + protocol.name()
                + "'s machines do not tolerate: "
                + kind
                + "; they tolerate "
                + protocol.tolerated().stream()
                    .map(FaultKind::toString)
                    .collect(Collectors.joining(", ")));
      }
    }
    for (String behaviour : asPublished) {
      if (!protocol.publishedBehaviours().contains(behaviour)) {
        throw new IllegalArgumentException(
            protocol.name()
                + " has no published behaviour \""
                + behaviour
                + "\"; it has "
                + String.join(", ", protocol.publishedBehaviours()));
      }
    }
  }

  private static Set<FaultKind> kinds(Set<FaultKind> planned, Optional<FaultPlan> plan) {
    Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
    plan.ifPresentOrElse(
        given -> given.faults().forEach(fault -> kinds.add(FaultKind.of(fault))),
        () -> kinds.addAll(planned));
    return kinds;
  }

  /** The same run with another seed. */
  public RunConfig withSeed(long otherSeed) {
    return new RunConfig(
        protocol,
        otherSeed,
        transactions,
        workload,
        faults,
        broken,
        asPublished,
        parameters,
        bug,
        plan,
        traced);
  }

  /** A traced run of the protocol as it is, with its first workload and planned faults. */
  public static RunConfig plain(
      ProtocolSystem protocol, long seed, int transactions, Set<FaultKind> faults) {
    return new RunConfig(
        protocol,
        seed,
        transactions,
        protocol.workloads().get(0),
        faults,
        Set.of(),
        new TreeSet<>(),
        new TreeMap<>(),
        Optional.empty(),
        Optional.empty(),
        true);
  }

  /** The same run without logs. */
  public RunConfig untraced() {
    return new RunConfig(
        protocol,
        seed,
        transactions,
        workload,
        faults,
        broken,
        asPublished,
        parameters,
        bug,
        plan,
        false);
  }

  /** The same run with other faults and fewer transactions. */
  public RunConfig with(FaultPlan otherPlan, int otherTransactions) {
    return new RunConfig(
        protocol,
        seed,
        otherTransactions,
        workload,
        faults,
        broken,
        asPublished,
        parameters,
        bug,
        Optional.of(otherPlan),
        traced);
  }

  /** The settings that the machines get. */
  public Settings settings() {
    SortedMap<String, Long> all = new TreeMap<>(protocol.parametersUnder(kinds(faults, plan)));
    all.putAll(parameters);
    return new Settings(protocol.clockBounds(), asPublished, all);
  }
}
