package dev.plumbline.audit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The graph in the format of sphinx-needs: a need for each claim and for each link. */
final class Needs {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String VERSION = "0.1";

  private Needs() {}

  static ObjectNode of(JsonNode manifest, List<Chain> chains) {
    Map<String, ObjectNode> needs = new LinkedHashMap<>();
    for (Chain c : chains) {
      ObjectNode claim = need(needs, c.claim().id(), "claim", c.claim().text());
      claim.put("content", c.sentence()).put("section", c.claim().section());
      claim.put("protocol", c.protocol());
      claim.put(
          "status",
          c.links().stream().anyMatch(l -> l.state() == Link.State.BROKEN) ? "broken" : "stated");
      for (Link l : c.links()) {
        ObjectNode n = need(needs, id(c.protocol(), l), l.kind().word(), l.id());
        n.put("protocol", c.protocol());
        n.put("status", Page.word(l.state())).put("content", l.text());
        n.put("place", l.place()).put("verdict", l.verdict()).put("command", l.command());
        n.put("page", l.page());
        ((ArrayNode) claim.get("links")).add(n.get("id").asText());
      }
    }
    ObjectNode root = MAPPER.createObjectNode();
    root.put("created", manifest.path("date").asText()).put("current_version", VERSION);
    root.put("project", "plumbline");
    ObjectNode version = root.putObject("versions").putObject(VERSION);
    version.put("created", manifest.path("date").asText()).put("creator", "plumb audit");
    version.put("needs_amount", needs.size());
    ObjectNode all = version.putObject("needs");
    needs.forEach(all::set);
    version.putObject("filters");
    return root;
  }

  private static ObjectNode need(
      Map<String, ObjectNode> needs, String id, String type, String title) {
    return needs.computeIfAbsent(
        id,
        k -> {
          ObjectNode n = MAPPER.createObjectNode();
          n.put("id", k).put("type", type).put("type_name", type).put("title", title);
          n.putArray("links");
          n.putArray("tags");
          return n;
        });
  }

  /** Upper case, as sphinx-needs wants ids by default. */
  private static String id(String protocol, Link l) {
    boolean shared = l.kind() == Kind.FINDING || l.kind() == Kind.LIMIT;
    String whole = (shared ? "" : protocol + "_") + l.kind().word() + "_" + l.id();
    return whole.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9_]+", "_");
  }
}
