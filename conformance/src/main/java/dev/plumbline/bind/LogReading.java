package dev.plumbline.bind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.protocol.Near;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Spec;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel;
import dev.plumbline.validate.TraceModel.Step;
import dev.plumbline.validate.Validator;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Reads a log as its binding says. An event {@code MODULE.A} is the operator {@code TraceA} of the
 * trace module, or {@code A} if there is none; before it stands {@code BeforeEach} and after it
 * {@code AShows}, where there are such operators. Arguments are found by the parameters' names: in
 * the event's arguments, in its state, and among what the binding derives. A parameter {@code
 * xLogged} stands for {@code x}, where a variable has that name.
 */
public class LogReading implements TraceModel.Reading {
  protected final MergedLog log;
  protected final int events;
  protected Spec spec;
  private final Binding binding;
  private final String prefix;
  private final int room;
  private final Map<Sort, Names> names = new LinkedHashMap<>();
  private final Map<String, Map<JsonNode, Integer>> deliveries = new HashMap<>();
  private final Map<Object, Integer> known = new IdentityHashMap<>();
  private final Map<String, List<String>> parameters = new HashMap<>();

  /** What the operators of the event at hand have read, by name. */
  private final Set<String> read = new HashSet<>();

  private int current;
  private int round = 1;
  private int stuck;
  private final Map<Integer, List<Term>> over = new HashMap<>();
  private final List<Term> left = new ArrayList<>();
  private Term gone;

  /** Of constants, in their order. */
  private final Map<String, String> definitions = new LinkedHashMap<>();

  private final Map<String, String> lines = new LinkedHashMap<>();

  /**
   * @param room see {@link TraceModel#read}
   */
  protected LogReading(Binding binding, MergedLog log, int room) {
    this.binding = binding;
    this.log = log;
    this.room = room;
    this.prefix = binding.module() + ".";
    this.events = log.entries().size();
  }

  /** Events between two rounds of forgetting. */
  protected final void round(int length) {
    round = length;
  }

  /** No event after {@code i} needs what is called so: {@code gone} has it from there on. */
  protected final void over(int i, Term name) {
    over.computeIfAbsent(i, last -> new ArrayList<>()).add(name);
  }

  /** Reads the whole log for what it mentions. */
  final void scan() {
    for (int i = 0; i < events; i++) {
      try {
        begins(i);
        mentions(i);
        scan(i, event(i));
      } catch (InputError | TraceModel.PoolEmpty e) {
        throw e;
      } catch (RuntimeException e) {
        throw Validator.misread(binding, log.entries().get(i), e);
      }
    }
    scanned();
    constants();
  }

  /** What a step began with, and who took it, must be what its action demands. */
  private void begins(int i) {
    TraceEvent e = event(i);
    boolean own = e.action().startsWith(prefix);
    boolean delivers = binding.deliveredBy.values().stream().anyMatch(e.args()::containsKey);
    if (e.recv().isEmpty() && (own && delivers || binding.handling.contains(e.action()))) {
      throw error(
          i, e.action() + " handles a message, and the event names none", "log recv with it");
    }
    Set<String> causes =
        binding.causes.getOrDefault(
            e.action(), own && !binding.outside() ? CAUSES : Set.of(e.by()));
    if (!causes.contains(e.by())) {
      throw error(
          i,
          e.action()
              + " begins with "
              + String.join(" or ", causes).replaceFirst("^ or ", "a message or ")
              + ", and the event says "
              + (e.recv().isPresent() ? "that it handles " + e.recv().orElseThrow() : e.by()),
          "log what the step began with");
    }
    Function<TraceEvent, Set<String>> senders = binding.senders.get(e.action());
    if (senders != null) {
      demandSender(i, senders.apply(e));
    }
    binding.selves.forEach(
        (parameter, actions) -> {
          JsonNode who = own ? e.args().get(parameter) : null;
          if (who != null
              && (actions.isEmpty() || actions.contains(e.action()))
              && !who.asText().equals(e.role())) {
            throw error(
                i,
                e.action() + " of " + e.role() + " says that " + parameter + " is " + who.asText(),
                "log a step where it is taken");
          }
        });
  }

  /**
   * A message that an event handles is of one of those from whom it may be.
   *
   * @param senders null where nobody is known: what nobody sent the module has to reject
   */
  protected final void demandSender(int i, Set<String> senders) {
    TraceEvent e = event(i);
    if (senders != null && e.recv().isPresent() && !senders.contains(e.sender().get())) {
      throw error(
          i,
          e.action()
              + " handles message "
              + e.recv().get()
              + ", and says that it is of "
              + String.join(" or ", senders),
          "log recv with the message that the step handled");
    }
  }

  private void mentions(int i) {
    TraceEvent e = event(i);
    if (!concerns(i)) {
      return;
    }
    mention(i, e.args());
    for (String part : binding.shown) {
      if (e.state().containsKey(part)) {
        mention(i, part, e.state().get(part));
      }
    }
    for (Map.Entry<String, Binding.Derived> d : binding.derived.entrySet()) {
      Object words = d.getValue().of(e);
      if (words != null) {
        mention(i, d.getKey(), words);
      }
    }
    for (String parameter : binding.deliveredBy.values()) {
      if (e.args().containsKey(parameter)) {
        deliveries.computeIfAbsent(parameter, p -> new HashMap<>()).put(e.args().get(parameter), i);
      }
    }
  }

  /** Takes note of what only this module has to know of an event. */
  protected void scan(int i, TraceEvent e) {}

  /** Finds what takes all events to know. */
  protected void scanned() {}

  /** Whether an event is one of the module's. */
  protected boolean concerns(int i) {
    String action = event(i).action();
    return action.startsWith(prefix) || binding.also.containsKey(action);
  }

  protected final TraceEvent event(int i) {
    return log.entries().get(i).event();
  }

  // ---- names ---------------------------------------------------------------------------------

  /** The names of a sort's words in this log. */
  protected final <N extends Names> N names(Sort sort, Class<N> kind) {
    return kind.cast(names.computeIfAbsent(sort, Sort::names));
  }

  /** Event {@code i} has these words. */
  protected final void mention(int i, Map<String, JsonNode> words) {
    words.forEach((name, value) -> mention(i, name, value));
  }

  protected final void mention(int i, String name, Object words) {
    binding.vocabulary.make(
        name,
        words,
        new Visitor() {
          @Override
          void visit(Sort sort, Object word) {
            mention(i, sort, word);
          }
        });
  }

  /** Event {@code i} has a word of a sort. */
  protected void mention(int i, Sort sort, Object word) {
    Names n = names.computeIfAbsent(sort, Sort::names);
    if (n != null) {
      n.mention(word, i);
    }
  }

  /** What a word is called. */
  protected Term term(int i, Sort sort, Object word) {
    return names.computeIfAbsent(sort, Sort::names).term(word);
  }

  /** How many names a sort needs, for definitions. */
  protected final int size(Sort sort) {
    return names.computeIfAbsent(sort, Sort::names).size(room, events);
  }

  private final Shape.Maker<Term> terms =
      new Shape.Maker<>() {
        @Override
        public Term name(Sort sort, Object word) {
          return sort.none != null && sort.none.equals(Shape.text(word))
              ? Term.model(sort.none)
              : term(current, sort, word);
        }

        @Override
        public Term text(String text) {
          return Term.string(text);
        }

        @Override
        public Term number(long number) {
          if (number != (int) number) {
            throw new TooLarge(number);
          }
          return Term.of((int) number);
        }

        @Override
        public Term truth(boolean truth) {
          return Term.of(truth);
        }

        @Override
        public Term set(Collection<Term> elements) {
          return Term.set(elements);
        }

        @Override
        public Term sequence(List<Term> elements) {
          return Term.sequence(elements);
        }

        @Override
        public Term record(Map<String, Term> fields) {
          return Term.record(fields);
        }

        @Override
        public Term function(Map<Term, Term> values) {
          return Term.function(values);
        }
      };

  private static final String LOGGED = "Logged";

  /** What an action may begin with that no binding says more of; stores outside are few. */
  static final Set<String> CAUSES = new TreeSet<>(List.of("", "start", "timer", "request"));

  private static final class TooLarge extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final long number;

    TooLarge(long number) {
      this.number = number;
    }
  }

  /** Looks at the words of a value. */
  private abstract static class Visitor implements Shape.Maker<Object> {
    abstract void visit(Sort sort, Object word);

    @Override
    public Object name(Sort sort, Object word) {
      if (sort.none == null || !sort.none.equals(Shape.text(word))) {
        visit(sort, word);
      }
      return "";
    }

    @Override
    public Object text(String text) {
      return "";
    }

    @Override
    public Object number(long number) {
      return "";
    }

    @Override
    public Object truth(boolean truth) {
      return "";
    }

    @Override
    public Object set(Collection<Object> elements) {
      return "";
    }

    @Override
    public Object sequence(List<Object> elements) {
      return "";
    }

    @Override
    public Object record(Map<String, Object> fields) {
      return "";
    }

    @Override
    public Object function(Map<Object, Object> values) {
      return "";
    }
  }

  @Override
  public Map<String, String> names(int index) {
    Map<String, String> found = new TreeMap<>();
    event(index)
        .args()
        .forEach(
            (name, words) ->
                binding.vocabulary.make(
                    name,
                    words,
                    new Visitor() {
                      @Override
                      void visit(Sort sort, Object word) {
                        if (word instanceof JsonNode j && j.isTextual()) {
                          found.put(j.textValue(), sort.what + " " + term(index, sort, word));
                        }
                      }
                    }));
    return found;
  }

  // ---- the root module -----------------------------------------------------------------------

  /** Says what only the whole log says of constants; a definition may use those before it. */
  protected void constants() {}

  /**
   * The log says this of a constant: {@code LogNAME} stands for it, and numbers for themselves.
   *
   * @param name with its parameters, if it is an operator
   * @param words as {@link Tla} has them
   */
  protected final void constant(String name, Object words) {
    String constant = name.replaceFirst("\\(.*", "");
    definitions.remove(constant);
    if (words instanceof Number) {
      lines.put(constant, constant + " = " + words);
    } else {
      definitions.put(constant, "Log" + name + " == " + Tla.of(words));
      lines.put(constant, constant + " <- Log" + constant);
    }
  }

  @Override
  public final List<String> definitions() {
    return List.copyOf(definitions.values());
  }

  @Override
  public final List<String> configuration() {
    List<String> all = new ArrayList<>(binding.configuration());
    all.addAll(lines.values());
    return all;
  }

  @Override
  public List<String> invariants() {
    return binding.invariants();
  }

  @Override
  public Map<String, Term> forgotten() {
    return binding.forgotten();
  }

  @Override
  public void load(Spec loaded) {
    spec = loaded;
    names.values().stream().filter(n -> n != null).forEach(n -> n.load(room, events));
  }

  // ---- steps ---------------------------------------------------------------------------------

  @Override
  public List<Step> steps(int i) {
    TraceEvent e = event(i);
    if (!concerns(i)) {
      return List.of();
    }
    read.clear();
    List<Step> steps = new ArrayList<>(calls(i, binding.before));
    String before = operator("BeforeEach");
    if (known(before)) {
      steps.add(call(i, "", before));
    }
    String action = e.actionName();
    Binding.Also also = binding.also.get(e.action());
    if (also != null) {
      steps.add(call(i, also.coverage(), also.operator()));
    } else {
      String operator = known("Trace" + action) ? "Trace" + action : action;
      if (!known(operator)) {
        throw error(
            i, binding.module() + " has no action " + action, "log the specification's actions");
      }
      steps.add(call(i, action, operator));
    }
    String shown = operator(binding.shows.getOrDefault(e.action(), action + "Shows"));
    if (known(shown) && shows(i)) {
      steps.add(call(i, "", shown));
    }
    steps.addAll(calls(i, binding.after));
    if (e.action().startsWith(prefix) && shows(i)) {
      demandRead(i);
    }
    return steps;
  }

  /** What a state says and nobody reads would be true whatever it said. */
  private void demandRead(int i) {
    for (String word : event(i).state().keySet()) {
      if (!read.contains(word)) {
        throw error(
            i,
            event(i).action() + " has " + word + " in its state, which no operator reads",
            "compare it in " + event(i).actionName() + "Shows, or leave it out of the log");
      }
    }
  }

  private List<Step> calls(int i, Map<String, List<String>> operators) {
    return operators.getOrDefault(event(i).action(), List.of()).stream()
        .map(operator -> call(i, "", operator))
        .toList();
  }

  /** The operator that stands for one that every trace module may have. */
  protected String operator(String wanted) {
    return wanted;
  }

  /** Whether the event's state is the specification's. */
  protected boolean shows(int i) {
    return true;
  }

  /** A step whose arguments are found by name. */
  protected final Step call(int i, String action, String operator) {
    List<Term> arguments = new ArrayList<>();
    for (String parameter : parameters(operator)) {
      arguments.add(argument(i, parameter));
    }
    return new Step(action, operator, arguments, false);
  }

  protected final boolean known(String operator) {
    return parameters(operator) != null;
  }

  private List<String> parameters(String operator) {
    if (!parameters.containsKey(operator)) {
      parameters.put(operator, spec.parameters(operator));
    }
    return parameters.get(operator);
  }

  private Term argument(int i, String named) {
    String parameter =
        named.endsWith(LOGGED) ? named.substring(0, named.length() - LOGGED.length()) : named;
    read.add(parameter);
    Term own = own(i, parameter);
    if (own != null) {
      return own;
    }
    TraceEvent e = event(i);
    Object words = words(e, parameter);
    if (words == null) {
      Set<String> known = new TreeSet<>(e.args().keySet());
      known.addAll(e.state().keySet());
      throw error(
          i,
          e.action()
              + (e.state().isEmpty() ? " has no state, and" : " has")
              + " no argument "
              + parameter,
          Near.to(parameter, known).map(near -> "is " + near + " meant for it? ").orElse("")
              + "log the specification's actions, parameters and state");
    }
    return value(i, parameter, words);
  }

  /** Words of a name, in an event. */
  protected final Term value(int i, String name, Object words) {
    current = i;
    try {
      return binding.vocabulary.make(name, words, terms);
    } catch (TooLarge x) {
      return number(i, x.number);
    }
  }

  private Object words(TraceEvent e, String parameter) {
    Binding.Derived d = binding.derived.get(parameter);
    Object words = d == null ? null : d.of(e);
    if (words != null) {
      return words;
    }
    if (e.args().containsKey(parameter)) {
      return e.args().get(parameter);
    }
    if (e.state().containsKey(parameter)) {
      return e.state().get(parameter);
    }
    return switch (parameter) {
      case "role" -> e.role();
      case "node" -> e.node();
      case "at" -> e.at();
      case "local" -> e.local();
      default -> null;
    };
  }

  /** An argument that takes the whole log to find; null if it is in the event. */
  protected Term own(int i, String parameter) {
    return parameter.equals("gone") ? gone() : null;
  }

  /** A number that TLC has. */
  protected final Term number(int i, long value) {
    if (value != (int) value) {
      throw error(i, value + " exceeds 32 bits", "validate shorter runs");
    }
    return Term.of((int) value);
  }

  protected final InputError error(int i, String problem, String remedy) {
    MergedLog.Entry entry = log.entries().get(i);
    return new InputError(entry.file(), entry.line(), problem, remedy);
  }

  // ---- forgetting ----------------------------------------------------------------------------

  private List<Names.Reused> pools() {
    return names.values().stream()
        .filter(Names.Reused.class::isInstance)
        .map(Names.Reused.class::cast)
        .toList();
  }

  private Term gone() {
    if (gone == null) {
      List<Term> all = new ArrayList<>(left);
      pools().forEach(p -> all.addAll(p.retired()));
      gone = Term.set(all);
    }
    return gone;
  }

  @Override
  public List<String> messageVariables() {
    return List.copyOf(binding.deliveredBy.keySet());
  }

  @Override
  public boolean deliveredAfter(int index, Term message) {
    Integer last = known.get(message.identity());
    if (last == null) {
      last = lastDelivery(message);
      known.put(message.identity(), last);
    }
    return last > index;
  }

  /** The last event that delivers a message, -1 if none does. */
  protected int lastDelivery(Term message) {
    ObjectNode words = (ObjectNode) message.json();
    for (Map.Entry<String, JsonNode> field : words.properties()) {
      if (binding.vocabulary.shape(field.getKey()) instanceof Sort sort) {
        String word = names.get(sort).word(message.field(field.getKey()));
        if (word != null) {
          field.setValue(TextNode.valueOf(word));
        }
      }
    }
    return deliveries.values().stream().mapToInt(m -> m.getOrDefault(words, -1)).max().orElse(-1);
  }

  @Override
  public List<Step> housekeeping(int index) {
    int before = left.size();
    left.addAll(over.getOrDefault(index, List.of()));
    int now = left.size();
    for (Names.Reused pool : pools()) {
      before += pool.retiredCount();
      pool.retire(index);
      now += pool.retiredCount();
    }
    if (now != before) {
      gone = null;
    }
    return now < stuck + round ? List.of() : List.of(call(index, "", operator("Forget")));
  }

  @Override
  public void remade() {
    known.clear();
  }

  @Override
  public void cleaned(List<Spec.State> candidates) {
    Set<Term> unused = null;
    if (known("Unused")) {
      for (Spec.State s : candidates) {
        Set<Term> here = new HashSet<>(spec.term("Unused", s).elements());
        if (unused == null) {
          unused = here;
        } else {
          unused.retainAll(here);
        }
      }
    }
    left.clear();
    stuck = 0;
    for (Names.Reused pool : pools()) {
      pool.reuse(unused);
      stuck += pool.retiredCount();
    }
    known.clear();
    gone = null;
  }
}
