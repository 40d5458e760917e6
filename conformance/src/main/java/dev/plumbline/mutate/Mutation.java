package dev.plumbline.mutate;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Manifest;
import dev.plumbline.check.Progress;
import dev.plumbline.check.Reports;
import dev.plumbline.check.Workspace;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.Shard;
import dev.plumbline.tlc.Checker;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Runs the mutants of protocols and reports. */
public final class Mutation {
  private static final Pattern MADE_OF =
      Pattern.compile("\\.(tla|cfg)$|/(checks|mutants|handmade)\\.yaml$");

  private static final String EDITED =
      "files were changed while mutants were judged; the audit takes this for no result of them";

  private final Workspace workspace;
  private final Options options;
  private final PrintStream out;
  private final boolean terminal;
  private final ObjectNode report = new ObjectMapper().createObjectNode();
  private final StringBuilder text = new StringBuilder();
  private final StringBuilder cases = new StringBuilder();
  private Ending ending = Ending.HOLDS;

  /**
   * What to run.
   *
   * @param protocols empty for all that have a mutants.yaml
   * @param nightly every mutant, else a sample
   * @param first each mutant up to its first kill, also in the nightly lane
   * @param reach only ask of each specification mutant whether a model that judges gets to it
   * @param part specs, machines or all
   * @param only prefixes of the names of the specification mutants to judge; machines are left out
   *     unless it is empty
   * @param sample how many specification mutants of a protocol unless nightly
   * @param pairs how many pairs of mutants of each module in the nightly lane
   * @param jobs processes at a time
   * @param fresh ignore what is remembered
   * @param matrix print which property kills which mutant
   * @param shard which of them
   * @param command that asks for all this
   */
  public record Options(
      List<String> protocols,
      boolean nightly,
      boolean first,
      boolean reach,
      String part,
      List<String> only,
      int sample,
      int pairs,
      long seed,
      int jobs,
      boolean fresh,
      boolean matrix,
      Shard shard,
      String command) {}

  public Mutation(Workspace workspace, Options options, PrintStream out, boolean terminal) {
    this.workspace = workspace;
    this.options = options;
    this.out = out;
    this.terminal = terminal;
  }

  /** How it ended: it holds when every mutant is killed, argued or no mutant at all. */
  public Ending run() {
    List<Checks> chosen = new ArrayList<>();
    boolean named = !options.protocols().isEmpty();
    for (Checks p : workspace.protocols(options.protocols())) {
      if (named && !Files.isRegularFile(file(p))) {
        throw new InputError(
            file(p).toString(), 0, "there is no such file", "write it; see docs/mutants-file.md");
      }
      if (named || Files.isRegularFile(file(p))) {
        chosen.add(p);
      }
    }
    report.set("manifest", Manifest.of(workspace.root(), Map.of("tlc", Checker.version())));
    report.put("command", options.command());
    report.put("lane", options.nightly() ? "nightly" : "quick").put("seed", options.seed());
    ArrayNode all = report.putArray("protocols");
    for (Checks p : chosen) {
      all.add(one(p));
    }
    Path reports = workspace.made().resolve("reports");
    Workspace.writeWhole(reports.resolve("mutate.json"), report.toPrettyString() + "\n");
    for (int i = 0; i < chosen.size(); i++) {
      ObjectNode own = report.deepCopy();
      own.putArray("protocols").add(all.get(i));
      keep(reports.resolve("mutate-" + chosen.get(i).protocol() + ".json"), own);
    }
    Workspace.writeWhole(
        reports.resolve("mutate.xml"),
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="plumb mutate">
          <testsuite name="mutants">
        """
            + cases
            + "  </testsuite>\n</testsuites>\n");
    return ending;
  }

  private void count(Ending one) {
    ending = one.worse(ending) ? one : ending;
  }

  /** A sample, or what was asked of some mutants, does not take the place of all of them. */
  private void keep(Path file, ObjectNode own) {
    if (options.reach()) {
      return;
    }
    Noticed now = Noticed.of(own, own.path("protocols").path(0));
    Noticed before = options.part().equals("machines") ? null : stored(file);
    if (before != null && before.input().equals(now.input()) && before.judged() > now.judged()) {
      text.append("%s stays: %s judged more%n".formatted(file.getFileName(), before.command()));
      return;
    }
    Workspace.writeWhole(file, own.toPrettyString() + "\n");
  }

  /** What the last run left, or null where nothing can be read. */
  private static Noticed stored(Path file) {
    try {
      return Files.isRegularFile(file) ? Noticed.read(file) : null;
    } catch (InputError e) {
      return null;
    }
  }

  /** A digest of what a protocol's specification mutants are made of and judged by. */
  public static String input(Checks protocol, Workspace workspace) {
    StringBuilder all = new StringBuilder(Checker.version());
    Path folder = protocol.file().toAbsolutePath().getParent();
    for (Path each : List.of(workspace.specs().toAbsolutePath().resolve("common"), folder)) {
      if (Files.isDirectory(each)) {
        try (Stream<Path> files = Files.walk(each)) {
          for (Path f : files.filter(f -> MADE_OF.matcher(f.toString()).find()).sorted().toList()) {
            all.append('\n').append(each.relativize(f)).append('\n').append(Files.readString(f));
          }
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return MutantGenerator.hash(all.toString());
  }

  /** What was edited meanwhile is no input of these results, and neither is what it was before. */
  private ObjectNode one(Checks protocol) {
    String before = input(protocol, workspace);
    ObjectNode judged = judged(protocol);
    boolean same = before.equals(input(protocol, workspace));
    if (!same) {
      text.append(protocol.protocol()).append(": ").append(EDITED).append('\n');
    }
    return judged.put("input", same ? before : "");
  }

  private ObjectNode judged(Checks protocol) {
    MutantsFile file = MutantsFile.read(file(protocol), protocol);
    Progress progress = new Progress(out, terminal);
    ObjectNode json = new ObjectMapper().createObjectNode().put("protocol", protocol.protocol());
    if (!options.part().equals("machines")) {
      SpecMutation.Options how =
          new SpecMutation.Options(
              options.nightly(),
              options.first(),
              options.reach(),
              options.only(),
              options.sample(),
              options.pairs(),
              options.seed(),
              options.jobs(),
              options.fresh(),
              options.shard());
      SpecReport specs = new SpecMutation(workspace, protocol, file, how, progress).run();
      count(specs.faults().isEmpty() ? Ending.HOLDS : Ending.VIOLATED);
      count(specs.late().isEmpty() ? Ending.HOLDS : Ending.TIME_OUT);
      text.append(specs.text(options.matrix()));
      cases.append(specs.junit());
      json = specs.json();
    }
    if (file.machines().classes().isEmpty()
        || options.part().equals("specs")
        || options.reach()
        || !options.only().isEmpty()) {
      return json;
    }
    if (options.nightly()) {
      MachineReport machines =
          new MachineMutation(workspace, protocol.protocol(), file.machines(), progress)
              .run(options.jobs(), options.fresh(), options.shard());
      machines.endings().forEach(this::count);
      text.append(machines.text());
      cases.append(machines.junit());
      json.set("machines", machines.json());
    } else {
      text.append(protocol.protocol()).append(" machines: not run, they are in the nightly lane\n");
    }
    return json;
  }

  /** {@code how} is failure, error, skipped or empty. */
  static String testCase(String suite, String name, String how, String message) {
    String start =
        "    <testcase classname=\"mutate.%s\" name=\"%s\""
            .formatted(Reports.xml(suite), Reports.xml(name));
    return how.isEmpty()
        ? start + "/>\n"
        : start + "><%s message=\"%s\"/></testcase>\n".formatted(how, Reports.xml(message));
  }

  /** Where a protocol says how its mutants are made and judged. */
  public static Path file(Checks p) {
    return p.file().resolveSibling("mutants.yaml");
  }

  /** Whether a protocol's machines are mutated too. */
  public static boolean machines(String protocol, Workspace workspace) {
    return workspace.protocols().stream()
        .filter(p -> p.protocol().equals(protocol))
        .anyMatch(p -> !MutantsFile.read(file(p), p).machines().classes().isEmpty());
  }

  public String text() {
    return text.toString();
  }

  public String json() {
    return report.toPrettyString() + "\n";
  }
}
