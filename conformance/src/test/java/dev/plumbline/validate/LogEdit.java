package dev.plumbline.validate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.trace.TraceEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * One edit of a run's logs, whatever the protocol.
 *
 * @param kind what is done
 * @param place the event that it is done to: its action, and which of them
 * @param logs the edited logs
 */
record LogEdit(String kind, String place, Map<String, List<TraceEvent>> logs) {
  private static final Set<String> ENVIRONMENT =
      Set.of(TraceEvent.CRASH, TraceEvent.RESTART, TraceEvent.FENCED, TraceEvent.LOSE);

  /** A kind of edit: which events it applies to, and what becomes of one; empty drops it. */
  private record Kind(
      String name, Predicate<TraceEvent> applies, UnaryOperator<List<TraceEvent>> change) {}

  /**
   * Edits of accepted logs: of each kind so many, spread over the actions that it applies to.
   *
   * @param logs by file
   * @param each edits of a kind
   * @param seed chooses among the events of an action
   */
  static List<LogEdit> of(Map<String, List<TraceEvent>> logs, int each, long seed) {
    Random random = new Random(seed);
    List<LogEdit> edits = new ArrayList<>();
    List<String> sent =
        logs.values().stream().flatMap(List::stream).flatMap(e -> e.sent().stream()).toList();
    for (Kind kind : kinds(sent, random)) {
      Map<String, List<Place>> byAction = new TreeMap<>();
      logs.forEach(
          (file, events) -> {
            for (int i = 1; i < events.size(); i++) {
              if (kind.applies.test(events.get(i))) {
                byAction
                    .computeIfAbsent(events.get(i).action(), a -> new ArrayList<>())
                    .add(new Place(file, i));
              }
            }
          });
      List<String> actions = new ArrayList<>(byAction.keySet());
      for (int n = 0; n < each && !actions.isEmpty(); n++) {
        List<Place> places = byAction.get(actions.get((n * 7 + 3) % actions.size()));
        Place p = places.get(random.nextInt(places.size()));
        edit(logs, kind, p, actions.get((n * 7 + 3) % actions.size())).ifPresent(edits::add);
      }
    }
    return edits;
  }

  private record Place(String file, int index) {}

  private static Optional<LogEdit> edit(
      Map<String, List<TraceEvent>> logs, Kind kind, Place p, String action) {
    List<TraceEvent> before = logs.get(p.file);
    List<TraceEvent> pair =
        new ArrayList<>(before.subList(p.index, Math.min(p.index + 2, before.size())));
    List<TraceEvent> changed = kind.change.apply(pair);
    if (changed.equals(pair)) {
      return Optional.empty();
    }
    List<TraceEvent> own = new ArrayList<>(before.subList(0, p.index));
    own.addAll(changed);
    own.addAll(before.subList(Math.min(p.index + 2, before.size()), before.size()));
    List<TraceEvent> numbered = new ArrayList<>();
    for (TraceEvent e : own) {
      numbered.add(Altered.numbered(e, numbered.size() + 1L));
    }
    Map<String, List<TraceEvent>> all = new LinkedHashMap<>(logs);
    all.put(p.file, numbered);
    return Optional.of(new LogEdit(kind.name, action + " " + p.file + ":" + (p.index + 1), all));
  }

  private static List<Kind> kinds(List<String> sent, Random random) {
    List<Kind> kinds = new ArrayList<>();
    Predicate<TraceEvent> step = e -> !ENVIRONMENT.contains(e.action());
    Predicate<TraceEvent> named = step.and(e -> !e.action().equals(TraceEvent.STUTTER));
    Predicate<TraceEvent> received = named.and(e -> e.recv().isPresent());
    Predicate<TraceEvent> sends = named.and(e -> !e.sent().isEmpty());
    first(kinds, "recv removed", received, e -> with(e, Optional.empty(), e.sent()));
    first(
        kinds,
        "recv made a timer",
        received,
        e -> Altered.step(e, Optional.empty(), "timer", e.sent()));
    first(
        kinds,
        "recv of a message that nobody sent",
        received,
        e -> with(e, Optional.of(unsent(e.recv().orElseThrow())), e.sent()));
    first(
        kinds,
        "recv of another message",
        received,
        e -> with(e, Optional.of(sent.get(random.nextInt(sent.size()))), e.sent()));
    first(kinds, "sent removed", sends, e -> with(e, e.recv(), List.of()));
    first(
        kinds,
        "sent renamed",
        sends,
        e -> with(e, e.recv(), e.sent().stream().map(LogEdit::unsent).toList()));
    first(kinds, "at back", e -> true, e -> Altered.at(e, e.at() - 1_000_000_000L, e.local()));
    first(kinds, "local back", step, e -> Altered.at(e, e.at(), e.local() - 1_000_000_000L));
    kinds.add(
        new Kind("Crash removed", e -> e.action().equals(TraceEvent.CRASH), LogEdit::withoutFirst));
    kinds.add(
        new Kind(
            "Restart removed", e -> e.action().equals(TraceEvent.RESTART), LogEdit::withoutFirst));
    for (String field : List.of("epoch", "records")) {
      for (int by : new int[] {-1, 1}) {
        first(
            kinds,
            "Restart's " + field + (by < 0 ? " lowered" : " raised"),
            e -> e.action().equals(TraceEvent.RESTART),
            e -> args(e, field, LongNode.valueOf(e.args().get(field).longValue() + by)));
      }
    }
    kinds.add(
        new Kind("Lose removed", e -> e.action().equals(TraceEvent.LOSE), LogEdit::withoutFirst));
    first(
        kinds,
        "Lose of another message",
        e -> e.action().equals(TraceEvent.LOSE),
        e -> args(e, "message", TextNode.valueOf(sent.get(random.nextInt(sent.size())))));
    kinds.add(new Kind("event dropped", named, LogEdit::withoutFirst));
    kinds.add(
        new Kind(
            "event duplicated",
            named,
            pair -> {
              List<TraceEvent> more = new ArrayList<>(pair);
              more.add(0, pair.get(0));
              return more;
            }));
    kinds.add(
        new Kind(
            "events swapped",
            named,
            pair -> {
              List<TraceEvent> turned = new ArrayList<>(pair);
              Collections.reverse(turned);
              return turned;
            }));
    first(
        kinds,
        "argument changed",
        named.and(e -> !e.args().isEmpty()),
        e -> {
          List<String> names = List.copyOf(new LinkedHashSet<>(new TreeMap<>(e.args()).keySet()));
          String name = names.get(random.nextInt(names.size()));
          return args(e, name, other(e.args().get(name)));
        });
    first(
        kinds,
        "argument removed",
        named.and(e -> !e.args().isEmpty()),
        e -> {
          Map<String, JsonNode> args = new TreeMap<>(e.args());
          args.remove(args.keySet().iterator().next());
          return Altered.says(e, e.action(), args, e.state());
        });
    first(
        kinds,
        "state changed",
        named.and(e -> !e.state().isEmpty()),
        e -> {
          Map<String, JsonNode> state = new TreeMap<>(e.state());
          List<String> names = List.copyOf(state.keySet());
          String name = names.get(random.nextInt(names.size()));
          state.put(name, other(state.get(name)));
          return Altered.says(e, e.action(), e.args(), state);
        });
    first(
        kinds,
        "action left out",
        named,
        e -> Altered.says(e, TraceEvent.STUTTER, Map.of(), Map.of()));
    return kinds;
  }

  private static void first(
      List<Kind> kinds,
      String name,
      Predicate<TraceEvent> applies,
      UnaryOperator<TraceEvent> change) {
    kinds.add(
        new Kind(
            name,
            applies,
            pair -> {
              List<TraceEvent> changed = new ArrayList<>(pair);
              changed.set(0, change.apply(pair.get(0)));
              return changed;
            }));
  }

  private static List<TraceEvent> withoutFirst(List<TraceEvent> pair) {
    return pair.subList(1, pair.size());
  }

  private static String unsent(String id) {
    return id.substring(0, id.lastIndexOf(':') + 1) + "999999999";
  }

  /** Another value of the same kind. */
  private static JsonNode other(JsonNode value) {
    if (value.isBoolean()) {
      return BooleanNode.valueOf(!value.booleanValue());
    }
    if (value.isNumber()) {
      return LongNode.valueOf(value.longValue() + 1_000_003);
    }
    if (value.isTextual()) {
      return TextNode.valueOf(value.textValue() + "x");
    }
    if (value instanceof ArrayNode array && !array.isEmpty()) {
      ArrayNode changed = array.deepCopy();
      changed.set(0, other(array.get(0)));
      return changed;
    }
    if (value instanceof ObjectNode object && !object.isEmpty()) {
      ObjectNode changed = object.deepCopy();
      String name =
          object.properties().stream()
              .map(Map.Entry::getKey)
              .min(Comparator.naturalOrder())
              .orElseThrow();
      changed.set(name, other(object.get(name)));
      return changed;
    }
    return value;
  }

  private static TraceEvent with(TraceEvent e, Optional<String> recv, List<String> sent) {
    return Altered.step(e, recv, e.by(), sent);
  }

  private static TraceEvent args(TraceEvent e, String name, JsonNode value) {
    Map<String, JsonNode> args = new TreeMap<>(e.args());
    args.put(name, value);
    return Altered.says(e, e.action(), args, e.state());
  }
}
