package dev.plumbline.mutate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.history.Op;
import dev.plumbline.mutate.MachineRuns.Setting;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.sim.RunResult;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs of DAST of two regions of two shards, whose clocks are told seldom: logs are short. */
final class DastRuns {
  static final MachineRuns DAST = new MachineRuns("dast");
  static final Map<String, Long> SMALL = Map.of("regions", 2L, "tellMicros", 50_000L);

  /** When faults begin, µs. */
  static final long BEGIN = 1_200_000;

  private DastRuns() {}

  static List<String> processes() {
    return Stream.concat(DAST.nodes("node").stream(), DAST.nodes("manager").stream())
        .map(NodeSpec::id)
        .filter(id -> !id.contains("r3"))
        .toList();
  }

  /** All of these lose so many of a thousand messages to each other. */
  static void lose(Setting s, List<String> processes, long until, int permille) {
    for (String from : processes) {
      processes.forEach(to -> s.faults.add(new Fault.Loss(BEGIN, until, from, to, permille)));
    }
  }

  static Setting setting(long seed, int transactions, String workload) {
    Setting s = DAST.setting(seed, transactions);
    s.workload = workload;
    s.parameters.putAll(SMALL);
    return s;
  }

  /** Every client is told, and what all are told is what the protocol promises. */
  static RunResult sound(Setting s) {
    RunResult run = DAST.sound(s);
    assertThat(run.history().ops()).noneMatch(op -> op.type() == Op.Type.INFO);
    return run;
  }
}
