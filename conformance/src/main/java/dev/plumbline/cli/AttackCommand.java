package dev.plumbline.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.attack.Attack;
import dev.plumbline.cluster.StorePlan;
import dev.plumbline.protocol.Protocols;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./plumb attack}: a hostile peer of a cluster of its own. */
@Command(
    name = "attack",
    mixinStandardHelpOptions = true,
    description = {
      "Starts a cluster on loopback, with TLS, and attacks it in phases: malformed records, frames"
          + " and bodies, records of every class in every role, requests that make no sense, lies"
          + " of a past that nobody had, wrong certificates, replays, half-open connections,"
          + " thousands of connections, floods.",
      "After each phase every process has to live, memory to be bounded, everything refused to be"
          + " counted, no handler to have failed, and an ordinary client to go on and find all that"
          + " it wrote."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all of that holds",
      "1:something does not",
      "2:bad usage",
      "3:the environment lacks something"
    })
public final class AttackCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "PROTOCOL",
      completionCandidates = ProtocolNames.class,
      description = ProtocolNames.HELP)
  private String protocol;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "how long, in all; a phase is at least one try (default ${DEFAULT-VALUE})")
  private long seconds = 30;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "decides what is sent (default ${DEFAULT-VALUE})")
  private long seed = 1;

  @Mixin private StoreOption store = new StoreOption();

  @Option(names = "--json", description = "one JSON object instead of text")
  private boolean json;

  @Override
  public Integer call() throws JsonProcessingException {
    if (seconds < 1) {
      throw new ParameterException(spec.commandLine(), "--seconds takes 1 or more, not " + seconds);
    }
    StorePlan plan;
    try {
      Protocols.named(protocol);
      plan = store.plan();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    PrintWriter out = spec.commandLine().getOut();
    Path folder = Places.root().resolve("target/attack").resolve(protocol);
    List<Attack.Phase> phases;
    try {
      phases =
          Attack.run(
              protocol,
              folder,
              Places.root().resolve(".plumb/node"),
              plan == null ? null : plan.forAll(),
              seconds,
              seed,
              phase -> {
                if (!json) {
                  out.println(text(phase));
                  out.flush();
                }
              });
    } catch (IOException e) {
      spec.commandLine().getErr().println("plumb: " + e.getMessage());
      return 3;
    }
    boolean holds = phases.stream().allMatch(phase -> phase.problems().isEmpty());
    if (json) {
      Map<String, Object> report = new LinkedHashMap<>();
      report.put("protocol", protocol);
      report.put("seed", seed);
      report.put("seconds", seconds);
      report.put("holds", holds);
      report.put("phases", phases);
      out.println(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(report));
    } else {
      out.println(
          holds ? "holds" : "FAILED; the logs of the nodes are in " + folder.resolve("out"));
    }
    return holds ? 0 : 1;
  }

  private static String text(Attack.Phase phase) {
    StringBuilder text =
        new StringBuilder(
            String.format(
                "%-13s %6d tries, %6d had to be refused, %6d counted",
                phase.name(), phase.tries(), phase.refused(), phase.counted()));
    phase.problems().forEach(problem -> text.append("\n  ").append(problem));
    return text.toString();
  }
}
