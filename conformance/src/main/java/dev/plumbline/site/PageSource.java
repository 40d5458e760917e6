package dev.plumbline.site;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What Sphinx reads: the repository's documents where they stand in it, a page for each claim, and
 * pages of what bears on claims. Claims, findings and all else are needs, linked by their ids.
 */
public final class PageSource {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Pattern LINK = Pattern.compile("\\]\\(([^()\\s#]+)(#[^()\\s]*)?\\)");
  private static final Pattern SPAN = Pattern.compile("`[^`]+`|\\[[^\\]]+\\]\\([^)\\s]+\\)|\\*\\*");

  /** Folders that hold no documents of the project. */
  private static final Set<String> SKIPPED =
      Set.of("src", "target", "store", "node_modules", "site", "corpora");

  /** The page that has all findings below it. */
  private static final String FINDINGS = "docs/findings/README.md";

  private static final Pattern FINDING = Pattern.compile("\\]\\(([a-z0-9]+-f[0-9]+)\\.md\\)");

  /** Letters of a commit that are shown. */
  private static final int COMMIT = 10;

  /** Links of a kind that stand open on a claim's page. */
  private static final int OPEN = 12;

  private final Path root;
  private final Path to;
  private final JsonNode audit;
  private final JsonNode needs;
  private final Map<String, String> findings = new TreeMap<>();

  private PageSource(Path root, Path to, JsonNode audit, JsonNode needs) {
    this.root = root;
    this.to = to;
    this.audit = audit;
    this.needs = needs;
    for (JsonNode n : needs) {
      if (n.path("type").asText().equals("finding")) {
        findings.put("docs/findings/" + Path.of(n.path("place").asText()).getFileName(), id(n));
      }
    }
  }

  /**
   * Writes the source.
   *
   * @param audit the folder that {@code ./plumb audit} wrote
   */
  public static void write(Workspace workspace, Path audit, Path to) throws IOException {
    JsonNode graph = read(audit.resolve("audit.json"));
    JsonNode all = read(audit.resolve("needs.json"));
    String version = all.path("current_version").asText();
    JsonNode needs = all.path("versions").path(version).path("needs");
    PageSource source = new PageSource(workspace.root(), to, graph, needs);
    source.documents();
    source.claims();
    source.evidence();
  }

  private static JsonNode read(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new InputError(file.toString(), 0, "is not there", "./plumb audit writes it");
    }
    return MAPPER.readTree(file.toFile());
  }

  // ---- documents -------------------------------------------------------------------------------

  private void documents() throws IOException {
    Path own = root.resolve("docs/site");
    for (Path page : found(root)) {
      String name = slashed(root.relativize(page));
      String text = linked(page, Files.readString(page, StandardCharsets.UTF_8));
      if (name.equals("README.md")) {
        String contents = Files.readString(own.resolve("contents.md"), StandardCharsets.UTF_8);
        put("index.md", text + "\n" + contents);
      } else {
        String whole = findings.containsKey(name) ? withFinding(name, text) : text;
        put(name, name.equals(FINDINGS) ? whole + inItsOrder(whole) : whole);
      }
    }
    copy(own.resolve("conf.py"), to.resolve("conf.py"));
    copy(own.resolve("site.css"), to.resolve("_static/site.css"));
  }

  /** The pages below the index of findings, in the order in which it names them. */
  private static String inItsOrder(String index) {
    String pages =
        FINDING.matcher(index).results().map(m -> m.group(1)).distinct().collect(joining("\n"));
    return "\n```{toctree}\n:hidden:\n\n" + pages + "\n```\n";
  }

  private static List<Path> found(Path folder) throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path p : entries.sorted().toList()) {
        String name = p.getFileName().toString();
        if (Files.isDirectory(p) && !SKIPPED.contains(name) && !name.startsWith(".")) {
          // With specifications of its own it is a project of its own.
          pages.addAll(Files.isDirectory(p.resolve("specs")) ? List.of() : found(p));
        } else if (name.endsWith(".md")) {
          pages.add(p);
        }
      }
    }
    return pages;
  }

  /** Its links as the site has them; what they lead to and is no page comes along. */
  private String linked(Path page, String text) throws IOException {
    Matcher m = LINK.matcher(text);
    StringBuilder s = new StringBuilder();
    while (m.find()) {
      String target = m.group(1);
      Path file = page.resolveSibling(target).normalize();
      String by = target;
      if (!target.matches("[a-z]+:.*") && file.startsWith(root) && Files.exists(file)) {
        Path known = Files.isDirectory(file) ? file.resolve("README.md") : file;
        if (known.equals(root.resolve("README.md"))) {
          by = slashed(page.getParent().relativize(root.resolve("index.md")));
        } else if (Files.isRegularFile(known)) {
          by = slashed(page.getParent().relativize(known));
          if (!known.toString().endsWith(".md")) {
            copy(known, to.resolve(root.relativize(known).toString()));
          }
        }
      }
      String anchor = m.group(2) == null ? "" : m.group(2);
      m.appendReplacement(s, Matcher.quoteReplacement("](" + by + anchor + ")"));
    }
    return m.appendTail(s).toString();
  }

  /** A finding's page says, below its title, that it is one, and leads to its behaviour. */
  private String withFinding(String name, String text) {
    JsonNode need = need(findings.get(name));
    int end = text.indexOf('\n');
    String title = text.substring(0, end).replaceFirst("^# *", "");
    StringBuilder s = new StringBuilder(text.substring(0, end + 1)).append('\n');
    s.append(directive(need, title, need.path("content").asText().replaceFirst("^[^;]*; ", "")));
    String play = need.path("page").asText();
    if (!play.isEmpty()) {
      s.append("<p class=\"play\"><a href=\"../../audit/").append(play);
      s.append("\">Step through the counterexample</a></p>\n\n");
    }
    return s.append(text.substring(end + 1)).toString();
  }

  // ---- claims ----------------------------------------------------------------------------------

  private void claims() throws IOException {
    Map<String, JsonNode> kinds = new LinkedHashMap<>();
    audit.path("kinds").forEach(k -> kinds.put(k.path("kind").asText(), k));
    StringBuilder all = new StringBuilder("# Claims\n\n");
    all.append("Each claim of a paper, and all that bears on it. ");
    all.append("<a href=\"../audit/audit.html\">The audit as one page</a>.\n\n");
    StringBuilder tree = new StringBuilder();
    for (JsonNode p : audit.path("protocols")) {
      String protocol = p.path("protocol").asText();
      all.append("## ").append(protocol).append("\n\n");
      for (JsonNode c : p.path("claims")) {
        String page = protocol + "/" + id(c);
        all.append("- [").append(c.path("id").asText()).append("](").append(page).append(".md): ");
        all.append(plain(c.path("text").asText())).append('\n');
        tree.append(page).append('\n');
        put("claims/" + page + ".md", claim(protocol, c, kinds));
      }
      all.append('\n');
    }
    all.append("```{toctree}\n:hidden:\n:maxdepth: 1\n\n").append(tree).append("```\n");
    put("claims/index.md", all.toString());
  }

  private String claim(String protocol, JsonNode c, Map<String, JsonNode> kinds)
      throws IOException {
    JsonNode need = need(c.path("id").asText());
    StringBuilder s = new StringBuilder("# ").append(c.path("id").asText()).append("\n\n");
    s.append(directive(need, c.path("text").asText(), c.path("verdict").asText()));
    String section = c.path("section").asText();
    s.append('*').append(c.path("kind").asText());
    s.append(section.isEmpty() ? "" : ", section " + plain(section)).append("*\n\n");
    if (!c.path("ended").asText().isEmpty()) {
      // Its links count from specs/PROTOCOL, which lies as deep as this page.
      Path there = root.resolve("specs").resolve(protocol).resolve("claims.yaml");
      s.append("Where it ended: ").append(linked(there, c.path("ended").asText())).append(".\n\n");
    }
    for (JsonNode missing : c.path("missing")) {
      String why = missing.path("argued").asText();
      s.append("Missing: ").append(kinds.get(missing.path("kind").asText()).path("title").asText());
      s.append(why.isEmpty() ? ", and not argued.\n\n" : ". " + plain(why) + ".\n\n");
    }
    Map<String, List<String>> rows = new LinkedHashMap<>();
    int at = 0;
    for (JsonNode l : c.path("links")) {
      String to = id(need(need.path("links").path(at++).asText()));
      rows.computeIfAbsent(l.path("kind").asText(), k -> new ArrayList<>()).add(row(l, to));
    }
    rows.forEach(
        (kind, list) -> {
          JsonNode k = kinds.get(kind);
          String title = k.path("title").asText();
          s.append("## ").append(title.substring(0, 1).toUpperCase(Locale.ROOT));
          s.append(title.substring(1)).append("\n\n");
          if (!k.path("doesNotShow").asText().isEmpty()) {
            s.append("Does not show: ").append(plain(k.path("doesNotShow").asText()));
            s.append(".\n\n");
          }
          boolean folded = list.size() > OPEN;
          if (folded) {
            s.append("<details><summary>").append(list.size()).append(' ').append(title);
            s.append("</summary>\n\n");
          }
          list.forEach(s::append);
          s.append(folded ? "\n</details>\n\n" : "\n");
        });
    return s.toString();
  }

  private static String row(JsonNode l, String to) {
    StringBuilder s = new StringBuilder("- {need}`").append(role(l.path("id").asText()));
    s.append(" <").append(to).append(">`");
    if (!l.path("kind").asText().equals("limit") && !l.path("text").asText().isEmpty()) {
      s.append(": ").append(plain(l.path("text").asText()));
    }
    String verdict = l.path("verdict").asText();
    s.append(verdict.isEmpty() ? "" : " **" + plain(verdict) + "**");
    if (!l.path("page").asText().isEmpty()) {
      s.append(" <a href=\"../../audit/").append(l.path("page").asText());
      s.append("\">step through it</a>");
    }
    if (!l.path("command").asText().isEmpty()) {
      s.append(" `").append(l.path("command").asText()).append('`');
    }
    if (!l.path("date").asText().isEmpty()) {
      String commit = l.path("commit").asText();
      s.append(" <small>").append(l.path("date").asText()).append(' ');
      s.append(commit, 0, Math.min(COMMIT, commit.length())).append("</small>");
    }
    return s.append('\n').toString();
  }

  // ---- evidence --------------------------------------------------------------------------------

  /** A page for each protocol and kind, with its needs; findings have pages of their own. */
  private void evidence() throws IOException {
    Map<String, StringBuilder> pages = new TreeMap<>();
    for (JsonNode n : needs) {
      String type = n.path("type").asText();
      if (type.equals("claim") || type.equals("finding")) {
        continue;
      }
      boolean limit = type.equals("limit");
      String page = limit ? "limits" : n.path("protocol").asText() + "-" + type;
      String heading = limit ? "limits" : n.path("protocol").asText() + ": " + type;
      String text = limit ? "See [limits](../docs/limits.md)." : plain(n.path("content").asText());
      pages
          .computeIfAbsent(page, k -> new StringBuilder("# " + heading + "\n\n"))
          .append(directive(n, n.path("title").asText(), text));
    }
    StringBuilder all = new StringBuilder("# Evidence\n\n");
    all.append("What bears on the claims, by protocol and kind.\n\n```{toctree}\n");
    all.append(":maxdepth: 1\n\n");
    for (Map.Entry<String, StringBuilder> p : pages.entrySet()) {
      put("evidence/" + p.getKey() + ".md", p.getValue().toString());
      all.append(p.getKey()).append('\n');
    }
    put("evidence/index.md", all.append("```\n").toString());
  }

  private String directive(JsonNode n, String title, String content) {
    StringBuilder s = new StringBuilder(":::{plumb-").append(n.path("type").asText()).append("} ");
    s.append(plain(title.replaceAll("\\s+", " "))).append("\n:id: ").append(id(n)).append('\n');
    for (String field : List.of("status", "verdict", "command", "place")) {
      String value = n.path(field).asText().replaceAll("\\s+", " ").strip();
      s.append(value.isEmpty() ? "" : ":" + field + ": " + value + "\n");
    }
    List<String> links = new ArrayList<>();
    n.path("links").forEach(l -> links.add(id(need(l.asText()))));
    // A long list is folded: the page names the links again, by kind.
    s.append(links.isEmpty() ? "" : ":links: " + String.join(", ", links) + "\n:collapse: true\n");
    return s.append('\n').append(content).append("\n:::\n\n").toString();
  }

  private JsonNode need(String id) {
    JsonNode n = needs.path(id);
    if (n.isMissingNode()) {
      throw new InputError("needs.json", 0, "there is no need " + id, "run ./plumb audit again");
    }
    return n;
  }

  // ---- text ------------------------------------------------------------------------------------

  /** An id as sphinx-needs takes it: a full stop would name a part of a need. */
  static String id(JsonNode n) {
    return n.path("id").asText().replace('.', '_');
  }

  /** The title of a role's link. */
  private static String role(String text) {
    return text.replace('`', '\'').replace('<', '(').replace('>', ')').replaceAll("\\s+", " ");
  }

  /** Text in which only code, links and bold type mean anything; links lead nowhere. */
  static String plain(String text) {
    Matcher m = SPAN.matcher(text.strip().replaceAll("\\s+", " "));
    StringBuilder s = new StringBuilder();
    int end = 0;
    String whole = text.strip().replaceAll("\\s+", " ");
    while (m.find()) {
      s.append(escaped(whole.substring(end, m.start())));
      String span = m.group();
      s.append(
          span.startsWith("[") ? escaped(span.replaceFirst("^\\[([^\\]]*)\\].*$", "$1")) : span);
      end = m.end();
    }
    return s.append(escaped(whole.substring(end))).toString();
  }

  private static String escaped(String text) {
    return text.replaceAll("([\\\\`*_\\[\\]<>{}~|])", "\\\\$1");
  }

  private static String slashed(Path p) {
    return p.toString().replace('\\', '/');
  }

  private void put(String name, String text) {
    Workspace.writeWhole(to.resolve(name), text);
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
  }
}
