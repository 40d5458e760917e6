package dev.plumbline.k2.bugs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.Status;
import dev.plumbline.k2.Timestamp;
import dev.plumbline.k2.Txn;
import dev.plumbline.k2.system.K2Machines;
import dev.plumbline.k2.system.K2System;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Shows at a node what no client has been seen to notice. */
class ForgottenAbortTest {
  /** It takes a restart between an abort and a late commit. */
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
}
