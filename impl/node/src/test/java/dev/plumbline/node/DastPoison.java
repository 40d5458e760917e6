package dev.plumbline.node;

import dev.plumbline.dast.DastRequest;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;

/** A handler of DAST that fails at one id. */
public final class DastPoison implements SeededBug {
  static final String ID = "666";

  @Override
  public String protocol() {
    return "dast";
  }

  @Override
  public String name() {
    return "dast-poison";
  }

  @Override
  public String description() {
    return "a node fails at transaction " + ID;
  }

  @Override
  public Machine machine(NodeSpec node, Topology topology, Settings settings, Machine correct) {
    return (input, clock, effects) -> {
      if (input instanceof Input.ClientRequest request
          && request.request() instanceof DastRequest asked
          && asked.txn().id().equals(ID)) {
        throw new IllegalStateException("poisoned");
      }
      correct.handle(input, clock, effects);
    };
  }
}
