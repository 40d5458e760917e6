package dev.plumbline.mutate;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.Part;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the mutants of a protocol's specifications showed.
 *
 * @param generated how many mutants there are; {@code results} may be a sample
 * @param reach whether no more was asked of them than whether a model that judges gets to them
 * @param properties what each property contributes; empty for a sample
 * @param handMade errors made by hand, and which property notices each
 * @param stale ids in mutants.yaml that no mutant has
 */
record SpecReport(
    String protocol,
    int generated,
    boolean reach,
    List<SpecResult> results,
    List<Property> properties,
    List<HandMade.Result> handMade,
    List<String> stale,
    MutantsFile file) {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Set<Fate> REACH = EnumSet.of(Fate.TIME_OUT, Fate.UNREACHED, Fate.REACHED);

  /**
   * How many mutants of a module a property kills, those that it alone kills, and what that says.
   */
  record Property(String module, String name, int kills, List<String> alone, String note) {}

  long count(Fate v) {
    return results.stream().filter(r -> r.verdict() == v).count();
  }

  private long argued() {
    return results.stream().filter(r -> r.verdict().open() && !r.reason().isEmpty()).count();
  }

  /** Killed among those that are killed or open and not argued, in per cent. */
  double score() {
    long open = results.stream().filter(SpecResult::unanswered).count();
    long killed = count(Fate.KILLED);
    return killed + open == 0 ? 100 : 100.0 * killed / (killed + open);
  }

  /** What makes the gate fail, in words. */
  List<String> faults() {
    List<String> all = new ArrayList<>();
    for (SpecResult r : results) {
      if (r.unanswered() && r.verdict() != Fate.TIME_OUT) {
        all.add(r.verdict() + ": " + r.mutant().id());
      } else if (r.needless()) {
        all.add("listed in mutants.yaml, but it is " + r.verdict() + ": " + r.mutant().id());
      }
    }
    handMade.stream().map(HandMade.Result::fault).filter(f -> !f.isEmpty()).forEach(all::add);
    stale.forEach(
        id ->
            all.add(
                file.file().getFileName()
                    + ":"
                    + file.equivalent().get(id).line()
                    + ": no mutant has the id "
                    + id));
    return all;
  }

  /** Mutants that call for a reason because a limit was met: nobody knows what becomes of them. */
  List<String> late() {
    return results.stream()
        .filter(r -> r.unanswered() && r.verdict() == Fate.TIME_OUT)
        .map(r -> r.mutant().id())
        .toList();
  }

  /** Each mutant as a part of the run, after what the file claims of mutants that do not exist. */
  List<Part> parts(Map<String, Long> millis) {
    List<Part> all = new ArrayList<>();
    all.add(
        new Part(
            file.file().getFileName().toString(),
            stale.isEmpty() ? Ending.HOLDS : Ending.VIOLATED,
            "names mutants",
            stale.isEmpty() ? "" : "no mutant has the id " + String.join(", ", stale),
            0));
    results.forEach(r -> all.add(part(r, millis.getOrDefault(r.mutant().id(), 0L))));
    return all;
  }

  static Part part(SpecResult r, long millis) {
    Ending ending =
        !r.needless() && !r.unanswered()
            ? Ending.HOLDS
            : r.verdict() == Fate.TIME_OUT ? Ending.TIME_OUT : Ending.VIOLATED;
    String detail = r.needless() ? "listed in mutants.yaml, but it is " + r.verdict() : r.note();
    return new Part(
        r.mutant().id(),
        ending,
        r.verdict().toString(),
        ending == Ending.HOLDS ? "" : detail,
        millis);
  }

  String text(boolean matrix) {
    StringBuilder s = new StringBuilder();
    table(s);
    if (!properties.isEmpty()) {
      s.append('\n')
          .append("%-24s %-28s %6s %6s%n".formatted("module", "property", "kills", "alone"));
      for (Property p : properties) {
        s.append(
            "%-24s %-28s %6d %6d  %s"
                .formatted(p.module(), p.name(), p.kills(), p.alone().size(), p.note())
                .stripTrailing());
        s.append('\n');
      }
    }
    if (matrix) {
      matrix(s);
    }
    hand(s);
    for (SpecResult r : results) {
      if (r.verdict().open()) {
        s.append("\n%s  %s%n".formatted(r.verdict(), r.mutant().id()));
        s.append(
            "  specs/%s/%s.tla:%d in %s%n"
                .formatted(
                    protocol, r.mutant().module(), r.mutant().line(), r.mutant().operator()));
        r.mutant().diff().lines().forEach(l -> s.append("    ").append(l).append('\n'));
        r.note().lines().forEach(l -> s.append("  ").append(l).append('\n'));
        s.append(
            r.reason().isEmpty()
                ? "  no reason in mutants.yaml\n"
                : "  argued: " + r.reason() + "\n");
      }
    }
    long open = results.stream().filter(SpecResult::unanswered).count();
    s.append(
        reach
            ? "\n%s specifications: %d of %d mutants asked, %d reached (%d open, %d argued)%n"
                .formatted(protocol, results.size(), generated, count(Fate.REACHED), open, argued())
            : "\n%s specifications: %d of %d mutants judged, score %.1f%% (%d killed, %d open, %d argued)%n"
                .formatted(
                    protocol,
                    results.size(),
                    generated,
                    score(),
                    count(Fate.KILLED),
                    open,
                    argued()));
    faults().forEach(f -> s.append("FAILED  ").append(f).append('\n'));
    late()
        .forEach(
            id -> s.append("unknown  ").append(Fate.TIME_OUT).append(": ").append(id).append('\n'));
    return s.toString();
  }

  private void hand(StringBuilder s) {
    if (handMade.isEmpty()) {
      return;
    }
    s.append("\n%-40s %-9s %-8s %s%n".formatted("error made by hand", "verdict", "lane", "by"));
    for (HandMade.Result h : handMade) {
      String verdict = h.killed() ? "killed" : "survives";
      String line =
          "%-40s %-9s %-8s %s %s"
              .formatted(
                  h.error().name(),
                  verdict,
                  h.lane(),
                  h.by(),
                  h.note().lines().findFirst().orElse(""));
      s.append(line.stripTrailing()).append('\n');
    }
    s.append(
        "%s errors made by hand: %d judged, %d noticed by a property (%d of them in the quick lane)%n"
            .formatted(
                protocol,
                handMade.size(),
                handMade.stream().filter(HandMade.Result::killed).count(),
                handMade.stream().filter(h -> h.killed() && h.lane().equals("quick")).count()));
  }

  /** One line a module and kind of change, one column a verdict. */
  private void table(StringBuilder s) {
    Map<String, Map<Fate, Integer>> rows = new TreeMap<>();
    for (SpecResult r : results) {
      for (String row :
          List.of(r.mutant().module() + " " + r.mutant().kind(), r.mutant().module() + " ~all")) {
        rows.computeIfAbsent(row, k -> new EnumMap<>(Fate.class))
            .merge(r.verdict(), 1, Integer::sum);
      }
    }
    List<Fate> fates = new ArrayList<>(List.of(Fate.values()));
    fates.removeIf(v -> reach ? !REACH.contains(v) : v == Fate.REACHED);
    s.append("%-44s".formatted("module, kind of change"));
    for (Fate v : fates) {
      s.append("%18s".formatted(v));
    }
    s.append('\n');
    rows.forEach(
        (name, counts) -> {
          s.append("%-44s".formatted(name.replace("~all", "(all)")));
          for (Fate v : fates) {
            s.append("%18s".formatted(counts.containsKey(v) ? counts.get(v) : "."));
          }
          s.append('\n');
        });
  }

  /** One line a mutant, one column a property of its module: x killed, . holds, ? open. */
  private void matrix(StringBuilder s) {
    for (String module : results.stream().map(r -> r.mutant().module()).distinct().toList()) {
      List<SpecResult> of =
          results.stream().filter(r -> r.mutant().module().equals(module)).toList();
      List<String> names =
          of.stream().flatMap(r -> r.properties().keySet().stream()).distinct().toList();
      s.append('\n').append(module).append(": ");
      for (int i = 0; i < names.size(); i++) {
        s.append((char) ('A' + i)).append(' ').append(names.get(i)).append("  ");
      }
      s.append('\n');
      for (SpecResult r : of) {
        for (String n : names) {
          String cell = r.properties().getOrDefault(n, "");
          s.append(
              cell.equals("killed")
                  ? 'x'
                  : cell.equals("holds") ? '.' : cell.isEmpty() ? ' ' : '?');
        }
        s.append("  %-18s %4d  %s%n".formatted(r.verdict(), r.mutant().line(), r.mutant().id()));
      }
    }
  }

  /** A JUnit suite: a test case a mutant, and one for each fault that has no mutant. */
  String junit() {
    StringBuilder s = new StringBuilder();
    for (SpecResult r : results) {
      String where = protocol + "/" + r.mutant().module() + ".tla:" + r.mutant().line();
      String said = where + " " + r.note() + "\n" + r.mutant().diff();
      if (r.unanswered() || r.needless()) {
        said =
            (r.needless() ? "listed in mutants.yaml, but it is " : "") + r.verdict() + ": " + said;
        String how = r.verdict() == Fate.TIME_OUT ? "error" : "failure";
        s.append(Mutation.testCase(protocol, r.mutant().id(), how, said));
      } else if (r.verdict() == Fate.KILLED || r.verdict() == Fate.REACHED) {
        s.append(Mutation.testCase(protocol, r.mutant().id(), "", ""));
      } else {
        String why = r.verdict() + (r.reason().isEmpty() ? "" : ", argued: " + r.reason());
        s.append(Mutation.testCase(protocol, r.mutant().id(), "skipped", why));
      }
    }
    for (HandMade.Result h : handMade) {
      String name = h.error().mutant().id();
      String how = h.killed() && h.error().killer().isPresent() ? "" : "failure";
      s.append(Mutation.testCase(protocol, name, how, h.error().why() + "\n" + h.note()));
    }
    stale.forEach(
        id -> s.append(Mutation.testCase(protocol, id, "failure", "no mutant has this id")));
    return s.toString();
  }

  ObjectNode json() {
    ObjectNode o = MAPPER.createObjectNode();
    o.put("protocol", protocol).put("generated", generated).put("judged", results.size());
    if (!reach) {
      o.put("score", Math.round(score() * 10) / 10.0);
    }
    ObjectNode counts = o.putObject("counts");
    for (Fate v : Fate.values()) {
      counts.put(v.toString(), count(v));
    }
    counts.put("argued", argued());
    var mutants = o.putArray("mutants");
    for (SpecResult r : results) {
      ObjectNode m = mutants.addObject().put("id", r.mutant().id());
      m.put("module", r.mutant().module()).put("operator", r.mutant().operator());
      m.put("kind", r.mutant().kind()).put("line", r.mutant().line());
      m.put("diff", r.mutant().diff()).put("verdict", r.verdict().toString());
      ObjectNode p = m.putObject("properties");
      r.properties().forEach(p::put);
      m.put("note", r.note()).put("reason", r.reason());
    }
    var hand = o.putArray("handmade");
    for (HandMade.Result h : handMade) {
      ObjectNode n = hand.addObject().put("id", h.error().mutant().id());
      n.put("module", h.error().mutant().module()).put("line", h.error().mutant().line());
      n.put("why", h.error().why()).put("verdict", h.killed() ? "killed" : "survives");
      n.put("lane", h.lane()).put("by", h.by()).put("note", h.note());
    }
    var all = o.putArray("properties");
    for (Property p : properties) {
      ObjectNode n = all.addObject().put("module", p.module()).put("property", p.name());
      n.put("kills", p.kills()).put("note", p.note());
      p.alone().forEach(n.putArray("alone")::add);
    }
    ArrayNode faults = o.putArray("faults");
    faults().forEach(faults::add);
    late().forEach(id -> faults.add(Fate.TIME_OUT + ": " + id));
    return o;
  }
}
