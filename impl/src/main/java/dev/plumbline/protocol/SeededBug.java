package dev.plumbline.protocol;

import dev.plumbline.machine.Machine;

/**
 * A deliberate defect, to show that it is caught. Listed in {@code
 * META-INF/services/dev.plumbline.protocol.SeededBug} of a jar that is not on the normal class
 * path.
 */
public interface SeededBug {

  /** The protocol that it breaks, by its name on the command line. */
  String protocol();

  /** The name after {@code --bug}. */
  String name();

  /** What is wrong, in one sentence. */
  String description();

  /** The machine to run on {@code node} in place of {@code correct}, or {@code correct}. */
  Machine machine(NodeSpec node, Topology topology, Settings settings, Machine correct);
}
