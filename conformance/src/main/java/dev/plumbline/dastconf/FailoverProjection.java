package dev.plumbline.dastconf;

import static dev.plumbline.dastconf.DastValues.stamp;
import static dev.plumbline.dastconf.FailoverRegion.REMOTE;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.dast.Change;
import dev.plumbline.dast.DastMessage.Keep;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.ViewAck;
import dev.plumbline.dast.DastResponse;
import dev.plumbline.dast.Node;
import dev.plumbline.dast.ReplaceableManager;
import dev.plumbline.dast.StretchableClock;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.dastconf.FailoverRegion.Instance;
import dev.plumbline.dastconf.FailoverRegion.Member;
import dev.plumbline.graph.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** A region's state as the variables of {@code Failover}. */
final class FailoverProjection {
  static final String[] VARIABLES = {
    "anticipated",
    "crt",
    "crtPhase",
    "decided",
    "have",
    "hold",
    "ignored",
    "irt",
    "last",
    "leader",
    "log",
    "max",
    "prop",
    "view",
    "wentBack"
  };

  /** Variables, or fields of them, that no machine keeps. */
  static final Map<String, String> GHOSTS =
      Map.of(
          "decided.log", "machines keep up to where a checkpoint goes; the log is the one sent",
          "decided.ts", "of a new manager: machines keep it as its clock",
          "ignored", "nodes that were removed: machines know that they are no members",
          "leader", "who opened the register with the highest epoch",
          "max", "of removed nodes and replaced managers: machines forget it",
          "wentBack", "made up from the anticipated timestamps that members accepted");

  private final FailoverRegion region;

  FailoverProjection(FailoverRegion region) {
    this.region = region;
  }

  JsonNode value(String variable) {
    return switch (variable) {
      case "anticipated" ->
          ofReplicas(n -> number(n.now() == null ? 0 : stamp(n.node.anticipated())));
      case "crt" -> crt();
      case "crtPhase" -> TextNode.valueOf(crtPhase());
      case "decided" -> Values.sequence(region.decided);
      case "have" -> ofReplicas(this::have);
      case "hold" -> ofReplicas(n -> number(hold(n)));
      case "ignored" -> ofReplicas(this::ignored);
      case "irt" -> ofIrts(this::irt);
      case "last" -> last();
      case "leader" -> number(region.leader);
      case "log" -> ofReplicas(n -> numbers(n.log));
      case "max" -> ofReplicas(this::max);
      case "prop" -> Values.function(region.managers, m -> proposed(region.instances.get(m)));
      case "view" -> ofReplicas(n -> number(n.now() == null ? 0 : view(n.node.view().number())));
      default -> BooleanNode.valueOf(region.wentBack);
    };
  }

  private static JsonNode number(int n) {
    return IntNode.valueOf(n);
  }

  private static ArrayNode numbers(List<Integer> all) {
    return Values.sequence(all.stream().map(IntNode::valueOf).toList());
  }

  private JsonNode ofReplicas(Function<Member, JsonNode> value) {
    List<Integer> nids = region.replicas().stream().map(n -> n.nid).toList();
    return Values.function(nids, n -> value.apply(region.nodes.get(n)));
  }

  private JsonNode ofIrts(IntFunction<JsonNode> value) {
    int irts = region.coordinators.size();
    return Values.sequence(IntStream.rangeClosed(1, irts).mapToObj(value).toList());
  }

  private int view(long number) {
    return (int) number - region.earlier();
  }

  private JsonNode have(Member n) {
    return ofIrts(
        t -> {
          Note note = n.now() == null ? null : n.now().known(String.valueOf(t));
          return TextNode.valueOf(DastValues.phase(note));
        });
  }

  private static int hold(Member n) {
    long below = n.now() == null ? StretchableClock.FREE : n.now().heldBelow();
    return below == StretchableClock.FREE
        ? 0
        : (int) (10 * below) + (below > n.addTime ? n.nid : 0);
  }

  private JsonNode ignored(Member n) {
    List<JsonNode> all = new ArrayList<>();
    if (n.now() != null) {
      for (int x : n.everIgnored) {
        String role = region.role(x);
        if (n.node.ignored().contains(role) || !n.node.view().members().containsKey(role)) {
          all.add(number(x));
        }
      }
      for (Instance m : region.instances.values()) {
        if (m.epoch < n.node.promised()) {
          all.add(number(m.nid));
        }
      }
    }
    return Values.set(all);
  }

  private JsonNode irt(int t) {
    Node c = region.nodes.get(region.coordinators.get(t - 1)).now();
    Note note = c == null ? null : c.coordinated(String.valueOf(t));
    DastResponse.Executed answer = region.answered.get(t);
    ObjectNode o = Values.F.objectNode();
    if (answer != null) {
      return o.put("phase", "done").put("ts", stamp(answer.ts()));
    } else if (note != null) {
      return o.put("phase", DastValues.phase(note)).put("ts", stamp(note.at()));
    }
    return o.put("phase", "new").put("ts", 0);
  }

  private JsonNode last() {
    TreeMap<Integer, Integer> all = new TreeMap<>();
    region.managers.forEach(m -> all.put(m, m));
    region.instances.values().forEach(m -> all.put(m.nid, stamp(m.clock().last())));
    for (Member n : region.replicas()) {
      all.put(n.nid, n.now() == null ? n.nid : stamp(n.clock().last()));
    }
    return Values.function(all, FailoverProjection::number);
  }

  private JsonNode max(Member n) {
    List<Integer> all = new ArrayList<>(region.managers);
    region.replicas().forEach(x -> all.add(x.nid));
    return Values.function(all, x -> number(n.max.getOrDefault(x, 0)));
  }

  private JsonNode crt() {
    TreeMap<Integer, Member> all = new TreeMap<>();
    all.put(0, region.nodes.get(REMOTE));
    region.replicas().forEach(n -> all.put(n.nid, n));
    return Values.function(all, n -> TextNode.valueOf(region.ofCrt(n)));
  }

  private String crtPhase() {
    Node c = region.crtCoord == 0 ? null : region.nodes.get(region.crtCoord).now();
    if (c == null || c.coordinated(region.crt()) == null) {
      return "new";
    }
    return region.network.stream().anyMatch(s -> s.is(Keep.class, m -> m.note().committed()))
        ? "deciding"
        : "prepared";
  }

  /** What a manager proposes, and the answers; null is one that is not elected yet. */
  ObjectNode proposed(Instance m) {
    ObjectNode o = Values.F.objectNode();
    ReplaceableManager.Proposal p = m == null ? null : m.manager.proposal();
    if (p == null) {
      o.put("kind", "").put("vid", 0).put("who", 0).put("ts", 0).put("crt", "none");
      o.putArray("log");
      o.putArray("answers");
      return o;
    }
    boolean adds = !p.add().isEmpty();
    String kind = adds ? "add" : p.remove().isEmpty() ? "manager" : "remove";
    String node = adds ? p.add() : p.remove().isEmpty() ? "" : p.remove().iterator().next();
    o.put("kind", kind).put("vid", view(p.number()));
    o.put("who", node.isEmpty() ? m.nid : Integer.parseInt(node));
    o.put("ts", (int) (10 * p.addTime())).put("crt", adds ? m.checkpointCrt : "none");
    o.set("log", numbers(m.checkpoint));
    o.set("answers", Values.function(m.answers, ack -> answer(ack, kind)));
    return o;
  }

  private static ObjectNode answer(ViewAck ack, String kind) {
    String crt =
        ack.crts().isEmpty()
            ? "none"
            : ack.crts().stream().anyMatch(Note::committed) ? "committed" : "prepared";
    int ts =
        switch (kind) {
          case "add" -> stamp(ack.clock());
          case "manager" -> Math.max(stamp(ack.manager()), stamp(ack.anticipated()));
          default -> 0;
        };
    ObjectNode o = Values.F.objectNode();
    o.set("irts", ids(ack.irts()));
    return o.put("crt", crt).put("ts", ts);
  }

  private static ArrayNode ids(List<Note> notes) {
    return Values.set(
        notes.stream().map(note -> number(Integer.parseInt(note.txn().id()))).toList());
  }

  /**
   * A change that a manager decided.
   *
   * @param proposed the proposal
   * @param old its clock before
   */
  static JsonNode decision(ObjectNode proposed, Change made, Timestamp old) {
    String kind = proposed.get("kind").textValue();
    int ts = kind.equals("add") ? stamp(made.at()) : 0;
    if (kind.equals("manager")) {
      ts = stamp(old);
      for (JsonNode answer : proposed.get("answers")) {
        ts = Math.max(ts, answer.get("ts").intValue());
      }
    }
    ObjectNode o = Values.F.objectNode();
    o.put("kind", kind).put("who", proposed.get("who").intValue());
    o.set("irts", ids(made.irts()));
    o.put("aborted", made.crts().stream().anyMatch(note -> !note.committed()));
    o.put("committed", made.crts().stream().anyMatch(Note::committed));
    o.put("ts", ts).set("log", proposed.get("log"));
    return o;
  }
}
