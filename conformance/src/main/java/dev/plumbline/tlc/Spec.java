package dev.plumbline.tlc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import tla2sany.semantic.ExprNode;
import tla2sany.semantic.ExprOrOpArgNode;
import tla2sany.semantic.FormalParamNode;
import tla2sany.semantic.LabelNode;
import tla2sany.semantic.LetInNode;
import tla2sany.semantic.OpApplNode;
import tla2sany.semantic.OpDeclNode;
import tla2sany.semantic.OpDefNode;
import tla2sany.semantic.SemanticNode;
import tla2sany.semantic.SubstInNode;
import tla2sany.st.Location;
import tlc2.tool.Action;
import tlc2.tool.BuiltInOPs;
import tlc2.tool.IContextEnumerator;
import tlc2.tool.ITool;
import tlc2.tool.StateVec;
import tlc2.tool.TLCState;
import tlc2.tool.coverage.CostModel;
import tlc2.tool.impl.FastTool;
import tlc2.util.Context;
import tlc2.util.FP64;
import tlc2.value.impl.BoolValue;
import tlc2.value.impl.FcnLambdaValue;
import tlc2.value.impl.LazyValue;
import tlc2.value.impl.Value;
import util.FilenameToStream;
import util.UniqueString;

/**
 * A specification in process: initial states, and the steps from a state with the action's name and
 * all its parameters. TLC keeps variables in statics, so <em>only the specification loaded last may
 * be used</em>; older ones throw IllegalStateException. Not safe for use by several threads.
 *
 * <p><b>Names.</b> A step is named by the operator reached from Next through disjunctions,
 * quantifiers and operators that are nothing but those. Its parameters are that operator's
 * arguments and the variables quantified directly inside it: {@code \E m \in msgs : Handle(m)}
 * gives Handle with m.
 */
public final class Spec {
  private static Spec current;

  private final ITool tool;
  private final List<String> variables;
  private final Map<String, ExprNode> predicates = new LinkedHashMap<>();
  private final Map<String, OpDefNode> operators = new LinkedHashMap<>();
  private final Action next;

  private final Map<String, List<String>> sources = new LinkedHashMap<>();
  private final FilenameToStream resolver;

  private Spec(ITool tool, Action next, FilenameToStream resolver) {
    this.tool = tool;
    this.resolver = resolver;
    this.next = next;
    List<String> names = new ArrayList<>();
    for (OpDeclNode v : tool.getRootModule().getVariableDecls()) {
      names.add(v.getName().toString());
    }
    names.sort(null);
    this.variables = List.copyOf(names);
    for (OpDefNode d : tool.getRootModule().getOpDefs()) {
      if (d.getBody() != null) {
        operators.put(d.getName().toString(), d);
      }
      if (d.getArity() == 0 && d.getBody() != null && d.getLevel() <= 1) {
        predicates.put(d.getName().toString(), d.getBody());
      }
    }
    current = this;
  }

  /**
   * Loads a module with a configuration.
   *
   * @param module the .tla file
   * @param config the .cfg file
   * @param library folders in which further modules are looked for, after the module's own
   * @throws InputError when the module or the configuration is wrong, or an assumption is false
   */
  public static synchronized Spec load(Path module, Path config, List<Path> library) {
    Spec spec = loadUnassumed(module, config, library);
    spec.brokenAssumption()
        .ifPresent(
            broken -> {
              throw new InputError(
                  config.toString(), 0, broken, "give the constants values that the module takes");
            });
    return spec;
  }

  /** The same, whether the module's assumptions hold or not. */
  static synchronized Spec loadUnassumed(Path module, Path config, List<Path> library) {
    Tlc.start();
    forgetLast();
    FilenameToStream resolver = Tlc.resolver(module, config, library);
    String name = module.getFileName().toString().replaceAll("\\.tla$", "");
    String cfg = config.getFileName().toString().replaceAll("\\.cfg$", "");
    try {
      FastTool tool = new FastTool("", name, cfg, resolver);
      return new Spec(tool, tool.getNextStateSpec(), resolver);
    } catch (RuntimeException e) {
      Modules.parse(module, library);
      String message = String.valueOf(e.getMessage()).replaceAll("\\s+", " ");
      throw new InputError(config.toString(), 0, message, "correct the configuration");
    }
  }

  /** The specification that TLC's checker has loaded. */
  static synchronized Spec of(ITool tool) {
    return new Spec(tool, tool.getNextStateSpec(), null);
  }

  /** Prepares for a specification that TLC will load itself. */
  static synchronized void forgetLast() {
    Tlc.forgetSlots();
    current = null;
  }

  /** One state. States are equal when their 64-bit fingerprints are. */
  public final class State {
    final TLCState tlc;
    private long fingerprint;
    private boolean fingerprinted;

    /** Functions that TLC has not evaluated yet are, while what they were made of is whole. */
    State(TLCState tlc) {
      this.tlc = tlc;
      for (String v : variables) {
        if (tlc.lookup(UniqueString.uniqueStringOf(v)) instanceof FcnLambdaValue function) {
          function.fingerPrint(FP64.New());
        }
      }
    }

    /** 64 bits; under a VIEW or SYMMETRY of the configuration, of what that leaves. */
    public long fingerprint() {
      if (!fingerprinted) {
        fingerprint = tlc.fingerPrint();
        fingerprinted = true;
      }
      return fingerprint;
    }

    /** All variables, sorted by name. */
    public ObjectNode json() {
      return Json.of(tlc, variables);
    }

    /**
     * The same for a state that a step led to, sharing what the step left as it was.
     *
     * @param before the state before the step, with its JSON
     */
    public ObjectNode json(State before, ObjectNode beforeJson, Values values) {
      return Json.of(tlc, variables, before.tlc, beforeJson, values.known);
    }

    /** Adds the places of arrays in {@link #json()}, and whether they are sequences. */
    public void arrays(Map<String, Boolean> sequences) {
      for (String v : variables) {
        Json.arrays(tlc.lookup(UniqueString.uniqueStringOf(v)), v, sequences);
      }
    }

    /** One variable. */
    public JsonNode json(String variable) {
      return Json.of(tlc.lookup(UniqueString.uniqueStringOf(variable)));
    }

    /** One variable's value; normalized. */
    public Term get(String variable) {
      Value v = (Value) tlc.lookup(UniqueString.uniqueStringOf(variable));
      return new Term(v);
    }

    /** The same state with another value of one variable. */
    public State with(String variable, Term value) {
      TLCState changed = tlc.copy();
      changed.bind(UniqueString.uniqueStringOf(variable), value.value);
      return new State(changed);
    }

    /**
     * The same state without what made it. A function that TLC makes when it is asked for holds the
     * state that it was written in, which holds the one before: all since the first.
     */
    public State plain() {
      TLCState same = tlc.copy();
      for (String v : variables) {
        UniqueString name = UniqueString.uniqueStringOf(v);
        same.bind(name, Plain.of((Value) tlc.lookup(name)));
      }
      return new State(same);
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof State s && s.fingerprint() == fingerprint();
    }

    @Override
    public int hashCode() {
      return Long.hashCode(fingerprint());
    }

    @Override
    public String toString() {
      return json().toString();
    }
  }

  /** JSON of values met before. */
  public static final class Values {
    private final Map<Long, JsonNode> known = new HashMap<>();
  }

  /** An action with its parameters bound, before its successors are known. */
  public static final class Call {
    private final Frame frame;

    Call(Frame frame) {
      this.frame = frame;
    }

    public String action() {
      return frame.name;
    }

    /** The value of a parameter, or null when the action has none of that name. */
    public JsonNode parameter(String name) {
      Object value = frame.parameters.get(name);
      return value == null ? null : Json.of(value);
    }
  }

  /** One step from a state: the action, its parameters in order, and the state it leads to. */
  public static final class Step {
    private final Frame frame;
    private final State to;

    Step(Frame frame, State to) {
      this.frame = frame;
      this.to = to;
    }

    public String action() {
      return frame.name;
    }

    /** Parameter names with their values, in the order of the definition. */
    public ObjectNode parameters() {
      ObjectNode o = JsonNodeFactory.instance.objectNode();
      frame.parameters.forEach((k, v) -> o.set(k, Json.of(v)));
      return o;
    }

    /** The same; equal values are the same object in everything made with these. */
    public ObjectNode parameters(Values values) {
      ObjectNode o = JsonNodeFactory.instance.objectNode();
      frame.parameters.forEach((k, v) -> o.set(k, Json.of(v, values.known)));
      return o;
    }

    /** Adds the places of arrays in {@link #parameters()}, each below the action's name. */
    public void arrays(Map<String, Boolean> sequences) {
      frame.parameters.forEach((k, v) -> Json.arrays(v, frame.name + "." + k, sequences));
    }

    public State to() {
      return to;
    }
  }

  public List<String> variables() {
    return variables;
  }

  ITool tool() {
    check();
    return tool;
  }

  /** The first assumption of a module that does not hold, and where it stands. */
  Optional<String> brokenAssumption() {
    check();
    ExprNode[] assumptions = tool.getAssumptions();
    boolean[] axioms = tool.getAssumptionIsAxiom();
    for (int i = 0; i < assumptions.length; i++) {
      if (!axioms[i] && !tool.isValid(assumptions[i])) {
        Location l = assumptions[i].getLocation();
        return Optional.of(
            "the assumption at "
                + l.source()
                + ".tla:"
                + l.beginLine()
                + " is false: "
                + source(l));
      }
    }
    return Optional.empty();
  }

  public List<State> initialStates() {
    check();
    return states(tool.getInitStates());
  }

  /** True when the state satisfies every CONSTRAINT: the checker explores no further otherwise. */
  public boolean inModel(State state) {
    check();
    return tool.isInModel(state.tlc);
  }

  /** True when the step satisfies every ACTION_CONSTRAINT. */
  public boolean inModel(State from, State to) {
    check();
    return tool.isInActions(from.tlc, to.tlc);
  }

  /**
   * Every step that Next allows from {@code state}, constraints not applied. One successor can be
   * reached by several actions, and one action can reach several successors: each pair is a step.
   */
  public List<Step> steps(State state) {
    return steps(state, call -> true);
  }

  /**
   * Like {@link #steps(State)}, for the action calls that {@code wanted} accepts; others cost
   * nothing.
   */
  public List<Step> steps(State state, Predicate<Call> wanted) {
    return steps(next.pred, state, wanted);
  }

  private List<Step> steps(SemanticNode from, State state, Predicate<Call> wanted) {
    check();
    List<Step> all = new ArrayList<>();
    expand(
        from,
        next.con,
        Frame.ROOT,
        state.tlc,
        (frame, node, context) -> {
          if (!wanted.test(new Call(frame))) {
            return;
          }
          StateVec found =
              tool.getNextStates(new Action(node, context, frame.definition), state.tlc);
          for (int i = 0; i < found.size(); i++) {
            all.add(new Step(frame, new State(found.elementAt(i))));
          }
        });
    return all;
  }

  /** The parameters of an operator of the root module, or null if there is none of that name. */
  public List<String> parameters(String operator) {
    OpDefNode d = operators.get(operator);
    return d == null
        ? null
        : Arrays.stream(d.getParams()).map(p -> p.getName().toString()).toList();
  }

  /**
   * The successors of {@code state} by one action with its arguments given, whether Next allows
   * them or not; constraints are not applied.
   *
   * @param operator an operator of the root module that is an action
   * @param arguments one for each of its parameters
   */
  public List<State> apply(State state, String operator, List<Term> arguments) {
    check();
    OpDefNode d = operator(operator);
    return states(tool.getNextStates(new Action(d.getBody(), bind(d, arguments), d), state.tlc));
  }

  /** A part of an action's guard. */
  public record Conjunct(String file, int line, String text, boolean holds) {}

  /**
   * The conjuncts of an action that do not speak of the next state, with their values in {@code
   * state}; one that cannot be evaluated counts as false.
   */
  public List<Conjunct> guards(State state, String operator, List<Term> arguments) {
    check();
    OpDefNode d = operator(operator);
    List<Conjunct> found = new ArrayList<>();
    guards(d.getBody(), bind(d, arguments), state.tlc, found);
    return found;
  }

  private void guards(SemanticNode raw, Context c, TLCState s, List<Conjunct> found) {
    if (raw instanceof LetInNode let) {
      Context inner = c;
      for (OpDefNode local : let.getLets()) {
        if (local.getArity() == 0) {
          inner = inner.cons(local, new LazyValue(local.getBody(), inner, CostModel.DO_NOT_RECORD));
        }
      }
      guards(let.getBody(), inner, s, found);
      return;
    }
    SemanticNode node = strip(raw);
    if (node instanceof OpApplNode a && isAnd(a)) {
      for (ExprOrOpArgNode arg : a.getArgs()) {
        guards(arg, c, s, found);
      }
    } else if (node instanceof ExprNode e && e.getLevel() <= 1) {
      boolean holds;
      try {
        holds = tool.eval(e, c, s) instanceof BoolValue b && b.val;
      } catch (RuntimeException x) {
        holds = false;
      }
      Location l = e.getLocation();
      found.add(new Conjunct(l.source() + ".tla", l.beginLine(), source(l), holds));
    } else if (node instanceof OpApplNode a && definition(a, c) != null) {
      OpDefNode d = definition(a, c);
      Context inner = c;
      for (int i = 0; i < a.getArgs().length; i++) {
        if (a.getArgs()[i].getLevel() > 1) {
          return;
        }
        inner = inner.cons(d.getParams()[i], tool.eval(a.getArgs()[i], c, s));
      }
      guards(d.getBody(), inner, s, found);
    }
  }

  /** The text of an expression, on one line; empty if its module's file is not at hand. */
  private String source(Location l) {
    List<String> lines = sources.computeIfAbsent(l.source(), this::readModule);
    if (l.endLine() > lines.size()) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    for (int n = l.beginLine(); n <= l.endLine(); n++) {
      String line = lines.get(n - 1);
      int from = n == l.beginLine() ? l.beginColumn() - 1 : 0;
      int to = n == l.endLine() ? Math.min(l.endColumn(), line.length()) : line.length();
      text.append(line, from, to).append(' ');
    }
    return text.toString().strip().replaceAll("\\s+", " ");
  }

  private List<String> readModule(String name) {
    File file = resolver == null ? null : resolver.resolve(name, true);
    try {
      return file != null && file.isFile() ? Files.readAllLines(file.toPath()) : List.of();
    } catch (IOException e) {
      return List.of();
    }
  }

  private OpDefNode operator(String name) {
    OpDefNode d = operators.get(name);
    if (d == null) {
      throw new InputError(
          "", 0, "module " + tool.getRootModule().getName() + " defines no operator " + name, "");
    }
    return d;
  }

  private static Context bind(OpDefNode d, List<Term> arguments) {
    if (d.getArity() != arguments.size()) {
      throw new InputError(
          "",
          0,
          d.getName() + " has " + d.getArity() + " parameters, not " + arguments.size(),
          "give one argument for each");
    }
    Context c = Context.Empty;
    for (int i = 0; i < arguments.size(); i++) {
      c = c.cons(d.getParams()[i], arguments.get(i).value);
    }
    return c;
  }

  /** The names of all actions, in Next's order. */
  public Set<String> actions() {
    check();
    Set<String> names = new LinkedHashSet<>();
    collect(next.pred, Frame.ROOT, names);
    return names;
  }

  /**
   * For each action that TLC splits Next into, in TLC's order, the names of the actions it stands
   * for.
   */
  List<Set<String>> namesOfTlcActions() {
    check();
    List<Set<String>> names = new ArrayList<>();
    split(next.pred, next.con, Frame.ROOT, false, names);
    if (names.size() == tool.getActions().length) {
      return names;
    }
    names.clear();
    for (Action a : tool.getActions()) {
      names.add(Set.of(a.getName().toString()));
    }
    return names;
  }

  /**
   * Which of the named actions are taken in some reachable state, looking at {@code limit} states
   * at most.
   */
  Set<String> seek(Set<String> wanted, int limit) {
    Set<String> found = new LinkedHashSet<>();
    if (wanted.isEmpty()) {
      return found;
    }
    Set<State> seen = new LinkedHashSet<>();
    ArrayDeque<State> queue = new ArrayDeque<>();
    for (State s : initialStates()) {
      if (seen.add(s) && inModel(s)) {
        queue.add(s);
      }
    }
    while (!queue.isEmpty() && found.size() < wanted.size() && seen.size() < limit) {
      State s = queue.poll();
      for (Step step : steps(s)) {
        if (wanted.contains(step.action())) {
          found.add(step.action());
        }
        if (inModel(step.to()) && inModel(s, step.to()) && seen.add(step.to())) {
          queue.add(step.to());
        }
      }
    }
    return found;
  }

  /**
   * Evaluates a state predicate or state function of the root module that takes no arguments.
   *
   * @throws InputError when there is no such definition
   */
  public JsonNode evaluate(String definition, State state) {
    check();
    return Json.of(tool.eval(body(definition), Context.Empty, state.tlc));
  }

  /** The value of a state function without arguments; see {@link #evaluate}. */
  public Term term(String definition, State state) {
    check();
    return new Term((Value) tool.eval(body(definition), Context.Empty, state.tlc));
  }

  /** Evaluates a state predicate; see {@link #evaluate}. */
  public boolean holds(String predicate, State state) {
    check();
    Object value = tool.eval(body(predicate), Context.Empty, state.tlc);
    if (value instanceof BoolValue b) {
      return b.val;
    }
    throw new InputError("", 0, predicate + " is no predicate: its value is " + value, "");
  }

  private ExprNode body(String definition) {
    ExprNode body = predicates.get(definition);
    if (body == null) {
      throw new InputError(
          "",
          0,
          "module " + tool.getRootModule().getName() + " defines no state expression " + definition,
          "define it without parameters");
    }
    return body;
  }

  State state(TLCState tlc) {
    return new State(tlc);
  }

  /**
   * The step that leads from one given state to the other, or null: the first in Next's order.
   * Where Next is a choice between actions and conjuncts that restrict it, the action is named all
   * the same.
   */
  Step between(TLCState from, TLCState to) {
    return step(new State(from), Json.of(to, variables)).orElse(null);
  }

  /** A step that leads from {@code state} to the state with this {@link State#json()}. */
  public Optional<Step> step(State state, ObjectNode to) {
    return steps(choice(next.pred), state, call -> true).stream()
        .filter(s -> s.to.json().equals(to))
        .findFirst();
  }

  /**
   * The invariants and step properties of the configuration that a step breaks, by name; liveness
   * is not judged.
   *
   * @param from null for an initial state
   */
  public List<String> broken(State from, State to) {
    check();
    List<String> names = new ArrayList<>();
    Action[] invariants = tool.getInvariants();
    for (int i = 0; i < invariants.length; i++) {
      if (!tool.isValid(invariants[i], to.tlc)) {
        names.add(tool.getInvNames()[i]);
      }
    }
    Action[] steps = from == null ? new Action[0] : tool.getImpliedActions();
    for (int i = 0; i < steps.length; i++) {
      if (!tool.isValid(steps[i], from.tlc, to.tlc)) {
        names.add(tool.getImpliedActNames()[i]);
      }
    }
    return names;
  }

  /** The first conjunct where that chooses between steps; all of it otherwise. */
  private SemanticNode choice(SemanticNode raw) {
    if (strip(raw) instanceof OpApplNode a && isAnd(a)) {
      SemanticNode first = choice(a.getArgs()[0]);
      OpDefNode d = strip(first) instanceof OpApplNode o ? definition(o, next.con) : null;
      return d != null && isComposition(d) ? first : raw;
    }
    return raw;
  }

  private List<State> states(StateVec found) {
    List<State> all = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      all.add(new State(found.elementAt(i)));
    }
    return all;
  }

  private void check() {
    if (current != this) {
      throw new IllegalStateException("another specification was loaded after this one");
    }
  }

  /** Which operator a step is named by so far, and its parameters. */
  static final class Frame {
    static final Frame ROOT = new Frame("Next", null, Map.of());
    final String name;
    final OpDefNode definition;
    final Map<String, Object> parameters;

    Frame(String name, OpDefNode definition, Map<String, Object> parameters) {
      this.name = name;
      this.definition = definition;
      this.parameters = parameters;
    }

    Frame with(Map<String, Object> more) {
      Map<String, Object> all = new LinkedHashMap<>(parameters);
      all.putAll(more);
      return new Frame(name, definition, all);
    }

    Frame enter(OpDefNode d, Map<String, Object> arguments) {
      return new Frame(d.getName().toString(), d, arguments);
    }
  }

  private interface Leaf {
    void accept(Frame frame, SemanticNode node, Context context);
  }

  /**
   * True when the operator's body only chooses between steps: a disjunction or \E, or a plain name.
   */
  static boolean isComposition(OpDefNode d) {
    SemanticNode body = strip(d.getBody());
    if (!(body instanceof OpApplNode a)) {
      return false;
    }
    return isExists(a) || isOr(a) || (d.getArity() == 0 && userDefined(a) != null);
  }

  private void expand(SemanticNode raw, Context c, Frame frame, TLCState s, Leaf leaf) {
    SemanticNode node = strip(raw);
    if (node instanceof OpApplNode a) {
      if (isOr(a)) {
        for (ExprOrOpArgNode arg : a.getArgs()) {
          expand(arg, c, frame, s, leaf);
        }
        return;
      }
      if (isExists(a)) {
        IContextEnumerator contexts = tool.contexts(a, c, s, TLCState.Empty, 0);
        for (Context x = contexts.nextElement(); x != null; x = contexts.nextElement()) {
          Map<String, Object> chosen = new LinkedHashMap<>();
          for (FormalParamNode[] group : a.getBdedQuantSymbolLists()) {
            for (FormalParamNode p : group) {
              chosen.put(p.getName().toString(), x.lookup(p));
            }
          }
          expand(a.getArgs()[0], x, frame.with(chosen), s, leaf);
        }
        return;
      }
      OpDefNode d = definition(a, c);
      if (d != null) {
        if (!Arrays.stream(a.getArgs()).allMatch(x -> x instanceof ExprNode && x.getLevel() <= 1)) {
          leaf.accept(frame.enter(d, Map.of()), raw, c);
          return;
        }
        Context inner = c;
        Map<String, Object> arguments = new LinkedHashMap<>();
        for (int i = 0; i < a.getArgs().length; i++) {
          Value v = (Value) tool.eval(a.getArgs()[i], c, s);
          inner = inner.cons(d.getParams()[i], v);
          arguments.put(d.getParams()[i].getName().toString(), v);
        }
        Frame entered = frame.enter(d, arguments);
        if (isComposition(d)) {
          expand(d.getBody(), inner, entered, s, leaf);
        } else {
          leaf.accept(entered, d.getBody(), inner);
        }
        return;
      }
    }
    leaf.accept(frame, raw, c);
  }

  /**
   * Splits as TLC does when it loads Next: at disjunctions, constant quantifiers, constant
   * arguments.
   */
  private void split(
      SemanticNode raw, Context c, Frame frame, boolean settled, List<Set<String>> names) {
    SemanticNode node = strip(raw);
    if (node instanceof OpApplNode a) {
      if (isOr(a)) {
        for (ExprOrOpArgNode arg : a.getArgs()) {
          split(arg, c, frame, settled, names);
        }
        return;
      }
      int before = names.size();
      try {
        if (isExists(a)) {
          IContextEnumerator contexts = tool.contexts(a, c, TLCState.Empty, TLCState.Empty, 0);
          for (Context x = contexts.nextElement(); x != null; x = contexts.nextElement()) {
            split(a.getArgs()[0], x, frame, settled, names);
          }
          return;
        }
        OpDefNode d = definition(a, c);
        if (d != null && Arrays.stream(a.getArgs()).allMatch(x -> x.getLevel() == 0)) {
          Context inner = c;
          for (int i = 0; i < a.getArgs().length; i++) {
            inner = inner.cons(d.getParams()[i], tool.eval(a.getArgs()[i], c, TLCState.Empty));
          }
          Frame entered = settled ? frame : frame.enter(d, Map.of());
          split(d.getBody(), inner, entered, settled || !isComposition(d), names);
          return;
        }
      } catch (RuntimeException e) {
        names.subList(before, names.size()).clear();
      }
    }
    Set<String> here = new LinkedHashSet<>();
    if (settled) {
      here.add(frame.name);
    } else {
      collect(raw, frame, here);
    }
    names.add(here);
  }

  private void collect(SemanticNode raw, Frame frame, Set<String> names) {
    SemanticNode node = strip(raw);
    if (node instanceof OpApplNode a) {
      if (isOr(a) || isExists(a)) {
        for (ExprOrOpArgNode arg : a.getArgs()) {
          collect(arg, frame, names);
        }
        return;
      }
      OpDefNode d = definition(a, Context.Empty);
      if (d != null) {
        Frame entered = frame.enter(d, Map.of());
        if (isComposition(d)) {
          collect(d.getBody(), entered, names);
        } else {
          names.add(entered.name);
        }
        return;
      }
    }
    names.add(frame.name);
  }

  private static SemanticNode strip(SemanticNode node) {
    if (node instanceof LabelNode l) {
      return strip(l.getBody());
    }
    if (node instanceof SubstInNode s && s.getSubsts().length == 0) {
      return strip(s.getBody());
    }
    return node instanceof LetInNode l ? strip(l.getBody()) : node;
  }

  static boolean isExists(OpApplNode a) {
    return a.getOperator().getName().equals("$BoundedExists");
  }

  static boolean isOr(OpApplNode a) {
    return a.getOperator().getName().equals("$DisjList")
        || a.getOperator().getName().equals("\\lor");
  }

  private static boolean isAnd(OpApplNode a) {
    return a.getOperator().getName().equals("$ConjList")
        || a.getOperator().getName().equals("\\land");
  }

  /** The user's operator that is applied, or null. */
  static OpDefNode userDefined(OpApplNode a) {
    return a.getOperator() instanceof OpDefNode d && d.getBody() != null && d.getTreeNode() != null
        ? d
        : null;
  }

  /** The operator's definition after the configuration's replacements; null for built-in ones. */
  private OpDefNode definition(OpApplNode a, Context c) {
    if (BuiltInOPs.getOpCode(a.getOperator().getName()) != 0) {
      return null;
    }
    return tool.lookup(a.getOperator(), c, false) instanceof OpDefNode d
            && d.getBody() != null
            && BuiltInOPs.getOpCode(d.getName()) == 0
        ? d
        : null;
  }
}
