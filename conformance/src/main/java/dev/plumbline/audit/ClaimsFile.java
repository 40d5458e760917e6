package dev.plumbline.audit;

import dev.plumbline.check.Checks;
import dev.plumbline.check.YamlNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * {@code specs/PROTOCOL/claims.yaml}: what states each claim, where it ended, which readings were
 * taken, and why links are missing. The claims themselves stand in checks.yaml.
 */
record ClaimsFile(
    Path file,
    Map<String, Said> claims,
    List<Other> others,
    List<Reading> readings,
    List<Argued> argued) {

  /**
   * @param stated properties that say what the claim says; empty for all that its checks judge
   * @param judges of histories that look for its violation, as the table of seeded bugs names them
   * @param ended where it ended, as Markdown
   */
  record Said(List<String> stated, List<String> judges, String ended, int line) {
    boolean all() {
      return stated.isEmpty();
    }
  }

  /** A sentence of the paper that no check asks about. */
  record Other(String claim, String section, String ended) {}

  /** A sentence with more than one reading; {@code taken} and {@code other} may be empty. */
  record Reading(String place, String taken, String other, List<String> claims, int line) {}

  /** Why links of these kinds are missing; of all claims where none are named. */
  record Argued(List<Kind> kinds, List<String> claims, String why, int line) {
    boolean covers(Kind kind, String claim) {
      return kinds.contains(kind) && (claims.isEmpty() || claims.contains(claim));
    }
  }

  static Path of(Checks protocol) {
    return protocol.file().resolveSibling("claims.yaml");
  }

  /** Reads and validates it; every claim of the protocol has an entry, and no other. */
  static ClaimsFile read(Checks protocol) {
    Path file = of(protocol);
    if (!Files.isRegularFile(file)) {
      return new ClaimsFile(file, Map.of(), List.of(), List.of(), List.of());
    }
    YamlNode root = YamlNode.read(file);
    root.onlyKeys(Set.of("protocol", "claims", "others", "readings", "argued"));
    if (!root.get("protocol").text().equals(protocol.protocol())) {
      throw root.get("protocol")
          .error("the folder's protocol is " + protocol.protocol(), "name them alike");
    }
    Map<String, Said> claims = new LinkedHashMap<>();
    root.get("claims").entries().forEach((id, n) -> claims.put(known(protocol, id, n), said(n)));
    for (String id : protocol.claims().keySet()) {
      if (!claims.containsKey(id)) {
        throw root.get("claims")
            .error("claim " + id + " of checks.yaml has no entry", "say what states it");
      }
    }
    List<Other> others = new ArrayList<>();
    for (YamlNode n : list(root, "others")) {
      n.onlyKeys(Set.of("claim", "section", "ended"));
      others.add(new Other(n.get("claim").text(), text(n, "section"), n.get("ended").text()));
    }
    List<Reading> readings = new ArrayList<>();
    for (YamlNode n : list(root, "readings")) {
      n.onlyKeys(Set.of("place", "taken", "other", "claims"));
      readings.add(
          new Reading(
              n.get("place").text(),
              text(n, "taken"),
              text(n, "other"),
              claims(protocol, n),
              n.line()));
    }
    List<Argued> argued = new ArrayList<>();
    for (YamlNode n : list(root, "argued")) {
      n.onlyKeys(Set.of("links", "claims", "why"));
      List<Kind> kinds = n.get("links").items().stream().map(ClaimsFile::kind).toList();
      if (n.get("why").text().isBlank()) {
        throw n.get("why").error("no reason is given", "say why the link is missing");
      }
      List<String> of = claims(protocol, n);
      if (of.isEmpty() && n.optional("claims").isPresent()) {
        throw n.get("claims").error("no claim is named", "leave it out where all are meant");
      }
      argued.add(new Argued(kinds, of, n.get("why").text(), n.line()));
    }
    return new ClaimsFile(file, claims, others, readings, argued);
  }

  private static Said said(YamlNode n) {
    n.onlyKeys(Set.of("stated", "judges", "ended"));
    YamlNode stated = n.get("stated");
    boolean all = stated.isText() && stated.text().equals("all");
    if (!all && stated.texts().isEmpty()) {
      throw stated.error(
          "no property states the claim", "name those that do, or write all for what is judged");
    }
    return new Said(
        all ? List.of() : stated.texts(),
        n.optional("judges").map(YamlNode::texts).orElse(List.of()),
        n.get("ended").text(),
        n.line());
  }

  private static Kind kind(YamlNode n) {
    String[] words =
        Arrays.stream(Kind.values()).filter(Kind::demanded).map(Kind::word).toArray(String[]::new);
    String word = n.oneOf(words);
    return Arrays.stream(Kind.values())
        .filter(k -> k.word().equals(word))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> claims(Checks protocol, YamlNode n) {
    return n.optional("claims")
        .map(list -> list.items().stream().map(i -> known(protocol, i.text(), i)).toList())
        .orElse(List.of());
  }

  private static String known(Checks protocol, String id, YamlNode at) {
    if (!protocol.claims().containsKey(id)) {
      throw at.error("there is no claim " + id, "name a claim of checks.yaml");
    }
    return id;
  }

  private static List<YamlNode> list(YamlNode root, String key) {
    return root.optional(key).filter(n -> !n.isText()).map(YamlNode::items).orElse(List.of());
  }

  private static String text(YamlNode n, String key) {
    return n.optional(key).map(YamlNode::text).orElse("");
  }
}
