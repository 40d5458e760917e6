package dev.plumbline.mutate;

import dev.plumbline.check.Child;
import dev.plumbline.check.Memory;
import dev.plumbline.check.Progress;
import dev.plumbline.check.Unjudged;
import dev.plumbline.check.Workspace;
import dev.plumbline.mutate.MutantsFile.Listed;
import dev.plumbline.mutate.MutantsFile.Machines;
import dev.plumbline.parts.Costs;
import dev.plumbline.parts.Ledger;
import dev.plumbline.parts.Shard;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** The mutants that PIT makes of a protocol's machines, judged by its conformance tests alone. */
final class MachineMutation {
  private static final String FORMAT = "1";
  private static final String PIT = "org.pitest.mutationtest.commandline.MutationCoverageReport";

  /** Mutants of a class that one process of PIT judges: its code is fast after a minute. */
  private static final int UNIT = 40;

  private static final String LOG = "pit.log";
  private static final Pattern UNITS = Pattern.compile("Created (\\d+) mutation test units\\R");
  private static final Pattern MUTANT =
      Pattern.compile(
          "<mutation [^>]*status='([^']*)' numberOfTestsRun='(\\d+)'>"
              + "(?:(?!<mutation ).)*?<mutatedClass>([^<]*)</mutatedClass>");

  /** The compiler numbers lambdas; one more before it must not rename a mutant. */
  private static final Pattern LAMBDA = Pattern.compile("(lambda\\$\\w+)\\$\\d+");

  private static final long LOOK_EVERY_SECONDS = 5;

  /** What Maven and PIT say where the code is to blame; all else is this machine's. */
  private static final Pattern CODE =
      Pattern.compile(
          "COMPILATION ERROR|Compilation failure|did not pass without mutation|No mutations found");

  private static final String MACHINES = "impl/target/classes";
  private static final String SOURCES = "impl/src/main/java";

  /** What a verdict can depend on besides the machines, relative to the repository. */
  private static final List<String> JUDGES =
      List.of(
          "conformance/target/classes",
          "conformance/target/test-classes",
          "conformance/target/test-classpath.txt",
          "conformance/corpora",
          "specs");

  private final Workspace workspace;
  private final String protocol;
  private final Machines machines;
  private final Progress progress;
  private boolean following;

  MachineMutation(Workspace workspace, String protocol, Machines machines, Progress progress) {
    this.workspace = workspace;
    this.protocol = protocol;
    this.machines = machines;
    this.progress = progress;
  }

  /** A shard's classes in one run of PIT: its first pass over the tests has but one thread. */
  MachineReport run(int jobs, boolean fresh, Shard shard) {
    return Workspace.alone(
        folder().resolve("lock"),
        "mutate machines of " + protocol,
        () -> judged(jobs, fresh, shard));
  }

  private MachineReport judged(int jobs, boolean fresh, Shard shard) {
    compile();
    List<String> all = classes(workspace.root().resolve(MACHINES), machines);
    String stage = "mutate machines of " + protocol;
    Costs costs = Costs.of(workspace);
    List<String> mine = shard.of(all, c -> stage + " " + c, c -> costs.millis(stage, c));
    Ledger ledger = new Ledger(workspace, stage, shard, all);
    long start = System.currentTimeMillis();
    List<MachineReport.Result> results = new ArrayList<>();
    if (!mine.isEmpty()) {
      Path known =
          cache(
              "machines-"
                  + hash(Stream.concat(Stream.of(MACHINES), JUDGES.stream()))
                  + (shard.whole() ? "" : "-" + MutantGenerator.hash(mine.toString()))
                  + ".xml");
      String xml = fresh ? null : Memory.read(known);
      if (xml == null) {
        xml = pit(accepted(), jobs, fresh, mine);
        Memory.write(known, xml);
      }
      results = parse(xml, workspace.root().resolve(SOURCES));
    }
    MachineReport report = report(results, id -> owns(id, all, mine, shard), shard);
    report.parts(mine, System.currentTimeMillis() - start).forEach(ledger::add);
    ledger.add(report.share());
    ledger.write();
    return report;
  }

  /**
   * Names of the machines' classes, without those nested in others. How machines are placed and run
   * ({@code system}) is none of theirs.
   */
  static List<String> classes(Path root, Machines machines) {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .map(f -> root.relativize(f).toString())
          .filter(f -> f.endsWith(".class") && !f.contains("$"))
          .map(f -> f.substring(0, f.length() - ".class".length()).replace('/', '.'))
          .filter(c -> matches(machines.classes(), c) && !matches(machines.except(), c))
          .filter(c -> !c.contains(".system."))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean matches(List<String> patterns, String name) {
    return patterns.stream().anyMatch(p -> name.matches(p.replace(".", "\\.").replace("*", ".*")));
  }

  /** Whether a mutant is of this shard's classes; of one that is no more the first shard speaks. */
  private static boolean owns(String id, List<String> all, List<String> mine, Shard shard) {
    String simple = id.substring(0, id.indexOf('.')).replaceFirst("\\$.*", "");
    return all.stream().anyMatch(c -> c.endsWith("." + simple))
        ? mine.stream().anyMatch(c -> c.endsWith("." + simple))
        : shard.index() == 1;
  }

  /** The tests are not part of what the launcher builds. */
  private void compile() {
    execute(
        List.of(
            "mvn", "-B", "-q", "-DskipTests", "-Dspotless.check.skip=true", "process-test-classes"),
        workspace.root(),
        folder().resolve("compile.log"),
        "the tests do not compile",
        () -> {});
  }

  private Path cache(String name) {
    return workspace.cache().resolve("mutate").resolve(name);
  }

  private String pit(Path accepted, int jobs, boolean fresh, List<String> classes) {
    progress.say(
        "machines of "
            + protocol
            + ": PIT runs the tests first (log: .plumb/run/"
            + protocol
            + "/mutate/"
            + LOG
            + ")");
    Path history = cache("machines-" + hash(JUDGES.stream()) + ".history");
    if (fresh) {
      delete(history);
    }
    Path report = folder().resolve("pit/mutations.xml");
    delete(report);
    delete(folder().resolve(LOG));
    List<String> command = new ArrayList<>(command(report.getParent(), classes, machines.tests()));
    command.addAll(
        List.of(
            "--threads",
            "" + jobs,
            "--historyInputLocation",
            history.toString(),
            "--historyOutputLocation",
            history.toString(),
            "--mutationUnitSize",
            "" + UNIT,
            "--timeoutConst",
            "90000",
            "--jvmArgs",
            "-Xmx2g,-Xss16m,-XX:+UseSerialGC,-Dplumb.accepted=" + accepted));
    execute(
        command,
        workspace.root().resolve("conformance"),
        folder().resolve(LOG),
        "PIT failed",
        () -> follow(report));
    progress.end();
    return read(report);
  }

  /** PIT on classes of the machines, reporting to a folder. */
  private List<String> command(Path reports, List<String> classes, List<String> tests) {
    Path conformance = workspace.root().resolve("conformance");
    Path machineClasses = workspace.root().resolve(MACHINES);
    String classPath =
        String.join(
            System.getProperty("path.separator"),
            conformance.resolve("target/test-classes").toString(),
            conformance.resolve("target/classes").toString(),
            machineClasses.toString(),
            read(conformance.resolve("target/test-classpath.txt")).strip());
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-cp",
        classPath,
        PIT,
        "--reportDir",
        reports.toString(),
        "--mutableCodePaths",
        machineClasses.toString(),
        "--targetClasses",
        withNested(classes),
        "--excludedClasses",
        withNested(machines.except()),
        "--targetTests",
        String.join(",", tests),
        "--sourceDirs",
        workspace.root().resolve(SOURCES).toString(),
        "--outputFormats",
        "XML",
        "--timestampedReports=false");
  }

  /**
   * The reasons in mutants.yaml whose mutants the machines as compiled do not have.
   *
   * @param idle a test that runs no machine, so that PIT names mutants and judges none
   */
  List<String> lost(Path reports, String idle) {
    List<String> classes = classes(workspace.root().resolve(MACHINES), machines);
    execute(
        command(reports, classes, List.of(idle)),
        workspace.root().resolve("conformance"),
        reports.resolve(LOG),
        "PIT failed",
        () -> {});
    List<MachineReport.Result> all =
        parse(read(reports.resolve("mutations.xml")), workspace.root().resolve(SOURCES));
    return report(all, id -> true, Shard.WHOLE).stale();
  }

  /** The classes that mutants.yaml names, and what is nested in them. */
  private static String withNested(List<String> classes) {
    return classes.stream()
        .flatMap(name -> Stream.of(name, name + "$*"))
        .collect(Collectors.joining(","));
  }

  /** How many of its units PIT has reported: each is of one class, and all but the last full. */
  private void follow(Path report) {
    if (!Files.exists(report)) {
      return;
    }
    if (!following) {
      Matcher units = UNITS.matcher(read(folder().resolve(LOG)));
      if (!units.find()) {
        return;
      }
      following = true;
      progress.begin(
          "machines of " + protocol, Integer.parseInt(units.group(1)), "groups of mutants");
    }
    progress.upTo(units(read(report)));
  }

  /**
   * The units in a report, perhaps an unfinished one. Mutants whose verdict an earlier run
   * remembers are reported as well, without a test that was run, and are in no unit.
   */
  static int units(String report) {
    Map<String, Integer> mutants = new HashMap<>();
    MUTANT
        .matcher(report)
        .results()
        .filter(m -> m.group(1).equals("NO_COVERAGE") || !m.group(2).equals("0"))
        .forEach(m -> mutants.merge(m.group(3), 1, Integer::sum));
    return mutants.values().stream().mapToInt(n -> (n + UNIT - 1) / UNIT).sum();
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A folder for the logs that need no second validation; it knows none yet. */
  private Path accepted() {
    Path accepted = folder().resolve("accepted");
    try {
      Files.createDirectories(accepted);
      try (DirectoryStream<Path> old = Files.newDirectoryStream(accepted)) {
        old.forEach(MachineMutation::delete);
      }
      return accepted;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path folder() {
    return workspace.runFolder(protocol, "mutate");
  }

  /**
   * Runs a command until it ends.
   *
   * @param said takes what it says
   * @throws InputError where it says that the code is to blame
   * @throws Unjudged where it fails otherwise
   */
  static void execute(
      List<String> command, Path where, Path said, String complaint, Runnable meanwhile) {
    try {
      Files.createDirectories(said.getParent());
      Process p =
          new ProcessBuilder(command)
              .directory(where.toFile())
              .redirectErrorStream(true)
              .redirectOutput(said.toFile())
              .start();
      Thread hook = new Thread(p::destroy);
      Runtime.getRuntime().addShutdownHook(hook);
      while (!p.waitFor(LOOK_EVERY_SECONDS, TimeUnit.SECONDS)) {
        meanwhile.run();
      }
      int code = p.exitValue();
      Runtime.getRuntime().removeShutdownHook(hook);
      if (code != 0 && CODE.matcher(read(said)).find()) {
        throw new InputError(
            said.toString(), 0, complaint + " (exit code " + code + ")", "read it");
      }
      if (code != 0) {
        throw new Unjudged(complaint + ": it " + Child.ended(code) + "; see " + said);
      }
    } catch (IOException e) {
      throw new Unjudged(command.get(0) + " cannot be run: " + Workspace.said(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Unjudged("interrupted");
    }
  }

  private String hash(Stream<String> inputs) {
    try {
      MessageDigest d = MessageDigest.getInstance("SHA-256");
      String what = FORMAT + machines.classes() + machines.except() + machines.tests();
      d.update(what.getBytes(StandardCharsets.UTF_8));
      for (String input : inputs.toList()) {
        try (Stream<Path> files = Files.walk(workspace.root().resolve(input))) {
          for (Path p : files.filter(MachineMutation::counts).sorted().toList()) {
            d.update(workspace.root().relativize(p).toString().getBytes(StandardCharsets.UTF_8));
            d.update(Files.readAllBytes(p));
          }
        }
      }
      return HexFormat.of().formatHex(d.digest(), 0, 16);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What is said of mutants or of specifications, or claimed of models, decides nothing. */
  static boolean counts(Path file) {
    return Files.isRegularFile(file)
        && !file.endsWith("mutants.yaml")
        && !file.endsWith("checks.yaml")
        && !file.toString().endsWith(".md");
  }

  private MachineReport report(
      List<MachineReport.Result> results, Predicate<String> owned, Shard shard) {
    Map<String, Listed> listed = machines.listed();
    return new MachineReport(
        protocol,
        shard.whole() ? machines.least() : 0,
        machines.least(),
        results.stream()
            .map(r -> listed.containsKey(r.id()) ? r.listed(listed.get(r.id()).reason()) : r)
            .toList(),
        listed.keySet().stream()
            .filter(owned)
            .filter(id -> results.stream().noneMatch(r -> r.id().equals(id)))
            .toList());
  }

  /** PIT's report, each mutant named by class, method, mutator and a hash of its source line. */
  static List<MachineReport.Result> parse(String xml, Path sources) {
    List<Element> mutants = new ArrayList<>();
    try {
      Document document =
          DocumentBuilderFactory.newDefaultInstance()
              .newDocumentBuilder()
              .parse(new InputSource(new StringReader(xml)));
      NodeList nodes = document.getElementsByTagName("mutation");
      for (int i = 0; i < nodes.getLength(); i++) {
        mutants.add((Element) nodes.item(i));
      }
    } catch (ParserConfigurationException | SAXException | IOException e) {
      throw new InputError(
          "", 0, "no report of PIT: " + e.getMessage(), "use --fresh, which makes another");
    }
    Map<String, List<String>> texts = new HashMap<>();
    Map<String, Integer> taken = new HashMap<>();
    List<MachineReport.Result> all = new ArrayList<>();
    // PIT's order is that of its threads; a mutant's number must not depend on it.
    mutants.sort(
        Comparator.comparing((Element m) -> text(m, "mutatedClass"))
            .thenComparingInt(m -> Integer.parseInt(text(m, "lineNumber")))
            .thenComparingInt(m -> Integer.parseInt(text(m, "index"))));
    for (Element m : mutants) {
      String className = text(m, "mutatedClass");
      String file =
          className.substring(0, className.lastIndexOf('.') + 1).replace('.', '/')
              + text(m, "sourceFile");
      int line = Integer.parseInt(text(m, "lineNumber"));
      List<String> source =
          texts.computeIfAbsent(file, f -> read(sources.resolve(f)).lines().toList());
      String code = line >= 1 && line <= source.size() ? source.get(line - 1).strip() : "";
      String mutator = text(m, "mutator");
      mutator = mutator.substring(mutator.lastIndexOf('.') + 1).replaceFirst("Mutator$", "");
      String said = unnumbered(text(m, "description"));
      String stem =
          className.substring(className.lastIndexOf('.') + 1)
              + "."
              + unnumbered(text(m, "mutatedMethod"))
              + "."
              + mutator
              + "."
              + MutantGenerator.hash(code + " -> " + said);
      int number = taken.merge(stem, 1, Integer::sum);
      all.add(
          new MachineReport.Result(
              number == 1 ? stem : stem + "-" + number,
              file,
              line,
              code,
              said,
              m.getAttribute("status"),
              text(m, "killingTest"),
              ""));
    }
    return all;
  }

  private static String unnumbered(String said) {
    return LAMBDA.matcher(said).replaceAll("$1");
  }

  private static String text(Element m, String tag) {
    NodeList found = m.getElementsByTagName(tag);
    return found.getLength() == 0 ? "" : found.item(0).getTextContent();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new InputError(file.toString(), 0, "cannot be read: " + e.getMessage(), "build again");
    }
  }
}
