package dev.plumbline.dast.binding;

import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.Node;
import dev.plumbline.dast.ReplaceableNode;
import dev.plumbline.dast.StretchableClock;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.graph.Deployment;
import dev.plumbline.protocol.NodeSpec;

/** A replaceable node of a model, which takes one step at a time. */
class NodePlace extends DastPlace {
  final ReplaceableNode node;

  NodePlace(int nid, NodeSpec spec, ReplaceableNode node, Deployment deployment) {
    super(nid, spec);
    this.node = node;
    machine = deployment.seeded(spec, DastPlace.oneByOne(node, node::step, node::executeNext));
  }

  /** What it is while it takes part, else null. */
  final Node now() {
    return node.node();
  }

  @Override
  final StretchableClock clock() {
    return now().clock();
  }

  /** Whether it takes part and its clock shows {@code time}. */
  final boolean shows(long time) {
    return now() != null && clock().last().equals(new Timestamp(time, 0, nid));
  }

  /** What it has of a transaction; null if nothing. */
  final Note known(String txn) {
    return now() == null ? null : now().known(txn);
  }
}
