package dev.plumbline.sim.toy;

import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;

/** The primary persists only the first write of a transaction. */
public final class HalfDurable implements SeededBug {

  @Override
  public String protocol() {
    return "toy";
  }

  @Override
  public String name() {
    return "half-durable";
  }

  @Override
  public String description() {
    return "the primary persists only the first write of a transaction";
  }

  @Override
  public Machine machine(NodeSpec node, Topology topology, Settings settings, Machine correct) {
    return correct instanceof ToyPrimary ? new ToyPrimary(true) : correct;
  }
}
