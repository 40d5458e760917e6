package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.history.Printable;
import dev.plumbline.protocol.FaultPlan;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.sim.Campaign;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.sim.RunConfig;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What the runs of a simulation came to, over all seeds: the closing table, or JSON. */
final class SimulationTotals {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String protocol;
  private final String workload;
  private final long seed;
  private final int asked;

  /** What clients ask for. */
  private final String unit;

  private final Map<String, Map<Judge.Verdict, Integer>> verdicts = new LinkedHashMap<>();
  private final SortedMap<String, Long> faults = new TreeMap<>();
  private final List<Campaign.Report> failed = new ArrayList<>();

  /** By judge, why it could not tell, and of which seed first. */
  private final Map<String, String> doubts = new LinkedHashMap<>();

  private int runs;
  private int again;
  private int undecided;
  private int unasked;
  private long committed;
  private long aborted;
  private long unknown;
  private long steps;
  private long messages;

  /**
   * @param seed the first that was asked for
   * @param asked how many were asked for, of all shards
   */
  SimulationTotals(String protocol, String workload, long seed, int asked) {
    this.protocol = protocol;
    this.workload = workload;
    this.seed = seed;
    this.asked = asked;
    unit = Protocols.named(protocol).model().ofOperations() ? "operations" : "transactions";
  }

  private static boolean toldByABlackBox(Judge.Ruling judgement) {
    return BlackBoxJudge.NAMES.contains(judgement.judge())
        && judgement.verdict() != Judge.Verdict.NOT_RUN;
  }

  static boolean unasked(Campaign.Report report) {
    return report.judgements().stream().noneMatch(SimulationTotals::toldByABlackBox);
  }

  /** Whether a judge could not tell, or no black box judged a history though one was asked. */
  boolean silent(boolean blackBoxes) {
    return undecided > 0 || (blackBoxes && unasked > 0);
  }

  /**
   * Who cannot tell. One is whoever judges what the protocol promises where no transaction says its
   * place in the serial order, and no black box has judged in its stead.
   */
  static List<Judge.Ruling> open(Campaign.Report report) {
    boolean told = report.judgements().stream().anyMatch(SimulationTotals::toldByABlackBox);
    Optional<String> promise = Judges.ofPromise(report.config().protocol());
    return report.judgements().stream()
        .filter(
            j ->
                j.verdict() == Judge.Verdict.UNKNOWN
                    || (j.verdict() == Judge.Verdict.NOT_RUN
                        && promise.filter(j.judge()::equals).isPresent()
                        && !told
                        && !report.failed()))
        .toList();
  }

  /**
   * Counts a run.
   *
   * @param named whether it was asked for; others failed before
   */
  void add(Campaign.Report report, boolean named) {
    runs++;
    again += named ? 0 : 1;
    committed += report.stats().committed();
    aborted += report.stats().aborted();
    unknown += report.stats().unknown();
    steps += report.stats().steps();
    messages += report.stats().messages();
    report.stats().faults().forEach((kind, count) -> faults.merge(kind, count, Long::sum));
    unasked += unasked(report) ? 1 : 0;
    for (Judge.Ruling judgement : open(report)) {
      undecided++;
      String why = "seed " + report.config().seed() + ": " + judgement.detail();
      doubts.putIfAbsent(judgement.judge(), Printable.text(why));
    }
    for (Judge.Ruling judgement : report.judgements()) {
      verdicts
          .computeIfAbsent(judgement.judge(), judge -> new TreeMap<>())
          .merge(judgement.verdict(), 1, Integer::sum);
    }
    if (report.failed()) {
      failed.add(report);
    }
  }

  /** The runs that failed, in the order in which they ended. */
  List<Campaign.Report> failed() {
    return failed;
  }

  /** How many runs there were. */
  int runs() {
    return runs;
  }

  /** A failing seed made small. */
  record Shrunk(RunConfig config, Campaign.Report report, String command) {}

  /** Prints the closing table, what failed, and how to see it again. */
  void print(PrintWriter out, Optional<Shrunk> shrunk, double seconds) {
    out.printf(
        Locale.ROOT,
        "%s, %s: %d%s seeds from %d%s, %,d %s (%,d committed, %,d aborted, %,d unknown)%n",
        protocol,
        workload,
        runs - again,
        runs - again == asked ? "" : " of " + asked,
        seed,
        again == 0 ? "" : ", and " + again + " that failed before",
        committed + aborted + unknown,
        unit,
        committed,
        aborted,
        unknown);
    out.printf(
        Locale.ROOT,
        "%,d steps and %,d messages in %.1f s (%,.0f steps a second, judging included)%n",
        steps,
        messages,
        seconds,
        steps / seconds);
    out.println(
        "faults: "
            + (faults.isEmpty()
                ? "none"
                : faults.entrySet().stream()
                    .map(entry -> entry.getKey() + " " + entry.getValue())
                    .collect(Collectors.joining(", "))));
    int width = verdicts.keySet().stream().mapToInt(String::length).max().orElse(0);
    String name = "%-" + Math.max(width, 22) + "s";
    out.printf("%n" + name + " %8s %8s %8s %8s%n", "judge", "holds", "fails", "unknown", "not run");
    verdicts.forEach(
        (judge, counts) ->
            out.printf(
                name + " %8d %8d %8d %8d%n",
                judge,
                counts.getOrDefault(Judge.Verdict.HOLDS, 0),
                counts.getOrDefault(Judge.Verdict.FAILS, 0),
                counts.getOrDefault(Judge.Verdict.UNKNOWN, 0),
                counts.getOrDefault(Judge.Verdict.NOT_RUN, 0)));
    doubts.forEach((judge, why) -> out.printf("%n%s cannot tell: %s%n", judge, why));
    if (!failed.isEmpty()) {
      Campaign.Report first = failed.get(0);
      out.printf("%nseed %d failed:%n", first.config().seed());
      failures(out, first);
    }
    shrunk.ifPresent(
        small -> {
          FaultPlan plan = small.config().plan().orElseThrow();
          out.printf(
              "%nshrunk to %d %s and %d faults:%n",
              small.config().transactions(), unit, plan.faults().size());
          plan.faults().forEach(fault -> out.println("  " + fault));
          failures(out, small.report());
          out.println("replay: " + small.command());
        });
  }

  private static void failures(PrintWriter out, Campaign.Report report) {
    for (Judge.Ruling judgement : report.judgements()) {
      if (judgement.verdict() == Judge.Verdict.FAILS) {
        List<String> lines = Printable.text(judgement.detail()).lines().toList();
        lines.stream()
            .limit(8)
            .forEach(line -> out.println("  " + judgement.judge() + ": " + line));
        if (lines.size() > 8) {
          out.printf("  %s: and %d more%n", judgement.judge(), lines.size() - 8);
        }
      }
    }
  }

  /** The same for programs. */
  ObjectNode json(Optional<Shrunk> shrunk, double seconds) {
    ObjectNode result = JSON.createObjectNode();
    result.put("protocol", protocol).put("workload", workload);
    result.put("seed", seed).put("seeds", runs - again);
    result.put("failedBefore", again).put("failed", failed.size());
    result.put("committed", committed).put("aborted", aborted);
    result.put("unknown", unknown).put("steps", steps);
    result.put("messages", messages).put("seconds", seconds);
    result.set("faults", JSON.valueToTree(faults));
    result.set("judges", JSON.valueToTree(verdicts));
    result.set("doubts", JSON.valueToTree(doubts));
    ArrayNode failures = result.putArray("failures");
    for (Campaign.Report report : failed) {
      ObjectNode failure = failures.addObject();
      failure.put("seed", report.config().seed());
      failure.set(
          "judgements",
          JSON.valueToTree(
              report.judgements().stream()
                  .filter(judgement -> judgement.verdict() == Judge.Verdict.FAILS)
                  .toList()));
    }
    shrunk.ifPresent(
        small ->
            result
                .putObject("shrunk")
                .put("transactions", small.config().transactions())
                .put("faults", small.config().plan().orElseThrow().faults().size())
                .put("replay", small.command()));
    return result;
  }
}
