package dev.plumbline.bind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.graph.Outbox;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.Values;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.tlc.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Machines of one module's model, with the network, the clocks and the clients in the hands of its
 * actions. A subclass says in its constructor what an action is to the machines, and how a variable
 * reads in them, in words: the binding's names turn them into the model's.
 */
public abstract class World implements SpecAdapter {
  private final Binding binding;
  private final Map<String, Variable> variables = new TreeMap<>();
  private final Map<String, Consumer<ObjectNode>> actions = new HashMap<>();
  private final Map<String, JsonNode> named = new HashMap<>();
  private final Map<String, Place> roles = new HashMap<>();
  private final List<String> unset = new ArrayList<>();
  private Variable[] order;
  private ObjectNode before;

  protected World(Binding binding) {
    this.binding = binding;
  }

  /** Participants of one kind, by the model's names; numbers and strings as the model has them. */
  public static final class Group<P extends Place> {
    private final TreeMap<Object, P> places = new TreeMap<>();
    private final BiFunction<Object, Integer, P> made;
    private final List<String> unset;
    private final long[] changes = new long[1];
    private long changed;

    private Group(BiFunction<Object, Integer, P> made, List<String> unset) {
      this.made = made;
      this.unset = unset;
    }

    /** The participant of that name. */
    public P get(JsonNode name) {
      return places.get(name.isTextual() ? name.textValue() : (Object) name.intValue());
    }

    public P get(Object name) {
      return places.get(name);
    }

    public Collection<P> all() {
      return places.values();
    }

    /** Something of its places may be different. */
    public void changed() {
      changed = ++changes[0];
    }

    /** Makes the participants anew that a model has. */
    void open(Iterable<?> names) {
      places.clear();
      changed();
      for (Object name : names) {
        add(name);
      }
    }

    private void add(Object name) {
      P place = made.apply(name, places.size());
      place.changes = changes;
      place.unset = unset;
      places.put(name, place);
    }
  }

  private abstract static class Variable {
    final Group<?>[] of;
    long seen = -1;
    JsonNode value;

    Variable(Group<?>... of) {
      this.of = of;
    }

    abstract JsonNode read();

    JsonNode value() {
      long now = 0;
      for (Group<?> group : of) {
        now += group.changes[0];
      }
      if (of.length == 0 || now != seen) {
        seen = now;
        JsonNode found = read();
        if (!found.equals(value)) {
          value = found;
        }
      }
      return value;
    }

    /** The machines are others. */
    void forget() {
      seen = -1;
    }

    /** Whether what it was last read as is not what it is. */
    final boolean stale() {
      JsonNode last = value();
      forget();
      return !last.equals(value());
    }
  }

  /** The value of words, which is made again where these are not what they were. */
  private final class OfWords extends Variable {
    private final String name;
    private final Supplier<?> words;
    private Object before;
    private JsonNode made;

    OfWords(String name, Supplier<?> words, Group<?>... of) {
      super(of);
      this.name = name;
      this.words = words;
    }

    @Override
    JsonNode read() {
      Object now = words.get();
      if (now instanceof JsonNode ready) {
        return ready;
      }
      if (!now.equals(before)) {
        made = World.this.value(name, now);
        before = copy(now);
      }
      return made;
    }

    @Override
    void forget() {
      super.forget();
      before = null;
    }

    /** Words as they are now: machines may change what they give away. */
    private static Object copy(Object words) {
      if (words instanceof Map<?, ?> map) {
        Map<Object, Object> copy = new HashMap<>();
        map.forEach((k, v) -> copy.put(copy(k), copy(v)));
        return copy;
      }
      if (words instanceof Collection<?> all) {
        Collection<Object> copy = words instanceof Set ? new HashSet<>() : new ArrayList<>();
        all.forEach(word -> copy.add(copy(word)));
        return copy;
      }
      return words;
    }
  }

  /** A function of participants, each of which is read again when it has changed. */
  private final class OfPlaces<P extends Place> extends Variable {
    private final Group<P> over;
    private final Function<P, JsonNode> at;
    private JsonNode[] known;

    OfPlaces(Group<P> over, Function<P, JsonNode> at) {
      super(over);
      this.over = over;
      this.at = at;
    }

    @Override
    JsonNode read() {
      return Values.function(over.places, at);
    }

    @Override
    JsonNode value() {
      if (over.changes[0] != seen) {
        if (seen < 0) {
          known = new JsonNode[over.places.size()];
        }
        boolean differs = seen < 0;
        int i = 0;
        for (P place : over.places.values()) {
          if (Math.max(place.changed, over.changed) > seen) {
            JsonNode found = at.apply(place);
            if (!found.equals(known[i])) {
              known[i] = found;
              differs = true;
            }
          }
          i++;
        }
        seen = over.changes[0];
        if (differs) {
          Iterator<JsonNode> all = List.of(known).iterator();
          value = Values.function(over.places.keySet(), place -> all.next());
        }
      }
      return value;
    }
  }

  /** Messages in flight, as a variable has them; delivered ones stay. */
  protected final class Network {
    private final Map<String, JsonNode> messages = new TreeMap<>();
    private final Map<JsonNode, Outbox.Sent> sent = new HashMap<>();
    private JsonNode value;

    private Network() {}

    /** A message was sent, which is this one of the model. */
    public void add(JsonNode message, Outbox.Sent real) {
      if (sent.putIfAbsent(message, real) == null) {
        messages.put(message.toString(), message);
        value = null;
      }
    }

    /** All that was sent so far. */
    public List<JsonNode> all() {
      return List.copyOf(messages.values());
    }

    /** What was sent as this message. */
    public Outbox.Sent get(JsonNode message) {
      return sent.get(message);
    }

    /** Nothing was sent yet. */
    public void clear() {
      messages.clear();
      sent.clear();
      value = null;
    }

    private JsonNode value() {
      if (value == null) {
        value = Values.sequence(messages.values());
      }
      return value;
    }
  }

  // ---- what a subclass declares --------------------------------------------------------------

  /**
   * Participants that the domain of a variable names.
   *
   * @param made of a name and its number, from 0
   */
  protected final <P extends Place> Group<P> group(BiFunction<Object, Integer, P> made) {
    return new Group<>(made, unset);
  }

  /** What an action is to the machines. */
  protected final void on(String action, Consumer<ObjectNode> does) {
    actions.put(action, does);
  }

  /** Actions of the environment, which machines have no part in. */
  protected final void outside(String... outside) {
    for (String action : outside) {
      on(action, p -> {});
    }
  }

  /**
   * What a variable that is given was when the action began.
   *
   * @throws IllegalArgumentException for any other: that one is the machines' to show
   */
  protected final JsonNode given(String variable) {
    if (!given().contains(variable)) {
      throw new IllegalArgumentException(variable + " is not given");
    }
    return before.get(variable);
  }

  /** The same at a participant, or at whatever else it is a function of. */
  protected final JsonNode given(String variable, Object argument) {
    return Values.at(given(variable), argument instanceof Place p ? p.name : argument);
  }

  /**
   * A function of the participants of a group.
   *
   * @param and groups whose participants its words depend on too; the same group, where they depend
   *     on more than the one that it is a function of
   */
  protected final <P extends Place> void function(
      String name, Group<P> over, Function<P, ?> words, Group<?>... and) {
    if (and.length == 0) {
      variables.put(name, new OfPlaces<>(over, place -> value(name, words.apply(place))));
      return;
    }
    Group<?>[] of = new Group<?>[and.length + 1];
    of[0] = over;
    System.arraycopy(and, 0, of, 1, and.length);
    variable(
        name, () -> Values.function(over.places, place -> value(name, words.apply(place))), of);
  }

  /** A variable; read in every state if it depends on no group. */
  protected final void variable(String name, Supplier<?> words, Group<?>... of) {
    variables.put(name, new OfWords(name, words, of));
  }

  /** A variable that holds messages. */
  protected final Network network(String name) {
    Network network = new Network();
    variable(name, network::value);
    return network;
  }

  /** A word of no group is called so in the model. */
  protected final void name(String word, Object name) {
    JsonNode now = name instanceof Integer n ? IntNode.valueOf(n) : TextNode.valueOf("" + name);
    if (!now.equals(named.put(word, now))) {
      variables.values().forEach(Variable::forget);
    }
  }

  /** What a word is called in the model. */
  protected JsonNode named(Sort sort, Object word) {
    return named.get(Shape.text(word));
  }

  /** Makes the participants of an initial state, and starts them. */
  protected abstract void open(ObjectNode initial);

  /** What every action ends with. */
  protected void settle() {}

  // ---- what is derived -----------------------------------------------------------------------

  /** Words of a name in the model's terms. */
  protected final JsonNode value(String name, Object words) {
    return words instanceof JsonNode made ? made : binding.vocabulary.make(name, words, json);
  }

  private final Shape.Maker<JsonNode> json =
      new Shape.Maker<>() {
        @Override
        public JsonNode name(Sort sort, Object word) {
          String text = sort.none == null ? null : Shape.text(word);
          return text != null && text.equals(sort.none)
              ? TextNode.valueOf(text)
              : named(sort, word);
        }

        @Override
        public JsonNode text(String text) {
          return TextNode.valueOf(text);
        }

        @Override
        public JsonNode number(long number) {
          return IntNode.valueOf((int) number);
        }

        @Override
        public JsonNode truth(boolean truth) {
          return BooleanNode.valueOf(truth);
        }

        @Override
        public JsonNode set(Collection<JsonNode> elements) {
          return Values.set(elements);
        }

        @Override
        public JsonNode sequence(List<JsonNode> elements) {
          return Values.sequence(elements);
        }

        @Override
        public JsonNode record(Map<String, JsonNode> fields) {
          if (fields.isEmpty()) {
            return Values.F.arrayNode();
          }
          ObjectNode o = Values.F.objectNode();
          fields.forEach(o::set);
          return o;
        }

        @Override
        public JsonNode function(Map<JsonNode, JsonNode> values) {
          return Json.function(List.copyOf(values.entrySet()));
        }
      };

  @Override
  public final String[] variables() {
    if (order == null) {
      order = variables.values().toArray(Variable[]::new);
    }
    return variables.keySet().toArray(String[]::new);
  }

  @Override
  public final void reset(ObjectNode initial) {
    before = initial;
    variables.values().forEach(Variable::forget);
    open(initial);
    settle();
  }

  /** The places of a group are those that a variable is a function of. */
  protected final void open(Group<?> group, JsonNode function) {
    List<Object> names = new ArrayList<>();
    if (function.isArray()) {
      for (int i = 1; i <= function.size(); i++) {
        names.add(i);
      }
    } else {
      function
          .fieldNames()
          .forEachRemaining(n -> names.add(n.matches("\\d+") ? (Object) Integer.valueOf(n) : n));
    }
    group.open(names);
    group.all().forEach(this::known);
  }

  /** Who is of no group, and gets messages too. */
  protected final void known(Place place) {
    watched(place);
    if (place.spec != null) {
      roles.put(place.spec.role(), place);
    }
  }

  /** A place of no group, whose timers have to be set before they change anything. */
  protected final <P extends Place> P watched(P place) {
    place.unset = unset;
    return place;
  }

  /** Who has a role, null if nobody. */
  protected final Place holder(String role) {
    return roles.get(role);
  }

  /** Delivers what was sent, unless nobody has that role, or whose machine is gone. */
  protected final void deliver(Outbox.Sent sent, ClockReading clock) {
    Place to = holder(sent.to());
    if (to != null && to.machine != null) {
      to.deliver(sent, clock);
    }
  }

  @Override
  public final void apply(String action, ObjectNode parameters, ObjectNode state) {
    before = state;
    Consumer<ObjectNode> does = actions.get(action);
    if (does == null) {
      throw new IllegalArgumentException("no machine has an action " + action);
    }
    unset.clear();
    does.accept(parameters);
    settle();
    if (!unset.isEmpty() && changed(state)) {
      throw new IllegalStateException("a timer changes something that is not set: " + unset);
    }
  }

  private boolean changed(ObjectNode since) {
    return variables.entrySet().stream()
        .anyMatch(v -> !v.getValue().value().equals(since.get(v.getKey())));
  }

  @Override
  public final JsonNode project(int variable) {
    return order[variable].value();
  }

  /** Variables that are not what they were last read as: what they depend on was not declared. */
  final List<String> stale() {
    return variables.keySet().stream().filter(name -> variables.get(name).stale()).toList();
  }

  @Override
  public final Set<String> given() {
    return binding == null ? Set.of() : binding.given().keySet();
  }

  @Override
  public final Map<String, String> ghosts() {
    Map<String, String> all = new TreeMap<>(binding.ghosts());
    all.putAll(binding.given());
    return all;
  }
}
