package dev.plumbline.mutate;

import dev.plumbline.check.CheckModel;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Expect;
import dev.plumbline.check.Progress;
import dev.plumbline.check.Records;
import dev.plumbline.check.Unjudged;
import dev.plumbline.check.Workers;
import dev.plumbline.check.Workspace;
import dev.plumbline.mutate.Laboratory.Bench;
import dev.plumbline.mutate.MutantsFile.Listed;
import dev.plumbline.mutate.MutantsFile.Target;
import dev.plumbline.parts.Costs;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.Ledger;
import dev.plumbline.parts.Part;
import dev.plumbline.parts.Shard;
import dev.plumbline.tlc.Checker;
import dev.plumbline.tlc.Explorer.Exploration;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Modules;
import dev.plumbline.tlc.Syntax;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/** The mutants of a protocol's modules against the properties of its checks. */
final class SpecMutation {
  private static final String BY_HAND = "errors made by hand";

  private final Workspace workspace;
  private final Records records;
  private final Checks protocol;
  private final MutantsFile file;
  private final Options options;
  private final Progress progress;

  /**
   * How to run.
   *
   * @param all every mutant, else a sample
   * @param first each mutant up to its first kill, else every property on it; a sample always is
   * @param reach only ask of each mutant whether a model that judges gets to it
   * @param only prefixes of the names of the mutants to judge; all if there is none
   * @param sample how many mutants unless all
   * @param pairs how many pairs of mutants, two edits at once, besides all
   * @param jobs processes at a time
   * @param shard which of those chosen
   */
  record Options(
      boolean all,
      boolean first,
      boolean reach,
      List<String> only,
      int sample,
      int pairs,
      long seed,
      int jobs,
      boolean fresh,
      Shard shard) {}

  /** A mutant while it is judged. */
  private static final class Case {
    private final Mutant mutant;
    private final Target target;
    private final Map<String, String> properties = new LinkedHashMap<>();
    private final Set<String> relations = new HashSet<>();
    private String foreign = "";
    private String error = "";
    private String limit = "";
    private String band = "";
    private boolean unparsed;
    private boolean loss;

    /** Where that decides: whether it is reached. */
    private Fate reach;

    private long millis;

    Case(Mutant mutant, Target target) {
      this.mutant = mutant;
      this.target = target;
    }

    boolean killed() {
      return properties.containsValue("killed");
    }

    void said(String property, String verdict) {
      properties.merge(
          property,
          verdict,
          (a, b) -> a.equals("killed") || b.equals("holds") ? a : b.equals("killed") ? b : "open");
    }

    Fate verdict() {
      if (killed()) {
        return Fate.KILLED;
      }
      if (unparsed) {
        return Fate.DOES_NOT_PARSE;
      }
      if (!error.isEmpty()) {
        return Fate.EVALUATION_ERROR;
      }
      if (loss) {
        return Fate.LOSES_BEHAVIOUR;
      }
      if (reach != null) {
        return reach;
      }
      if (relations.contains("differs")) {
        return limit.isEmpty() ? Fate.SURVIVES : Fate.TIME_OUT;
      }
      return relations.contains("loses") ? Fate.LOSES_BEHAVIOUR : Fate.SAME_GRAPH;
    }

    String note() {
      if (killed()) {
        return "";
      }
      if (!error.isEmpty()) {
        return error;
      }
      if (reach == Fate.UNREACHED) {
        return "no model that judges evaluates what it changes";
      }
      if (loss) {
        return "its steps are the original's on a network that has lost a message";
      }
      List<String> all = new ArrayList<>();
      if (verdict().open()) {
        all.add(limit);
        all.add(foreign.isEmpty() ? "" : "first step that the original does not take: " + foreign);
        all.add(band);
      }
      all.removeIf(String::isEmpty);
      return String.join("\n", all);
    }
  }

  SpecMutation(
      Workspace workspace, Checks protocol, MutantsFile file, Options options, Progress progress) {
    this.workspace = workspace;
    this.records = new Records(workspace);
    this.protocol = protocol;
    this.file = file;
    this.options = options;
    this.progress = progress;
  }

  /** All mutants, chosen or not, by module. */
  private Map<Target, List<Mutant>> generate() {
    Map<Target, List<Mutant>> all = new LinkedHashMap<>();
    Path folder = protocol.file().toAbsolutePath().getParent();
    List<Path> library = List.of(workspace.specs().resolve("common"));
    for (Target t : file.targets()) {
      Path module = located(t, "models", t.module(), folder, library);
      Path through = located(t, "through", t.through(), folder, library);
      all.put(t, MutantGenerator.mutants(t, module, through, library));
    }
    return all;
  }

  private static Path located(
      Target t, String key, String module, Path folder, List<Path> library) {
    Path file = Modules.locate(module, folder, library);
    if (file == null) {
      throw t.error(key, "there is no module " + module, "correct the name");
    }
    return file;
  }

  SpecReport run() {
    Map<Target, List<Mutant>> generated = generate();
    List<Mutant> every = generated.values().stream().flatMap(List::stream).toList();
    List<HandMade> errors = handMade();
    List<HandMade> wanted =
        options.reach() ? List.of() : errors.stream().filter(h -> chosen(h.mutant().id())).toList();
    Set<String> ids = new HashSet<>();
    every.forEach(m -> ids.add(m.id()));
    List<String> stale =
        file.equivalent().keySet().stream().filter(i -> !ids.containsAll(Pairs.parts(i))).toList();
    List<Mutant> named = every.stream().filter(m -> chosen(m.id())).toList();
    if (named.isEmpty() && wanted.isEmpty() && !(every.isEmpty() && errors.isEmpty())) {
      throw new InputError(
          file.file().toString(),
          0,
          "no mutant's name begins with " + options.only(),
          "shorten it");
    }
    List<HandMade> judged = judged(wanted);
    if (named.isEmpty() && judged.isEmpty() && !wanted.isEmpty()) {
      throw new InputError(
          file.file().resolveSibling("handmade.yaml").toString(),
          0,
          "the quick lane judges none of " + options.only(),
          "add --lane nightly");
    }
    List<HandMade.Result> handMade = new ArrayList<>();
    List<Mutant> all = options.all() || options.reach() ? named : sample(named);
    // What it takes to reach a mutant is not what it takes to judge it.
    String stage = (options.reach() ? "mutate reach of " : "mutate ") + protocol.protocol();
    Costs costs = Costs.of(workspace);
    Set<Mutant> chosen =
        new LinkedHashSet<>(options.shard().of(all, Mutant::id, m -> costs.millis(stage, m.id())));
    List<String> planned = new ArrayList<>(List.of(file.file().getFileName().toString()));
    judged.forEach(h -> planned.add(part(h)));
    all.forEach(m -> planned.add(m.id()));
    List<Case> pairs = new ArrayList<>();
    if (options.all() && options.only().isEmpty() && !options.reach()) {
      generated.forEach(
          (t, mutants) ->
              Pairs.some(mutants, options.pairs(), options.seed())
                  .forEach(m -> pairs.add(new Case(m, t))));
      pairs.forEach(c -> planned.add(c.mutant.id()));
    }
    Ledger ledger = new Ledger(workspace, stage, options.shard(), planned);
    List<SpecResult> results = new ArrayList<>();
    Map<String, Long> millis = new HashMap<>();
    List<SpecReport.Property> properties = new ArrayList<>();
    List<Laboratory> labs = new ArrayList<>();
    Thread hook = new Thread(() -> labs.forEach(Laboratory::close));
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      for (int i = 0; i < options.jobs(); i++) {
        labs.add(new Laboratory(workspace, protocol.protocol(), i, options.fresh()));
      }
      Map<Target, List<Bench>> benches = new LinkedHashMap<>();
      Map<Target, List<Case>> cases = new LinkedHashMap<>();
      generated.forEach(
          (t, mutants) -> {
            benches.put(t, benches(t));
            cases.put(
                t, mutants.stream().filter(chosen::contains).map(m -> new Case(m, t)).toList());
          });
      cases.values().removeIf(List::isEmpty);
      if (options.reach()) {
        cases.forEach(
            (t, some) ->
                work(
                    "reach " + t.module(),
                    "mutants",
                    some,
                    labs,
                    (c, lab) -> {
                      c.reach = reach(c, benches.get(t), lab);
                      tell(ledger, c);
                    }));
        for (Case c : cases.values().stream().flatMap(List::stream).toList()) {
          results.add(result(c));
          millis.put(c.mutant.id(), c.millis);
        }
        return told(report(every, results, properties, handMade, stale), millis, ledger);
      }
      handMade.addAll(
          handMade(
              options.shard().of(judged, h -> stage + part(h), h -> costs.millis(stage, part(h))),
              millis,
              labs,
              ledger));
      if (!options.all()) {
        sample(cases, benches, labs);
      }
      cases.forEach(
          (t, some) -> {
            if (options.all()) {
              work(
                  "original of " + t.module(),
                  "models",
                  benches.get(t),
                  labs,
                  (b, lab) -> b.original(lab));
              work(
                  t.module(),
                  "mutants",
                  some,
                  labs,
                  (c, lab) -> {
                    judge(c, benches.get(t), lab);
                    // With messages lost more may be said of one that is not killed.
                    if (c.killed() || t.losing().isEmpty()) {
                      tell(ledger, c);
                    }
                  });
            }
            if (!t.losing().isEmpty()) {
              lose(t, benches.get(t), some, labs);
              some.forEach(c -> tell(ledger, c));
            }
            some.forEach(c -> results.add(result(c)));
            some.forEach(c -> millis.put(c.mutant.id(), c.millis));
            if (options.all() && !options.first() && options.shard().whole()) {
              properties.addAll(Vacuity.properties(benches.get(t), results, labs.get(0), t));
            }
          });
      if (!pairs.isEmpty()) {
        List<Case> two =
            options.shard().of(pairs, c -> c.mutant.id(), c -> costs.millis(stage, c.mutant.id()));
        work(
            "pairs of " + protocol.protocol(),
            "mutants",
            two,
            labs,
            (c, lab) -> {
              killFirst(c, benches.get(c.target), lab);
              if (!c.killed() && !c.unparsed) {
                compare(c, benches.get(c.target).get(0), lab);
              }
              tell(ledger, c);
            });
        two.forEach(c -> results.add(result(c)));
        two.forEach(c -> millis.put(c.mutant.id(), c.millis));
      }
    } finally {
      labs.forEach(Laboratory::close);
      progress.end();
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // the JVM is ending already; the hook does its work
      }
    }
    return told(report(every, results, properties, handMade, stale), millis, ledger);
  }

  private SpecReport report(
      List<Mutant> every,
      List<SpecResult> results,
      List<SpecReport.Property> properties,
      List<HandMade.Result> handMade,
      List<String> stale) {
    return new SpecReport(
        protocol.protocol(),
        every.size(),
        options.reach(),
        results,
        properties,
        handMade,
        stale,
        file);
  }

  private static SpecReport told(SpecReport report, Map<String, Long> millis, Ledger ledger) {
    report.parts(millis).forEach(ledger::add);
    report.handMade().forEach(h -> ledger.add(part(h, millis.get(part(h.error())))));
    ledger.write();
    return report;
  }

  /** The whole takes hours, and the machine may be stopped before its end. */
  private void tell(Ledger ledger, Case c) {
    ledger.add(SpecReport.part(result(c), c.millis));
  }

  private static Part part(HandMade.Result h, long millis) {
    String fault = h.fault();
    Ending ending = fault.isEmpty() ? Ending.HOLDS : Ending.VIOLATED;
    return new Part(part(h.error()), ending, ending.toString(), fault, millis);
  }

  private List<HandMade> handMade() {
    return HandMade.read(
        file.file().resolveSibling("handmade.yaml"),
        protocol,
        List.of(workspace.specs().resolve("common")));
  }

  private static String part(HandMade error) {
    return BY_HAND + "/" + error.name();
  }

  /** Errors that a check of this lane is to notice, and those of which nobody knows. */
  private List<HandMade> judged(List<HandMade> errors) {
    return errors.stream()
        .filter(h -> h.killer().isEmpty() || h.killer().get().check().in(lane()))
        .toList();
  }

  private List<HandMade.Result> handMade(
      List<HandMade> judged, Map<String, Long> millis, List<Laboratory> labs, Ledger ledger) {
    Map<String, Bench> benches = new LinkedHashMap<>();
    List<Check> searched =
        protocol.checks().stream()
            .filter(c -> c.expect() == Expect.HOLDS && c.engine().equals("tlc"))
            .filter(c -> c.in(options.all() ? "nightly" : "quick"))
            .sorted(Comparator.comparing(Check::lane).reversed().thenComparing(Check::low))
            .toList();
    for (HandMade h : judged) {
      h.killer()
          .map(k -> List.of(k.check()))
          .orElse(searched)
          .forEach(c -> benches.computeIfAbsent(c.id(), id -> bench(h, c)));
    }
    Map<HandMade, HandMade.Result> results = new ConcurrentHashMap<>();
    Map<String, Long> took = new ConcurrentHashMap<>();
    work(
        "errors made by hand in " + protocol.protocol(),
        "errors",
        judged,
        labs,
        (h, lab) -> {
          long start = System.currentTimeMillis();
          results.put(
              h,
              h.killer().isPresent()
                  ? named(h, h.killer().get(), benches.get(h.killer().get().check().id()), lab)
                  : search(h, searched.stream().map(c -> benches.get(c.id())).toList(), lab));
          took.put(part(h), System.currentTimeMillis() - start);
          ledger.add(part(results.get(h), took.get(part(h))));
        });
    millis.putAll(took);
    return judged.stream().map(results::get).toList();
  }

  private String lane() {
    return options.all() ? "nightly" : "quick";
  }

  private Bench bench(HandMade h, Check check) {
    return new Bench(
        new MutantsFile.Judge(check, false, false),
        () -> new CheckModel(workspace, protocol, check, Checker.version()),
        (b, lab) -> passed(check).orElseGet(() -> original(h.mutant().module(), h::error, b, lab)));
  }

  /**
   * What {@code ./plumb check} has said of a check as it is: that it holds, and how many steps it
   * took. Then nothing is left to find out of the original.
   */
  private Optional<Exploration> passed(Check check) {
    Records.Known known = options.fresh() ? null : records.of(protocol, check);
    if (known == null || !known.verdict().equals("holds")) {
      return Optional.empty();
    }
    progress.say("original in %s: holds by its check".formatted(check.id()));
    long steps = known.result().path("generated").asLong();
    return Optional.of(
        new Exploration("complete", "", known.distinct(), steps, 0, 0, Map.of(), Map.of(), "", ""));
  }

  private static HandMade.Result named(
      HandMade h, HandMade.Killer killer, Bench b, Laboratory lab) {
    Mutant m = h.mutant();
    String lane = killer.check().lane();
    if (!b.model().properties().contains(killer.property())) {
      throw h.error(
          killer.check().id() + " has no property " + killer.property(), "correct the name");
    }
    String by = killer.check().id() + " " + killer.property();
    b.original(lab);
    if (killer.temporal()) {
      Map.Entry<String, String> said = lab.live(b.model(), m.module(), m.text(), killer.property());
      return new HandMade.Result(
          h, lane, said.getKey().equals("killed") ? by : "", said.getValue());
    }
    Exploration e =
        lab.explore(b.model(), m.module(), m.text(), Set.of(killer.property()), b.steps(lab), true);
    boolean killed = e.violated().containsKey(killer.property());
    return new HandMade.Result(h, lane, killed ? by : "", killed ? "" : said(e));
  }

  /** Looks for a check that notices it, small ones first. */
  private HandMade.Result search(HandMade h, List<Bench> benches, Laboratory lab) {
    Mutant m = h.mutant();
    String note = "";
    for (Bench b : benches) {
      boolean has =
          Syntax.definitions(b.model().module(), b.model().library()).values().stream()
              .anyMatch(d -> d.module().equals(m.module()));
      if (has) {
        Exploration e =
            lab.explore(
                b.model(), m.module(), m.text(), Set.copyOf(b.judged()), b.steps(lab), true);
        String check = b.judge().check().id();
        for (String p : e.violated().keySet()) {
          return new HandMade.Result(
              h,
              b.judge().check().lane(),
              check + " " + p,
              "write it down: killed: {check: " + check + ", property: " + p + "}");
        }
        if (!e.end().equals("complete")) {
          note += check + ": " + said(e) + "\n";
        }
      }
    }
    return new HandMade.Result(h, lane(), "", note.strip());
  }

  private static String said(Exploration e) {
    String limits = e.undecided().isEmpty() ? "" : " " + e.undecided();
    return e.end().equals("complete") ? limits.strip() : e.end() + " " + e.message() + limits;
  }

  private boolean chosen(String id) {
    return options.only().isEmpty() || options.only().stream().anyMatch(id::startsWith);
  }

  private List<Mutant> sample(List<Mutant> every) {
    List<Mutant> all = new ArrayList<>(every);
    all.sort(Comparator.comparing(Mutant::id));
    Collections.shuffle(all, new Random(options.seed()));
    return all.subList(0, Math.min(options.sample(), all.size()));
  }

  private SpecResult result(Case c) {
    Listed listed = file.equivalent().get(c.mutant.id());
    return new SpecResult(
        c.mutant, c.verdict(), c.properties, c.note(), listed == null ? "" : listed.reason());
  }

  /**
   * Properties first, which kill most mutants soon; the graphs of those that are left are compared
   * in the first model alone. Models of the nightly lane judge what is open then.
   */
  private void sample(
      Map<Target, List<Case>> cases, Map<Target, List<Bench>> benches, List<Laboratory> labs) {
    List<Case> all = cases.values().stream().flatMap(List::stream).toList();
    String what = "sample of " + protocol.protocol();
    work(what, "mutants", all, labs, (c, lab) -> killFirst(c, of(c, benches, false), lab));
    List<Case> left = all.stream().filter(c -> !c.killed() && !c.unparsed).toList();
    work(
        what + ", not killed",
        "graphs",
        left,
        labs,
        (c, lab) -> compare(c, benches.get(c.target).get(0), lab));
    work(
        what + ", open",
        "mutants",
        left.stream().filter(c -> c.verdict().open()).toList(),
        labs,
        (c, lab) -> killFirst(c, of(c, benches, true), lab));
    work(
        what + ", same graph",
        "mutants",
        left.stream().filter(c -> c.verdict() == Fate.SAME_GRAPH).toList(),
        labs,
        (c, lab) -> demandReached(c, benches.get(c.target), lab));
  }

  private static List<Bench> of(Case c, Map<Target, List<Bench>> benches, boolean nightly) {
    return benches.get(c.target).stream().filter(b -> b.judge().nightly() == nightly).toList();
  }

  private static void killFirst(Case c, List<Bench> benches, Laboratory lab) {
    for (Bench b : benches) {
      properties(c, b, Set.copyOf(b.judged()), true, lab);
      if (c.killed() || c.unparsed) {
        return;
      }
    }
    live(c, benches, lab);
  }

  private static void compare(Case c, Bench b, Laboratory lab) {
    Exploration graph = lab.compare(b.model(), c.mutant.module(), c.mutant.text(), "");
    related(c, b, graph);
    c.foreign = graph.foreign();
  }

  /** What was not compared to the end counts as another graph, until something shows it is not. */
  private static void related(Case c, Bench b, Exploration graph) {
    c.relations.add(graph.relation());
    if (graph.end().equals("millis") && graph.foreign().isEmpty()) {
      String check = b.judge().check().id();
      c.limit = "not compared in " + check + " within the time limit" + graph.message();
    }
  }

  /** The models that judge. */
  private List<Bench> benches(Target t) {
    return t.models().stream()
        .map(
            j ->
                new Bench(
                    j,
                    () -> new CheckModel(workspace, protocol, j.check(), Checker.version()),
                    (b, lab) -> original(t.module(), (m, r) -> t.error("models", m, r), b, lab)))
        .toList();
  }

  /** What the original does in a model; it must satisfy all of it. */
  private Exploration original(
      String module, BiFunction<String, String, InputError> error, Bench b, Laboratory lab) {
    Exploration e =
        lab.explore(
            b.model(), "", "", Set.copyOf(b.judged()), Long.MAX_VALUE, b.judged().isEmpty());
    String check = b.judge().check().id();
    inTime(module, check, e);
    if (!e.end().equals("complete") || !e.violated().isEmpty() || !e.undecided().isEmpty()) {
      throw error.apply(
          "the unchanged "
              + module
              + " does not pass "
              + check
              + ": "
              + e.end()
              + " "
              + e.violated().keySet()
              + e.undecided()
              + e.message(),
          "correct the check or its bounds here first");
    }
    progress.say(
        "original of %s in %s: %,d states, %,d steps, %.1fs"
            .formatted(module, check, e.states(), e.steps(), e.millis() / 1000.0));
    for (String p : b.live()) {
      Map.Entry<String, String> said = lab.live(b.model(), "", "", p);
      if (said.getValue().startsWith(Laboratory.TIME_OUT)) {
        throw unjudged(module, check, said.getValue().substring(Laboratory.TIME_OUT.length()));
      }
      if (!said.getKey().equals("holds")) {
        throw error.apply(
            "the unchanged " + module + " does not satisfy " + p + ": " + said,
            "correct the check or its bounds here first");
      }
    }
    return e;
  }

  /** Nothing is judged by a model in which the original itself was not judged in time. */
  static void inTime(String module, String check, Exploration e) {
    if (e.end().equals("millis")) {
      throw unjudged(module, check, e.message());
    }
  }

  /**
   * @param why what ended the process; empty where its time was over
   */
  private static Unjudged unjudged(String module, String check, String why) {
    String what = "the unchanged " + module + " has no verdict in " + check;
    return why.isEmpty()
        ? Unjudged.late(what + " within the time limit")
        : new Unjudged(what + why);
  }

  /**
   * What a mutant fails to send, the network could have lost: those whose every step is one of the
   * original on a network that loses at once only lose behaviour.
   */
  private void lose(Target t, List<Bench> benches, List<Case> cases, List<Laboratory> labs) {
    List<Case> all =
        cases.stream().filter(c -> !c.killed() && c.relations.contains("differs")).toList();
    all.forEach(c -> c.loss = true);
    for (Bench b : benches) {
      work(
          t.module() + " losing messages in " + b.judge().check().id(),
          "mutants",
          all.stream().filter(c -> c.loss).toList(),
          labs,
          (c, lab) -> {
            String losing = losing(t, c.mutant.original());
            Exploration e = lab.compare(b.model(), t.module(), c.mutant.text(), losing);
            c.loss = e.relation().equals("loses") || e.relation().equals("same");
          });
    }
  }

  private static String losing(Target t, String original) {
    String text = original;
    for (MutantsFile.Losing l : t.losing()) {
      int at = text.indexOf(l.text());
      if (at < 0 || text.indexOf(l.text(), at + 1) >= 0) {
        throw t.error(
            "losing",
            t.module() + " does not have once: " + l.text(),
            "name a text that the module has exactly once");
      }
      text = text.replace(l.text(), l.by());
    }
    return text;
  }

  private <T> void work(
      String what,
      String unit,
      List<T> jobs,
      List<Laboratory> labs,
      BiConsumer<T, Laboratory> job) {
    progress.begin(what, jobs.size(), unit);
    Workers.share(
        jobs,
        labs,
        (c, lab) -> {
          long start = System.nanoTime();
          job.accept(c, lab);
          if (c instanceof Case judged) {
            judged.millis += (System.nanoTime() - start) / 1_000_000;
          }
          progress.one();
        });
  }

  private void judge(Case c, List<Bench> benches, Laboratory lab) {
    for (Bench b : benches) {
      Set<String> wanted = new LinkedHashSet<>(b.judged());
      wanted.removeIf(p -> "killed".equals(c.properties.get(p)));
      if (options.first() && !b.reduced()) {
        together(c, b, wanted, lab);
      } else {
        apart(c, b, wanted, lab);
      }
      if (c.unparsed || (options.first() && c.killed())) {
        return;
      }
    }
    live(c, benches, lab);
    demandReached(c, benches, lab);
  }

  /** What no model evaluates has the same graph whatever it is: that says nothing. */
  private static void demandReached(Case c, List<Bench> benches, Laboratory lab) {
    if (c.verdict() == Fate.SAME_GRAPH) {
      Fate reach = reach(c, benches, lab);
      c.reach = reach == Fate.REACHED ? null : reach;
    }
  }

  private static Fate reach(Case c, List<Bench> benches, Laboratory lab) {
    Fate fate = Fate.UNREACHED;
    for (Bench b : benches) {
      Optional<Boolean> reaches = lab.reaches(b.model(), c.mutant.module(), c.mutant.probe());
      if (reaches.isEmpty()) {
        fate = Fate.TIME_OUT;
        c.limit = "not known to be reached in " + b.judge().check().id() + " within the time limit";
      } else if (reaches.get()) {
        return Fate.REACHED;
      }
    }
    return fate;
  }

  /**
   * Properties and graph in one pass. A property that uses an operator that the mutant changes is
   * judged only where the mutant behaves differently, so that this kills no more than {@link
   * #apart}.
   */
  private static void together(Case c, Bench b, Set<String> wanted, Laboratory lab) {
    Exploration e = lab.judge(b.model(), c.mutant.module(), c.mutant.text(), wanted, b.steps(lab));
    if (e.end().equals("parse")) {
      c.unparsed = true;
      c.error = e.message();
      return;
    }
    related(c, b, e);
    c.foreign = c.foreign.isEmpty() ? e.foreign() : c.foreign;
    note(c, b, b.original(lab), wanted, e);
  }

  /**
   * The graph without what makes the model smaller, then properties with it. A model in which the
   * mutant takes only steps of the original needs no further look.
   */
  private void apart(Case c, Bench b, Set<String> wanted, Laboratory lab) {
    Exploration graph = lab.compare(b.model(), c.mutant.module(), c.mutant.text(), "");
    if (graph.end().equals("parse")) {
      c.unparsed = true;
      c.error = graph.message();
      return;
    }
    related(c, b, graph);
    if (!graph.relation().equals("differs")) {
      wanted.forEach(p -> c.said(p, "holds"));
    } else if (!wanted.isEmpty()) {
      c.foreign = c.foreign.isEmpty() ? graph.foreign() : c.foreign;
      properties(c, b, wanted, options.first(), lab);
    }
  }

  private static void properties(
      Case c, Bench b, Set<String> wanted, boolean first, Laboratory lab) {
    Exploration e =
        lab.explore(b.model(), c.mutant.module(), c.mutant.text(), wanted, b.steps(lab), first);
    if (e.end().equals("parse")) {
      c.unparsed = true;
      c.error = e.message();
    } else {
      note(c, b, b.original(lab), wanted, e);
    }
  }

  /** Temporal properties cost most, and are asked about what no other property has killed. */
  private static void live(Case c, List<Bench> benches, Laboratory lab) {
    for (Bench b : benches) {
      for (String p : b.live()) {
        if (!c.killed() && c.error.isEmpty()) {
          Map.Entry<String, String> said =
              lab.live(b.model(), c.mutant.module(), c.mutant.text(), p);
          c.said(p, said.getKey());
          if (said.getValue().startsWith(Laboratory.TIME_OUT)) {
            String why = said.getValue().substring(Laboratory.TIME_OUT.length());
            c.limit = "time-out of " + p + " in " + b.judge().check().id() + why;
          } else if (said.getKey().equals("open")) {
            c.error = said.getValue();
          }
        }
      }
    }
  }

  private static void note(
      Case c, Bench b, Exploration original, Set<String> wanted, Exploration e) {
    String check = b.judge().check().id();
    for (String p : wanted) {
      boolean decided = e.end().equals("complete") && !e.undecided().containsKey(p);
      c.said(p, e.violated().containsKey(p) ? "killed" : decided ? "holds" : "open");
    }
    switch (e.end()) {
      case "error", "assumption" -> c.error = "in " + check + ": " + e.message();
      case "steps" ->
          c.limit =
              "no violation in the first %,d steps of %s (the original takes %,d)"
                  .formatted(e.steps(), check, original.steps());
      case "millis" ->
          c.limit = "no violation in " + check + " within the time limit" + e.message();
      case "complete" -> {
        long low = b.judge().check().low();
        long high = b.judge().check().high();
        if (!b.judge().bounded() && (e.states() < low || e.states() > high)) {
          c.band =
              "%s: %,d distinct states, band [%,d, %,d] missed"
                  .formatted(check, e.states(), low, high);
        }
      }
      default -> {}
    }
    if (!e.undecided().isEmpty() && c.error.isEmpty()) {
      c.error = "in " + check + ": " + e.undecided();
    }
  }
}
