package dev.plumbline.dast;

import dev.plumbline.machine.Machine;
import java.util.List;
import java.util.Map;

/** A machine that holds a copy of a shard. */
public interface Replica extends Machine {

  /** The values of the shard's keys. */
  Map<Long, List<Long>> store();
}
