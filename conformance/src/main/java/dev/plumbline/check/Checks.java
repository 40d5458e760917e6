package dev.plumbline.check;

import dev.plumbline.tlc.Checker.Simulation;
import dev.plumbline.tlc.InputError;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** A protocol's checks.yaml, validated: every fault is an InputError with its line. */
public record Checks(
    String protocol, Path file, Map<String, Claim> claims, List<Check> checks, Diagram diagram) {

  /** A claim of the paper, of its text's implication, or ours. */
  public record Claim(String id, String kind, String section, String text) {}

  public enum Expect {
    HOLDS,
    VIOLATES,
    REACHES
  }

  /** Symbolic check: the operators that Apalache is given; inv and length are required. */
  public record Symbolic(String init, String next, String inv, int length, String cinit) {}

  /**
   * How counterexamples are drawn.
   *
   * @param lanes action to the parameter that names the acting process, to {@code as PARAMETER} for
   *     the process of the first step with the same parameter (of the first: who changed or sent),
   *     or to a fixed lane's name
   * @param messages the variables that hold the messages in flight, separated by commas, or empty
   * @param kind the message field that labels an arrow (where it has none, its variable's name
   *     does), or empty
   */
  public record Diagram(Map<String, String> lanes, String messages, String kind) {
    public static final Diagram NONE = new Diagram(Map.of(), "", "");
  }

  /** One check. Lists that are null were not given, so the .cfg's stand. */
  public record Check(
      String protocol,
      String id,
      String module,
      String config,
      Map<String, String> constants,
      List<String> invariants,
      List<String> properties,
      List<String> constraints,
      String spec,
      String engine,
      String lane,
      Expect expect,
      String target,
      List<String> claims,
      long low,
      long high,
      boolean main,
      String finding,
      String why,
      boolean deadlock,
      List<String> coverage,
      Map<String, String> waive,
      Simulation simulate,
      String share,
      Symbolic symbolic,
      Map<String, Integer> lines) {

    public String name() {
      return protocol + "/" + id;
    }

    /** As written in checks.yaml. */
    public String expectation() {
      return expect == Expect.HOLDS
          ? "holds"
          : expect.name().toLowerCase(Locale.ROOT) + " " + target;
    }

    /** The same check with other bounds. */
    public Check with(Map<String, String> moreConstants) {
      Map<String, String> all = new LinkedHashMap<>(constants);
      all.putAll(moreConstants);
      return new Check(
          protocol,
          id,
          module,
          config,
          all,
          invariants,
          properties,
          constraints,
          spec,
          engine,
          lane,
          expect,
          target,
          claims,
          low,
          high,
          main,
          finding,
          why,
          deadlock,
          coverage,
          waive,
          simulate,
          share,
          symbolic,
          lines);
    }

    /**
     * The same check as the base of generated worlds.
     *
     * @param judged invariants (…Inv) and step properties that replace its own, or null for its own
     * @param at lines of what is given here
     */
    public Check world(
        String file,
        Map<String, String> moreConstants,
        List<String> judged,
        List<String> supported,
        Map<String, Integer> at) {
      Check c = with(moreConstants);
      Map<String, Integer> all = new LinkedHashMap<>(lines);
      all.putAll(at);
      return new Check(
          protocol,
          id,
          module,
          file,
          c.constants,
          judged == null ? invariants : judged.stream().filter(p -> p.endsWith("Inv")).toList(),
          judged == null ? properties : judged.stream().filter(p -> !p.endsWith("Inv")).toList(),
          constraints,
          spec,
          engine,
          lane,
          Expect.HOLDS,
          "",
          supported,
          low,
          high,
          main,
          finding,
          why,
          deadlock,
          coverage,
          waive,
          simulate,
          share,
          symbolic,
          all);
    }

    /** Whether both draw the same random behaviours, as far as neither ends before. */
    boolean samplesLike(Check other) {
      return module.equals(other.module)
          && config.equals(other.config)
          && constants.equals(other.constants)
          && spec.equals(other.spec)
          && Objects.equals(simulate, other.simulate);
    }

    /** The line of a key of this check, or of the check itself; KEY.NAME for one of its names. */
    public int line(String key) {
      Integer line = lines.get(key);
      return line != null ? line : lines.getOrDefault(key.replaceAll("\\..*", ""), lines.get("id"));
    }

    public boolean in(String chosen) {
      return chosen.equals("nightly") || lane.equals("quick");
    }
  }

  private static final Set<String> KEYS =
      Set.of(
          "id",
          "module",
          "config",
          "constants",
          "invariants",
          "properties",
          "constraints",
          "spec",
          "engine",
          "lane",
          "expect",
          "claims",
          "states",
          "main",
          "finding",
          "why",
          "deadlock",
          "coverage",
          "waive",
          "simulate",
          "init",
          "next",
          "inv",
          "length",
          "cinit");

  /**
   * Reads and validates {@code specs/PROTOCOL/checks.yaml}; findings are looked for under docs/.
   */
  public static Checks read(Path file, Path docs) {
    YamlNode root = YamlNode.read(file);
    root.onlyKeys(
        Set.of("protocol", "claims", "checks", "diagram", "worlds", "undrawn", "findings"));
    String protocol = root.get("protocol").text();
    String folder = file.toAbsolutePath().getParent().getFileName().toString();
    if (!protocol.equals(folder)) {
      throw root.get("protocol")
          .error("the protocol is " + protocol + ", the folder " + folder, "name them alike");
    }
    Map<String, Claim> claims = new LinkedHashMap<>();
    root.optional("claims")
        .ifPresent(n -> n.entries().forEach((id, c) -> claims.put(id, claim(id, c))));
    List<Check> checks = new ArrayList<>();
    Map<String, Integer> ids = new LinkedHashMap<>();
    Spelling spelling = new Spelling(file.toAbsolutePath().getParent());
    List<YamlNode> entries = root.get("checks").items();
    if (entries.isEmpty()) {
      throw root.get("checks").error("it lists no check", "add one; see docs/checks-file.md");
    }
    for (YamlNode n : entries) {
      Check c = check(protocol, n, claims, docs, spelling);
      Integer before = ids.put(c.id(), n.line());
      if (before != null) {
        throw n.get("id")
            .error(
                "the id " + c.id() + " is taken by the check at line " + before,
                "give each check an id of its own");
      }
      checks.add(c);
    }
    Findings.of(root, checks);
    return new Checks(
        protocol,
        file,
        claims,
        checks,
        root.optional("diagram").map(n -> diagram(n, spelling)).orElse(Diagram.NONE));
  }

  private static Claim claim(String id, YamlNode n) {
    n.onlyKeys(Set.of("kind", "section", "text"));
    String kind = n.get("kind").oneOf("claimed", "implied", "ours");
    String section = n.optional("section").map(YamlNode::text).orElse("");
    if (!kind.equals("ours") && section.isEmpty()) {
      throw n.error(
          "claim " + id + " is " + kind + " by the paper but names no section",
          "add section: \"N.N\"");
    }
    return new Claim(id, kind, section, n.get("text").text());
  }

  private static Diagram diagram(YamlNode n, Spelling spelling) {
    n.onlyKeys(Set.of("lanes", "messages", "kind"));
    Map<String, String> lanes = new LinkedHashMap<>();
    n.optional("lanes")
        .ifPresent(
            l ->
                l.entries()
                    .forEach(
                        (action, lane) -> {
                          spelling.demandAction(lane, action);
                          lanes.put(action, lane.text());
                        }));
    n.optional("messages")
        .ifPresent(
            m -> {
              for (String variable : m.text().split("\\s*,\\s*", -1)) {
                spelling.demandVariable(m, variable.strip());
              }
            });
    return new Diagram(
        lanes,
        n.optional("messages").map(YamlNode::text).orElse(""),
        n.optional("kind").map(YamlNode::text).orElse(""));
  }

  private static Check check(
      String protocol, YamlNode n, Map<String, Claim> claims, Path docs, Spelling spelling) {
    n.onlyKeys(KEYS);
    String id =
        n.get("id").matching("[a-z0-9][a-z0-9.-]*", "lower-case letters, digits, '-' and '.'");
    String module = n.get("module").matching("\\w+", "a module's name without .tla");
    String engine =
        n.optional("engine").map(e -> e.oneOf("tlc", "simulate", "apalache")).orElse("tlc");
    Expect expect = Expect.HOLDS;
    String target = "";
    String said = n.get("expect").text();
    if (!said.equals("holds")) {
      String[] words = said.split("[:\\s]+", -1);
      if (words.length != 2 || !(words[0].equals("violates") || words[0].equals("reaches"))) {
        throw n.get("expect")
            .error(
                "expect is \"" + said + "\"",
                "write holds, \"violates: NAME\" or \"reaches: NAME\"");
      }
      expect = words[0].equals("violates") ? Expect.VIOLATES : Expect.REACHES;
      target = words[1];
      String suffix = expect == Expect.REACHES ? "Reach" : "(Inv|Step|Live)";
      if (!target.matches("\\w+" + suffix)) {
        throw n.get("expect")
            .error(
                target + " does not end in its kind",
                expect == Expect.REACHES
                    ? "name the predicate …Reach"
                    : "name the property …Inv, …Step or …Live");
      }
    }
    List<String> supported = n.optional("claims").map(YamlNode::texts).orElse(List.of());
    if (expect == Expect.HOLDS && supported.isEmpty()) {
      throw n.optional("claims")
          .orElse(n)
          .error("check " + id + " supports no claim", "add claims: [ID, …], ids of claims:");
    }
    for (String c : supported) {
      if (!claims.containsKey(c)) {
        throw n.get("claims")
            .error(
                "claim " + c + " is not declared", "declare it under claims:, or correct the id");
      }
    }
    long low = -1;
    long high = -1;
    if (n.optional("states").isPresent()) {
      List<YamlNode> band = n.get("states").items();
      if (band.size() == 2) {
        low = band.get(0).integer();
        high = band.get(1).integer();
      }
      if (band.size() != 2 || low < 1 || high < low) {
        throw n.get("states")
            .error(
                "a band is [LOW, HIGH] with 1 <= LOW <= HIGH",
                "write the distinct states last seen, with some room");
      }
    } else if (expect == Expect.HOLDS && engine.equals("tlc")) {
      throw n.error(
          "check " + id + " holds but has no band of distinct states", "add states: [LOW, HIGH]");
    }
    List<String> demanded = n.optional("coverage").map(YamlNode::texts).orElse(null);
    if (demanded != null && demanded.isEmpty()) {
      throw n.get("coverage")
          .error(
              "coverage names no action",
              "name those that must be taken, or remove coverage: then every action must");
    }
    String finding = n.optional("finding").map(YamlNode::text).orElse("");
    if (!finding.isEmpty()
        && !Files.isRegularFile(
            docs.resolve("findings").resolve(finding.toLowerCase(Locale.ROOT) + ".md"))) {
      throw n.get("finding")
          .error(
              "finding " + finding + " has no page",
              "write docs/findings/" + finding.toLowerCase(Locale.ROOT) + ".md, or correct the id");
    }
    Map<String, Integer> lines = new LinkedHashMap<>();
    n.entries().forEach((k, v) -> lines.put(k, v.line()));
    n.optional("constants").ifPresent(c -> lines.putAll(c.lines("constants.")));
    n.optional("constants").flatMap(c -> c.optional("Repairs")).ifPresent(spelling::demandRepairs);
    return new Check(
        protocol,
        id,
        module,
        n.optional("config").map(YamlNode::text).orElse(module + ".cfg"),
        textMap(n, "constants"),
        n.optional("invariants").map(YamlNode::texts).orElse(null),
        n.optional("properties").map(YamlNode::texts).orElse(null),
        n.optional("constraints").map(YamlNode::texts).orElse(null),
        n.optional("spec").map(YamlNode::text).orElse(""),
        engine,
        n.get("lane").oneOf("quick", "nightly"),
        expect,
        target,
        supported,
        low,
        high,
        n.optional("main").map(YamlNode::bool).orElse(false),
        finding,
        n.optional("why").map(YamlNode::text).orElse(""),
        n.optional("deadlock").map(YamlNode::bool).orElse(false),
        demanded,
        textMap(n, "waive"),
        engine.equals("simulate") ? simulation(n) : null,
        n.optional("simulate").flatMap(s -> s.optional("share")).map(YamlNode::text).orElse(""),
        engine.equals("apalache") ? symbolic(n) : null,
        lines);
  }

  private static Map<String, String> textMap(YamlNode n, String key) {
    Map<String, String> all = new LinkedHashMap<>();
    n.optional(key).ifPresent(m -> m.entries().forEach((k, v) -> all.put(k, v.text())));
    return all;
  }

  private static Simulation simulation(YamlNode n) {
    YamlNode s = n.get("simulate");
    s.onlyKeys(Set.of("traces", "depth", "seed", "share"));
    for (String key : List.of("traces", "depth")) {
      if (s.get(key).integer() < 1) {
        throw s.get(key).error(key + " is " + s.get(key).text(), "sample at least 1");
      }
    }
    return new Simulation(s.get("traces").small(), s.get("depth").small(), s.get("seed").integer());
  }

  private static Symbolic symbolic(YamlNode n) {
    if (n.get("length").small() < 0) {
      throw n.get("length").error("length is " + n.get("length").text(), "use 0 or more steps");
    }
    return new Symbolic(
        n.optional("init").map(YamlNode::text).orElse("Init"),
        n.optional("next").map(YamlNode::text).orElse("Next"),
        n.get("inv").text(),
        n.get("length").small(),
        n.optional("cinit").map(YamlNode::text).orElse(""));
  }

  /** The input error at a key of a check. */
  InputError error(Check c, String key, String message, String remedy) {
    return new InputError(file.toString(), c.line(key), message, remedy);
  }
}
