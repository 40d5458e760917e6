package dev.plumbline.bind;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.plumbline.graph.Conformance;
import dev.plumbline.machine.SpecAction;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.SimulatedLogs;
import dev.plumbline.validate.TraceModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * docs/mapping.md: how each module reads in the machines' terms, made of the bindings and of the
 * machines' {@link SpecAction}s. {@code -Dmapping.update=true} writes it anew.
 */
class MappingTest {
  private static final Path PAGE = Path.of("../docs/mapping.md");
  private static final String HEAD =
"""
# How each module reads in the machines' terms
Made of the bindings ([Bindings](bindings.md)) and of the machines' `@SpecAction`s; `MappingTest` compares, and writes this page with `-Dmapping.update=true`. A name that is not listed stands for itself. What an event says are the action's arguments; what it shows, the state after it. Both are those of some simulated runs with all faults that a protocol tolerates; an event need not have all of them, and an action that no run logs has no event here. Replay compares every variable with the machines but those that are taken from the model.
""";

  /** Simulated runs of a protocol, and the transactions of each. */
  private static final int RUNS = 6;

  private static final int TRANSACTIONS = 100;

  private static final Map<String, String> BEGUN =
      Map.of("", "a message", "store", "a store's answer");

  /** What changes the events of a protocol's logs besides. */
  private static final Map<String, String> ALSO = Map.of("metric", "led");

  /**
   * Actions that are no events of these runs: what is logged as Tell and Hear, what nobody is told,
   * and an abort of which a member rarely has to hear so late.
   */
  private static final Set<String> UNSEEN =
      new TreeSet<>(
          Set.of(
              "TwoPhaseAnticipation.Announce",
              "Ownership.ExpireLock",
              "Ownership.ExpireDirectory",
              "RedoLog.ExpireLock",
              "Failover.HandleAbort"));

  /** What events of an action say of their arguments, and show of the state after it. */
  private record Said(SortedSet<String> args, SortedSet<String> state) {
    String text() {
      String says = args.isEmpty() ? "says nothing more" : "says " + code(args);
      return state.isEmpty() ? says : says + "; shows " + code(state);
    }
  }

  private static final Map<String, SortedSet<String>> HANDLERS = handlers();

  /** Handlers by the action that they are marked with. */
  private static Map<String, SortedSet<String>> handlers() {
    Map<String, SortedSet<String>> handlers = new TreeMap<>();
    for (JavaClass type :
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.plumbline")) {
      for (JavaMethod method : type.getMethods()) {
        if (method.isAnnotatedWith(SpecAction.class)) {
          for (String action : method.getAnnotationOfType(SpecAction.class).value()) {
            handlers
                .computeIfAbsent(action, a -> new TreeSet<>())
                .add(type.getSimpleName() + "." + method.getName());
          }
        }
      }
    }
    return handlers;
  }

  private static final Map<String, Map<String, Said>> SAID = new HashMap<>();

  /** By the action as {@code MODULE.Action}. */
  private static Map<String, Said> said(ProtocolSystem protocol) {
    return SAID.computeIfAbsent(protocol.name(), name -> run(protocol));
  }

  private static Map<String, Said> run(ProtocolSystem protocol) {
    Map<String, Said> said = new TreeMap<>();
    int workloads = protocol.workloads().size();
    List<TreeMap<String, Long>> settings = new ArrayList<>(List.of(new TreeMap<>()));
    if (ALSO.containsKey(protocol.name())) {
      settings.add(new TreeMap<>(Map.of(ALSO.get(protocol.name()), 1L)));
    }
    for (TreeMap<String, Long> parameters : settings) {
      for (int seed = 1; seed <= RUNS; seed++) {
        RunConfig run =
            new RunConfig(
                protocol,
                seed,
                TRANSACTIONS,
                protocol.workloads().get(seed % 2 == 0 ? 0 : seed / 2 % workloads),
                protocol.tolerated(),
                Set.of(),
                new TreeSet<>(),
                parameters,
                Optional.empty(),
                Optional.empty(),
                true);
        for (List<TraceEvent> log : SimulatedLogs.of(run).values()) {
          for (TraceEvent e : log) {
            Said of =
                said.computeIfAbsent(e.action(), a -> new Said(new TreeSet<>(), new TreeSet<>()));
            of.args().addAll(e.args().keySet());
            of.state().addAll(e.state().keySet());
          }
        }
      }
    }
    return said;
  }

  private static String code(Iterable<String> names) {
    return "`" + String.join("`, `", names) + "`";
  }

  static String text(Binding b, Map<String, SortedSet<String>> handlers, Map<String, Said> said) {
    String own = b.module() + ".";
    Map<String, SortedSet<String>> named = new TreeMap<>();
    b.vocabulary
        .shapes()
        .forEach((n, s) -> named.computeIfAbsent("" + s, x -> new TreeSet<>()).add(n));
    StringBuilder out =
        new StringBuilder("| in the specification | in machines and logs |\n|---|---|\n");
    handlers.forEach(
        (action, by) -> {
          if (action.startsWith(own)) {
            row(out, "action `" + plain(action, own) + "`", code(by));
          }
        });
    said.forEach(
        (action, says) -> {
          if (action.startsWith(own)) {
            row(out, "event `" + plain(action, own) + "`", says.text());
          }
        });
    Map<String, SortedSet<String>> begun = new TreeMap<>();
    b.causes.forEach(
        (action, causes) ->
            causes.forEach(
                c -> begun.computeIfAbsent(c, x -> new TreeSet<>()).add(plain(action, own))));
    b.handling.forEach(
        action -> begun.computeIfAbsent("", x -> new TreeSet<>()).add(plain(action, own)));
    begun.forEach(
        (cause, actions) ->
            row(out, code(actions), "begin with " + BEGUN.getOrDefault(cause, "a " + cause)));
    named.forEach((shape, names) -> row(out, code(names), shape));
    b.deliveredBy.forEach(
        (variable, parameter) ->
            row(out, "`" + variable + "`, messages", "delivered as `" + parameter + "`"));
    b.also.forEach(
        (event, also) ->
            row(
                out,
                "`"
                    + also.operator()
                    + "`"
                    + (also.coverage().isEmpty() ? "" : ", a step of `" + also.coverage() + "`"),
                "event `" + event + "`"));
    b.before.forEach((event, steps) -> row(out, code(steps), "before event `" + event + "`"));
    b.after.forEach((event, steps) -> row(out, code(steps), "after event `" + event + "`"));
    b.forgotten()
        .forEach((variable, to) -> row(out, "`" + variable + "`", "not kept where logs are read"));
    b.invariants()
        .forEach(i -> row(out, "invariant `" + i + "`", "judged after each step of a log"));
    b.published()
        .forEach(
            (repair, as) ->
                row(out, "repair `" + repair + "`", "unless `" + as + "` is asked for"));
    b.choices.forEach(
        (constant, c) ->
            row(
                out,
                "`" + constant + " = " + c.published() + "`",
                "if `" + c.behaviour() + "` is asked for"));
    b.ghosts().forEach((ghost, why) -> row(out, "`" + ghost + "`, which no machine keeps", why));
    b.given().forEach((given, why) -> row(out, "`" + given + "`, taken from the model", why));
    return out.toString();
  }

  private static String plain(String action, String own) {
    return action.startsWith(own) ? action.substring(own.length()) : action;
  }

  private static void row(StringBuilder out, String spec, String machines) {
    out.append("| ").append(spec).append(" | ").append(machines).append(" |\n");
  }

  private static String page() {
    StringBuilder page = new StringBuilder(HEAD);
    for (Conformance c : Conformance.all()) {
      if (Files.isDirectory(Path.of("../specs", c.protocol()))) {
        Map<String, Said> said = said(Protocols.named(c.protocol()));
        for (TraceModel model : c.traceModels(settings(c))) {
          if (model instanceof Binding b) {
            page.append("\n## ").append(b.folder().getFileName()).append(": ").append(b.module());
            page.append("\n").append(text(b, HANDLERS, said));
          }
        }
      }
    }
    return page.toString();
  }

  private static Settings settings(Conformance c) {
    return Settings.repaired(Protocols.named(c.protocol()).clockBounds());
  }

  @Test
  void thePageIsWhatTheBindingsSay() throws IOException {
    if (Boolean.getBoolean("mapping.update")) {
      Files.writeString(PAGE, page());
    }
    assertThat(Files.readString(PAGE)).isEqualTo(page());
  }

  /** Else the page would say nothing of it. */
  @Test
  void everyActionThatAMachineTakesIsAnEventOfTheRuns() {
    Set<String> unseen = new TreeSet<>();
    for (Conformance c : Conformance.all()) {
      if (Files.isDirectory(Path.of("../specs", c.protocol()))) {
        Set<String> traced =
            c.traceModels(settings(c)).stream().map(TraceModel::module).collect(Collectors.toSet());
        Set<String> seen = said(Protocols.named(c.protocol())).keySet();
        HANDLERS.keySet().stream()
            .filter(action -> traced.contains(action.substring(0, action.indexOf('.'))))
            .filter(action -> !seen.contains(action))
            .forEach(unseen::add);
      }
    }
    assertThat(UNSEEN).containsAll(unseen);
  }

  @Test
  void whatABindingDeclaresIsOnThePage() {
    TraceModel model =
        Conformance.all().stream()
            .flatMap(c -> c.traceModels(settings(c)).stream())
            .filter(Binding.class::isInstance)
            .findFirst()
            .orElseThrow();
    Binding b = (Binding) model;
    b.names(Shape.set(Sort.own("colour", null)), "hues");
    b.ghost("mood", "nobody keeps it");
    b.given("weather", "it comes from outside");
    Map<String, SortedSet<String>> handler =
        Map.of(b.module() + ".Paint", new TreeSet<>(Set.of("Painter.paint")));
    Map<String, Said> said =
        Map.of(
            b.module() + ".Paint",
            new Said(new TreeSet<>(Set.of("hue", "by")), new TreeSet<>(Set.of("wall"))),
            "Elsewhere.Dig",
            new Said(new TreeSet<>(), new TreeSet<>()));
    assertThat(text(b, handler, said))
        .contains("| `hues` | set of colour |", "`mood`, which no machine keeps | nobody keeps it")
        .contains("| `weather`, taken from the model | it comes from outside |")
        .contains("| action `Paint` | `Painter.paint` |")
        .contains("| event `Paint` | says `by`, `hue`; shows `wall` |")
        .doesNotContain("Dig");
  }
}
