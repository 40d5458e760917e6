package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.SituationCoverage;
import dev.plumbline.graph.TraceCoverage;
import dev.plumbline.history.Printable;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.tlc.InputError;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./plumb coverage}: do simulated runs take every action under every kind of fault? */
@Command(
    name = "coverage",
    mixinStandardHelpOptions = true,
    description = {
      "Counts how often simulated runs take each action of the specification, for each kind of fault"
          + " alone: steps of logs that trace validation accepts. A rejected log fails.",
      "An action that no run takes fails, unless specs/PROTOCOL/coverage.yaml waives it with a"
          + " reason; so does a waiver that is not needed. 0 is a gap, - is waived.",
      "Then the same for situations, each several steps in one order: runs with all faults, and with"
          + " such as provoke what was not seen yet."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every action and situation is seen, or waived with a reason",
      "1:one is neither, a waiver is not needed, or a log is rejected",
      "2:bad usage or input",
      "3:the environment lacks something, or plumb itself broke"
    })
public final class CoverageCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "PROTOCOL",
      completionCandidates = ProtocolNames.class,
      description = ProtocolNames.HELP)
  private String protocol;

  @Option(
      names = "--seeds",
      paramLabel = "K",
      description =
          "most seeds for each kind of fault; it ends once all is taken (${DEFAULT-VALUE})")
  private int seeds = 32;

  @Option(
      names = "--txns",
      paramLabel = "N",
      description = "transactions a seed (as many as the protocol needs)")
  private int transactions;

  @Option(
      names = "--part",
      paramLabel = "PART",
      defaultValue = "all",
      description = "actions, situations or all; default ${DEFAULT-VALUE}")
  private String part = "all";

  @Option(
      names = "--unsteered",
      description = "provoke no situation: shows what the faults of a plan alone come into")
  private boolean unsteered;

  @Option(names = "--json", description = "print the counts as JSON")
  private boolean json;

  @Override
  public Integer call() {
    Conformance conformance = Conformance.named(protocol);
    if (transactions == 0) {
      transactions = conformance.coverageTransactions();
    }
    if (!List.of("actions", "situations", "all").contains(part)) {
      throw new InputError("", 0, "there is no part " + part, "use actions, situations or all");
    }
    ProtocolSystem system = Protocols.named(protocol);
    PrintWriter out = spec.commandLine().getOut();
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode result = mapper.createObjectNode().put("protocol", protocol).put("seeds", seeds);
    result.put("transactions", transactions);
    List<String> problems = new ArrayList<>();
    if (!part.equals("situations")) {
      TraceCoverage coverage =
          TraceCoverage.measure(Places.root(), conformance, system, seeds, transactions);
      problems.addAll(coverage.problems());
      result.set("steps", mapper.valueToTree(coverage.counts()));
      if (!json) {
        print(out, coverage);
        out.printf(
            "%s: %d actions, %d kinds of fault%n",
            protocol, coverage.counts().size(), FaultKind.values().length);
        out.flush();
      }
    }
    if (!part.equals("actions")) {
      SituationCoverage coverage =
          SituationCoverage.measure(Places.root(), system, seeds, transactions, !unsteered);
      problems.addAll(coverage.problems());
      ObjectNode seen = result.putObject("situations");
      coverage
          .seen()
          .forEach((s, seed) -> seen.put(s.name(), seed.isPresent() ? seed.getAsLong() : null));
      if (!json) {
        print(out, coverage);
      }
    }
    if (json) {
      result.put("holds", problems.isEmpty());
      result.set("problems", mapper.valueToTree(problems));
      out.println(result.toPrettyString());
    } else {
      problems.stream().map(Printable::text).forEach(out::println);
      out.printf(
          "%s: %s%n", protocol, problems.isEmpty() ? "holds" : problems.size() + " PROBLEMS");
    }
    out.flush();
    return problems.isEmpty() ? 0 : 1;
  }

  private static void print(PrintWriter out, SituationCoverage coverage) {
    out.printf("%-40s %10s%n", "situation", "seed");
    coverage
        .seen()
        .forEach(
            (s, seed) ->
                out.printf(
                    "%-40s %10s%n",
                    s.name(),
                    seed.isPresent() ? seed.getAsLong() : coverage.waived(s) ? "-" : "none"));
  }

  private static void print(PrintWriter out, TraceCoverage coverage) {
    out.printf("%-40s", "validated steps under only");
    for (FaultKind kind : FaultKind.values()) {
      out.printf(" %9s", kind);
    }
    out.println();
    for (Map.Entry<String, Map<FaultKind, Long>> action : coverage.counts().entrySet()) {
      out.printf("%-40s", action.getKey());
      for (FaultKind kind : FaultKind.values()) {
        Long count = action.getValue().get(kind);
        out.printf(
            " %9s", count != null ? count : coverage.waived(action.getKey(), kind) ? "-" : "0");
      }
      out.println();
    }
  }
}
