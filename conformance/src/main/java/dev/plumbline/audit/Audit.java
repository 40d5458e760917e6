package dev.plumbline.audit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Board;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Driver;
import dev.plumbline.check.Manifest;
import dev.plumbline.check.Records.Known;
import dev.plumbline.check.Result;
import dev.plumbline.check.Unjudged;
import dev.plumbline.check.Workspace;
import dev.plumbline.parts.Shard;
import dev.plumbline.tlc.InputError;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The way from every claim to its evidence; runs nothing. */
public final class Audit {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static final double MILLIS_A_MINUTE = 60_000;

  private final Workspace workspace;
  private final List<Part> parts = new ArrayList<>();
  private final String lane;
  private final List<Planned> planned;
  private final Runs runs;

  private record Part(Checks protocol, Chains joined, List<Chain> chains) {}

  /**
   * @param names protocols; all where there are none
   * @param asked the stages of the lane
   * @param nightly those of the nightly lane; where the lane has none of a kind, these are shown
   */
  public Audit(
      Workspace workspace,
      List<String> names,
      String lane,
      List<Planned> asked,
      List<Planned> nightly) {
    this.workspace = workspace;
    this.lane = lane;
    this.planned = Stream.concat(asked.stream(), nightly.stream()).toList();
    this.runs =
        new Runs(workspace.made().resolve("reports").resolve("verify.json"), asked, nightly);
    for (Checks p : workspace.protocols()) {
      if (names.isEmpty() || names.contains(p.protocol())) {
        Implementation machines = Implementation.of(workspace.root(), p.protocol());
        Chains joined = new Chains(workspace, p, machines, runs, lane);
        parts.add(new Part(p, joined, joined.all()));
      }
    }
  }

  /** Faults of what stands in files: missing or broken links, tables that differ. */
  public List<String> faults() {
    List<String> faults = new ArrayList<>();
    for (Part p : parts) {
      faults.addAll(Gate.links(p.protocol(), p.joined().claims(), p.chains()));
      faults.addAll(Tables.faults(p.protocol(), p.joined().claims()));
      faults.addAll(p.joined().judges());
    }
    return faults;
  }

  /** Links that are recorded in links.txt and gone, or there and not recorded. */
  public List<String> drift() {
    return parts.stream().flatMap(p -> Gate.drift(p.protocol(), p.chains()).stream()).toList();
  }

  /** Links that the lane asks for, and that no stored result of today's input shows. */
  public List<String> unshown() {
    return parts.stream().flatMap(p -> Gate.results(p.chains()).stream()).toList();
  }

  /** Writes the tables of the README files and the recorded links. */
  public void update() {
    for (Part p : parts) {
      Tables.update(p.protocol(), p.joined().claims());
      Workspace.writeWhole(Gate.file(p.protocol()), Gate.record(p.chains()));
    }
  }

  /** One line a protocol: its claims, and what its links are worth. */
  public String text() {
    StringBuilder s = new StringBuilder();
    s.append("%-10s %6s  %s%n".formatted("protocol", "claims", "links"));
    for (Part p : parts) {
      Map<String, Long> counts = new TreeMap<>();
      p.chains()
          .forEach(c -> c.links().forEach(l -> counts.merge(Page.word(l.state()), 1L, Long::sum)));
      List<String> said = new ArrayList<>();
      counts.forEach((word, n) -> said.add(n + " " + word));
      s.append(
          "%-10s %6d  %s%n"
              .formatted(p.protocol().protocol(), p.chains().size(), String.join(", ", said)));
    }
    return s.toString();
  }

  /** The graph. */
  public ObjectNode json() {
    ObjectNode root = MAPPER.createObjectNode();
    root.set("manifest", Manifest.of(workspace.root(), Map.of()));
    root.put("lane", lane);
    ArrayNode kinds = root.putArray("kinds");
    Arrays.stream(Kind.values())
        .forEach(
            k ->
                kinds
                    .addObject()
                    .put("kind", k.word())
                    .put("title", k.title())
                    .put("demanded", k.demanded())
                    .put("doesNotShow", k.unshown()));
    ArrayNode protocols = root.putArray("protocols");
    for (Part p : parts) {
      ObjectNode protocol = protocols.addObject().put("protocol", p.protocol().protocol());
      ArrayNode claims = protocol.putArray("claims");
      p.chains().forEach(c -> claims.add(json(c)));
      ArrayNode others = protocol.putArray("checksOfNoClaim");
      p.joined().checks().stream()
          .filter(k -> k.check().claims().isEmpty())
          .forEach(
              k -> others.addObject().put("check", k.check().id()).put("verdict", k.verdict()));
    }
    return root;
  }

  private static ObjectNode json(Chain c) {
    ObjectNode o = MAPPER.createObjectNode();
    o.put("id", c.claim().id()).put("kind", c.claim().kind()).put("section", c.claim().section());
    o.put("text", c.claim().text()).put("verdict", c.sentence()).put("ended", c.ended());
    ArrayNode links = o.putArray("links");
    for (Link l : c.links()) {
      links
          .addObject()
          .put("kind", l.kind().word())
          .put("id", l.id())
          .put("text", l.text())
          .put("place", l.place())
          .put("command", l.command())
          .put("verdict", l.verdict())
          .put("state", Page.word(l.state()))
          .put("date", l.date())
          .put("commit", l.commit())
          .put("page", l.page());
    }
    ArrayNode missing = o.putArray("missing");
    for (Kind k : Kind.values()) {
      if (k.demanded() && !c.has(k)) {
        missing.addObject().put("kind", k.word()).put("argued", c.why(k).orElse(""));
      }
    }
    return o;
  }

  /**
   * Runs a share of the lane's checks again, drawn by a seed from those with a statement, and
   * compares what is the same in every run byte for byte.
   *
   * @param folder what {@link #write} wrote
   * @param minutes checks that took longer the last time are not drawn
   * @param tell is told what is left out, and what is run
   * @return what differs
   */
  public List<String> rederive(
      Path folder, double percent, long seed, double minutes, Board board, Consumer<String> tell) {
    List<Known> all = new ArrayList<>();
    List<String> left = new ArrayList<>();
    List<String> others = new ArrayList<>();
    for (Known k : known()) {
      boolean fits = k.check().in(lane) && !k.check().engine().equals("apalache");
      if (!fits || Evidence.outcome(folder, k) == null) {
        continue;
      }
      if (!k.met()) {
        others.add(k.check().name());
      } else {
        boolean brief = k.result().path("millis").asLong() <= minutes * MILLIS_A_MINUTE;
        if (brief) {
          all.add(k);
        } else {
          left.add(k.check().name());
        }
      }
    }
    if (!left.isEmpty()) {
      tell.accept("left out, longer than --minutes: " + String.join(" ", left));
    }
    if (!others.isEmpty()) {
      tell.accept("left out, no verdict of today's input: " + String.join(" ", others));
    }
    if (all.isEmpty() && left.isEmpty()) {
      throw new InputError(
          folder.toString(), 0, "no statement of a check of this lane", "run ./plumb audit first");
    }
    Collections.shuffle(all, new Random(seed));
    List<Known> drawn = all.subList(0, (int) Math.ceil(all.size() * percent / 100));
    if (drawn.isEmpty()) {
      throw new InputError(
          folder.toString(),
          0,
          "%s%% of %d checks are none: nothing would be compared".formatted(percent, all.size()),
          left.isEmpty() ? "ask for a larger share" : "allow more --minutes");
    }
    Map<String, byte[]> before = new TreeMap<>();
    drawn.forEach(k -> before.put(k.check().name(), Evidence.outcome(folder, k)));
    Map<String, Boolean> alone = new TreeMap<>();
    drawn.forEach(k -> alone.put(k.check().name(), Evidence.alone(k.result())));
    tell.accept("again: " + String.join(" ", before.keySet()));
    Driver.Options options =
        new Driver.Options(List.copyOf(before.keySet()), lane, true, 1, Shard.WHOLE);
    List<String> faults = new ArrayList<>();
    List<String> unjudged = new ArrayList<>();
    for (Result r : new Driver(workspace, options, board).run()) {
      if (r.environment()) {
        unjudged.add(r.protocol() + "/" + r.check() + ": " + r.message());
        continue;
      }
      String name = r.protocol() + "/" + r.check();
      byte[] now = Evidence.canonical(Evidence.derived(MAPPER.valueToTree(r), alone.get(name)));
      byte[] then = before.get(name);
      if (!Arrays.equals(now, then)) {
        faults.add(
            name
                + ": stored "
                + new String(then, StandardCharsets.UTF_8)
                + ", now "
                + new String(now, StandardCharsets.UTF_8));
      }
    }
    if (faults.isEmpty() && !unjudged.isEmpty()) {
      throw new Unjudged("not compared, since this machine gave no verdict: " + unjudged.get(0));
    }
    unjudged.forEach(u -> tell.accept("not compared, since this machine gave no verdict: " + u));
    return faults;
  }

  /** What differs between the statements of a folder, and what they are of. */
  public List<String> verify(Path folder) {
    return new Evidence(workspace).verify(folder, known(), planned, runs.stages());
  }

  private List<Known> known() {
    return parts.stream().flatMap(p -> p.joined().checks().stream()).toList();
  }

  List<Chain> chains() {
    return parts.stream().flatMap(p -> p.chains().stream()).toList();
  }

  /**
   * Writes audit.json, audit.html, needs.json, the pages to step through and the statements;
   * returns the page.
   */
  public Path write(Path folder) {
    ObjectNode json = json();
    Workspace.writeWhole(folder.resolve("audit.json"), json.toPrettyString() + "\n");
    Workspace.writeWhole(folder.resolve("audit.html"), Page.of(json.path("manifest"), chains()));
    Workspace.writeWhole(
        folder.resolve("needs.json"),
        Needs.of(json.path("manifest"), chains()).toPrettyString() + "\n");
    Workspace.delete(folder.resolve(Playable.FOLDER));
    for (Part p : parts) {
      Playable.write(workspace, p.protocol(), p.joined().checks(), folder);
    }
    Map<String, String> today = new TreeMap<>();
    planned.forEach(p -> today.put("./plumb " + p.command(), p.input()));
    // As of checks: what is of another input is no verdict today.
    List<JsonNode> stages =
        runs.stages().stream()
            .filter(
                s -> {
                  String input = s.path("input").asText();
                  return today.getOrDefault(s.path("command").asText(), input).equals(input);
                })
            .toList();
    new Evidence(workspace).write(folder, known(), stages, runs.manifest());
    return folder.resolve("audit.html");
  }
}
