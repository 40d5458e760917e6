package dev.plumbline.node;

import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Response;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A node that sends itself a message at its first start, and tells clients whether it arrived since
 * the last.
 */
public final class TalksToItself implements SeededBug {
  /** A handler fails at this. */
  static final K2Request FAIL = new K2Request.Commit("fail");

  @Override
  public String protocol() {
    return "k2";
  }

  @Override
  public String name() {
    return "talks-to-itself";
  }

  @Override
  public String description() {
    return "aborts what is asked before its own message arrives";
  }

  @Override
  public Machine machine(NodeSpec node, Topology topology, Settings settings, Machine correct) {
    AtomicBoolean arrived = new AtomicBoolean();
    return (input, clock, effects) -> {
      if (input instanceof Input.Start start && start.epoch() == 1) {
        effects.send(node.role(), new K2Message.BatchRequest(1));
      } else if (input instanceof Input.Deliver) {
        arrived.set(true);
      } else if (input instanceof Input.ClientRequest request) {
        if (request.request().equals(FAIL)) {
          throw new IllegalStateException("as it is told");
        }
        effects.reply(
            request.requestId(),
            arrived.get() ? new K2Response.Accepted() : new K2Response.Aborted("alone"));
      }
    };
  }
}
