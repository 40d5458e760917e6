package dev.plumbline.node;

import dev.plumbline.k2.K2Request;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;

/** A handler that fails at one key. */
public final class Poison implements SeededBug {
  static final long KEY = 666;

  @Override
  public String protocol() {
    return "k2";
  }

  @Override
  public String name() {
    return "poison";
  }

  @Override
  public String description() {
    return "a coordinator fails at key " + KEY;
  }

  @Override
  public Machine machine(NodeSpec node, Topology topology, Settings settings, Machine correct) {
    return (input, clock, effects) -> {
      if (input instanceof Input.ClientRequest request
          && request.request() instanceof K2Request.Get get
          && get.key() == KEY) {
        throw new IllegalStateException("poisoned");
      }
      correct.handle(input, clock, effects);
    };
  }
}
