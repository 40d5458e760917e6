package dev.plumbline.audit;

import dev.plumbline.audit.ClaimsFile.Argued;
import dev.plumbline.audit.ClaimsFile.Said;
import dev.plumbline.audit.Implementation.Bug;
import dev.plumbline.audit.Link.State;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Claim;
import dev.plumbline.check.Checks.Expect;
import dev.plumbline.check.Findings;
import dev.plumbline.check.Records;
import dev.plumbline.check.Records.Known;
import dev.plumbline.check.Workspace;
import dev.plumbline.check.YamlNode;
import dev.plumbline.mutate.Mutation;
import dev.plumbline.mutate.Noticed;
import dev.plumbline.protocol.Near;
import dev.plumbline.worlds.Worlds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Joins what lies in files and reports of one protocol into the chain of each claim. */
final class Chains {
  private static final Pattern REPAIR = Pattern.compile("(?m)^## Repair\\R+[^`]*`(\\w+)`");

  /** Begins the id of a link to mutants that a program made: there are others in each run. */
  static final String GENERATED = "generated in ";

  private final Workspace workspace;
  private final Checks protocol;
  private final ClaimsFile claims;
  private final Implementation machines;
  private final Runs runs;
  private final String lane;
  private final List<Known> checks;
  private final DefinitionPlaces definitions;
  private final List<Limits.Limit> limits;
  private final Map<String, Worlds.Described> families;
  private final Map<String, Findings.Kind> kinds;
  private final Map<String, HandMadeError> errors = new LinkedHashMap<>();
  private final Map<String, String> pages = new HashMap<>();
  private final Optional<Noticed> mutants;

  /** Whether they are of today's specification. */
  private final boolean today;

  private record HandMadeError(
      String module, String why, String check, String property, int line) {}

  Chains(Workspace workspace, Checks protocol, Implementation machines, Runs runs, String lane) {
    this.workspace = workspace;
    this.protocol = protocol;
    this.claims = ClaimsFile.read(protocol);
    this.machines = machines;
    this.runs = runs;
    this.lane = lane;
    this.checks = new Records(workspace).of(protocol);
    this.definitions = new DefinitionPlaces(workspace.root());
    this.limits = Limits.read(workspace.docs().resolve("limits.md"));
    this.families = Worlds.families(workspace, protocol);
    this.kinds = Findings.of(protocol);
    this.mutants = mutants();
    this.today = mutants.filter(this::ofToday).isPresent();
    readErrors();
  }

  private void readErrors() {
    Path file = protocol.file().resolveSibling("handmade.yaml");
    if (Files.isRegularFile(file)) {
      YamlNode.read(file)
          .get("errors")
          .entries()
          .forEach(
              (name, n) ->
                  n.optional("killed")
                      .ifPresent(
                          k ->
                              errors.put(
                                  name,
                                  new HandMadeError(
                                      n.get("module").text(),
                                      n.get("why").text(),
                                      k.get("check").text(),
                                      k.get("property").text(),
                                      n.line()))));
    }
  }

  ClaimsFile claims() {
    return claims;
  }

  List<Known> checks() {
    return checks;
  }

  /** The chain of every claim. */
  List<Chain> all() {
    return protocol.claims().values().stream().map(this::chain).toList();
  }

  private Chain chain(Claim claim) {
    Said said = claims.claims().getOrDefault(claim.id(), new Said(List.of(), List.of(), "", 0));
    List<Known> own = checks.stream().filter(k -> k.check().claims().contains(claim.id())).toList();
    Set<String> stated = new LinkedHashSet<>(said.stated());
    if (said.all()) {
      own.stream()
          .filter(k -> k.check().expect() == Expect.HOLDS)
          .forEach(k -> stated.addAll(k.judged()));
    }
    List<Path> inputs = own.stream().flatMap(k -> k.inputs().stream()).distinct().toList();
    Set<String> modules =
        inputs.stream()
            .map(p -> p.getFileName().toString())
            .filter(n -> n.endsWith(".tla"))
            .map(n -> n.replace(".tla", ""))
            .collect(Collectors.toSet());
    List<Link> links = new ArrayList<>();
    readings(claim, links);
    properties(said, stated, own, inputs, links);
    own.forEach(k -> links.add(check(k, said, stated)));
    worlds(claim, said, stated, own, links);
    noticed(stated, own, links);
    findings(own, links);
    machines(said, modules, links);
    limits(links);
    List<Argued> argued =
        claims.argued().stream()
            .filter(a -> a.claims().isEmpty() || a.claims().contains(claim.id()))
            .toList();
    return new Chain(
        protocol.protocol(), claim, Sentence.of(own), said.ended(), List.copyOf(links), argued);
  }

  private String at(Path file, int line) {
    return DefinitionPlaces.relative(workspace.root(), file) + ":" + line;
  }

  private void readings(Claim claim, List<Link> links) {
    for (ClaimsFile.Reading r : claims.readings()) {
      if (r.claims().contains(claim.id())) {
        String text =
            (r.taken().isEmpty() ? "" : "taken: " + r.taken())
                + (r.other().isEmpty()
                    ? ""
                    : (r.taken().isEmpty() ? "" : "; ") + "other: " + r.other());
        links.add(Link.stated(Kind.READING, r.place(), text, at(claims.file(), r.line())));
      }
    }
  }

  private void properties(
      Said said, Set<String> stated, List<Known> own, List<Path> inputs, List<Link> links) {
    for (String property : stated) {
      Optional<String> place = definitions.place(property, inputs);
      long judges = own.stream().filter(k -> k.judged().contains(property)).count();
      String text = "judged by " + judges + " of the claim's checks";
      if (place.isEmpty()) {
        links.add(
            Link.broken(
                Kind.PROPERTY,
                property,
                text,
                at(claims.file(), said.line()),
                "no module of the claim's checks defines it"));
      } else if (judges == 0) {
        links.add(
            Link.broken(
                Kind.PROPERTY, property, text, place.get(), "no check of the claim judges it"));
      } else {
        links.add(Link.stated(Kind.PROPERTY, property, text, place.get()));
      }
    }
  }

  private Link check(Known k, Said said, Set<String> stated) {
    Check c = k.check();
    StringBuilder text = new StringBuilder(c.expectation());
    text.append(", ").append(c.lane()).append(" lane, ");
    text.append(
        switch (c.engine()) {
          case "simulate" -> "random behaviours";
          case "apalache" -> "symbolic";
          default -> "searched to the end";
        });
    if (k.distinct() >= 0) {
      text.append(String.format(Locale.ROOT, ", %,d states", k.distinct()));
    }
    text.append(". ").append(c.why());
    String place = at(protocol.file(), c.line("id"));
    if (c.expect() == Expect.HOLDS
        && !said.all()
        && k.judged().stream().noneMatch(stated::contains)) {
      return Link.broken(Kind.CHECK, c.id(), text.toString(), place, unjudged(said));
    }
    boolean asked = c.in(lane);
    State state =
        k.met()
            ? State.SHOWN
            : k.verdict().equals("FAILED")
                ? State.BROKEN
                : asked && k.open() ? State.OPEN : State.UNASKED;
    return Link.stated(Kind.CHECK, c.id(), text.toString(), place)
        .told(
            "./plumb check " + c.name(),
            k.verdict(),
            state,
            k.manifest().path("date").asText(),
            k.manifest().path("commit").asText())
        .on(pages.computeIfAbsent(c.id(), id -> Playable.page(workspace, k)));
  }

  /**
   * The families whose worlds are searched for what states the claim. One that only finds must-fail
   * checks of the claim says nothing of what holds.
   */
  private void worlds(
      Claim claim, Said said, Set<String> stated, List<Known> own, List<Link> links) {
    Set<String> ids = own.stream().map(k -> k.check().id()).collect(Collectors.toSet());
    families.forEach(
        (id, family) -> {
          if (!family.claims().contains(claim.id())) {
            return;
          }
          List<String> found = family.red().stream().filter(ids::contains).toList();
          String finds = found.isEmpty() ? "" : "; finds " + String.join(", ", found);
          String text = "draws " + String.join(", ", family.drawn()) + " of " + family.of() + finds;
          String place = at(protocol.file(), family.line());
          if (!said.all() && family.judged().stream().noneMatch(stated::contains)) {
            links.add(Link.broken(Kind.WORLD, id, text, place, unjudged(said)));
          } else {
            Link link = Link.stated(Kind.WORLD, id, text, place);
            links.add(runs.told(link, protocol.protocol(), List.of("worlds")));
          }
        });
  }

  private static String unjudged(Said said) {
    return "it judges nothing that states the claim: " + String.join(", ", said.stated());
  }

  /** Errors that its properties notice: made by hand, by a program, or by taking a repair out. */
  private void noticed(Set<String> stated, List<Known> own, List<Link> links) {
    Path file = protocol.file().resolveSibling("handmade.yaml");
    errors.forEach(
        (name, e) -> {
          if (stated.contains(e.property())) {
            Link link =
                Link.stated(
                    Kind.MUTANT,
                    name,
                    e.module()
                        + ": "
                        + e.why()
                        + "; noticed by "
                        + e.property()
                        + " in "
                        + e.check(),
                    at(file, e.line()));
            links.add(error(link, name, e));
          }
        });
    for (Known k : own) {
      if (k.check().expect() == Expect.VIOLATES && stated.contains(k.check().target())) {
        Link c = check(k, new Said(List.of(), List.of(), "", 0), stated);
        links.add(
            new Link(
                Kind.MUTANT,
                "must-fail " + k.check().id(),
                k.check().why(),
                c.place(),
                c.command(),
                c.verdict(),
                c.state(),
                c.date(),
                c.commit(),
                c.page()));
      }
    }
    generated(stated, links);
  }

  /** The mutants that this machine's last run judged, or those of the result that is kept. */
  private Optional<Noticed> mutants() {
    String name = "mutate-" + protocol.protocol() + ".json";
    return Stream.of(
            workspace.made().resolve("reports").resolve(name),
            Noticed.kept(workspace.root(), protocol.protocol()))
        .filter(Files::isRegularFile)
        .map(Noticed::read)
        .max(
            Comparator.<Noticed, Boolean>comparing(this::ofToday)
                .thenComparingInt(Noticed::judged));
  }

  private boolean ofToday(Noticed mutants) {
    return mutants.input().equals(Mutation.input(protocol, workspace));
  }

  /** What became of an error made by hand: of today's stage, else of the mutants that are known. */
  private Link error(Link link, String name, HandMadeError e) {
    boolean asked =
        protocol.checks().stream().anyMatch(c -> c.id().equals(e.check()) && c.in(lane));
    Link staged =
        asked
            ? runs.told(link, protocol.protocol(), List.of("mutate"))
            : runs.toldNightly(link, protocol.protocol(), "mutate");
    String by = mutants.map(m -> m.errors().get(name)).orElse(null);
    boolean said = staged.state() == State.SHOWN || staged.state() == State.BROKEN;
    if (said || by == null || !today) {
      return staged;
    }
    boolean killed = !by.isEmpty();
    return link.told(
        mutants.get().command(),
        killed ? "killed" : "survives",
        killed ? State.SHOWN : State.BROKEN,
        mutants.get().date(),
        mutants.get().commit());
  }

  private void generated(Set<String> stated, List<Link> links) {
    mutants.ifPresent(
        all ->
            all.modules()
                .forEach(
                    (module, m) -> {
                      if (m.by(stated) > 0) {
                        links.add(generated(all, module, m, stated));
                      }
                    }));
  }

  private Link generated(Noticed all, String module, Noticed.Module m, Set<String> stated) {
    String text =
        m.by(stated)
            + " of "
            + m.judged()
            + " mutants that were judged are noticed by what states the claim; "
            + (m.argued() == 0 ? "" : m.argued() + " that nothing kills are argued; ")
            + (m.open().isEmpty() ? "none is open" : "open: " + String.join(", ", m.open()));
    return Link.stated(Kind.MUTANT, GENERATED + module, text, "")
        .told(
            all.command(),
            today ? "killed" : Records.STALE,
            !today ? State.UNASKED : m.open().isEmpty() ? State.SHOWN : State.BROKEN,
            all.date(),
            all.commit());
  }

  private void findings(List<Known> own, List<Link> links) {
    Map<String, List<Known>> by = new LinkedHashMap<>();
    own.stream()
        .filter(k -> !k.check().finding().isEmpty())
        .forEach(k -> by.computeIfAbsent(k.check().finding(), f -> new ArrayList<>()).add(k));
    by.forEach(
        (finding, shown) -> {
          Path page =
              workspace
                  .docs()
                  .resolve("findings")
                  .resolve(finding.toLowerCase(Locale.ROOT) + ".md");
          String text = text(page);
          String title = text.lines().findFirst().orElse("").replaceFirst("^# ", "");
          Matcher repair = REPAIR.matcher(text);
          Known first = shown.get(0);
          String said =
              title
                  + (kinds.containsKey(finding) ? "; " + kinds.get(finding).words() : "")
                  + (repair.find() ? "; repair: " + repair.group(1) : "")
                  + "; shown by "
                  + shown.stream().map(k -> k.check().id()).collect(Collectors.joining(", "));
          Link c = check(first, new Said(List.of(), List.of(), "", 0), Set.of());
          links.add(
              new Link(
                  Kind.FINDING,
                  finding,
                  said,
                  DefinitionPlaces.relative(workspace.root(), page),
                  c.command() + " && ./plumb explain " + first.check().name(),
                  c.verdict(),
                  c.state(),
                  c.date(),
                  c.commit(),
                  c.page()));
        });
  }

  private static String text(Path page) {
    try {
      return Files.readString(page, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void machines(Said said, Set<String> modules, List<Link> links) {
    String p = protocol.protocol();
    machines
        .handlers()
        .forEach(
            (action, place) -> {
              if (modules.contains(Implementation.module(action))) {
                links.add(Link.stated(Kind.HANDLER, action, "", place));
              }
            });
    for (String corpus : machines.corpora()) {
      if (modules.contains(Implementation.module(corpus))) {
        Path file =
            workspace.root().resolve("conformance/corpora").resolve(p).resolve(corpus + ".txt");
        String text = "every step of corpus-" + corpus + ".cfg, and what machines must refuse";
        String place = DefinitionPlaces.relative(workspace.root(), file);
        links.add(
            Files.isRegularFile(file)
                ? runs.told(
                    Link.stated(Kind.CORPUS, corpus, text, place), p, List.of("corpus", "replay"))
                : Link.broken(Kind.CORPUS, corpus, text, place, "the corpus is missing"));
      }
    }
    boolean traced = false;
    for (String module : machines.traced()) {
      if (modules.contains(module)) {
        traced = true;
        Path file = protocol.file().resolveSibling("Trace" + module + ".tla");
        String place = DefinitionPlaces.relative(workspace.root(), file);
        String text = "logs of machines are explained by " + module;
        links.add(
            Files.isRegularFile(file)
                ? runs.told(
                    Link.stated(Kind.TRACE, module, text, place),
                    p,
                    List.of("coverage", "simulate"))
                : Link.broken(Kind.TRACE, module, text, place, "the trace model is missing"));
      }
    }
    for (Bug bug : machines.bugs().values()) {
      List<String> by = new ArrayList<>();
      bug.replay().stream()
          .filter(c -> modules.contains(Implementation.module(c)))
          .forEach(by::add);
      bug.traces().stream().filter(modules::contains).map(m -> "logs of " + m).forEach(by::add);
      bug.histories().stream().filter(said.judges()::contains).forEach(by::add);
      String place = "docs/seeded-bugs-" + p + ".md";
      if (!bug.caught()) {
        links.add(
            Link.broken(
                Kind.BUG,
                bug.name(),
                "",
                place,
                "the table has no row for it: ./plumb bugs " + p + " --update"));
      } else if (!by.isEmpty()) {
        Link link =
            Link.stated(
                Kind.BUG, bug.name(), bug.text() + "; caught by " + String.join(", ", by), place);
        links.add(runs.told(link, p, List.of("bugs")));
      }
    }
    runs(said, traced, links);
  }

  /** Runs that judge something of the claim, each with what it judges. */
  private void runs(Said said, boolean traced, List<Link> links) {
    List<String> judges =
        said.judges().stream().filter(j -> machines.judges().getOrDefault(j, false)).toList();
    String histories = judges.isEmpty() ? "" : "histories: " + String.join(", ", judges);
    String both =
        traced && !histories.isEmpty() ? "logs; " + histories : traced ? "logs" : histories;
    Map<String, String> judged = new LinkedHashMap<>();
    judged.put("simulate", both);
    judged.put("histories", histories);
    judged.put("jepsen", both);
    if (!both.isEmpty()) {
      judged.put("attack", "with a hostile peer: an ordinary client finds all that it wrote");
      judged.put("damage", "after kills and damaged disks: what was acknowledged is there");
    }
    judged.forEach(
        (stage, what) -> {
          Kind kind = Set.of("simulate", "histories").contains(stage) ? Kind.RUN : Kind.CLUSTER;
          for (Planned run : runs.of(protocol.protocol(), stage)) {
            if (!what.isEmpty()) {
              links.add(runs.told(Link.stated(kind, run.command(), what, ""), run));
            }
          }
        });
  }

  /** Faults of the judges that claims name: there has to be one of this name. */
  List<String> judges() {
    List<String> faults = new ArrayList<>();
    claims
        .claims()
        .forEach(
            (id, said) ->
                said.judges().stream()
                    .filter(j -> machines.exists() && !machines.judges().containsKey(j))
                    .forEach(
                        j ->
                            faults.add(
                                "%s:%d: %s names no judge of histories: %s; %s"
                                    .formatted(
                                        claims.file(),
                                        said.line(),
                                        id,
                                        j,
                                        Near.remedy(
                                            j,
                                            machines.judges().keySet(),
                                            "there are "
                                                + String.join(
                                                    ", ", machines.judges().keySet()))))));
    return faults;
  }

  private void limits(List<Link> links) {
    Set<Kind> there = links.stream().map(Link::kind).collect(Collectors.toSet());
    for (Limits.Limit l : limits) {
      if (l.concerns(protocol.protocol(), there)) {
        links.add(Link.stated(Kind.LIMIT, l.title(), l.text(), "docs/limits.md:" + l.line()));
      }
    }
  }
}
