package dev.plumbline.check;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
            r.verdict().equals("not run") ? "-" : Board.seconds(r.millis())
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
        line.append(("%" + (i < 4 ? "-" : "") + width[i] + "s  ").formatted(row[i]));
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
        s.append("\n  see it: ./plumb explain ").append(r.protocol()).append('/').append(r.check());
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
    return "%d checks: %s; %,d distinct states in those that hold; %d cached; %s"
        .formatted(results.size(), String.join(", ", parts), states, cached, Board.seconds(millis));
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

  /** One test suite a protocol; checks not run are skipped tests. */
  public static String junit(List<Result> results) {
    StringBuilder s =
        new StringBuilder(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"plumb check\">\n");
    for (String protocol : results.stream().map(Result::protocol).distinct().toList()) {
      List<Result> of = results.stream().filter(r -> r.protocol().equals(protocol)).toList();
      s.append(
          "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" skipped=\"%d\" time=\"%.3f\">\n"
              .formatted(
                  xml(protocol),
                  of.size(),
                  of.stream().filter(Result::failed).count(),
                  of.stream().filter(r -> r.verdict().equals("not run")).count(),
                  of.stream().mapToLong(Result::millis).sum() / 1000.0));
      for (Result r : of) {
        s.append(
            "    <testcase classname=\"%s\" name=\"%s\" time=\"%.3f\""
                .formatted(
                    xml("check." + protocol),
                    xml(r.check() + " " + r.expect()),
                    r.millis() / 1000.0));
        if (r.failed()) {
          s.append("><failure message=\"").append(xml(r.message())).append("\"/></testcase>\n");
        } else if (r.verdict().equals("not run")) {
          s.append("><skipped message=\"").append(xml(r.message())).append("\"/></testcase>\n");
        } else {
          s.append("/>\n");
        }
      }
      s.append("  </testsuite>\n");
    }
    return s.append("</testsuites>\n").toString();
  }

  /** A text inside an attribute. */
  public static String xml(String s) {
    return s.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** Writes check.json and check.xml under .plumb/reports. */
  public static void write(Workspace workspace, List<Result> results, ObjectNode manifest) {
    Workspace.writeWhole(
        workspace.made().resolve("reports").resolve("check.json"), json(results, manifest));
    Workspace.writeWhole(workspace.made().resolve("reports").resolve("check.xml"), junit(results));
  }
}
