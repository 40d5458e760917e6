package dev.plumbline.sql.metric.node;

import dev.plumbline.machine.Machine;
import dev.plumbline.metric.StoreReplica;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.Topology;

/** A seeded bug: a replica of the store begins empty after a restart, and the redo log with it. */
public final class ForgetfulReplicas implements SeededBug {
  static final String NAME = "forgetful-replicas";

  @Override
  public String protocol() {
    return TestCluster.PROTOCOL;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String description() {
    return "a replica of the store begins empty after a restart";
  }

  @Override
  public Machine machine(NodeSpec node, Topology topology, Settings settings, Machine correct) {
    if (!(correct instanceof StoreReplica replica)) {
      return correct;
    }
    return new StoreReplica(replica.config(), replica.name()) {
      @Override
      protected void recall(Record record) {}
    };
  }
}
