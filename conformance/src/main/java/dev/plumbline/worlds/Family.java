package dev.plumbline.worlds;

import dev.plumbline.check.Checks;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.YamlNode;
import dev.plumbline.worlds.WorldGenerator.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Worlds of one check: the same module, configuration and properties, with some constants drawn.
 *
 * @param base the check as it is searched, with the constants that are not drawn
 * @param draw constants in the order in which they are drawn; those that begin with a lower-case
 *     letter are no constants of the module and serve later ones alone
 * @param limit how many steps are searched at most
 * @param red must-fail checks whose world these draws contain, and the property by which it is
 *     found
 * @param line of checks.yaml
 */
record Family(
    Checks protocol,
    String id,
    Check base,
    List<String> properties,
    Map<String, WorldGenerator> draw,
    long limit,
    Map<String, String> red,
    int line) {

  /** One drawn world. */
  record World(List<Integer> choices, Map<String, String> constants) {}

  /** What a protocol says of its worlds; {@code undrawn} gives the reason for each check. */
  record Families(List<Family> all, Map<String, String> undrawn) {}

  /** Reads {@code worlds} and {@code undrawn} of a protocol's checks.yaml. */
  static Families of(Checks protocol) {
    YamlNode root = YamlNode.read(protocol.file());
    Map<String, Check> checks = new LinkedHashMap<>();
    protocol.checks().forEach(c -> checks.put(c.id(), c));
    List<Family> all = new ArrayList<>();
    for (YamlNode n : root.optional("worlds").map(YamlNode::items).orElse(List.of())) {
      Family family = read(protocol, checks, n);
      all.stream()
          .filter(f -> f.id().equals(family.id()))
          .findFirst()
          .ifPresent(
              f -> {
                throw n.get("id")
                    .error(
                        "the id " + f.id() + " is taken by the worlds at line " + f.line(),
                        "give each family an id of its own");
              });
      all.add(family);
    }
    Map<String, String> undrawn = new LinkedHashMap<>();
    root.optional("undrawn")
        .ifPresent(
            n ->
                n.entries()
                    .forEach(
                        (id, why) -> {
                          known(checks, why, id);
                          undrawn.put(id, why.text());
                        }));
    return new Families(all, undrawn);
  }

  private static Check known(Map<String, Check> checks, YamlNode at, String id) {
    Check check = checks.get(id);
    if (check == null) {
      throw at.error("there is no check " + id, "name a check of this file");
    }
    return check;
  }

  private static Family read(Checks protocol, Map<String, Check> checks, YamlNode n) {
    n.onlyKeys(
        Set.of("id", "of", "config", "constants", "properties", "claims", "draw", "limit", "red"));
    Check of = known(checks, n.get("of"), n.get("of").text());
    Map<String, String> constants = new LinkedHashMap<>();
    n.optional("constants")
        .ifPresent(m -> m.entries().forEach((k, v) -> constants.put(k, v.text())));
    List<String> claims = n.optional("claims").map(YamlNode::texts).orElse(of.claims());
    for (String claim : claims) {
      if (!protocol.claims().containsKey(claim)) {
        throw n.get("claims").error("claim " + claim + " is not declared", "correct the id");
      }
    }
    Check base =
        of.world(
            n.optional("config").map(YamlNode::text).orElse(of.config()),
            constants,
            n.optional("properties").map(YamlNode::texts).orElse(null),
            claims,
            lines(n));
    Map<String, WorldGenerator> draw = new LinkedHashMap<>();
    n.get("draw").entries().forEach((name, g) -> draw.put(name, WorldGenerator.read(g, draw)));
    Map<String, String> red = new LinkedHashMap<>();
    n.optional("red")
        .ifPresent(
            m ->
                m.entries()
                    .forEach(
                        (id, property) -> {
                          known(checks, property, id);
                          red.put(id, property.text());
                        }));
    return new Family(
        protocol,
        n.get("id").matching("[a-z0-9][a-z0-9.-]*", "lower-case letters, digits, '-' and '.'"),
        base,
        n.optional("properties").map(YamlNode::texts).orElse(List.of()),
        draw,
        n.get("limit").integer(),
        red,
        n.line());
  }

  /** Where its file says what differs from the check that it is of. */
  private static Map<String, Integer> lines(YamlNode n) {
    Map<String, Integer> all = new LinkedHashMap<>();
    n.optional("config").ifPresent(c -> all.put("config", c.line()));
    n.optional("properties")
        .ifPresent(
            p -> {
              all.putAll(p.lines("invariants."));
              all.putAll(p.lines("properties."));
            });
    n.optional("constants").ifPresent(c -> all.putAll(c.lines("constants.")));
    all.putAll(n.get("draw").lines("constants."));
    return all;
  }

  World world(Choices choices) {
    Map<String, Value> known = new LinkedHashMap<>();
    draw.forEach((name, g) -> known.put(name, g.draw(choices, known)));
    Map<String, String> constants = new LinkedHashMap<>();
    known.forEach(
        (name, value) -> {
          if (Character.isUpperCase(name.charAt(0))) {
            constants.put(name, value.text());
          }
        });
    return new World(choices.made(), constants);
  }

  /** The same worlds for a check that must fail: with its constants, where they are not drawn. */
  Family red(String check) {
    Check failing =
        protocol.checks().stream().filter(c -> c.id().equals(check)).findFirst().orElseThrow();
    Map<String, String> constants = new LinkedHashMap<>(failing.constants());
    constants.keySet().removeAll(draw.keySet());
    String property = red.get(check);
    Check mended =
        base.world(
            base.config(),
            constants,
            List.of(property),
            failing.claims(),
            Map.of("invariants", line, "properties", line));
    return new Family(protocol, check, mended, List.of(property), draw, limit, Map.of(), line);
  }
}
