package dev.plumbline.check;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntPredicate;

/** Results as a table, as JSON, and as JUnit XML. */
public final class Reports {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Reports() {}

  /** One line a check, in columns, and a closing line that counts verdicts. */
  public static String table(List<Result> results, long millis) {
    List<String[]> rows = new ArrayList<>();
    rows.add(
        new String[] {"check", "claims", "expectation", "verdict", "distinct", "depth", "time"});
    for (Result r : results) {
      String states =
          r.verdict().equals("sampled") ? number(r.generated()) + " sampled" : number(r.distinct());
      rows.add(
          new String[] {
            r.protocol() + "/" + r.check(),
            String.join(" ", r.claims()),
            r.expect(),
            r.verdict() + (r.cached() ? " (cached)" : ""),
            states,
            number(r.depth()),
            r.verdict().equals("not run") || r.environment() ? "-" : Board.seconds(r.millis())
          });
    }
    int[] width = new int[7];
    rows.forEach(
        row -> {
          for (int i = 0; i < 7; i++) {
            width[i] = Math.max(width[i], row[i].length());
          }
        });
    StringBuilder s = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < 7; i++) {
        String cell = ("%" + (i < 4 ? "-" : "") + width[i] + "s  ").formatted(row[i]);
        line.append(i == 3 ? Terminal.paint(cell, Terminal.colours()) : cell);
      }
      s.append(line.toString().stripTrailing()).append('\n');
    }
    List<Result> remarks = results.stream().filter(r -> !r.message().isEmpty()).toList();
    for (Result r : remarks) {
      s.append('\n')
          .append(r.verdict())
          .append(' ')
          .append(r.protocol())
          .append('/')
          .append(r.check())
          .append(": ")
          .append(r.message());
      if (!r.counterexample().isEmpty()) {
        s.append("\n  see it: ")
            .append(ToolCommand.line("explain " + r.protocol() + "/" + r.check()));
      }
      s.append('\n');
    }
    return s.append('\n').append(closing(results, millis)).append('\n').toString();
  }

  private static String closing(List<Result> results, long millis) {
    long cached = results.stream().filter(Result::cached).count();
    long states =
        results.stream()
            .filter(r -> r.verdict().equals("holds"))
            .mapToLong(r -> Math.max(0, r.distinct()))
            .sum();
    List<String> parts = new ArrayList<>();
    Driver.counts(results).forEach((verdict, n) -> parts.add(n + " " + verdict));
    return "%d check%s: %s; %,d distinct states in those that hold; %d cached; %s"
        .formatted(
            results.size(),
            results.size() == 1 ? "" : "s",
            String.join(", ", parts),
            states,
            cached,
            Board.seconds(millis));
  }

  private static String number(long n) {
    return n < 0 ? "-" : "%,d".formatted(n);
  }

  /** {@code {manifest, counts, results}}. */
  public static String json(List<Result> results, ObjectNode manifest) {
    ObjectNode o = MAPPER.createObjectNode();
    o.set("manifest", manifest);
    ObjectNode counts = o.putObject("counts");
    for (Map.Entry<String, Integer> e : Driver.counts(results).entrySet()) {
      counts.put(e.getKey(), e.getValue());
    }
    o.set("results", MAPPER.valueToTree(results));
    return Driver.json(o);
  }

  /** One test suite a protocol. */
  public static String junit(List<Result> results) {
    List<Case> cases = new ArrayList<>();
    for (Result r : results) {
      cases.add(
          new Case(
              r.protocol(),
              "check." + r.protocol(),
              r.check() + " " + r.expect(),
              r.millis(),
              r.failed()
                  ? Case.FAILURE
                  : r.environment()
                      ? Case.ERROR
                      : r.verdict().equals("not run") ? Case.SKIPPED : "",
              r.message()));
    }
    return junit("plumb check", cases);
  }

  /**
   * A test case of JUnit's XML.
   *
   * @param outcome failure, error (the machine lacks something), skipped (not run, unknown), or
   *     empty for a case that passed
   * @param message the reason of what is not passed
   */
  public record Case(
      String suite, String group, String name, long millis, String outcome, String message) {
    public static final String FAILURE = "failure";
    public static final String ERROR = "error";
    public static final String SKIPPED = "skipped";
  }

  /** JUnit's XML: the suites in order of their first case. */
  public static String junit(String name, List<Case> cases) {
    StringBuilder s =
        new StringBuilder(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"%s\">\n"
                .formatted(xml(name)));
    for (String suite : cases.stream().map(Case::suite).distinct().toList()) {
      List<Case> of = cases.stream().filter(c -> c.suite.equals(suite)).toList();
      s.append("  <testsuite name=\"%s\" tests=\"%d\"".formatted(xml(suite), of.size()));
      for (String outcome : List.of(Case.FAILURE, Case.ERROR, Case.SKIPPED)) {
        s.append(
            " %s=\"%d\""
                .formatted(
                    outcome.equals(Case.SKIPPED) ? outcome : outcome + "s",
                    of.stream().filter(c -> c.outcome.equals(outcome)).count()));
      }
      s.append(" time=\"%s\">\n".formatted(seconds(of.stream().mapToLong(Case::millis).sum())));
      for (Case c : of) {
        s.append(
            "    <testcase classname=\"%s\" name=\"%s\" time=\"%s\""
                .formatted(xml(c.group), xml(c.name), seconds(c.millis)));
        s.append(
            c.outcome.isEmpty()
                ? "/>\n"
                : "><%s message=\"%s\"/></testcase>\n".formatted(c.outcome, xml(c.message)));
      }
      s.append("  </testsuite>\n");
    }
    return s.append("</testsuites>\n").toString();
  }

  private static String seconds(long millis) {
    return String.format(Locale.ROOT, "%.3f", Math.max(millis, 0) / 1000.0);
  }

  /** A text inside an attribute. What XML cannot hold is spelled out. */
  public static String xml(String s) {
    return spelled(s, c -> c < ' ' && c != '\n' && c != '\t' || c == 0xfffe || c == 0xffff)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /**
   * A text as one line that steers no terminal, with the rest spelled out as in {@code \\u001b}.
   */
  public static String line(String s) {
    return spelled(s, c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT);
  }

  private static String spelled(String s, IntPredicate which) {
    StringBuilder out = new StringBuilder(s.length());
    s.codePoints()
        .forEach(
            c -> {
              if (which.test(c) || Character.getType(c) == Character.SURROGATE) {
                out.append(String.format(Locale.ROOT, "\\u%04x", c));
              } else {
                out.appendCodePoint(c);
              }
            });
    return out.toString();
  }

  /** Writes check.json and check.xml under .plumb/reports. */
  public static void write(Workspace workspace, List<Result> results, ObjectNode manifest) {
    Workspace.writeWhole(
        workspace.made().resolve("reports").resolve("check.json"), json(results, manifest));
    Workspace.writeWhole(workspace.made().resolve("reports").resolve("check.xml"), junit(results));
  }
}
