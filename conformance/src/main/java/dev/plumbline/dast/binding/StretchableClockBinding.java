package dev.plumbline.dast.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.Place;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.bind.World;
import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.Layout;
import dev.plumbline.dast.StretchableClock;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.dast.system.DastSystem;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * How {@code StretchableClock} reads in the terms of DAST's clocks. Clocks are given the wall clock
 * and the head of {@code waitQ} as the model has them.
 */
final class StretchableClockBinding extends Binding {
  private final Layout layout;
  private final Settings settings;

  StretchableClockBinding(Settings settings) {
    super("StretchableClock", "specs/dast", settings);
    this.settings = settings;
    layout = new DastSystem().layout(settings);
    names(DastReading.PROCESS, "n");
    names(DastReading.TIME, "wall", "head", "ts", "seen", "last");
    names(Shape.set(DastReading.TIME), "waitQ", "made", "sent");
    shown("last");
    handles("Calibrate", "CalibrateRemote");
    argument("head", StretchableClockBinding::head);
    argument("wall", TraceEvent::local);
    constant("Steps", "{}");
    constant("Ahead", "{}");
    constant("Manager", 0);
    constant("HalfRtt", 0);
    demand("Order", "\"fracFirst\"");
    always("Monotone", "FreezeTime");
    repair("Follow", DastConfig.STRETCHED_STAYS);
    repair("Climb", DastConfig.STRETCHED_LOW);
    forgotten("made", Term.set(List.of()));
    invariant("MonotonicInv");
    for (String history : List.of("below", "fellBack", "made", "repeated")) {
      given(history, "history");
    }
    given("waitQ", "who puts what into it is TwoPhaseAnticipation's; clocks are given its head");
    given("wall", "what the machines are given");
    readBy(Reading::new);
  }

  /** A remote calibration takes no notice of what waits. */
  private static JsonNode head(TraceEvent e) {
    boolean remote = e.action().endsWith(".CalibrateRemote");
    return remote ? IntNode.valueOf(-1) : e.args().get("head");
  }

  private final class Reading extends DastReading {
    private final Set<Integer> nids = new TreeSet<>();

    /** Timestamps that were made in the step that sent a message. */
    private final Map<String, List<JsonNode>> made = new HashMap<>();

    /** The timestamps of IRTs. */
    private final Map<String, JsonNode> begun = new HashMap<>();

    /** The IRTs that messages prepare or commit. */
    private final Map<String, String> carried = new HashMap<>();

    Reading(MergedLog log, int room) {
      super(StretchableClockBinding.this, log, room, StretchableClockBinding.this.layout, settings);
    }

    @Override
    protected void scan(int i, TraceEvent e) {
      switch (e.action()) {
        case "StretchableClock.CreateTs" -> {
          JsonNode ts = e.field("ts");
          e.sent().forEach(m -> made.computeIfAbsent(m, key -> new ArrayList<>(1)).add(ts));
        }
        case "TwoPhaseAnticipation.CoordIrt" -> begun.put(e.field("t").asText(), e.field("ts"));
        case "TwoPhaseAnticipation.HandlePrepare", "TwoPhaseAnticipation.HandleCommit" ->
            e.recv().ifPresent(m -> carried.put(m, e.field("t").asText()));
        default -> {}
      }
    }

    /**
     * A clock that is seen is one that its sender made in the step that sent it, or the timestamp
     * of the IRT that the message is about, which may be sent again, and is sent with its commit.
     */
    @Override
    public List<Step> steps(int i) {
      List<Step> steps = super.steps(i);
      TraceEvent e = event(i);
      if (steps.isEmpty() || !e.action().equals("StretchableClock.Calibrate")) {
        return steps;
      }
      JsonNode seen = e.field("seen");
      String message = e.recv().orElseThrow();
      List<JsonNode> sent = made.getOrDefault(message, List.of());
      if (sent.contains(seen) || seen.equals(begun.get(carried.get(message)))) {
        return steps;
      }
      JsonNode all = JsonNodeFactory.instance.arrayNode().addAll(sent);
      List<Term> compared = List.of(value(i, "seen", seen), value(i, "sent", all));
      List<Step> checked = new ArrayList<>(List.of(new Step("", "SeenAsSent", compared, false)));
      checked.addAll(steps);
      return checked;
    }

    @Override
    protected void mention(int i, Sort sort, Object word) {
      if (sort == DastReading.PROCESS) {
        nids.add(term(i, sort, word).json().intValue());
      }
      super.mention(i, sort, word);
    }

    @Override
    protected void constants() {
      constant("Node", nids);
    }
  }

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    return new Clocks(model);
  }

  /** Clocks alone. */
  private final class Clocks extends World {
    private final Group<Node> nodes;

    Clocks(Constants model) {
      super(StretchableClockBinding.this);
      boolean climb = model.repaired("Climb");
      boolean follow = model.repaired("Follow");
      int halfRtt = model.number("HalfRtt");
      nodes = group((nid, n) -> new Node((int) nid, climb));
      function("last", nodes, n -> n.clock.last());
      function("offset", nodes, n -> n.clock.offset());

      outside("Tick", "Enter", "Leave");
      on("CreateTs", p -> node(p).clock.create(wall(node(p)), head(node(p))));
      on("Calibrate", p -> calibrate(node(p), nodes.get(p.get("x")).clock.last(), follow));
      on(
          "CalibrateRemote",
          p -> node(p).clock.calibrate(wall(node(p)), p.get("ts").intValue() + halfRtt));
    }

    @Override
    protected void open(ObjectNode initial) {
      open(nodes, initial.get("last"));
    }

    @Override
    protected JsonNode named(Sort sort, Object word) {
      return DastValues.triple((Timestamp) word);
    }

    private Node node(ObjectNode parameters) {
      Node node = nodes.get(parameters.get("n"));
      node.changed();
      return node;
    }

    private void calibrate(Node n, Timestamp seen, boolean follow) {
      n.clock.calibrate(wall(n), seen.time());
      if (follow) {
        n.clock.follow(seen, head(n));
      }
    }

    private long wall(Node n) {
      return given("wall", n).longValue();
    }

    private long head(Node n) {
      long head = StretchableClock.FREE;
      for (JsonNode at : given("waitQ", n)) {
        head = Math.min(head, at.get(0).longValue());
      }
      return head;
    }
  }

  /** A node that is a clock alone. */
  private static final class Node extends Place {
    final StretchableClock clock;

    Node(int nid, boolean climb) {
      super(nid, null);
      clock = new StretchableClock(nid, climb);
    }
  }
}
