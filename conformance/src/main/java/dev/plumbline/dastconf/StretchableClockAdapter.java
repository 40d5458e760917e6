package dev.plumbline.dastconf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.dast.StretchableClock;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.ProjectingAdapter;
import dev.plumbline.graph.Values;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs DAST's stretchable clocks by the actions of {@code StretchableClock}. Clocks are given the
 * wall clock and the head of {@code waitQ}, both kept here, as their nodes give it to them.
 */
final class StretchableClockAdapter extends ProjectingAdapter {
  private static final String[] VARIABLES = {
    "below", "fellBack", "last", "made", "offset", "repeated", "waitQ", "wall"
  };

  private final boolean follow;
  private final boolean climb;
  private final int manager;
  private final int halfRtt;
  private final Map<Integer, Node> nodes = new LinkedHashMap<>();
  private final Set<Timestamp> made = new LinkedHashSet<>();
  private boolean repeated;
  private boolean fellBack;

  /** A clock and what it is given. */
  private static final class Node {
    final int nid;
    final StretchableClock clock;
    final List<Timestamp> waitQ = new ArrayList<>();
    long wall;
    boolean below = true;

    Node(int nid, boolean climb) {
      this.nid = nid;
      clock = new StretchableClock(nid, climb);
    }

    long head() {
      return waitQ.stream().mapToLong(Timestamp::time).min().orElse(StretchableClock.FREE);
    }
  }

  /**
   * @param constants the model's
   */
  StretchableClockAdapter(Constants constants) {
    super(VARIABLES);
    constants.demand("Order", "\"fracFirst\"");
    constants.demandRepairs("Monotone", "FreezeTime");
    follow = constants.repaired("Follow");
    climb = constants.repaired("Climb");
    manager = constants.number("Manager");
    halfRtt = constants.number("HalfRtt");
  }

  @Override
  public Map<String, String> ghosts() {
    return Map.of(
        "below", "history",
        "fellBack", "history",
        "made", "history",
        "repeated", "history",
        "waitQ", "who puts what into it is TwoPhaseAnticipation's; clocks are given its head",
        "wall", "what the machines are given");
  }

  @Override
  public void reset(ObjectNode initial) {
    nodes.clear();
    made.clear();
    repeated = false;
    fellBack = false;
    for (JsonNode last : initial.get("last")) {
      int nid = last.get(1).intValue();
      nodes.put(nid, new Node(nid, climb));
    }
  }

  @Override
  public void apply(String action, ObjectNode p) {
    Node n = nodes.get(p.get("n").intValue());
    switch (action) {
      case "Tick" -> n.wall += p.get("step").intValue();
      case "CreateTs" -> {
        Timestamp last = n.clock.last();
        Timestamp ts = n.clock.create(n.wall, n.head());
        fellBack |= !last.before(ts);
        repeated |= !made.add(ts);
      }
      case "Enter" -> {
        Timestamp at = new Timestamp(n.wall + p.get("ahead").intValue(), 0, manager);
        n.below = (n.below || n.waitQ.isEmpty()) && n.clock.last().time() < at.time();
        if (!n.waitQ.contains(at)) {
          n.waitQ.add(at);
        }
      }
      case "Leave" -> n.waitQ.remove(DastValues.timestamp(p.get("at")));
      case "Calibrate" -> {
        Timestamp seen = nodes.get(p.get("x").intValue()).clock.last();
        n.clock.calibrate(n.wall, seen.time());
        if (follow) {
          n.clock.follow(seen, n.head());
        }
      }
      case "CalibrateRemote" -> n.clock.calibrate(n.wall, p.get("ts").intValue() + halfRtt);
      default -> throw new IllegalArgumentException("no machine has an action " + action);
    }
  }

  @Override
  protected JsonNode value(String variable) {
    return switch (variable) {
      case "below" -> Values.function(nodes, n -> BooleanNode.valueOf(n.below));
      case "fellBack" -> BooleanNode.valueOf(fellBack);
      case "last" -> Values.function(nodes, n -> DastValues.triple(n.clock.last()));
      case "made" -> Values.set(made.stream().map(DastValues::triple).toList());
      case "offset" -> Values.function(nodes, n -> IntNode.valueOf((int) n.clock.offset()));
      case "repeated" -> BooleanNode.valueOf(repeated);
      case "waitQ" -> Values.function(nodes, StretchableClockAdapter::waiting);
      default -> Values.function(nodes, n -> IntNode.valueOf((int) n.wall));
    };
  }

  private static ArrayNode waiting(Node n) {
    return Values.set(n.waitQ.stream().map(DastValues::triple).toList());
  }
}
