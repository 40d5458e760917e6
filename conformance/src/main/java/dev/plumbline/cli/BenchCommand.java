package dev.plumbline.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Board;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Expect;
import dev.plumbline.check.Driver;
import dev.plumbline.check.Manifest;
import dev.plumbline.check.Result;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.check.Workspace;
import dev.plumbline.explain.FigurePage;
import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Corpora;
import dev.plumbline.graph.Corpus;
import dev.plumbline.graph.Figures;
import dev.plumbline.graph.Replay;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.SimulationRun;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.trace.TraceReader;
import dev.plumbline.validate.LogVerdict;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel;
import dev.plumbline.validate.Validator;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./plumb bench}: speeds against their budgets, all in one run. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = {
      "Measures the speed of trace validation, replay, simulation, the graph walk and model"
          + " checking in one run, each on one thread.",
      "A budget is met by CPU time, which other processes do not distort; wall-clock rates stand"
          + " beside it. Exit code 1 if one is missed.",
      "Where a protocol has figures of its paper, these are drawn instead, with pictures, in"
          + " virtual time. Exit code 1 if a shape is missed, or if with seed 1 they are not those"
          + " of the protocol's page in docs/results.",
      "With --processes it is a cluster of processes on loopback whose links are as slow as the"
          + " paper's, beside databases without the protocol; time is real then, and says something"
          + " on an idle machine alone."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:budgets are met, shapes are as expected",
      "1:a budget or a shape is missed, or the page has other figures",
      "2:bad usage",
      "3:the environment lacks something"
    })
public final class BenchCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int TRANSACTIONS = 3_200;
  private static final long REPLAY_NANOS = 3_000_000_000L;
  private static final List<Integer> SIZES = List.of(1_000, 10_000, 100_000);

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "PROTOCOL",
      completionCandidates = ProtocolNames.class,
      description = ProtocolNames.HELP + "; every one that has no figures when none is given")
  private String named;

  private String protocol;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "of the simulated run (${DEFAULT-VALUE})")
  private long seed = 1;

  @Option(
      names = "--figures",
      paramLabel = "NAME",
      split = ",",
      description = "of the protocol's figures only these (all)")
  private Set<String> wanted = Set.of();

  @Option(
      names = "--processes",
      description = "processes in real time, for a protocol that has such figures")
  private boolean processes;

  @Option(names = "--update", description = "write the figures to the protocol's page")
  private boolean update;

  @Option(names = "--json", description = "print the figures as JSON")
  private boolean json;

  /** One figure; budget 0 where the design has none. */
  record Figure(String what, long done, double wall, double cpu, long budget) {
    double byCpu() {
      return done / Math.max(cpu, 1e-9);
    }

    boolean met() {
      return byCpu() >= budget;
    }
  }

  @Override
  public Integer call() throws IOException {
    Optional<Figures> own = named == null ? Optional.empty() : Figures.of(named, processes);
    if (processes && own.isEmpty()) {
      throw new InputError(
          "",
          0,
          (named == null ? "what is measured without a protocol" : named)
              + " has no figures of processes",
          "name "
              + Figures.all().stream()
                  .filter(Figures::processes)
                  .map(Figures::protocol)
                  .collect(Collectors.joining(" or ")));
    }
    if (own.isPresent()) {
      Set<String> unknown = new TreeSet<>(wanted);
      own.get().names().forEach(unknown::remove);
      if (!unknown.isEmpty()) {
        throw new InputError(
            "",
            0,
            "no such figure: " + String.join(", ", unknown),
            "name some of " + String.join(", ", own.get().names()));
      }
      return figures(own.get());
    }
    if (update) {
      throw new InputError("", 0, "--update writes a protocol's figures", "name one that has some");
    }
    if (!wanted.isEmpty()) {
      throw new InputError(
          "",
          0,
          (named == null ? "what is measured without a protocol" : named) + " has no figures",
          "leave out --figures, or name one of "
              + Figures.all().stream()
                  .map(Figures::protocol)
                  .distinct()
                  .collect(Collectors.joining(", ")));
    }
    List<String> protocols =
        named != null
            ? List.of(Protocols.named(named).name())
            : Conformance.all().stream()
                .map(Conformance::protocol)
                .filter(p -> Figures.of(p, false).isEmpty())
                .toList();
    ArrayNode all = JSON.createArrayNode();
    boolean met = true;
    for (String each : protocols) {
      protocol = each;
      List<Figure> figures = speeds();
      print(figures, all);
      met &= figures.stream().allMatch(Figure::met);
    }
    if (json) {
      spec.commandLine().getOut().println(all.toPrettyString());
    }
    return met ? 0 : 1;
  }

  int figures(Figures of) throws IOException {
    ObjectNode manifest = Manifest.of(Places.root(), Map.of());
    boolean page = new FigurePage(Places.root(), of).exists();
    demandOneRun(manifest.path("dirty").asBoolean());
    Path folder = Places.root().resolve(".plumb").resolve("reports").resolve("bench-" + of.sheet());
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter shown = json ? new PrintWriter(PrintWriter.nullWriter()) : out;
    int code;
    try {
      code = of.draw(folder, shown, seed, wanted);
    } catch (UncheckedIOException e) {
      spec.commandLine().getErr().println("plumb: " + e.getCause().getMessage());
      return 3;
    }
    String command = ToolCommand.line(spec.root().commandLine().getParseResult().originalArgs());
    ObjectNode report = of.report().put("command", command).put("seed", seed);
    report.set("manifest", manifest);
    String text = report.toPrettyString();
    Files.writeString(folder.resolve("bench-" + of.sheet() + ".json"), text);
    out.println(json ? text : "pictures and report: " + folder);
    Map<String, String> drawn = new TreeMap<>(of.drawn());
    if (processes) {
      drawn.put("manifest", made(report));
    }
    return page ? written(new FigurePage(Places.root(), of), drawn, code) : code;
  }

  /** Refuses what would be of no one seed, run or commit. */
  void demandOneRun(boolean dirty) {
    if (seed != FigurePage.SEED && (update || processes)) {
      throw new InputError(
          "",
          0,
          processes ? "real time has no seed" : "pages are of seed " + FigurePage.SEED,
          "leave out --seed");
    }
    if (update && processes && !wanted.isEmpty()) {
      throw new InputError("", 0, "a page of real time is of one run", "leave out --figures");
    }
    if (update && processes && dirty) {
      throw new InputError(
          "", 0, "there are changes that are not committed", "commit first: the page names one");
    }
  }

  /** What a page of real time says of when and where it was measured. */
  private static String made(ObjectNode report) {
    return "`%s`, commit %s, %s, %s%n"
        .formatted(
            report.path("command").asText(),
            KeptResults.commit(report),
            KeptResults.machine(report),
            report.at("/manifest/date").asText().split("T")[0]);
  }

  private int written(FigurePage page, Map<String, String> drawn, int code) throws IOException {
    if (update) {
      page.update(drawn);
    }
    if (seed != FigurePage.SEED || processes) {
      return code;
    }
    List<Path> differ = page.differences(drawn);
    differ.forEach(f -> System.err.println("differs: " + f + "; add --update if it is meant"));
    return differ.isEmpty() ? code : 1;
  }

  private List<Figure> speeds() {
    List<Figure> figures = new ArrayList<>();
    RunResult[] run = new RunResult[1];
    figures.add(
        measure(
            "simulated steps",
            100_000,
            () -> SimulationRun.of(config(false, seed)).stats().steps()));
    run[0] = SimulationRun.of(config(true, seed));
    TreeMap<String, List<TraceEvent>> logs = new TreeMap<>();
    run[0].traces().forEach((node, bytes) -> logs.put(node, TraceReader.read(node, bytes)));
    MergedLog log = MergedLog.of(logs);
    Conformance conformance = Conformance.named(protocol);
    validate(conformance, log.prefix(SIZES.get(1)));
    for (int size : SIZES) {
      MergedLog prefix = log.prefix(size);
      figures.add(
          measure(
              String.format(Locale.ROOT, "events validated, log of %,d", prefix.entries().size()),
              5_000,
              () -> validate(conformance, prefix)));
    }
    Corpora corpora = new Corpora(Places.root(), conformance);
    for (String module : conformance.corpusModules().keySet()) {
      if (corpora.adapter(module, Optional.empty()).isPresent()) {
        Corpus corpus = corpora.stored(module);
        replay(corpora, module, corpus);
        figures.add(
            measure("replayed steps of " + module, 200_000, () -> replay(corpora, module, corpus)));
      }
    }
    figures.add(
        measure(
            "graph steps walked",
            0,
            () -> corpora.generate().stream().mapToLong(Corpora.Generated::edges).sum()));
    figures.add(modelChecked());
    return figures;
  }

  /** TLC on the largest model of the quick lane, by its own clock: it runs in another process. */
  private Figure modelChecked() {
    Workspace workspace = Workspace.here();
    Check largest =
        workspace.protocols().stream()
            .filter(p -> p.protocol().equals(protocol))
            .flatMap(p -> p.checks().stream())
            .filter(c -> c.main() && c.expect() == Expect.HOLDS && c.in("quick"))
            .max(Comparator.comparingLong(Check::high))
            .orElseThrow();
    Board silent = new Board(new PrintStream(OutputStream.nullOutputStream()), false);
    Result result =
        new Driver(
                workspace,
                new Driver.Options(
                    List.of(largest.name()), "quick", true, 1, dev.plumbline.parts.Shard.WHOLE),
                silent)
            .run()
            .get(0);
    if (result.failed()) {
      throw new IllegalStateException(
          "the bench's model fails; see ./plumb check " + largest.name());
    }
    double seconds = result.millis() / 1e3;
    return new Figure("distinct states of " + largest.id(), result.distinct(), seconds, seconds, 0);
  }

  private RunConfig config(boolean traced, long runSeed) {
    ProtocolSystem system = Protocols.named(protocol);
    return new RunConfig(
        system,
        runSeed,
        TRANSACTIONS,
        "list-append",
        system.tolerated(),
        Set.of(),
        new TreeSet<>(),
        new TreeMap<>(),
        Optional.empty(),
        Optional.empty(),
        traced);
  }

  static Figure measure(String what, long budget, LongSupplier work) {
    long wall = System.nanoTime();
    long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    long done = work.getAsLong();
    return new Figure(
        what,
        done,
        (System.nanoTime() - wall) / 1e9,
        (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu) / 1e9,
        budget);
  }

  private long validate(Conformance conformance, MergedLog log) {
    Settings settings = Settings.repaired(Protocols.named(protocol).clockBounds());
    TraceModel main =
        conformance.traceModels(settings).stream()
            .filter(m -> m.module().equals(conformance.mainModule()))
            .findFirst()
            .orElseThrow();
    LogVerdict verdict = new Validator(Places.root()).validate(main, log);
    if (!verdict.accepted()) {
      throw new IllegalStateException("the bench's own run was rejected; see ./plumb trace");
    }
    return verdict.events();
  }

  private static long replay(Corpora corpora, String module, Corpus corpus) {
    return repeated(
        REPLAY_NANOS,
        () -> {
          Replay.Outcome o =
              new Replay(corpus, corpora.adapter(module, Optional.empty()).orElseThrow()).runHere();
          if (o.difference().isPresent()) {
            throw new IllegalStateException("the corpus does not replay; see ./plumb replay");
          }
          return o.steps() + o.refusals();
        });
  }

  /** What is done in so much processor time of this thread, however long that takes. */
  static long repeated(long cpuNanos, LongSupplier work) {
    long done = 0;
    long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    do {
      done += work.getAsLong();
    } while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start < cpuNanos);
    return done;
  }

  private void print(List<Figure> figures, ArrayNode all) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      for (Figure f : figures) {
        ObjectNode o = all.addObject().put("protocol", protocol);
        o.put("what", f.what()).put("done", f.done());
        o.put("wallSeconds", f.wall()).put("cpuSeconds", f.cpu());
        o.put("perCpuSecond", f.byCpu()).put("budget", f.budget()).put("met", f.met());
      }
      return;
    }
    out.printf(
        "%-34s %12s %12s %12s  %s%n", protocol + ", a second", "CPU", "wall clock", "budget", "");
    for (Figure f : figures) {
      out.printf(
          Locale.ROOT,
          "%-34s %,12.0f %,12.0f %12s  %s%n",
          f.what(),
          f.byCpu(),
          f.done() / f.wall(),
          f.budget() == 0 ? "-" : String.format(Locale.ROOT, "%,d", f.budget()),
          f.budget() == 0 ? "" : f.met() ? "met" : "MISSED");
    }
  }
}
