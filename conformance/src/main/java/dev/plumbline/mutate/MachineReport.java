package dev.plumbline.mutate;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.Part;
import dev.plumbline.parts.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the mutants of a protocol's machines showed.
 *
 * @param least the least share killed among these, in per cent
 * @param demanded the least share killed among those of all shards
 * @param stale ids in mutants.yaml that no mutant has
 */
record MachineReport(
    String protocol, int least, int demanded, List<Result> results, List<String> stale) {

  /**
   * One mutant; {@code status} is PIT's: KILLED counts, a time-out or an error doesn't, and nothing
   * does where the mutant is listed as endless.
   *
   * @param code the source line
   * @param change what PIT did to it
   */
  record Result(
      String id,
      String file,
      int line,
      String code,
      String change,
      String status,
      String killer,
      String reason) {
    boolean killed() {
      return status.equals("KILLED") && !reason.startsWith(MutantsFile.ENDLESS);
    }

    Result listed(String why) {
      return new Result(id, file, line, code, change, status, killer, why);
    }
  }

  long killed() {
    return results.stream().filter(Result::killed).count();
  }

  /** Killed among all, in per cent; listed ones are not taken out. */
  double score() {
    return results.isEmpty() ? 0 : 100.0 * killed() / results.size();
  }

  List<String> faults() {
    List<String> all = new ArrayList<>();
    if (score() < least) {
      all.add(
          "%.1f%% of the machine mutants are killed, demanded are %d%%".formatted(score(), least));
    }
    for (Result r : results) {
      if (!r.killed() && r.reason().isEmpty()) {
        all.add(r.status().toLowerCase(java.util.Locale.ROOT) + ": " + r.id());
      } else if (r.killed() && !r.reason().isEmpty()) {
        all.add("listed in mutants.yaml, but it is killed: " + r.id());
      }
    }
    stale.forEach(id -> all.add("mutants.yaml: no machine mutant has the id " + id));
    return all;
  }

  /** Each class as a part of the run; time is divided by their numbers of mutants. */
  List<Part> parts(List<String> classes, long millis) {
    List<Part> all = new ArrayList<>();
    for (String c : classes) {
      String file = c.replace('.', '/') + ".java";
      List<Result> of = results.stream().filter(r -> r.file().equals(file)).toList();
      List<String> faults = new MachineReport(protocol, 0, 0, of, List.of()).faults();
      stale.stream()
          .filter(id -> id.startsWith(c.substring(c.lastIndexOf('.') + 1) + "."))
          .forEach(id -> faults.add("no machine mutant has the id " + id));
      all.add(
          new Part(
              c,
              faults.isEmpty() ? Ending.HOLDS : Ending.VIOLATED,
              of.stream().filter(Result::killed).count() + " of " + of.size() + " killed",
              String.join("; ", faults),
              results.isEmpty() ? 0 : millis * of.size() / results.size()));
    }
    return all;
  }

  Share share() {
    return new Share(
        "machine mutants of " + protocol + " killed", demanded, killed(), results.size());
  }

  String text() {
    StringBuilder s = new StringBuilder();
    Map<String, int[]> files = new TreeMap<>();
    for (Result r : results) {
      int[] n = files.computeIfAbsent(r.file(), f -> new int[2]);
      n[0]++;
      n[1] += r.killed() ? 1 : 0;
    }
    s.append("%n%-50s %8s %8s%n".formatted("machine", "mutants", "killed"));
    files.forEach((f, n) -> s.append("%-50s %8d %8d%n".formatted(f, n[0], n[1])));
    for (Result r : results) {
      if (!r.killed()) {
        s.append(
            "%n%s  %s%n  %s:%d  %s%n"
                .formatted(r.status(), r.id(), r.file(), r.line(), r.change()));
        s.append("    ").append(r.code()).append('\n');
        s.append(r.reason().isEmpty() ? "" : "  listed: " + r.reason() + "\n");
      }
    }
    s.append(
        "%n%s machines: %d mutants, %.1f%% killed%n".formatted(protocol, results.size(), score()));
    faults().forEach(f -> s.append("FAILED  ").append(f).append('\n'));
    return s.toString();
  }

  /** A JUnit suite: a test case a mutant, and one for the share that is demanded. */
  String junit() {
    StringBuilder s = new StringBuilder();
    for (Result r : results) {
      String said = r.file() + ":" + r.line() + " " + r.change() + ": " + r.code();
      boolean wrong = r.killed() != r.reason().isEmpty();
      String how = wrong ? "failure" : r.killed() ? "" : "skipped";
      String text = r.status() + " " + (r.reason().isEmpty() ? said : "listed: " + r.reason());
      s.append(Mutation.testCase(protocol + ".machines", r.id(), how, text));
    }
    stale.forEach(
        id ->
            s.append(
                Mutation.testCase(
                    protocol + ".machines", id, "failure", "no machine mutant has this id")));
    s.append(
        Mutation.testCase(
            protocol + ".machines",
            "at least " + least + "% are killed",
            score() < least ? "failure" : "",
            "%.1f%%".formatted(score())));
    return s.toString();
  }

  ObjectNode json() {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode o = mapper.createObjectNode().put("protocol", protocol);
    o.put("mutants", results.size()).put("killed", killed());
    o.put("score", Math.round(score() * 10) / 10.0);
    o.set("results", mapper.valueToTree(results));
    faults().forEach(o.putArray("faults")::add);
    return o;
  }
}
