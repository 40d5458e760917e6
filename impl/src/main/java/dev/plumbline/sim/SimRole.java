package dev.plumbline.sim;

import java.util.Arrays;

/** A role: its durable log, its owner, and who every endpoint believes the owner to be. */
final class SimRole {
  final String name;
  final SharedLog log = new SharedLog();
  SimNode owner;
  private SimNode[] believed;

  SimRole(String name) {
    this.name = name;
  }

  /** The first owner, known to all endpoints. */
  void firstOwner(SimNode node, int endpoints) {
    owner = node;
    believed = new SimNode[endpoints];
    Arrays.fill(believed, node);
  }

  SimNode believedBy(int endpoint) {
    return believed[endpoint];
  }

  /** The endpoint gets to know the present owner. */
  void learns(int endpoint) {
    believed[endpoint] = owner;
  }
}
