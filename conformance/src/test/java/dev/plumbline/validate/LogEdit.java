package dev.plumbline.validate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One edit of a run's logs, whatever the protocol.
 *
 * @param kind what is done
 * @param action of the event that it is done to
 * @param file of that event
 * @param index of that event there, from 0
 * @param logs the edited logs
 */
record LogEdit(
    String kind, String action, String file, int index, Map<String, List<TraceEvent>> logs) {
  private static final Set<String> ENVIRONMENT =
      Set.of(TraceEvent.CRASH, TraceEvent.RESTART, TraceEvent.FENCED, TraceEvent.LOSE);

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static final List<String> CAUSES = List.of("start", "timer", "request", "store");

  /** Where it is done, and what stands there before and after. */
  String place(Map<String, List<TraceEvent>> before) {
    return "%s at %s:%d%n  %s%n  %s"
        .formatted(kind, file, index + 1, there(before.get(file)), there(logs.get(file)));
  }

  private String there(List<TraceEvent> events) {
    return index < events.size() ? events.get(index).toString() : "the end";
  }

  /** A kind of edit: which events it applies to, and what becomes of a node's log. */
  private record Kind(String name, Predicate<TraceEvent> applies, Change change) {}

  /** Changes a node's log at an event. */
  private interface Change {
    void at(List<TraceEvent> events, int i);
  }

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
    for (Kind kind : kinds(logs, sent, random)) {
      Map<String, List<Place>> byAction = new TreeMap<>();
      logs.forEach(
          (file, events) -> {
            for (int i = 1; i < events.size(); i++) {
              if (kind.applies.test(events.get(i))) {
                byAction
                    .computeIfAbsent(events.get(i).action(), a -> new ArrayList<>())
                    .add(new Place(file, i, events.get(i)));
              }
            }
          });
      List<String> actions = new ArrayList<>(byAction.keySet());
      int stride = actions.size() % 7 == 0 ? 11 : 7;
      for (int n = 0; n < each && !actions.isEmpty(); n++) {
        String action = actions.get((n * stride + 3) % actions.size());
        List<Place> places = byAction.get(action);
        Place p = places.get(random.nextInt(places.size()));
        edit(logs, kind, p, action).ifPresent(edits::add);
      }
    }
    return edits;
  }

  /** How many edits of each sort are made of a word. */
  private static final int TRIED = 6;

  private static final String ALL = "arguments";

  /**
   * Edits of one word of an action each: an argument, a part of its state, or all its arguments
   * together. It becomes what an earlier event of that action and node has, the most like it first,
   * or what any has; where all have the same, what none has. The kind of an edit is its word.
   */
  static List<LogEdit> words(Map<String, List<TraceEvent>> logs) {
    Map<String, List<Place>> byAction = new TreeMap<>();
    logs.forEach(
        (file, events) -> {
          for (int i = 1; i < events.size(); i++) {
            byAction
                .computeIfAbsent(events.get(i).action(), a -> new ArrayList<>())
                .add(new Place(file, i, events.get(i)));
          }
        });
    List<LogEdit> edits = new ArrayList<>();
    byAction.forEach(
        (action, places) -> {
          if (action.contains(".")) {
            places.sort(Comparator.comparingLong(p -> p.event.at()));
            for (Word word : wordsOf(places)) {
              for (Changed c : word.changes(places)) {
                Kind kind = new Kind(word.name, e -> true, (es, i) -> es.set(i, c.event));
                edit(logs, kind, c.place, action).ifPresent(edits::add);
              }
            }
          }
        });
    return edits;
  }

  private static Set<Word> wordsOf(List<Place> places) {
    Set<Word> words = new LinkedHashSet<>();
    for (Place p : places) {
      new TreeMap<>(p.event.args())
          .keySet()
          .forEach(n -> words.add(new Word("argument " + n, n, true)));
      new TreeMap<>(p.event.state())
          .keySet()
          .forEach(n -> words.add(new Word("state " + n, n, false)));
      if (p.event.args().size() > 1) {
        words.add(new Word(ALL, "", true));
      }
    }
    return words;
  }

  /** What an event becomes, and how much of the rest of it was so where the word comes from. */
  private record Changed(Place place, TraceEvent event, int alike) {}

  /** An argument, a part of the state, or all arguments. */
  private record Word(String name, String field, boolean argument) {
    private JsonNode of(TraceEvent e) {
      return name.equals(ALL)
          ? MAPPER.valueToTree(e.args())
          : (argument ? e.args() : e.state()).get(field);
    }

    private TraceEvent changed(TraceEvent e, JsonNode value) {
      if (name.equals(ALL)) {
        Map<String, JsonNode> args = new TreeMap<>();
        value.properties().forEach(arg -> args.put(arg.getKey(), arg.getValue()));
        return Altered.says(e, e.action(), args, e.state());
      }
      return argument ? args(e, field, value) : state(e, field, value);
    }

    private boolean differs(TraceEvent e, TraceEvent o) {
      return of(e) != null && of(o) != null && !of(o).equals(of(e));
    }

    private int alike(TraceEvent e, TraceEvent o) {
      return (int)
          e.args().entrySet().stream()
              .filter(a -> a.getValue().equals(o.args().get(a.getKey())))
              .count();
    }

    List<Changed> changes(List<Place> places) {
      List<Changed> earlier = new ArrayList<>();
      List<Changed> any = new ArrayList<>();
      List<Changed> made = new ArrayList<>();
      for (Place p : places) {
        TraceEvent e = p.event;
        if (of(e) == null) {
          continue;
        }
        places.stream()
            .map(Place::event)
            .filter(o -> o.node().equals(e.node()) && o.n() < e.n() && differs(e, o))
            .max(Comparator.comparingInt((TraceEvent o) -> alike(e, o)).thenComparing(o -> o.n()))
            .ifPresent(o -> earlier.add(new Changed(p, changed(e, of(o)), alike(e, o))));
        if (!name.equals(ALL) && any.size() < TRIED) {
          places.stream()
              .map(Place::event)
              .filter(o -> differs(e, o))
              .findFirst()
              .ifPresent(o -> any.add(new Changed(p, changed(e, of(o)), 0)));
          made.add(new Changed(p, changed(e, other(of(e))), 0));
        }
      }
      earlier.sort(Comparator.comparingInt(Changed::alike).reversed());
      List<Changed> changes = Stream.concat(earlier.stream().limit(TRIED), any.stream()).toList();
      return changes.isEmpty() ? made.stream().limit(TRIED).toList() : changes;
    }
  }

  private record Place(String file, int index, TraceEvent event) {}

  private static Optional<LogEdit> edit(
      Map<String, List<TraceEvent>> logs, Kind kind, Place p, String action) {
    List<TraceEvent> before = logs.get(p.file);
    List<TraceEvent> own = new ArrayList<>(before);
    kind.change.at(own, p.index);
    if (own.equals(before)) {
      return Optional.empty();
    }
    List<TraceEvent> numbered = new ArrayList<>();
    for (TraceEvent e : own) {
      numbered.add(Altered.numbered(e, numbered.size() + 1L));
    }
    Map<String, List<TraceEvent>> all = new LinkedHashMap<>(logs);
    all.put(p.file, numbered);
    return Optional.of(new LogEdit(kind.name, action, p.file, p.index, all));
  }

  private static List<Kind> kinds(
      Map<String, List<TraceEvent>> logs, List<String> sent, Random random) {
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
    kinds.add(new Kind("Crash removed", e -> e.action().equals(TraceEvent.CRASH), List::remove));
    kinds.add(
        new Kind("Restart removed", e -> e.action().equals(TraceEvent.RESTART), List::remove));
    for (String field : List.of("epoch", "records")) {
      for (int by : new int[] {-1, 1}) {
        first(
            kinds,
            "Restart's " + field + (by < 0 ? " lowered" : " raised"),
            e -> e.action().equals(TraceEvent.RESTART),
            e -> args(e, field, LongNode.valueOf(e.args().get(field).longValue() + by)));
      }
    }
    kinds.add(new Kind("Lose removed", e -> e.action().equals(TraceEvent.LOSE), List::remove));
    first(
        kinds,
        "Lose of another message",
        e -> e.action().equals(TraceEvent.LOSE),
        e -> args(e, "message", TextNode.valueOf(sent.get(random.nextInt(sent.size())))));
    kinds.add(new Kind("event dropped", named, List::remove));
    kinds.add(new Kind("event duplicated", named, (events, i) -> events.add(i, events.get(i))));
    kinds.add(
        new Kind(
            "events swapped",
            named,
            (events, i) -> Collections.swap(events, i, Math.min(i + 1, events.size() - 1))));
    first(
        kinds,
        "argument changed",
        named.and(e -> !e.args().isEmpty()),
        e -> {
          String name = one(e.args(), random);
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
          String name = one(e.state(), random);
          return state(e, name, other(e.state().get(name)));
        });
    first(
        kinds,
        "action left out",
        named,
        e -> Altered.says(e, TraceEvent.STUTTER, Map.of(), Map.of()));
    more(kinds, logs, random);
    return kinds;
  }

  /** After those above, whose choices stay as they are. */
  private static void more(List<Kind> kinds, Map<String, List<TraceEvent>> logs, Random random) {
    Predicate<TraceEvent> step = e -> !ENVIRONMENT.contains(e.action());
    Predicate<TraceEvent> named = step.and(e -> !e.action().equals(TraceEvent.STUTTER));
    Predicate<TraceEvent> starts = e -> e.action().equals(TraceEvent.RESTART);
    kinds.add(new Kind("Fenced removed", e -> e.action().equals(TraceEvent.FENCED), List::remove));
    first(
        kinds, "Restart's role another", starts, e -> args(e, "role", other(e.args().get("role"))));
    first(kinds, "Restart's argument removed", starts, e -> without(e, random, e.args()));
    first(
        kinds,
        "one of sent removed",
        named.and(e -> e.sent().size() > 1),
        e -> with(e, e.recv(), e.sent().subList(1, e.sent().size())));
    first(kinds, "local ahead", step, e -> Altered.at(e, e.at(), e.local() + 1_000_000_000L));
    first(
        kinds,
        "by changed",
        named.and(e -> !e.by().isEmpty()),
        e ->
            Altered.step(
                e, e.recv(), CAUSES.get((CAUSES.indexOf(e.by()) + 1) % CAUSES.size()), e.sent()));
    first(
        kinds,
        "argument of another event",
        named.and(e -> !e.args().isEmpty()),
        e -> {
          String name = one(e.args(), random);
          return args(e, name, another(logs, e, name, TraceEvent::args, random));
        });
    first(
        kinds,
        "argument missing",
        named.and(e -> !e.args().isEmpty()),
        e -> without(e, random, e.args()));
    first(
        kinds,
        "state of another event",
        named.and(e -> !e.state().isEmpty()),
        e -> {
          String name = one(e.state(), random);
          return state(e, name, another(logs, e, name, TraceEvent::state, random));
        });
    first(
        kinds,
        "state missing",
        named.and(e -> !e.state().isEmpty()),
        e -> without(e, random, e.state()));
    first(
        kinds,
        "argument of another kind",
        named.and(e -> !e.args().isEmpty()),
        e -> {
          String name = one(e.args(), random);
          return args(e, name, ofAnotherKind(e.args().get(name)));
        });
    first(
        kinds,
        "state of another kind",
        named.and(e -> !e.state().isEmpty()),
        e -> {
          String name = one(e.state(), random);
          return state(e, name, ofAnotherKind(e.state().get(name)));
        });
    first(
        kinds,
        "part of an argument removed",
        named.and(e -> e.args().values().stream().anyMatch(LogEdit::hasParts)),
        e -> {
          String name = one(e.args(), random, LogEdit::hasParts);
          return args(e, name, fewer(e.args().get(name), random));
        });
    first(
        kinds,
        "part of the state removed",
        named.and(e -> e.state().values().stream().anyMatch(LogEdit::hasParts)),
        e -> {
          String name = one(e.state(), random, LogEdit::hasParts);
          return state(e, name, fewer(e.state().get(name), random));
        });
    first(
        kinds,
        "all state removed",
        named.and(e -> !e.state().isEmpty()),
        e -> Altered.says(e, e.action(), e.args(), Map.of()));
    first(
        kinds,
        "records appended changed",
        e -> e.persisted() > 0,
        e -> Altered.persisted(e, e.persisted() + 1));
    first(kinds, "records appended removed", e -> e.persisted() > 0, e -> Altered.persisted(e, 0));
    kinds.add(new Kind("tail cut", named, (events, i) -> events.subList(i, events.size()).clear()));
  }

  /** What another event of the same action has under this name, at the same node if any has. */
  private static JsonNode another(
      Map<String, List<TraceEvent>> logs,
      TraceEvent e,
      String name,
      Function<TraceEvent, Map<String, JsonNode>> words,
      Random random) {
    JsonNode own = words.apply(e).get(name);
    Map<Boolean, List<JsonNode>> others =
        logs.values().stream()
            .flatMap(List::stream)
            .filter(o -> o.action().equals(e.action()) && words.apply(o).containsKey(name))
            .filter(o -> !words.apply(o).get(name).equals(own))
            .collect(
                Collectors.partitioningBy(
                    o -> o.node().equals(e.node()),
                    Collectors.mapping(o -> words.apply(o).get(name), Collectors.toList())));
    List<JsonNode> of = others.get(others.get(true).isEmpty() ? false : true);
    return of.isEmpty() ? own : of.get(random.nextInt(of.size()));
  }

  private static String one(Map<String, JsonNode> words, Random random) {
    return one(words, random, word -> true);
  }

  private static String one(Map<String, JsonNode> words, Random random, Predicate<JsonNode> which) {
    List<String> names =
        new TreeMap<>(words)
            .entrySet().stream()
                .filter(w -> which.test(w.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    return names.get(random.nextInt(names.size()));
  }

  private static boolean hasParts(JsonNode value) {
    return value.isContainerNode() && !value.isEmpty();
  }

  private static JsonNode ofAnotherKind(JsonNode value) {
    return value.isTextual() ? LongNode.valueOf(7) : TextNode.valueOf("");
  }

  private static JsonNode fewer(JsonNode value, Random random) {
    JsonNode copy = value.deepCopy();
    int which = random.nextInt(value.size());
    if (copy instanceof ArrayNode array) {
      array.remove(which);
    } else {
      ((ObjectNode) copy).remove(List.copyOf(value.properties()).get(which).getKey());
    }
    return copy;
  }

  /** Without one of its arguments, or parts of its state. */
  private static TraceEvent without(TraceEvent e, Random random, Map<String, JsonNode> words) {
    Map<String, JsonNode> fewer = new TreeMap<>(words);
    fewer.remove(one(words, random));
    return words.equals(e.args())
        ? Altered.says(e, e.action(), fewer, e.state())
        : Altered.says(e, e.action(), e.args(), fewer);
  }

  private static void first(
      List<Kind> kinds,
      String name,
      Predicate<TraceEvent> applies,
      UnaryOperator<TraceEvent> change) {
    kinds.add(new Kind(name, applies, (events, i) -> events.set(i, change.apply(events.get(i)))));
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

  private static TraceEvent state(TraceEvent e, String name, JsonNode value) {
    Map<String, JsonNode> state = new TreeMap<>(e.state());
    state.put(name, value);
    return Altered.says(e, e.action(), e.args(), state);
  }

  private static TraceEvent args(TraceEvent e, String name, JsonNode value) {
    Map<String, JsonNode> args = new TreeMap<>(e.args());
    args.put(name, value);
    return Altered.says(e, e.action(), args, e.state());
  }
}
