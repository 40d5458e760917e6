package dev.plumbline.audit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.audit.Link.State;
import dev.plumbline.check.Reports;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The audit as one page that needs no other file, on a screen and on paper. */
final class Page {
  private static final String STYLE =
"""
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:72em;padding:1em;color:#1c2430}
table{border-collapse:collapse;width:100%;margin:.3em 0 1em}
td,th{border-bottom:1px solid #dde2e8;padding:.25em .5em;text-align:left;vertical-align:top;overflow-wrap:anywhere}
td:not(:nth-child(2)){overflow-wrap:break-word}
th{font-weight:600}code{font-size:.9em}small,.dim{color:#5b6675}
.broken{color:#b3261e;font-weight:600}.open,.missing{color:#8a5a00;font-weight:600}.shown{color:#136f3f}
section{border-top:2px solid #c8d0d9;margin-top:2.2em}
h2{margin-top:2em}h3{margin:.8em 0 .1em}h4{margin:1em 0 .1em}
p.verdict{font-size:1.08em;background:#f2f5f8;padding:.5em .8em;border-left:4px solid #4a6fa5}
.matrix td,.matrix th{text-align:center;padding:.15em .3em}.matrix td:first-child{text-align:left;white-space:nowrap}
.matrix th span{writing-mode:vertical-rl;transform:rotate(180deg);font-size:.85em}
.scroll{overflow-x:auto}summary{cursor:pointer}
@media screen and (max-width:40em){body{font-size:14px;padding:.6em}table:not(.matrix) tr{display:block;border-bottom:1px solid #dde2e8;padding:.3em 0}table:not(.matrix) td{display:block;border:0;padding:.1em .3em}}
@media print{body{max-width:none;font-size:10pt}section{break-before:page}a{color:inherit;text-decoration:none}h3,h4{break-after:avoid}tr{break-inside:avoid}}
""";
  private static final String SCRIPT =
      "addEventListener('beforeprint',()=>document.querySelectorAll('details').forEach(d=>d.open=true))";

  /** Rows of a kind that stand open. */
  private static final int OPEN = 12;

  private final StringBuilder s = new StringBuilder();

  private Page() {}

  static String of(JsonNode manifest, List<Chain> chains) {
    Page page = new Page();
    page.head(manifest);
    Map<String, List<Chain>> protocols = new LinkedHashMap<>();
    chains.forEach(
        c -> protocols.computeIfAbsent(c.protocol(), p -> new java.util.ArrayList<>()).add(c));
    protocols.forEach(page::matrix);
    chains.forEach(page::claim);
    page.s.append("<script>").append(SCRIPT).append("</script></body></html>\n");
    return page.s.toString();
  }

  /** What a verdict is worth, in a word. */
  static String word(State state) {
    return state == State.UNASKED ? "not asked" : state.name().toLowerCase(Locale.ROOT);
  }

  private void head(JsonNode m) {
    s.append("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">");
    s.append("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">");
    s.append("<title>Audit</title><style>").append(STYLE).append("</style></head><body>");
    s.append(
        "<h1>Audit: from each claim to its evidence</h1><p>Made by <code>./plumb audit</code> ");
    s.append(esc(m.path("date").asText())).append(" at commit <code>");
    s.append(esc(shorten(m.path("commit").asText()))).append("</code>");
    s.append(m.path("dirty").asBoolean() ? " with changes that are not committed" : "");
    s.append(". Nothing was run for it. A verdict counts for the very input that it is of.</p>");
    s.append("<p><span class=\"shown\">●</span> shown by a stored result of today's input, ");
    s.append("○ stands in a file, · not asked in this lane, <span class=\"open\">?</span> no ");
    s.append("result or a stale one, <span class=\"broken\">✗</span> failed or broken, ");
    s.append("<span class=\"open\">!</span> missing, a missing and argued.</p>");
  }

  private void matrix(String protocol, List<Chain> chains) {
    List<Kind> kinds = Arrays.stream(Kind.values()).filter(k -> k != Kind.LIMIT).toList();
    s.append("<h2 id=\"").append(esc(protocol)).append("\">").append(esc(protocol)).append("</h2>");
    s.append("<div class=\"scroll\"><table class=\"matrix\"><tr><th>claim");
    kinds.forEach(k -> s.append("<th><span>").append(k.title()).append("</span>"));
    s.append("</tr>");
    for (Chain c : chains) {
      s.append("<tr><td><a href=\"#").append(c.claim().id()).append("\">");
      s.append(c.claim().id()).append("</a>");
      for (Kind k : kinds) {
        cell(c, k);
      }
      s.append("</tr>");
    }
    s.append("</table></div>");
  }

  private void cell(Chain c, Kind k) {
    List<Link> links = c.of(k);
    if (links.isEmpty()) {
      Optional<String> why = c.why(k);
      String mark = !k.demanded() ? "" : why.isPresent() ? "a" : "!";
      s.append("<td class=\"").append(mark.equals("!") ? "missing" : "dim").append("\" title=\"");
      s.append(esc(why.orElse(k.demanded() ? "missing" : "none"))).append("\">").append(mark);
      return;
    }
    State worst = links.stream().map(Link::state).max(Enum::compareTo).orElseThrow();
    boolean some = links.stream().anyMatch(l -> l.state() == State.SHOWN);
    State shown = some && worst.compareTo(State.OPEN) < 0 ? State.SHOWN : worst;
    String mark =
        switch (shown) {
          case SHOWN -> "●";
          case STATED -> "○";
          case UNASKED -> "·";
          case OPEN -> "?";
          case BROKEN -> "✗";
        };
    s.append("<td class=\"").append(css(shown)).append("\" title=\"").append(links.size());
    s.append(' ').append(word(shown)).append("\">").append(mark);
  }

  private static String css(State state) {
    return state == State.UNASKED || state == State.STATED ? "dim" : word(state);
  }

  private void claim(Chain c) {
    s.append("<section id=\"").append(c.claim().id()).append("\"><h3>").append(c.claim().id());
    s.append(" <small>").append(esc(c.protocol())).append(", ").append(esc(c.claim().kind()));
    s.append(c.claim().section().isEmpty() ? "" : ", section " + esc(c.claim().section()));
    s.append("</small></h3><p>").append(esc(c.claim().text())).append("</p>");
    s.append("<p class=\"verdict\">").append(esc(c.sentence())).append("</p>");
    if (!c.ended().isEmpty()) {
      s.append("<p><small>As the README puts it:</small> ")
          .append(markdown(c.ended()))
          .append("</p>");
    }
    for (Kind k : Kind.values()) {
      kind(c, k);
    }
    s.append("</section>");
  }

  private void kind(Chain c, Kind k) {
    List<Link> links = c.of(k);
    if (links.isEmpty() && !k.demanded()) {
      return;
    }
    s.append("<h4>").append(k.title()).append(links.isEmpty() ? "" : " (" + links.size() + ")");
    s.append("</h4>");
    if (links.isEmpty()) {
      Optional<String> why = c.why(k);
      s.append(why.isPresent() ? "<p>Missing, and argued: " : "<p class=\"missing\">Missing. ");
      s.append(esc(why.orElse(""))).append("</p>");
      return;
    }
    if (!k.unshown().isEmpty()) {
      s.append("<small>Does not show: ").append(esc(k.unshown())).append(".</small>");
    }
    boolean folded = links.size() > OPEN || k == Kind.LIMIT;
    s.append(folded ? "<details><summary>" + summary(k, links) + "</summary>" : "");
    if (k == Kind.LIMIT) {
      links.forEach(
          l ->
              s.append("<p><b>")
                  .append(esc(l.id()))
                  .append(".</b> ")
                  .append(markdown(l.text()))
                  .append("</p>"));
    } else {
      s.append("<table>");
      links.forEach(this::row);
      s.append("</table>");
    }
    s.append(folded ? "</details>" : "");
  }

  private static String summary(Kind k, List<Link> links) {
    if (k == Kind.LIMIT) {
      return links.size() + " paragraphs";
    }
    Map<String, Integer> counts = new TreeMap<>();
    links.forEach(
        l -> counts.merge(l.verdict().isEmpty() ? word(l.state()) : l.verdict(), 1, Integer::sum));
    StringBuilder said = new StringBuilder();
    counts.forEach(
        (v, n) -> said.append(said.length() == 0 ? "" : ", ").append(n).append(' ').append(esc(v)));
    return said.toString();
  }

  private void row(Link l) {
    s.append("<tr><td><code>").append(esc(l.id())).append("</code><td>").append(markdown(l.text()));
    if (!l.place().isEmpty()) {
      s.append(" <small>").append(esc(l.place())).append("</small>");
    }
    if (!l.page().isEmpty()) {
      s.append(" <a href=\"").append(esc(l.page())).append("\">step through it</a>");
    }
    s.append("<td class=\"v ").append(css(l.state())).append("\">");
    s.append(esc(l.verdict().isEmpty() ? word(l.state()) : l.verdict()));
    s.append("<td><small>").append(esc(l.date()));
    s.append(l.commit().isEmpty() ? "" : " " + esc(shorten(l.commit())));
    s.append(l.command().isEmpty() ? "" : "<br><code>" + esc(l.command()) + "</code>");
    s.append("</small></tr>");
  }

  private static String shorten(String commit) {
    return commit.substring(0, Math.min(10, commit.length()));
  }

  /** Code and links of Markdown; links lead nowhere from a page that stands alone. */
  private static String markdown(String text) {
    return esc(text)
        .replaceAll("\\[([^\\]]+)\\]\\([^)]*\\)", "$1")
        .replaceAll("`([^`]+)`", "<code>$1</code>")
        .replaceAll("\\*\\*([^*]+)\\*\\*", "<b>$1</b>")
        .replaceAll("\\*([^*\\s][^*]*)\\*", "<i>$1</i>")
        .replace("\n- ", "<br>• ");
  }

  private static String esc(String text) {
    return Reports.xml(text);
  }
}
