package dev.plumbline.mutate;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.Part;
import dev.plumbline.parts.Share;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

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
   * One mutant; {@code status} is PIT's: KILLED counts, and nothing does where the mutant is listed
   * as endless.
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

    /** Whether it is as it should be; what PIT did not judge to its end says neither. */
    Ending ending() {
      if (killed() == reason.isEmpty()) {
        return Ending.HOLDS;
      }
      return switch (status) {
        case "TIMED_OUT", "MEMORY_ERROR" -> Ending.TIME_OUT;
        case "RUN_ERROR", "STARTED", "NOT_STARTED" -> Ending.ENVIRONMENT;
        default -> Ending.VIOLATED;
      };
    }

    String fault() {
      return (killed()
              ? "listed in mutants.yaml, but it is killed"
              : status.toLowerCase(Locale.ROOT).replace('_', ' '))
          + ": "
          + id;
    }

    Result listed(String why) {
      return new Result(id, file, line, code, change, status, killer, why);
    }
  }

  long killed() {
    return results.stream().filter(Result::killed).count();
  }

  /** Killed among all that were judged, in per cent; listed ones are not taken out. */
  double score() {
    return judged() == 0 ? 0 : 100.0 * killed() / judged();
  }

  private boolean tooFew() {
    return score() < least && (judged() > 0 || results.isEmpty());
  }

  private long judged() {
    return results.size() - open().count();
  }

  /** Those that PIT did not judge to the end, and no reason says why. */
  private Stream<Result> open() {
    return results.stream()
        .filter(r -> r.ending() == Ending.TIME_OUT || r.ending() == Ending.ENVIRONMENT);
  }

  /** How all of it ended. */
  Set<Ending> endings() {
    Set<Ending> all = EnumSet.of(faults().isEmpty() ? Ending.HOLDS : Ending.VIOLATED);
    open().map(Result::ending).forEach(all::add);
    return all;
  }

  List<String> faults() {
    List<String> all = new ArrayList<>();
    if (tooFew()) {
      all.add(
          "%.1f%% of the machine mutants are killed, demanded are %d%%".formatted(score(), least));
    }
    results.stream()
        .filter(r -> r.ending() == Ending.VIOLATED)
        .map(Result::fault)
        .forEach(all::add);
    stale.forEach(id -> all.add("mutants.yaml: no machine mutant has the id " + id));
    return all;
  }

  /** Each class as a part of the run; time is divided by their numbers of mutants. */
  List<Part> parts(List<String> classes, long millis) {
    List<Part> all = new ArrayList<>();
    for (String c : classes) {
      String file = c.replace('.', '/') + ".java";
      List<Result> of = results.stream().filter(r -> r.file().equals(file)).toList();
      String name = c.substring(c.lastIndexOf('.') + 1) + ".";
      MachineReport own =
          new MachineReport(
              protocol, 0, 0, of, stale.stream().filter(id -> id.startsWith(name)).toList());
      List<String> faults = own.faults();
      own.open().map(Result::fault).forEach(faults::add);
      Ending ending = own.endings().stream().reduce(Ending.HOLDS, (a, b) -> a.worse(b) ? a : b);
      all.add(
          new Part(
              c,
              ending,
              of.stream().filter(Result::killed).count() + " of " + of.size() + " killed",
              String.join("; ", faults),
              results.isEmpty() ? 0 : millis * of.size() / results.size()));
    }
    return all;
  }

  Share share() {
    return new Share("machine mutants of " + protocol + " killed", demanded, killed(), judged());
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
    open().forEach(r -> s.append("unknown  ").append(r.fault()).append('\n'));
    return s.toString();
  }

  /** A JUnit suite: a test case a mutant, and one for the share that is demanded. */
  String junit() {
    StringBuilder s = new StringBuilder();
    for (Result r : results) {
      String said = r.file() + ":" + r.line() + " " + r.change() + ": " + r.code();
      String how =
          switch (r.ending()) {
            case HOLDS -> r.killed() ? "" : "skipped";
            case VIOLATED -> "failure";
            default -> "error";
          };
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
            tooFew() ? "failure" : "",
            "%.1f%%".formatted(score())));
    return s.toString();
  }

  ObjectNode json() {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode o = mapper.createObjectNode().put("protocol", protocol);
    o.put("mutants", results.size()).put("killed", killed());
    o.put("score", Math.round(score() * 10) / 10.0);
    o.set("results", mapper.valueToTree(results));
    ArrayNode faults = o.putArray("faults");
    faults().forEach(faults::add);
    open().forEach(r -> faults.add(r.fault()));
    return o;
  }
}
