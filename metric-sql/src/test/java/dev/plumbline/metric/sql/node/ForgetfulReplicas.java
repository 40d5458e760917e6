package dev.plumbline.metric.sql.node;

import dev.plumbline.machine.Machine;
import dev.plumbline.metric.StoreReplica;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;

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
