package dev.plumbline.worlds;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.CheckModel;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Progress;
import dev.plumbline.check.Workers;
import dev.plumbline.check.Workspace;
import dev.plumbline.parts.Costs;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.Ledger;
import dev.plumbline.parts.Part;
import dev.plumbline.parts.Shard;
import dev.plumbline.protocol.Near;
import dev.plumbline.tlc.InputError;
import dev.plumbline.worlds.Search.Tally;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** What {@code ./plumb worlds} does. */
public final class Worlds {
  /**
   * What to search.
   *
   * @param protocols all when empty
   * @param count worlds a protocol that are searched to the end
   * @param claim families that support this one alone, or empty
   * @param red draw the worlds of the must-fail checks instead, until each fails
   * @param seconds stop drawing for a protocol after so much processor time, 0 for never
   * @param jobs processes at a time, each with a family
   * @param shard which families are this machine's
   */
  public record Options(
      List<String> protocols,
      long seed,
      int count,
      String claim,
      boolean red,
      int seconds,
      int jobs,
      Shard shard) {}

  /** A family, and how many of its worlds are to be searched to the end, or tried. */
  private record Turn(Family family, int worlds) {}

  private static final String IDLE =
      "this shard has no part: other shards have all that are described";

  /** Worlds that shrinking tries at most. */
  private static final int TRIES = 400;

  /** Processor time for one world; in the quick lane less. */
  private static final long MILLIS = 20_000;

  private static final long HURRIED_MILLIS = 3_000;

  /** What all worlds said. */
  public enum Outcome {
    HOLDS,
    FAILED,
    /** No world fails, but of a family none was searched to the end. */
    UNKNOWN
  }

  private final Workspace workspace;
  private final Options options;
  private final Progress progress;
  private final List<Tally> tallies = new ArrayList<>();

  /** Families for which a hurried search had no time left. */
  private final List<String> left = new ArrayList<>();

  private int described;

  public Worlds(Workspace workspace, Options options, PrintStream out) {
    this.workspace = workspace;
    this.options = options;
    progress = new Progress(out, false);
  }

  /** Whether a protocol's checks.yaml describes worlds. */
  public static boolean described(Checks protocol) {
    return !Family.of(protocol).all().isEmpty();
  }

  /**
   * A family of worlds.
   *
   * @param of the check whose constants are drawn
   * @param judged the properties that its worlds are searched for
   * @param red must-fail checks whose world the draws contain
   */
  public record Described(
      String of,
      List<String> claims,
      List<String> judged,
      List<String> drawn,
      List<String> red,
      int line) {}

  /** The ids of the families that a protocol's checks.yaml describes. */
  public static List<String> ids(Checks protocol) {
    return Family.of(protocol).all().stream().map(Family::id).toList();
  }

  /** The families that a protocol's checks.yaml describes, by id. */
  public static Map<String, Described> families(Workspace workspace, Checks protocol) {
    Map<String, Described> all = new LinkedHashMap<>();
    for (Family f : Family.of(protocol).all()) {
      all.put(
          f.id(),
          new Described(
              f.base().id(),
              f.base().claims(),
              judged(workspace, protocol, f),
              List.copyOf(f.draw().keySet()),
              List.copyOf(f.red().keySet()),
              f.line()));
    }
    return all;
  }

  /** Searches; with {@code red} each check's world is to be found. */
  public Outcome run() {
    List<Checks> protocols =
        workspace.protocols().stream()
            .filter(
                p -> options.protocols().isEmpty() || options.protocols().contains(p.protocol()))
            .toList();
    demandClaim(protocols);
    protocols.forEach(this::one);
    if (described == 0) {
      throw new InputError(
          "",
          0,
          "no worlds are described for that",
          "add worlds: to checks.yaml; claims.yaml says of a claim why it has none");
    }
    if (tallies.stream().anyMatch(t -> options.red() != (t.failure != null))) {
      return Outcome.FAILED;
    }
    return tallies.stream().anyMatch(this::unknown) ? Outcome.UNKNOWN : Outcome.HOLDS;
  }

  private void demandClaim(List<Checks> protocols) {
    Set<String> claims = new TreeSet<>();
    protocols.forEach(p -> claims.addAll(p.claims().keySet()));
    if (!options.claim().isEmpty() && !claims.contains(options.claim())) {
      throw new InputError(
          "",
          0,
          "there is no claim " + options.claim(),
          Near.remedy(options.claim(), claims, "there are " + String.join(", ", claims)));
    }
  }

  private void one(Checks protocol) {
    List<Family> families =
        Family.of(protocol).all().stream()
            .filter(f -> options.claim().isEmpty() || f.base().claims().contains(options.claim()))
            .toList();
    if (options.red()) {
      families = families.stream().flatMap(f -> f.red().keySet().stream().map(f::red)).toList();
    } else {
      families = new ArrayList<>(families);
      Collections.shuffle(families, new Random(options.seed()));
    }
    families.forEach(f -> demandJudged(protocol, f));
    described += families.size();
    String stage = "worlds " + (options.red() ? "red " : "") + protocol.protocol();
    Costs costs = Costs.of(workspace);
    List<Turn> mine =
        options
            .shard()
            .of(
                turns(families),
                t -> stage + t.family().id(),
                t -> costs.millis(stage, t.family().id()));
    Ledger ledger =
        new Ledger(
            workspace, stage, options.shard(), families.stream().map(Family::id).sorted().toList());
    if (mine.isEmpty()) {
      return;
    }
    Map<Turn, Tally> found = found(mine);
    for (Turn turn : mine) {
      Family family = turn.family();
      Tally tally = found.get(turn);
      if (tally == null) {
        left.add(protocol.protocol() + "/" + family.id());
        ledger.add(new Part(family.id(), Ending.NOT_RUN, "not run", "no time left", 0));
      } else {
        tallies.add(tally);
        ledger.add(part(tally));
      }
    }
    ledger.write();
  }

  /** What each turn found; nothing of those for which a hurried search had no time left. */
  private Map<Turn, Tally> found(List<Turn> turns) {
    Map<Turn, Tally> found = new ConcurrentHashMap<>();
    Allowance allowance = new Allowance(options.seconds(), turns.size());
    List<Search> searches = new ArrayList<>();
    try {
      for (int i = 0; i < Math.min(options.jobs(), turns.size()); i++) {
        searches.add(new Search(workspace, TRIES, each()));
      }
      Workers.share(
          turns,
          searches,
          (turn, search) -> {
            long slice = allowance.take();
            if (slice > 0) {
              Tally tally =
                  search.run(
                      turn.family(), options.seed(), turn.worlds(), t -> goOn(t, turn, slice));
              allowance.spend(slice, tally.millis);
              found.put(turn, tally);
              progress.say(line(tally));
            }
          });
    } finally {
      searches.forEach(Search::close);
    }
    return found;
  }

  /** Says how far a family is, and whether it has time for another world. */
  private boolean goOn(Tally t, Turn turn, long slice) {
    progress.show(
        "%s/%s: %d of %d worlds, %.0f s"
            .formatted(
                t.family.protocol().protocol(),
                t.family.id(),
                t.ended + t.again,
                turn.worlds(),
                t.millis / 1000.0));
    return t.millis < slice;
  }

  /** Processor time that turns share: each may spend an equal part of what is left. */
  private static final class Allowance {
    private final boolean bounded;
    private long spare;
    private int open;

    /**
     * @param seconds for all turns, 0 for no bound
     */
    Allowance(int seconds, int turns) {
      bounded = seconds > 0;
      spare = TimeUnit.SECONDS.toMillis(seconds);
      open = turns;
    }

    /** Milliseconds of a turn that begins; none where nothing is left. */
    synchronized long take() {
      if (!bounded) {
        return Long.MAX_VALUE;
      }
      long slice = spare / open;
      open--;
      spare -= slice;
      return slice;
    }

    synchronized void spend(long slice, long millis) {
      spare += bounded ? slice - millis : 0;
    }
  }

  /** What is searched for nothing holds whatever happens. */
  private void demandJudged(Checks protocol, Family family) {
    if (judged(workspace, protocol, family).isEmpty()) {
      throw new InputError(
          protocol.file().toString(),
          family.line(),
          "the worlds of " + family.id() + " are searched for nothing",
          "name an …Inv or a …Step under properties: (in red: of a family's draws); temporal"
              + " properties are not searched for");
    }
  }

  private static List<String> judged(Workspace workspace, Checks protocol, Family family) {
    return CheckModel.judged(workspace, protocol, family.base()).stream()
        .filter(p -> !p.endsWith("Live"))
        .toList();
  }

  /** How many worlds of each family, whoever searches them. */
  private List<Turn> turns(List<Family> families) {
    List<Turn> turns = new ArrayList<>();
    int count = options.count();
    for (int open = families.size(); open > 0; open--) {
      int share = options.red() ? count : Math.max(1, (count + open - 1) / open);
      turns.add(new Turn(families.get(families.size() - open), share));
      count -= options.red() ? 0 : share;
    }
    return turns;
  }

  private Part part(Tally t) {
    boolean wrong = options.red() != (t.failure != null);
    Ending ending = wrong ? Ending.VIOLATED : unknown(t) ? Ending.UNKNOWN : Ending.HOLDS;
    String detail =
        options.red() || t.failure == null
            ? ""
            : "world "
                + t.failure.number()
                + " of seed "
                + options.seed()
                + " violates "
                + t.failure.property();
    return new Part(t.family.id(), ending, verdict(t), detail, t.millis);
  }

  private long each() {
    return options.seconds() > 0 ? HURRIED_MILLIS : MILLIS;
  }

  private String verdict(Tally t) {
    if (options.red()) {
      return t.failure != null ? "found" : "NOT FOUND";
    }
    return t.failure != null ? "FAILED" : unknown(t) ? "unknown" : "holds";
  }

  private boolean unknown(Tally t) {
    return !options.red() && t.failure == null && t.ended == 0;
  }

  private String line(Tally t) {
    return String.format(
        Locale.ROOT,
        "%-32s %-9s %6d %6d %7d %9d %8.1fs  %s",
        t.family.protocol().protocol() + "/" + t.family.id(),
        verdict(t),
        t.ended,
        t.parts,
        t.drawn,
        t.largest,
        t.millis / 1000.0,
        String.join(" ", t.family.base().claims()));
  }

  /** A table, and an entry of checks.yaml for each world that fails. */
  public String text() {
    StringBuilder s = new StringBuilder();
    if (idle()) {
      return "\n" + IDLE + "\n";
    }
    s.append(
        String.format(
            "%n%-32s %-9s %6s %6s %7s %9s %9s  %s%n",
            "worlds", "verdict", "ended", "part", "drawn", "largest", "cpu", "claims"));
    tallies.forEach(t -> s.append(line(t)).append('\n'));
    for (Tally t : tallies) {
      if (t.failure != null) {
        s.append("\nWorld ").append(t.failure.number()).append(" of seed ").append(options.seed());
        s.append(" violates ").append(t.failure.property()).append("; shrunk, with ");
        s.append(t.failure.tries()).append(" other worlds tried:\n").append(entry(t));
      }
    }
    for (Tally t : tallies) {
      if (unknown(t)) {
        s.append("\nUnknown: of ").append(t.family.protocol().protocol()).append('/');
        s.append(t.family.id()).append(" no world was searched to the end, the simplest neither (");
        s.append(String.format(Locale.ROOT, "%,d steps, ", t.family.limit()));
        s.append(String.format(Locale.ROOT, "%d s of processor time", Search.SIMPLEST / 1000));
        s.append(")");
        s.append(t.empty == 0 ? "" : "; " + t.empty + " without any state");
        s.append(t.refused == 0 ? "" : "; " + t.refused + " refused");
        s.append(".\n  Raise the family's limit in ").append(t.family.protocol().file());
        s.append(", or let it draw smaller worlds.\n");
      }
    }
    int ended = tallies.stream().mapToInt(t -> t.ended).sum();
    int parts = tallies.stream().mapToInt(t -> t.parts).sum();
    int again = tallies.stream().mapToInt(t -> t.again).sum();
    s.append('\n').append(ended).append(" worlds searched to the end, ");
    s.append(again == 0 ? "" : again + " drawn again, ");
    s.append(parts).append(" in part (too large), seed ").append(options.seed()).append('\n');
    for (Tally t : tallies) {
      if (t.refused > 0) {
        s.append("refused: ").append(t.refused).append(" worlds of ");
        s.append(t.family.protocol().protocol()).append('/').append(t.family.id());
        s.append(", ").append(t.refusal).append('\n');
      }
    }
    if (!left.isEmpty()) {
      s.append("no time left for ").append(String.join(", ", left));
      s.append(": the nightly lane draws them\n");
    }
    return s.toString();
  }

  /** The failing world as an entry of checks.yaml. */
  static String entry(Tally t) {
    Checks.Check check = t.family.base().with(t.failure.shrunk().constants());
    List<String> constants = new ArrayList<>();
    for (Map.Entry<String, String> c : check.constants().entrySet()) {
      constants.add(c.getKey() + ": '" + c.getValue().replace("'", "''") + "'");
    }
    String kind = t.failure.property().endsWith("Inv") ? "invariants" : "properties";
    String other = kind.equals("invariants") ? "properties" : "invariants";
    return String.join(
            "\n",
            "  - id: " + t.family.id() + "-found",
            "    module: " + check.module(),
            "    config: " + check.config(),
            (check.spec().isEmpty() ? "" : "    spec: " + check.spec() + "\n")
                + (check.constraints() == null
                    ? ""
                    : "    constraints: [" + String.join(", ", check.constraints()) + "]\n")
                + "    constants: {"
                + String.join(", ", constants)
                + "}",
            "    " + kind + ": [" + t.failure.property() + "]",
            "    " + other + ": []",
            "    lane: quick",
            "    expect: \"violates: " + t.failure.property() + "\"",
            "    claims: [" + String.join(", ", check.claims()) + "]",
            "    why: Found by ./plumb worlds.")
        + "\n";
  }

  private boolean idle() {
    return tallies.isEmpty() && left.isEmpty();
  }

  /** The same as JSON. */
  public String json() {
    ObjectNode root = new ObjectMapper().createObjectNode();
    root.put("seed", options.seed()).put("red", options.red());
    root.put("shard", options.shard().toString()).putArray("worlds");
    if (idle()) {
      root.put("why", IDLE);
    }
    for (Tally t : tallies) {
      ObjectNode o = root.withArray("worlds").addObject();
      o.put("protocol", t.family.protocol().protocol()).put("id", t.family.id());
      o.put("verdict", verdict(t)).put("ended", t.ended).put("part", t.parts);
      o.put("again", t.again).put("refused", t.refused);
      o.put("drawn", t.drawn).put("states", t.states).put("largest", t.largest);
      o.put("millis", t.millis);
      t.family.base().claims().forEach(c -> o.withArray("claims").add(c));
      if (t.largestWorld != null) {
        o.set("largestWorld", new ObjectMapper().valueToTree(t.largestWorld.constants()));
      }
      if (t.failure != null) {
        o.put("property", t.failure.property()).put("entry", entry(t));
      }
    }
    left.forEach(id -> root.withArray("left").add(id));
    return root.toPrettyString() + "\n";
  }
}
