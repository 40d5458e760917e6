package dev.plumbline.k2.system;

import dev.plumbline.k2.Coordinator;
import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.Replica;
import dev.plumbline.k2.Status;
import dev.plumbline.k2.Timestamp;
import dev.plumbline.k2.Version;
import dev.plumbline.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;

/**
 * What must hold once nothing happens any more and every key has been read: no transaction is
 * undecided or unfinished, no read waits, intents are left only where no reader met them and agree
 * with their records, and replicas hold what primaries hold, but for a cut on its way.
 */
final class K2Invariants {
  private final Map<String, Machine> machines;
  private final List<String> violations = new ArrayList<>();

  K2Invariants(Map<String, Machine> machines) {
    this.machines = machines;
  }

  List<String> violations() {
    machines.forEach(
        (role, machine) -> {
          if (machine instanceof DataNode node) {
            decided(role, node);
            intents(role, node);
          } else if (machine instanceof Replica replica) {
            replayed(role, replica);
          } else if (machine instanceof Coordinator coordinator
              && !coordinator.transactions().isEmpty()) {
            violations.add(role + " never finished " + coordinator.transactions().keySet());
          }
        });
    return violations;
  }

  private void decided(String role, DataNode node) {
    node.recorder()
        .records()
        .forEach(
            (id, recorded) -> {
              if (!recorded.status().decided()) {
                violations.add(role + " never decided on " + id);
              }
            });
    if (!node.recorder().held().isEmpty()) {
      violations.add(role + " still holds " + node.recorder().held());
    }
    if (!node.waiting().isEmpty()) {
      violations.add("reads still wait at " + role + ": " + node.waiting());
    }
  }

  private void intents(String role, DataNode node) {
    node.versions()
        .all()
        .forEach(
            (key, versions) -> {
              if (!versions.isEmpty() && !versions.lastEntry().getValue().committed()) {
                violations.add(
                    role + " read key " + key + " and left an intent: " + versions.lastEntry());
              }
              versions.values().stream()
                  .filter(Version::committed)
                  .filter(version -> status(version) != Status.COMMITTED)
                  .forEach(
                      version ->
                          violations.add(
                              role
                                  + " committed "
                                  + version
                                  + " of key "
                                  + key
                                  + " but its record"
                                  + " says "
                                  + status(version)));
            });
  }

  /** What the record of a version's writer says; null if there is none. */
  private Status status(Version version) {
    Machine recorder = machines.get(new K2Deployment().home(version.first()));
    return recorder instanceof DataNode node ? node.recorder().status(version.writer().id()) : null;
  }

  private void replayed(String role, Replica replica) {
    if (machines.get(K2Deployment.primaryOf(role)) instanceof DataNode node) {
      Map<Long, NavigableMap<Timestamp, Version>> primary = node.versions().all();
      if (replica.next() == node.log().entries().size()
          && !replica.versions().all().equals(primary)) {
        violations.add(role + " replayed its primary's log to something else than the primary");
      } else if (node.log().entries().size() - replica.next() > 1) {
        violations.add(role + " is behind its primary by more than what is on its way");
      }
    }
  }
}
