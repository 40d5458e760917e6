package dev.plumbline.mutate;

import dev.plumbline.check.Checks;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Expect;
import dev.plumbline.check.YamlNode;
import dev.plumbline.tlc.InputError;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A protocol's mutants.yaml, validated against its checks.yaml; docs/mutants-file.md explains it.
 */
record MutantsFile(
    Path file, List<Target> targets, Map<String, Listed> equivalent, Machines machines) {

  /**
   * A module to mutate.
   *
   * @param through the module that has the next-state relation; itself, or one that extends it
   * @param next the next-state relation; what that reaches of the module is mutated
   * @param records variables, and fields as {@code .field}, that only properties read
   * @param switches constants that choose a model
   * @param skip operators left alone, with the reason
   * @param forget what a restart could fail to have persisted
   * @param losing edits after which the network may lose what is sent, at once
   * @param models the checks that judge its mutants, cheapest first
   */
  record Target(
      Path file,
      String module,
      String through,
      String next,
      Set<String> records,
      Set<String> switches,
      Map<String, String> skip,
      List<Forget> forget,
      List<Losing> losing,
      List<Judge> models,
      YamlNode node) {
    InputError error(String key, String message, String remedy) {
      return node.optional(key).orElse(node).error(message, remedy);
    }
  }

  /** In {@code operator}, {@code variable} takes {@code value} instead of staying as it is. */
  record Forget(String operator, String variable, String value) {}

  /** {@code text}, which the module has once, becomes {@code by}. */
  record Losing(String text, String by) {}

  /**
   * A holds check.
   *
   * @param bounded it has bounds of its own here
   * @param nightly a quick sample asks it only about what all others leave open
   */
  record Judge(Check check, boolean bounded, boolean nightly) {}

  /** A mutant that no property should kill, and why. */
  record Listed(String reason, int line) {}

  /** How the reason of a machine's mutant begins whose runs do not end. */
  static final String ENDLESS = "endless: ";

  /**
   * The machines to mutate.
   *
   * @param classes patterns of class names
   * @param except patterns of those among them that are no machines
   * @param tests the classes that must kill their mutants
   * @param least the least share killed, in per cent
   * @param equivalent mutants that nothing should kill, and why
   * @param open mutants that something should kill and nothing does yet, and what is known
   * @param endless mutants with runs that do not end, and which: what PIT says of them changes with
   *     the load of the machine
   */
  record Machines(
      List<String> classes,
      List<String> except,
      List<String> tests,
      int least,
      Map<String, Listed> equivalent,
      Map<String, Listed> open,
      Map<String, Listed> endless) {
    static final Machines NONE =
        new Machines(List.of(), List.of(), List.of(), 0, Map.of(), Map.of(), Map.of());

    /** All that are listed; reasons of those that are not equivalent begin with what they are. */
    Map<String, Listed> listed() {
      Map<String, Listed> all = new LinkedHashMap<>(equivalent);
      open.forEach((id, l) -> all.put(id, new Listed("open: " + l.reason(), l.line())));
      endless.forEach((id, l) -> all.put(id, new Listed(ENDLESS + l.reason(), l.line())));
      return all;
    }
  }

  static MutantsFile read(Path file, Checks protocol) {
    YamlNode root = YamlNode.read(file);
    root.onlyKeys(Set.of("protocol", "modules", "equivalent", "machines"));
    if (!root.get("protocol").text().equals(protocol.protocol())) {
      throw root.get("protocol")
          .error("the folder's protocol is " + protocol.protocol(), "name them alike");
    }
    List<Target> targets = new ArrayList<>();
    root.get("modules").entries().forEach((m, n) -> targets.add(target(file, m, n, protocol)));
    if (targets.isEmpty() && root.optional("machines").isEmpty()) {
      throw root.get("modules").error("it mutates no module", "name one; see docs/mutants-file.md");
    }
    return new MutantsFile(
        file,
        targets,
        root.optional("equivalent").map(MutantsFile::listed).orElse(Map.of()),
        root.optional("machines").map(MutantsFile::machines).orElse(Machines.NONE));
  }

  private static Target target(Path file, String module, YamlNode n, Checks protocol) {
    n.onlyKeys(
        Set.of("through", "next", "records", "switches", "skip", "forget", "losing", "models"));
    Map<String, String> skip = new LinkedHashMap<>();
    n.optional("skip").ifPresent(s -> s.entries().forEach((k, v) -> skip.put(k, reason(k, v))));
    List<Forget> forget = new ArrayList<>();
    n.optional("forget")
        .ifPresent(
            all -> {
              for (YamlNode f : all.items()) {
                f.onlyKeys(Set.of("operator", "variable", "value"));
                forget.add(
                    new Forget(
                        f.get("operator").text(), f.get("variable").text(), f.get("value").text()));
              }
            });
    List<Losing> losing = new ArrayList<>();
    n.optional("losing")
        .ifPresent(
            all -> {
              for (YamlNode l : all.items()) {
                l.onlyKeys(Set.of("text", "by"));
                losing.add(new Losing(l.get("text").text(), l.get("by").text()));
              }
            });
    List<Judge> models = new ArrayList<>();
    n.get("models").items().forEach(m -> models.add(judge(m, protocol)));
    if (models.isEmpty()) {
      throw n.get("models")
          .error("no model judges the mutants of " + module, "name a check that holds");
    }
    return new Target(
        file,
        module,
        n.optional("through").map(YamlNode::text).orElse(module),
        n.optional("next").map(YamlNode::text).orElse("Next"),
        names(n, "records"),
        names(n, "switches"),
        skip,
        forget,
        losing,
        models,
        n);
  }

  private static Set<String> names(YamlNode n, String key) {
    return Set.copyOf(n.optional(key).map(YamlNode::texts).orElse(List.of()));
  }

  private static Judge judge(YamlNode n, Checks protocol) {
    n.onlyKeys(Set.of("check", "constants", "lane"));
    String id = n.get("check").text();
    Check check =
        protocol.checks().stream()
            .filter(c -> c.id().equals(id))
            .findFirst()
            .orElseThrow(
                () -> n.get("check").error("checks.yaml has no " + id, "correct the name"));
    if (check.expect() != Expect.HOLDS || !check.engine().equals("tlc")) {
      throw n.get("check")
          .error(
              id + " expects " + check.expectation() + " with " + check.engine(),
              "name a check that TLC makes and that expects holds");
    }
    Map<String, String> constants = new LinkedHashMap<>();
    n.optional("constants")
        .ifPresent(c -> c.entries().forEach((k, v) -> constants.put(k, v.text())));
    boolean nightly =
        n.optional("lane").map(l -> l.oneOf("quick", "nightly")).orElse("quick").equals("nightly");
    return new Judge(check.with(constants), !constants.isEmpty(), nightly);
  }

  private static Map<String, Listed> listed(YamlNode n) {
    Map<String, Listed> all = new LinkedHashMap<>();
    n.entries().forEach((id, reason) -> all.put(id, new Listed(reason(id, reason), reason.line())));
    return all;
  }

  private static String reason(String of, YamlNode n) {
    if (n.text().isBlank()) {
      throw n.error("no reason is given for " + of, "say why");
    }
    return n.text();
  }

  private static Machines machines(YamlNode n) {
    n.onlyKeys(Set.of("classes", "except", "tests", "least", "equivalent", "open", "endless"));
    return new Machines(
        n.get("classes").texts(),
        n.optional("except").map(YamlNode::texts).orElse(List.of()),
        n.get("tests").texts(),
        n.get("least").small(),
        n.optional("equivalent").map(MutantsFile::listed).orElse(Map.of()),
        n.optional("open").map(MutantsFile::listed).orElse(Map.of()),
        n.optional("endless").map(MutantsFile::listed).orElse(Map.of()));
  }
}
