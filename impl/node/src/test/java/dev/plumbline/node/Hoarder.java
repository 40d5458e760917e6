package dev.plumbline.node;

import dev.plumbline.k2.K2Timer;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.util.ArrayList;
import java.util.List;

/** A node that keeps things until little of its heap is left, and has room enough then. */
public final class Hoarder implements SeededBug {
  private static final int EACH = 256 << 10;
  private static final long LEFT_PERCENT = 3;

  @Override
  public String protocol() {
    return "k2";
  }

  @Override
  public String name() {
    return "hoarder";
  }

  @Override
  public String description() {
    return "keeps all but a few percent of its heap";
  }

  @Override
  public Machine machine(NodeSpec node, Topology topology, Settings settings, Machine correct) {
    List<byte[]> kept = new ArrayList<>();
    return (input, clock, effects) -> {
      System.gc();
      long most = HeapWatch.old().orElseThrow().getUsage().getMax() / 100 * (100 - LEFT_PERCENT);
      if (HeapWatch.old().orElseThrow().getCollectionUsage().getUsed() + EACH < most) {
        kept.add(new byte[EACH]);
      }
      effects.setTimer(new K2Timer.ReplayNext(), 0);
    };
  }
}
