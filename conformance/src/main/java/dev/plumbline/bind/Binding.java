package dev.plumbline.bind;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.check.Spelling.Kind;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Memento;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.StateGraph;
import dev.plumbline.protocol.Near;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * How one core module reads in the machines' terms, said once: a subclass declares it in its
 * constructor. Logs are read by {@link LogReading}, machines run by a {@link World}.
 */
public abstract class Binding implements TraceModel, Memento.Constant {
  /** An argument that a log's event does not have under the parameter's name, as words. */
  public interface Derived {
    /** The words, or null if this event has no such argument. */
    Object of(TraceEvent event);
  }

  /** An operator for an event that is not an action of this module, and what it counts as. */
  record Also(String coverage, String operator) {}

  /** A constant's two values, of which one stands for a behaviour. */
  record Choice(String repaired, String published, String behaviour) {}

  final Vocabulary vocabulary = new Vocabulary();
  final Map<String, Choice> choices = new TreeMap<>();
  final Map<String, Also> also = new TreeMap<>();
  final Map<String, String> shows = new TreeMap<>();
  final Map<String, List<String>> before = new TreeMap<>();
  final Map<String, List<String>> after = new TreeMap<>();
  final Map<String, Derived> derived = new TreeMap<>();
  final Set<String> shown = new TreeSet<>();
  final Map<String, String> deliveredBy = new LinkedHashMap<>();
  final Set<String> handling = new TreeSet<>();
  final Map<String, Set<String>> causes = new TreeMap<>();

  /** By parameter, the actions whose argument is the role that logs them; none for all. */
  final Map<String, Set<String>> selves = new TreeMap<>();

  /** By action, who may have sent the message that it handles. */
  final Map<String, Function<TraceEvent, Set<String>>> senders = new TreeMap<>();

  private static final String TRACE = "Trace";

  private final String module;
  private final Path folder;
  private final Map<String, String> constants = new LinkedHashMap<>();
  private final Set<String> always = new TreeSet<>();
  private final Map<String, String> published = new TreeMap<>();
  private final Map<String, String> demanded = new TreeMap<>();
  private final Map<String, String> ghosts = new TreeMap<>();
  private final Map<String, String> given = new TreeMap<>();
  private final Map<String, Term> forgotten = new TreeMap<>();
  private final List<String> invariants = new ArrayList<>();
  private final List<String> corpora = new ArrayList<>();
  private boolean traced = true;
  private boolean demandedNames;
  private StateGraph.Probes probes = new StateGraph.Probes(Set.of(), Set.of());

  /** What the machines ran with whose logs are read. */
  protected final Settings settings;

  private BiFunction<MergedLog, Integer, LogReading> reader =
      (log, room) -> new LogReading(this, log, room);

  /**
   * @param folder of the module, from the root of the repository
   */
  protected Binding(String module, String folder, Settings settings) {
    this.module = module;
    this.folder = Path.of(folder);
    this.settings = settings;
  }

  // ---- what a subclass declares --------------------------------------------------------------

  /** A reading that knows more than its events say one by one. */
  protected final void readBy(BiFunction<MergedLog, Integer, LogReading> how) {
    reader = how;
  }

  /** Names that have this shape: of parameters, variables, fields, and parts of a logged state. */
  protected final void names(Shape shape, String... names) {
    vocabulary.with(shape, names);
  }

  /** Parts of a logged state whose names are mentioned, and so kept while the log shows them. */
  protected final void shown(String... parts) {
    shown.addAll(Set.of(parts));
  }

  /** A parameter whose argument is not in the event under this name. */
  protected final void argument(String parameter, Derived words) {
    derived.put(parameter, words);
  }

  /**
   * An event of another module that this one looks at.
   *
   * @param coverage the action of this module that it counts as, empty for none
   * @param operator of the trace module
   */
  protected final void also(String action, String coverage, String operator) {
    also.put(action, new Also(coverage, operator));
  }

  /** Operators of the trace module that are taken before an event, in this order. */
  protected final void before(String event, String... operators) {
    before.put(event, List.of(operators));
  }

  /** Operators of the trace module that are taken after an event, and its state's comparison. */
  protected final void after(String event, String... operators) {
    after.put(event, List.of(operators));
  }

  /** What compares the state after an event, where it is not {@code …Shows}. */
  protected final void shows(String action, String operator) {
    shows.put(action, operator);
  }

  /** A variable that holds messages, and the parameter that delivers one. */
  protected final void messages(String variable, String parameter) {
    deliveredBy.put(variable, parameter);
  }

  /** Actions that a node takes when it handles a message, and never else. */
  protected final void handles(String... actions) {
    for (String action : actions) {
      handling.add(module() + "." + action);
    }
  }

  /** Actions that a node takes for this cause, or for another that is declared, and never else. */
  protected final void begins(String cause, String... actions) {
    for (String action : actions) {
      causes.computeIfAbsent(module() + "." + action, a -> new TreeSet<>()).add(cause);
    }
  }

  /** A parameter that names the role that logs the action; of all actions if none is named. */
  protected final void self(String parameter, String... actions) {
    Set<String> all = selves.computeIfAbsent(parameter, p -> new TreeSet<>());
    for (String action : actions) {
      all.add(module() + "." + action);
    }
  }

  /** Who may have sent the messages that actions handle, as their events say. */
  protected final void from(Function<TraceEvent, Set<String>> who, String... actions) {
    for (String action : actions) {
      senders.put(module() + "." + action, who);
    }
  }

  /**
   * A constant of a log's configuration.
   *
   * @param words as {@link Tla} has them, or a string as the configuration has it
   */
  protected final void constant(String name, Object words) {
    constants.put(name, words instanceof String text ? text : Tla.of(words));
  }

  /** A constant of which there are machines for one value alone. */
  protected final void demand(String name, String value) {
    demanded.put(name, value);
    constants.put(name, value);
  }

  /**
   * A constant that chooses between a behaviour of the paper and its repair.
   *
   * @param repaired its value where machines are repaired
   * @param published its value where they do {@code behaviour}, as published
   */
  protected final void choice(
      String constant, String repaired, String published, String behaviour) {
    choices.put(constant, new Choice(repaired, published, behaviour));
    constant(constant, settings.asPublished(behaviour) ? published : repaired);
  }

  /** Repairs that all machines have. */
  protected final void always(String... repairs) {
    always.addAll(Set.of(repairs));
  }

  /** A repair, and what machines are told so that they do as published instead. */
  protected final void repair(String repair, String behaviour) {
    published.put(repair, behaviour);
  }

  /** Repairs that have the names of the behaviours that they replace. */
  protected final void repairs(String... repairs) {
    for (String repair : repairs) {
      repair(repair, repair);
    }
  }

  /** A variable, or a field of one, that no machine keeps. */
  protected final void ghost(String variable, String why) {
    ghosts.put(variable, why);
  }

  /**
   * A variable that machines neither keep nor make, such as a clock that they are given, or what is
   * on its way to them: replay takes it from the model, where a {@link World} finds it.
   */
  protected final void given(String variable, String why) {
    given.put(variable, why);
  }

  /** A variable that only claims read, and what it is set to after each step of a log. */
  protected final void forgotten(String variable, Term value) {
    forgotten.put(variable, value);
  }

  /** An invariant that is judged after each step of a log. */
  protected final void invariant(String name) {
    invariants.add(name);
  }

  /** What machines must refuse: deliveries out of these variables, and these actions. */
  protected final void probes(Set<String> messageVariables, Set<String> actions) {
    probes = new StateGraph.Probes(messageVariables, actions);
  }

  /** Further corpora than the one that is called like the module, by what follows its name. */
  protected final void corpora(String... names) {
    corpora.addAll(List.of(names));
  }

  /** No log is read by this module. */
  protected final void untraced() {
    traced = false;
  }

  /** Whether machines ask a store that is no node, whose answers begin steps. */
  protected boolean outside() {
    return false;
  }

  /** Machines for a model of the module. */
  protected abstract SpecAdapter world(Constants model, Optional<SeededBug> bug);

  // ---- what is derived -----------------------------------------------------------------------

  /** Machines for a model, whose constants must be what machines there are have. */
  public final SpecAdapter machines(Constants model, Optional<SeededBug> bug) {
    demandNames();
    demanded.forEach(model::demand);
    model.demandRepairs(always.toArray(String[]::new));
    return world(model, bug);
  }

  /**
   * Demands that the modules have what is declared: other names would ask nothing of anybody.
   *
   * @throws InputError if they lack one
   */
  private void demandNames() {
    if (demandedNames) {
      return;
    }
    demand(constants.keySet(), "constant", Kind.WORD);
    demand(always, "repair", Kind.STRING);
    demand(published.keySet(), "repair", Kind.STRING);
    demandActions(probes.actions());
    demandActions(handling);
    demandActions(causes.keySet());
    demandActions(senders.keySet());
    selves.values().forEach(this::demandActions);
    List.of(also, shows, before, after).forEach(events -> demandActions(events.keySet()));
    demand(also.values().stream().map(Also::operator).toList(), "operator", Kind.OPERATOR);
    demand(shows.values(), "operator", Kind.OPERATOR);
    before.values().forEach(operators -> demand(operators, "operator", Kind.OPERATOR));
    after.values().forEach(operators -> demand(operators, "operator", Kind.OPERATOR));
    demand(invariants, "invariant", Kind.OPERATOR);
    demand(probes.messageVariables(), "variable", Kind.WORD);
    List.of(ghosts, given, forgotten, deliveredBy)
        .forEach(variables -> demand(variables.keySet(), "variable", Kind.WORD));
    demand(deliveredBy.values(), "parameter", Kind.WORD);
    demand(selves.keySet(), "parameter", Kind.WORD);
    demand(derived.keySet(), "parameter", Kind.WORD);
    demand(shown, "part of a state", Kind.WORD);
    demand(vocabulary.shapes().keySet(), "name", Kind.WORD);
    Set<String> known = new TreeSet<>(LogReading.CAUSES);
    known.add("store");
    causes.values().forEach(begun -> demand(begun, "cause", known, "name one of " + known));
    demandedNames = true;
  }

  /** Actions are operators of the module, or of its trace module. */
  private void demandActions(Collection<String> actions) {
    Set<String> known = new TreeSet<>(Definitions.names(Kind.OPERATOR, folder));
    known.addAll(
        known.stream()
            .filter(o -> o.startsWith(TRACE))
            .map(o -> o.substring(TRACE.length()))
            .toList());
    known.addAll(Set.of(TraceEvent.STUTTER, TraceEvent.CRASH, TraceEvent.RESTART));
    demand(
        actions.stream().map(a -> a.substring(a.indexOf('.') + 1)).toList(),
        "action",
        known,
        "name an operator of the module");
  }

  /** Of a name with a field behind a dot, the name. */
  private void demand(Collection<String> names, String what, Kind kind) {
    demand(
        names.stream().map(name -> name.replaceFirst("[.].*", "")).toList(),
        what,
        Definitions.names(kind, folder),
        "name one that the module has");
  }

  private void demand(Collection<String> names, String what, Set<String> known, String remedy) {
    for (String name : names) {
      if (!known.contains(name)) {
        throw new InputError(
            "",
            0,
            "%s declares the %s \"%s\", which no module in %s has"
                .formatted(getClass().getName(), what, name, folder),
            Near.remedy(name, known, remedy));
      }
    }
  }

  /** What the run had whose log is read. */
  public final Settings settings() {
    return settings;
  }

  /** What machines do as published in a model. */
  public final SortedSet<String> asPublished(Constants model) {
    SortedSet<String> behaviours = model.asPublished(published);
    choices.forEach(
        (constant, choice) -> {
          if (choice.published.equals(model.text().get(constant))) {
            behaviours.add(choice.behaviour);
          } else {
            model.demand(constant, choice.repaired);
          }
        });
    return behaviours;
  }

  /** What a constant of a model is, that a definition of {@code MCMODULE} replaces. */
  public final JsonNode defined(Constants model, String constant) {
    JsonNode value = Definitions.of(folder, module, model.text()).get(constant);
    if (value == null) {
      throw new InputError(
          "", 0, "the model does not define " + constant, "write " + constant + " <- DEFINITION");
    }
    return value;
  }

  public final StateGraph.Probes probes() {
    return probes;
  }

  /** The names of its corpora. */
  final List<String> corpora() {
    List<String> names = new ArrayList<>(List.of(module));
    corpora.forEach(name -> names.add(module + "-" + name));
    return names;
  }

  final boolean traced() {
    return traced;
  }

  /** Published behaviours, each with the repair that replaces it. */
  final Map<String, String> published() {
    return published;
  }

  final Map<String, String> ghosts() {
    return ghosts;
  }

  final Map<String, String> given() {
    return given;
  }

  final Map<String, Term> forgotten() {
    return forgotten;
  }

  final List<String> invariants() {
    return invariants;
  }

  /** The lines of a log's configuration. */
  final List<String> configuration() {
    List<String> lines = new ArrayList<>(List.of("CONSTANTS"));
    constants.forEach(
        (name, value) -> lines.add(name + (value.startsWith("<-") ? " " : " = ") + value));
    SortedSet<String> repairs = new TreeSet<>(always);
    published.forEach(
        (repair, behaviour) -> {
          if (!settings.asPublished().contains(behaviour)) {
            repairs.add(repair);
          }
        });
    if (Definitions.names(Kind.WORD, folder).contains("Repairs")) {
      lines.add("Repairs = " + Tla.of(repairs));
    }
    return lines;
  }

  @Override
  public final String module() {
    return module;
  }

  @Override
  public final Path folder() {
    return folder;
  }

  @Override
  public final LogReading read(MergedLog log, int room) {
    demandNames();
    LogReading reading = reader.apply(log, room);
    reading.scan();
    return reading;
  }
}
