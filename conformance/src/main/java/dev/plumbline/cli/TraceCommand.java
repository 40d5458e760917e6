package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.Conformance;
import dev.plumbline.history.Printable;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.protocol.GivenParameters;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.InputError;
import dev.plumbline.validate.Explanation;
import dev.plumbline.validate.LogRules;
import dev.plumbline.validate.LogVerdict;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel;
import dev.plumbline.validate.Validator;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./plumb trace}: is a run's log a behaviour of the specification? */
@Command(
    name = "trace",
    mixinStandardHelpOptions = true,
    description = {
      "Validates the logs of one run against the modules of the protocol's specification, and says"
          + " which have no trace model and are not checked.",
      "Logs are merged by causality. A rejection names the first event that no behaviour explains,"
          + " the states the specification could have been in, and what was enabled there."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every module that was asked explains the log",
      "1:a module rejects it, or it is the log of no run",
      "2:bad usage or input",
      "3:the environment lacks something, or plumb itself broke",
      "4:unknown: with these parameters no module says anything of such a log"
    })
public final class TraceCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CONFIGURATION = "conf/client.yaml";
  private static final String LOGS = "trace";

  /** No module was asked. */
  private static final int UNKNOWN = 4;

  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "PROTOCOL",
      completionCandidates = ProtocolNames.class,
      description = ProtocolNames.HELP)
  private String protocol;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "PATH",
      description = {
        "NODE.ndjson files of one run, or folders of them, or a cluster's folder (--dir of cluster"
            + " up, that of a jepsen run),",
        "whose configuration then says which parameters the run had"
      })
  private List<Path> paths;

  @Option(
      names = "--module",
      paramLabel = "MODULE",
      split = ",",
      description = "only these modules (all)")
  private Set<String> modules = Set.of();

  @Option(
      names = "--as-published",
      paramLabel = "NAME",
      split = ",",
      description = "behaviours of the published protocol that the run had switched on")
  private Set<String> asPublished = Set.of();

  @Option(
      names = "--set",
      paramLabel = "NAME=N",
      description = "protocol parameters that the run had")
  private Map<String, Long> parameters = Map.of();

  @Option(
      names = "--first",
      paramLabel = "N",
      description = "only the first N events of all nodes (all)")
  private long first = Long.MAX_VALUE;

  @Option(names = "--json", description = "print the verdicts as JSON")
  private boolean json;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Conformance conformance = Conformance.named(protocol);
    List<Path> logs = paths.stream().map(Places::fromCaller).toList();
    Settings settings = settings(logs);
    List<TraceModel> models = new ArrayList<>(conformance.traceModels(settings));
    if (!modules.isEmpty()) {
      models.removeIf(m -> !modules.contains(m.module()));
      if (models.size() < modules.size()) {
        throw new InputError(
            "",
            0,
            "no such module: " + String.join(", ", modules),
            "name some of "
                + conformance.traceModels(settings).stream()
                    .map(TraceModel::module)
                    .collect(Collectors.joining(", ")));
      }
    }
    Map<String, String> silent = new TreeMap<>();
    for (TraceModel model : models) {
      conformance
          .silent(model.module(), settings)
          .ifPresent(why -> silent.put(model.module(), why));
    }
    models.removeIf(m -> silent.containsKey(m.module()));
    conformance.untracedModules().forEach(m -> silent.put(m, "logs have no trace model for it"));
    if (first < 1) {
      throw new InputError("", 0, "--first is " + first, "take at least 1 event");
    }
    MergedLog log = MergedLog.read(logs.stream().map(TraceCommand::ofLogs).toList(), first);
    log.demandSenders();
    Optional<LogRules.Broken> broken = LogRules.broken(log);
    if (broken.isPresent()) {
      return rejected(broken.get());
    }
    Validator validator = new Validator(Places.root());
    ArrayNode all = JSON.createArrayNode();
    boolean accepted = !models.isEmpty();
    for (TraceModel model : models) {
      LogVerdict verdict = validator.validate(model, log);
      accepted &= verdict.accepted();
      all.add(Explanation.json(verdict));
      if (!json) {
        Explanation.lines(verdict, log).stream().map(Printable::text).forEach(out::println);
        out.flush();
      }
    }
    if (!json) {
      silent.forEach((module, why) -> out.println(module + ": not checked, " + why));
    } else {
      ObjectNode o = JSON.createObjectNode().put("protocol", protocol).put("accepted", accepted);
      o.put("eventsLeftOut", log.left());
      o.set("modules", all);
      o.set("notChecked", JSON.valueToTree(silent.keySet()));
      out.println(o.toPrettyString());
    }
    return accepted ? 0 : models.isEmpty() ? UNKNOWN : 1;
  }

  /** The log of no run, whatever the protocol: no module is asked. */
  private int rejected(LogRules.Broken broken) {
    PrintWriter out = spec.commandLine().getOut();
    MergedLog.Entry entry = broken.entry();
    if (json) {
      ObjectNode o = JSON.createObjectNode().put("protocol", protocol).put("accepted", false);
      o.putArray("modules");
      o.putObject("rejection")
          .put("file", entry.file())
          .put("line", entry.line())
          .put("action", entry.event().action())
          .put("why", broken.what());
      out.println(o.toPrettyString());
    } else {
      out.printf(
          "REJECTED at %s:%d, as the log of any run%n  %s%n  no module was asked%n",
          entry.file(),
          entry.line(),
          Printable.text(entry.event().action() + ": " + broken.what()));
    }
    return 1;
  }

  /** What was given here, and else what the cluster's configuration says. */
  private Settings settings(List<Path> logs) {
    SortedMap<String, Long> all = new TreeMap<>();
    String deployment = "";
    Optional<Path> file =
        logs.stream().map(TraceCommand::configuration).flatMap(Optional::stream).findFirst();
    if (file.isPresent()) {
      Settings ran = ran(file.get());
      all.putAll(ran.parameters());
      deployment = ran.deployment();
    }
    all.putAll(parameters);
    ProtocolSystem system = Protocols.named(protocol);
    try {
      GivenParameters.demand(system, parameters);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    return new Settings(system.clockBounds(), new TreeSet<>(asPublished), all, deployment);
  }

  private Settings ran(Path file) {
    NodeConfig config = NodeConfig.read(file);
    if (!config.protocol().equals(protocol)) {
      throw new InputError(
          file.toString(),
          0,
          "a cluster of " + config.protocol() + ", not of " + protocol,
          "./plumb trace " + config.protocol() + " …");
    }
    return config.settings();
  }

  /** A cluster's folder has its logs in {@code trace}. */
  private static Path ofLogs(Path path) {
    return Files.isRegularFile(path.resolve(CONFIGURATION)) ? path.resolve(LOGS) : path;
  }

  /** Of the cluster whose folder this is, or whose folder of logs. */
  private static Optional<Path> configuration(Path path) {
    Path logs = Files.isRegularFile(path) ? path.toAbsolutePath().getParent() : ofLogs(path);
    Path of = logs.toAbsolutePath().normalize().resolveSibling(CONFIGURATION);
    return logs.endsWith(LOGS) && Files.isRegularFile(of) ? Optional.of(of) : Optional.empty();
  }
}
