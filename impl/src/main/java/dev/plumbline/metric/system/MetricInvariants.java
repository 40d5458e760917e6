package dev.plumbline.metric.system;

import dev.plumbline.machine.Machine;
import dev.plumbline.metric.Change;
import dev.plumbline.metric.MemoryDatabase;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.MetricProcess;
import dev.plumbline.metric.Phase;
import dev.plumbline.metric.Redo;
import dev.plumbline.metric.StoreReplica;
import dev.plumbline.metric.Uuid;
import dev.plumbline.metric.Value;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What must hold once nothing happens any more and every table has been read: no process is in the
 * middle of anything, the redo log has every request once, and an owner's database has what the
 * redo log has.
 */
final class MetricInvariants {
  private final Map<String, Machine> machines;
  private final List<String> violations = new ArrayList<>();

  MetricInvariants(Map<String, Machine> machines) {
    this.machines = machines;
  }

  List<String> violations() {
    machines.forEach(
        (role, machine) -> {
          if (machine instanceof MetricProcess process) {
            quiet(role, process);
            process.via().forEach((table, entry) -> database(role, process, table, entry));
          }
        });
    return violations;
  }

  static boolean busy(MetricProcess process) {
    return process.phase() != Phase.IDLE || process.waiting() > 0;
  }

  private void quiet(String role, MetricProcess process) {
    if (busy(process)) {
      violations.add(role + " is still at " + process.phase() + ", " + process.waiting() + " wait");
    } else if (!process.database().queue().isEmpty()) {
      violations.add(role + " has a local tx-queue that is not in the redo log");
    }
  }

  /** Where the process is the owner: others may not know yet that they aren't any more. */
  private void database(String role, MetricProcess process, String table, Uuid entry) {
    if (!newest(MetricConfig.tableKey(table)).latest().equals(entry)) {
      return;
    }
    List<Redo> redo = new ArrayList<>();
    for (Uuid e = entry; e != null && e.time() > 0; ) {
      Value value = newest(MetricConfig.entryKey(e));
      redo.addAll(0, value.queue());
      e = value.tables().get(table);
    }
    SortedMap<String, List<Long>> rows = new TreeMap<>();
    Set<String> seen = new HashSet<>();
    for (Redo r : redo) {
      if (r.changes().stream().anyMatch(c -> c.table().equals(table))
          && !seen.add(r.id().toString())) {
        violations.add("the redo log has request " + r.id() + " twice");
      }
      for (Change c : r.changes()) {
        if (c.table().equals(table)) {
          rows.put(c.row(), c.value());
        }
      }
    }
    if (process.database() instanceof MemoryDatabase memory && !memory.rows(table).equals(rows)) {
      violations.add(role + " owns " + table + " and has other records of it than the redo log");
    }
  }

  /** The newest write of a key at any replica. */
  private Value newest(String key) {
    StoreReplica best = null;
    for (Machine machine : machines.values()) {
      if (machine instanceof StoreReplica replica
          && (best == null || replica.stamp(key).compareTo(best.stamp(key)) > 0)) {
        best = replica;
      }
    }
    return best == null ? Value.NONE : best.value(key);
  }
}
