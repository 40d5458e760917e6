package ${package}.bugs;

import ${package}.Primary;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;

/** The primary takes a transaction for stored once it has sent it. */
public final class EarlyAnswer implements SeededBug {
  @Override
  public String protocol() {
    return "${protocol}";
  }

  @Override
  public String name() {
    return "early-answer";
  }

  @Override
  public String description() {
    return "the primary takes a transaction for stored once it has sent it";
  }

  @Override
  public Machine machine(NodeSpec node, Topology topology, Settings settings, Machine correct) {
    return correct instanceof Primary
        ? new Primary() {
          @Override
          protected int stored(int run, int before) {
            return run;
          }
        }
        : correct;
  }
}
