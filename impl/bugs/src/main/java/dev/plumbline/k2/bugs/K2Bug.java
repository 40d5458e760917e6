package dev.plumbline.k2.bugs;

import dev.plumbline.k2.system.K2Machines;
import dev.plumbline.k2.system.K2System;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;

/** A bug of K2: overrides the maker of the machine that has it. */
abstract class K2Bug extends K2Machines implements SeededBug {
  private final String name;
  private final String description;

  K2Bug(String name, String description) {
    this.name = name;
    this.description = description;
  }

  @Override
  public final String protocol() {
    return "k2";
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final String description() {
    return description;
  }

  @Override
  public final Machine machine(
      NodeSpec node, Topology topology, Settings settings, Machine correct) {
    return machine(node, topology, new K2System().config(settings));
  }
}
