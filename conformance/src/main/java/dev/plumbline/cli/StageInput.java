package dev.plumbline.cli;

import dev.plumbline.audit.Planned;
import dev.plumbline.check.Workspace;
import dev.plumbline.history.Adya;
import dev.plumbline.parts.Costs;
import dev.plumbline.parts.KeptSeeds;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the result of a stage of {@code plumb verify} depends on: digests, to know it again. */
final class StageInput {
  /** What is the same for all stages: the class path. */
  private static final String CODE = "code";

  /** Of that, what is no jar. */
  private static final String CLASSES = "classes";

  /** The stage that compares what catches each seeded bug with a page. */
  private static final String BUGS = "bugs";

  /** Stages that only run machines. */
  private static final Set<String> RUNS =
      Set.of("simulate", "histories", "bugs", "jepsen", "damage", "attack");

  /** Stages whose parts are split by what they took; the others' parts are alike. */
  private static final Set<String> BY_COST = Set.of("check", "worlds", "mutate");

  private StageInput() {}

  /**
   * What a lane runs, each with a digest of all that its result depends on.
   *
   * @param contents digests that are known
   */
  static List<Planned> planned(
      List<String> protocols, String lane, Workspace workspace, Map<String, String> contents)
      throws IOException {
    List<Planned> planned = new ArrayList<>();
    for (Stage s : Stage.ofLane(protocols, lane, false, workspace)) {
      planned.add(new Planned(s.protocol(), s.name(), s.command(), key(s, workspace, contents)));
    }
    return planned;
  }

  /** What is claimed of models and mutants decides nothing about stages that only run machines. */
  static boolean decides(String stage, Path file) {
    String name = file.getFileName().toString();
    return !name.endsWith(".md")
        && !Set.of("claims.yaml", "links.txt").contains(name)
        && !(RUNS.contains(stage) && Set.of("checks.yaml", "mutants.yaml").contains(name));
  }

  /** The judges of other makers that are at hand: with one more, a stage says more. */
  static String judges(Workspace workspace) {
    String elle = System.getenv("PLUMB_ELLE");
    return "adya "
        + (Adya.in(workspace.root().resolve(".plumb")) != null)
        + ", elle "
        + (elle == null ? "" : elle);
  }

  /** Machines run on it, and so do their judges: another version may say otherwise. */
  private static String java() {
    return System.getProperty("java.vm.vendor") + " " + System.getProperty("java.vm.version");
  }

  /**
   * What a stage's result depends on: its arguments, the judges, the specification, the corpora,
   * the code, the Java that runs it.
   *
   * @param contents digests of all but the arguments that are known, by what they are of
   */
  static String key(Stage s, Workspace workspace, Map<String, String> contents) throws IOException {
    String of = files(s.protocol(), s.name());
    if (!contents.containsKey(of)) {
      contents.put(of, files(s.protocol(), s.name(), workspace));
    }
    if (!contents.containsKey(CODE)) {
      contents.put(CLASSES, classes());
      contents.put(CODE, contents(CODE, classPath()));
    }
    // Whether what is known is run again changes nothing of what it says.
    String arguments =
        s.arguments().stream().filter(a -> !a.equals("--fresh")).collect(Collectors.joining(" "))
            + (BY_COST.contains(s.name()) ? split(s.arguments(), s.ledger(), workspace) : "");
    MessageDigest digest = sha256();
    List<String> parts =
        new ArrayList<>(
            List.of(arguments, judges(workspace), java(), contents.get(of), contents.get(CODE)));
    parts.addAll(kept(s.name(), s.shared() ? s.ledger() : "", workspace));
    if (s.name().equals(BUGS)) {
      parts.add(contents(BUGS, bugs(s.protocol(), workspace)));
    }
    for (String part : parts) {
      digest.update((part + "\n").getBytes(StandardCharsets.UTF_8));
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** What the digest of a stage's specification and corpora is called. */
  private static String files(String protocol, String stage) {
    return protocol + (RUNS.contains(stage) ? " runs" : "");
  }

  private static String files(String protocol, String stage, Workspace workspace)
      throws IOException {
    List<Path> specs = new ArrayList<>(List.of(workspace.specs().resolve("common")));
    for (String p : protocol.split(" ", -1)) {
      specs.add(workspace.specs().resolve(p));
      specs.add(workspace.root().resolve("conformance").resolve("corpora").resolve(p));
    }
    return contents(stage, specs);
  }

  private static List<Path> classPath() {
    String path = System.getProperty("java.class.path");
    return Stream.of(path.split(File.pathSeparator)).map(Path::of).toList();
  }

  /** What another command may compile anew while this one runs. */
  private static String classes() throws IOException {
    return contents(CODE, classPath().stream().filter(Files::isDirectory).toList());
  }

  /**
   * Whether files that a stage reads are others than those whose digests are known: then what it
   * said is of neither, and what follows reads the new ones.
   */
  static boolean edited(
      String protocol, String stage, Workspace workspace, Map<String, String> contents)
      throws IOException {
    String now = files(protocol, stage, workspace);
    String before = contents.put(files(protocol, stage), now);
    String classes = classes();
    boolean compiled = !classes.equals(contents.put(CLASSES, classes));
    if (compiled) {
      contents.put(CODE, contents(CODE, classPath()));
    }
    return compiled || !now.equals(before);
  }

  /** Seeds that failed and are to run first: what was said before they did is no answer. */
  static List<String> kept(String stage, String ledger, Workspace workspace) {
    return RUNS.contains(stage) && Stage.SHARED.contains(stage)
        ? KeptSeeds.of(workspace).of(ledger).stream().map(KeptSeeds.Kept::part).toList()
        : List.of();
  }

  /** A share is another one where the times by which the stage is split are others. */
  static String split(List<String> arguments, String ledger, Workspace workspace) {
    return arguments.contains("--shard") ? " " + Costs.of(workspace).parts(ledger) : "";
  }

  /** What seeded bugs are made of, where the runs are that show them, and what is said of each. */
  static List<Path> bugs(String protocol, Workspace workspace) {
    return List.of(
        Bugs.from(null),
        Bugs.table(protocol),
        workspace.docs().resolve("seeded-bugs-" + protocol + ".md"));
  }

  /** A digest of files, and of those in folders that decide what a stage says. */
  static String contents(String stage, List<Path> roots) throws IOException {
    MessageDigest digest = sha256();
    for (Path root : roots) {
      if (Files.exists(root)) {
        try (Stream<Path> files = Files.walk(root)) {
          for (Path file :
              files
                  .filter(Files::isRegularFile)
                  .filter(f -> f.equals(root) || decides(stage, f))
                  .sorted()
                  .toList()) {
            String head = root.relativize(file) + " " + Files.size(file) + "\n";
            digest.update(head.getBytes(StandardCharsets.UTF_8));
            digest.update(Files.readAllBytes(file));
          }
        }
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
