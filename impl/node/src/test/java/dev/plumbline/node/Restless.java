package dev.plumbline.node;

import dev.plumbline.k2.K2Response;
import dev.plumbline.k2.K2Timer;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;

/** A node whose timer is due again as soon as it has fired. */
public final class Restless implements SeededBug {
  @Override
  public String protocol() {
    return "k2";
  }

  @Override
  public String name() {
    return "restless";
  }

  @Override
  public String description() {
    return "a timer without a delay, again and again";
  }

  @Override
  public Machine machine(NodeSpec node, Topology topology, Settings settings, Machine correct) {
    return (input, clock, effects) -> {
      if (input instanceof Input.ClientRequest request) {
        effects.reply(request.requestId(), new K2Response.Accepted());
      } else {
        effects.setTimer(new K2Timer.ReplayNext(), -1);
      }
    };
  }
}
