package dev.plumbline.bugs.k2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.Status;
import dev.plumbline.k2.Timestamp;
import dev.plumbline.k2.Txn;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.sim.Campaign;
import dev.plumbline.sim.FaultKind;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.Topology;
import dev.plumbline.sim.k2.K2Machines;
import dev.plumbline.sim.k2.K2System;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** Seeded bugs show in what clients see, but for one. Seeds were searched for: bugs/k2.csv. */
class K2BugsTest {
  private static final Campaign CAMPAIGN = new Campaign(Judges.all(), 1);

  private static List<SeededBug> bugs() {
    return Protocols.bugs("k2", K2BugsTest.class.getClassLoader());
  }

  @Test
  void bugsHaveNamesOfTheirOwn() {
    assertThat(bugs()).hasSizeGreaterThanOrEqualTo(8);
    assertThat(bugs()).extracting(SeededBug::name).doesNotHaveDuplicates();
    assertThat(bugs()).extracting(SeededBug::description).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @CsvFileSource(resources = "/bugs/k2.csv", delimiter = '|')
  void theJudgesCatch(
      String name, long seed, String workload, String faults, String parameters, String clients) {
    SeededBug bug =
        bugs().stream()
            .filter(candidate -> candidate.name().equals(name))
            .findFirst()
            .orElseThrow();
    assertThat(
            failing(config(seed, workload, faults, parameters, Optional.of(bug))).stream()
                .anyMatch(failure -> failure.startsWith("strict serializability")))
        .isEqualTo(clients.equals("seen"));
    assertThat(failing(config(seed, workload, faults, parameters, Optional.empty()))).isEmpty();
  }

  /** No client has been seen to notice: it takes a restart between an abort and a late commit. */
  @Test
  void aForgottenAbortIsCommittedAfterARestart() {
    assertThat(afterAbortAndRestart(new ForgottenAbort())).isEqualTo(Status.COMMITTED);
    assertThat(afterAbortAndRestart(new K2Machines())).isEqualTo(Status.ABORTED);
  }

  private static Status afterAbortAndRestart(K2Machines machines) {
    K2System system = new K2System();
    Settings settings = Settings.repaired(system.clockBounds());
    Topology topology = system.topology(settings);
    NodeSpec spec =
        topology.nodes().stream().filter(n -> n.id().equals("dn-SH")).findFirst().orElseThrow();
    K2Config config = system.config(settings);
    Txn txn = new Txn("t", "c-SH", 1, new Timestamp(10, 1, 1, 1));
    Persisted effects = new Persisted();
    Machine node = machines.machine(spec, topology, config);
    node.handle(new Input.Start(1, List.of()), ClockReading.local(0), effects);
    for (Message message :
        List.of(new K2Message.Write(txn, 0, 0, List.of(1L)), new K2Message.Abort(txn, 0))) {
      node.handle(new Input.Deliver("c-SH", message), ClockReading.local(1), effects);
    }
    DataNode heir = (DataNode) machines.machine(spec, topology, config);
    heir.handle(new Input.Start(2, List.copyOf(effects.records)), ClockReading.local(2), effects);
    heir.handle(
        new Input.Deliver("c-SH", new K2Message.Commit(txn, 0, 1)), ClockReading.local(3), effects);
    return heir.recorder().status("t");
  }

  /** Keeps what is persisted and drops the rest. */
  private static final class Persisted extends NoEffects {
    private final List<Record> records = new ArrayList<>();

    @Override
    public void persist(Record record) {
      records.add(record);
    }
  }

  private static RunConfig config(
      long seed, String workload, String faults, String parameters, Optional<SeededBug> bug) {
    return new RunConfig(
        new K2System(),
        seed,
        200,
        workload,
        FaultKind.parse(faults),
        Set.of(),
        new TreeSet<>(),
        parameters(parameters),
        bug,
        Optional.empty(),
        false);
  }

  private static List<String> failing(RunConfig config) {
    return CAMPAIGN.report(config).judgements().stream()
        .filter(judgement -> judgement.verdict() == Judge.Verdict.FAILS)
        .map(judgement -> judgement.judge() + ": " + judgement.detail())
        .toList();
  }

  /** {@code name=number} pairs, apart by blanks; {@code -} for none. */
  private static SortedMap<String, Long> parameters(String text) {
    SortedMap<String, Long> parameters = new TreeMap<>();
    if (!text.equals("-")) {
      for (String pair : List.of(text.split(" ", -1))) {
        parameters.put(
            pair.substring(0, pair.indexOf('=')),
            Long.valueOf(pair.substring(pair.indexOf('=') + 1)));
      }
    }
    return parameters;
  }
}
