package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.parts.Merge;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts of ci/, in a folder with a space, with stand-ins for all that they run. */
@Timeout(60)
class EntryPointsTest {
  private static final Path SCRIPTS = Path.of("../ci");

  /** Says what it is called with, and ends as the environment wants. */
  private static final String PLUMB =
      """
      #!/usr/bin/env bash
      echo "$*" >>called
      sleep "${SLEEP:-0}" &
      trap 'kill $!; exit 143' TERM
      wait $!
      case $1 in
        verify) exit "${VERIFY:-0}" ;;
        test) echo "${SAYS:-}"; exit "${TEST:-0}" ;;
        merge)
          for out; do :; done
          [ "${MERGE:-0}" != 0 ] || echo "all holds" | tee "$out/merged.md" >"$out/merged.json"
          exit "${MERGE:-0}"
          ;;
      esac
      """;

  private static final String MAVEN =
      "#!/bin/sh\nsleep ${MAVEN_SLEEP:-0}\necho \"${SAYS:-}\"\nexit ${MAVEN:-0}\n";

  /**
   * A container engine: what it makes of the image is as the environment wants. Like Docker's it
   * knows no time for rm, and what reads a shell's commands hears no signal.
   */
  private static final String ENGINE =
      """
      #!/usr/bin/env bash
      echo "$*" >>called
      for last; do :; done
      case $1 in
        build)
          [ -d "$last/.git" ] && ! [ -e "$last/loose" ] || exit 1
          git -C "$last" rev-parse HEAD >built
          ;;
        compose) exit 1 ;;
        image) if [[ $4 == *revision* ]]; then echo "${REVISION:-$(git rev-parse HEAD)}"; else echo 7; fi ;;
        rm) [[ $* != *" -t "* ]] && rm -f "containers/$last" ;;
        run)
          [ "${MAKES:-0}" = 0 ] || { echo "no right to make one"; exit "$MAKES"; }
          name=$(sed -nE 's/.*--name ([^ ]+).*/\\1/p' <<<"$*")
          mkdir -p containers
          [ -z "$name" ] || touch "containers/$name"
          case $* in
            *"bash -s"*) trap '' TERM; sleep "${SLEEP:-0}" ;;
            *"--entrypoint id"*) echo 1000 ;;
            *"verify k2") echo "check  k2  holds  1 s"; exit "${VERIFY:-0}" ;;
          esac
          ;;
      esac
      """;

  @TempDir Path temporary;
  private Path root;
  private final Map<String, String> told = new HashMap<>();
  private String said;

  @BeforeEach
  void copyScripts() throws IOException {
    root = temporary.resolve("of mine");
    try (Stream<Path> files = Files.list(SCRIPTS)) {
      for (Path p : files.toList()) {
        write("ci/" + p.getFileName(), Files.readString(p));
      }
    }
    write("plumb", PLUMB);
    write("bin/mvn", MAVEN);
    for (String nothing : List.of("bin/java", "bin/iptables", "ci/lint", "ci/containers")) {
      write(nothing, "#!/bin/sh\n");
    }
    write(".plumb/adya/bin/adya", "#!/bin/sh\n");
    write("specs/toy/checks.yaml", "protocol: toy\n");
  }

  private void write(String name, String text) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private Process start(Path from, String line) throws IOException {
    List<String> command = new ArrayList<>(Arrays.asList(line.split(" ")));
    command.set(0, root.resolve(command.get(0)).toString());
    ProcessBuilder p = new ProcessBuilder(command).directory(from.toFile());
    Map<String, String> environment = p.environment();
    environment
        .keySet()
        .removeIf(k -> k.startsWith("PLUMB_") || k.startsWith("GITHUB_") || k.equals("MAVEN"));
    environment.put("PATH", root.resolve("bin") + ":" + environment.get("PATH"));
    environment.put("PLUMB_FUZZ_MINUTES", "0");
    environment.putAll(told);
    return p.redirectErrorStream(true).start();
  }

  private int run(String line) throws IOException, InterruptedException {
    return run(root, line);
  }

  private int run(Path from, String line) throws IOException, InterruptedException {
    Process process = start(from, line);
    said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor();
  }

  private String called() throws IOException {
    Path file = root.resolve("called");
    return Files.exists(file) ? Files.readString(file) : "";
  }

  private String exit() throws IOException {
    return Files.readString(root.resolve(".plumb/ci/exit")).strip();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ci/nightly",
        "ci/nightly 0 4",
        "ci/nightly 5 4",
        "ci/nightly a b",
        "ci/nightly 1 4 nope",
        "ci/nightly 1 4 --help",
        "ci/quick nope",
        "ci/quick --version",
        "ci/jepsen",
        "ci/jepsen --help",
        "ci/jepsen toy bank none 20 more",
        "ci/fuzz soon",
        "ci/merge",
        "ci/history",
        "ci/release 7"
      })
  void wrongArgumentsAreBadUsageAndNothingRuns(String line) throws Exception {
    write("pom.xml", "  <version>1</version>\n");
    assertThat(run(line)).as(said).isEqualTo(2);
    assertThat(called()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ci/quick", "ci/nightly 1 1", "ci/jepsen toy", "ci/merge x"})
  void aFolderThatCannotBeWrittenIsTheMachinesFault(String line) throws Exception {
    told.put("PLUMB_OUT", root.resolve("plumb/results").toString());
    assertThat(run(line)).as(said).isEqualTo(3);
    assertThat(said).contains("name another folder in PLUMB_OUT");
    told.put("PLUMB_OUT", ".plumb");
    assertThat(run(line)).as(said).isEqualTo(2);
    assertThat(called()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "There are test failures., 1",
    "'Tests run: 3, Failures: 0, Errors: 1, Skipped: 0', 1",
    "COMPILATION ERROR, 2",
    "Could not resolve dependencies, 3"
  })
  void whatMavenRefusesIsTheCodesAndAllElseIsTheMachines(String says, int code) throws Exception {
    told.putAll(Map.of("SAYS", says, "TEST", "1", "MAVEN", "1"));
    assertThat(run("ci/quick")).as(said).isEqualTo(code);
    assertThat(called()).doesNotContain("verify");
    assertThat(exit()).isEqualTo("" + code);
    assertThat(run("ci/fuzz 0")).as(said).isEqualTo(code);
    write("pom.xml", "  <version>1</version>\n");
    assertThat(run("ci/release 1")).as(said).isEqualTo(code);
    assertThat(run("ci/nightly 1 1")).as(said).isEqualTo(code);
  }

  @Test
  void aShareOfSeveralIsDoneWhateverItFoundAndOneAloneIsRed() throws Exception {
    told.put("VERIFY", "1");
    assertThat(run("ci/nightly 1 2")).as(said).isZero();
    assertThat(exit()).isEqualTo("1");
    assertThat(run("ci/nightly 1 1")).as(said).isEqualTo(1);
    told.put("VERIFY", "3");
    assertThat(run("ci/nightly 1 2")).as(said).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void whatTheLaneIsBesidesIsDoneOnce(int machines) throws Exception {
    List<String> done = new ArrayList<>();
    List<Path> results = new ArrayList<>();
    for (int i = 1; i <= machines; i++) {
      Path out = temporary.resolve("shard-" + i);
      told.put("PLUMB_OUT", out.toString());
      assertThat(run("ci/nightly " + i + " " + machines + " toy")).as(said).isZero();
      said.lines()
          .filter(l -> l.startsWith("holds  "))
          .map(l -> l.split(" +")[1])
          .forEach(done::add);
      results.add(out);
    }
    assertThat(done)
        .containsExactlyInAnyOrder("containers", "fuzz", "slow-tests", "audit-and-site");
    Merge merge = new Merge(results, null);
    assertThat(merge.missing()).isEmpty();
    assertThat(merge.exit()).isZero();
    assertThat(merge.text(false)).contains("besides verify");
    assertThat(new Merge(results.subList(0, 1), null).missing().isEmpty()).isEqualTo(machines == 1);
  }

  @Test
  void whatCannotRunHereIsNotRunAndWhatFailsIsNamed() throws Exception {
    write("ci/containers", "#!/bin/sh\necho containers: not run, there is no engine\n");
    told.putAll(Map.of("MAVEN", "1", "SAYS", "There are test failures."));
    assertThat(run("ci/nightly 1 1")).as(said).isEqualTo(1);
    assertThat(said).contains("not run  containers", "violated  slow-tests", "violated  fuzz");
    assertThat(said).contains("not run  audit-and-site");
    assertThat(new Merge(List.of(root.resolve(".plumb/ci")), null).text(false))
        .contains("violated  besides verify: fuzz: see the machine's fuzz.log");
  }

  @Test
  void whatAPartOfTheLaneDidNotRunIsNamed() throws Exception {
    write("ci/containers", "#!/bin/sh\necho 'holds        image'\necho 'not run      compose'\n");
    assertThat(run("ci/nightly 1 1")).as(said).isZero();
    assertThat(said).contains("holds  containers", "not run  containers: compose");
    assertThat(new Merge(List.of(root.resolve(".plumb/ci")), null).json().toString())
        .contains("{\"name\":\"containers: compose\",\"outcome\":\"not run\"");
  }

  private void containers() throws Exception {
    write("ci/containers", Files.readString(SCRIPTS.resolve("containers")));
    write("ci/fresh", "#!/bin/sh\nexit ${FRESH:-0}\n");
    write("docker/cluster", Files.readString(Path.of("../docker/cluster")));
    write("docker/Dockerfile", "FROM scratch\n");
    write("bin/docker", ENGINE);
    told.put("PLUMB_ENGINE", "docker");
    git("init -q");
    git("add ci docker bin");
    git("-c user.name=a -c user.email=a@b commit -q -m all");
  }

  private void git(String arguments) throws Exception {
    write("bin/git-here", "#!/bin/sh\nexec git \"$@\"\n");
    assertThat(run("bin/git-here " + arguments)).as(said).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"verify", "job", "cluster", "compose"})
  void anEngineThatMakesNoContainerIsTheMachines(String part) throws Exception {
    containers();
    told.put("MAKES", "126");
    assertThat(run("ci/containers " + part)).as(said).isEqualTo(3);
    assertThat(said).contains("docker makes no container here: no right to make one");
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 1", "3, 3", "4, 4", "125, 125", "126, 1", "127, 1", "137, 137"})
  void whatRunsInAContainerEndsWithItsOwnOutcome(String code, int meant) throws Exception {
    containers();
    told.put("VERIFY", code);
    assertThat(run("ci/containers verify")).as(said).isEqualTo(meant);
  }

  @Test
  void whereComposeMakesNoNetworkItIsTheMachine() throws Exception {
    containers();
    write(
        "bin/docker",
        ENGINE.replace(
            "compose) exit 1",
            "compose) if [[ $* == *\" up \"* ]]; then echo no pool left; exit 1; fi"));
    assertThat(run("ci/containers compose")).as(said).isEqualTo(3);
    assertThat(said).contains("docker compose starts no containers here: no pool left");
  }

  @Test
  void theImageIsSavedForItsKindOfProcessor() throws Exception {
    containers();
    assertThat(run("ci/containers save")).as(said).isZero();
    assertThat(called()).contains("\nsave localhost/plumbline\n");
    String[] saved = root.resolve(".plumb/ci/release").toFile().list();
    assertThat(saved)
        .hasSize(2)
        .allMatch(f -> f.matches("plumbline-image-.+\\.tar\\.gz(\\.sha256)?"));
  }

  /** A bundle of it could not be cloned. */
  @Test
  void aShallowCloneHasNoFreshOne() throws Exception {
    containers();
    write("ci/fresh", Files.readString(SCRIPTS.resolve("fresh")));
    git("-c user.name=a -c user.email=a@b commit -q --allow-empty -m more");
    String head = Files.readString(root.resolve(".git/HEAD")).strip().replaceFirst("ref: ", "");
    Files.copy(root.resolve(".git").resolve(head), root.resolve(".git/shallow"));
    assertThat(run("ci/fresh quick")).as(said).isEqualTo(3);
    assertThat(said).contains("this clone is shallow");
  }

  @Test
  void theImageAndFreshClonesHaveTheSameDebian() throws Exception {
    containers();
    write("ci/fresh", Files.readString(SCRIPTS.resolve("fresh")));
    told.putAll(Map.of("PLUMB_DEBIAN", "localhost/debian", "PLUMB_BUILD_ARGS", "--network host"));
    assertThat(run("ci/containers image fresh")).as(said).isZero();
    assertThat(called())
        .containsPattern("build --network host .*--build-arg DEBIAN=localhost/debian ")
        .containsPattern("run --rm -i .*--network host .* localhost/debian bash -s");
  }

  /** The container is a folder here. */
  @ParameterizedTest
  @CsvSource({
    "lint, 0, 0, holds",
    "lint, 1, 1, violated",
    "lint, 3, 3, environment",
    "lint, 4, 4, unknown",
    "lint, 124, 124, time-out",
    "lint, 137, 137, environment",
    "merge, 3, 0, holds",
    "merge, 0, 1, violated"
  })
  void aFreshCloneSaysHowItsEntryPointEnded(String name, String code, int meant, String word)
      throws Exception {
    write("ci/" + name, "#!/bin/sh\nexit " + code + "\n");
    containers();
    write("ci/fresh", Files.readString(SCRIPTS.resolve("fresh")));
    write("bin/apt-get", "#!/bin/sh\n");
    Path inside = Files.createDirectories(temporary.resolve("inside"));
    Path results = Files.createDirectories(root.resolve(".plumb/ci/fresh"));
    Files.createSymbolicLink(inside.resolve("results"), results);
    write(
        "bin/docker",
        "#!/usr/bin/env bash\n[ $1 = run ] || exit 0\nsed -E 's#(^|[^a-z])/(results|clone)#\\1"
            + inside
            + "/\\2#g' | bash -s -- \"${@: -1}\"\n");
    assertThat(run("ci/fresh " + name)).as(said).isEqualTo(meant);
    assertThat(said).containsPattern("(?m)^" + word + " +(env .*)?ci/" + name);
  }

  @ParameterizedTest
  @CsvSource({
    "1, violated  replay k2, 0, holds",
    "1, violated  check: k2, 1, violated",
    "0, all holds, 1, violated",
    "4, unknown  replay k2, 1, violated",
    "3, no disk, 3, environment",
    "137, , 137, environment"
  })
  void aPipelineIsAsRedAsItShouldBe(String code, String line, int meant, String word)
      throws Exception {
    write(
        "impl/src/main/java/dev/plumbline/k2/DataNode.java",
        "    return write.txn().ts().before(tracker(write.key()));\n");
    write(
        "ci/quick",
        """
        #!/bin/sh
        mkdir -p "$PLUMB_OUT"
        echo "$QUICK" >"$PLUMB_OUT/exit"
        echo "$SAYS"
        exit "$QUICK"
        """);
    containers();
    git("add impl");
    told.putAll(Map.of("QUICK", code, "SAYS", line == null ? "" : line));
    assertThat(run("ci/red machine")).as(said).isEqualTo(meant);
    assertThat(said).containsPattern("(?m)^" + word + " +a bug in a machine: ");
  }

  @Test
  void allHistoryIsNoPartOfTheResults() throws Exception {
    containers();
    write("ci/fresh", Files.readString(SCRIPTS.resolve("fresh")));
    write(
        "bin/docker",
        ENGINE.replace("*\"bash -s\"*) ", "*\"bash -s\"*) ls .plumb/ci/fresh >called; "));
    assertThat(run("ci/fresh quick")).as(said).isZero();
    assertThat(called()).contains("clone.bundle");
    assertThat(root.resolve(".plumb/ci/fresh/clone.bundle")).doesNotExist();
  }

  @Test
  void theImageNamesTheVersionWithoutBeingTold() throws IOException {
    String version =
        Files.readString(Path.of("../pom.xml"))
            .lines()
            .filter(l -> l.startsWith("  <version>"))
            .map(l -> l.replaceAll(" *</?version>", ""))
            .findFirst()
            .orElseThrow();
    assertThat(Files.readString(Path.of("../docker/Dockerfile")))
        .contains("\nARG VERSION=" + version + "\n")
        .contains("org.opencontainers.image.version=\"${VERSION}\"");
  }

  @Test
  void aClusterTakesItsContainersAway() throws Exception {
    containers();
    assertThat(run("docker/cluster jepsen k2")).as(said).isZero();
    assertThat(called()).containsPattern("--name plumb-\\d+-control ");
    assertThat(root.resolve("containers")).isEmptyDirectory();
  }

  @Test
  void whoStopsEntryPointsInAContainerStopsTheContainer() throws Exception {
    containers();
    write("ci/fresh", Files.readString(SCRIPTS.resolve("fresh")));
    told.put("SLEEP", "20");
    Process process = start(root, "ci/fresh quick");
    // The engine says what it is called with before it has made anything.
    String[] made = null;
    while (made == null || made.length == 0) {
      made = root.resolve("containers").toFile().list();
      assertThat(process.isAlive()).isTrue();
      Thread.sleep(50);
    }
    process.destroy();
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
    assertThat(root.resolve("containers")).isEmptyDirectory();
    assertThat(called()).containsPattern("rm -f plumb-fresh-\\d+");
  }

  @Test
  void aPartThatFailsHidesNoneAfterItAndWhatIsNotRunIsNoSuccess() throws Exception {
    containers();
    told.putAll(Map.of("VERIFY", "4", "FRESH", "1"));
    assertThat(run("ci/containers verify compose image fresh")).as(said).isEqualTo(1);
    assertThat(said)
        .containsPattern("unknown +verify")
        .containsPattern("not run +compose")
        .containsPattern("holds +image")
        .containsPattern("violated +fresh");
    assertThat(run("ci/containers verify nothing")).as(said).isEqualTo(2);
  }

  @Test
  void theImageIsOfTheCommitAndOfNoOther() throws Exception {
    containers();
    Path tree = temporary.resolve("tree");
    git("worktree add -q " + tree);
    Files.writeString(tree.resolve("loose"), "not committed");
    root = tree;
    assertThat(run("ci/containers image")).as(said).isZero();
    assertThat(tree.resolve("built")).exists();
    told.put("REVISION", "older");
    assertThat(run("ci/containers image")).as(said).isEqualTo(1);
    assertThat(run("ci/containers verify")).as(said).isEqualTo(2);
    assertThat(said).contains("ask for the part image first");
  }

  @Test
  void aSharesSummaryHasATableOfWhatItsPartsCameTo() throws Exception {
    Path summary = temporary.resolve("summary");
    told.putAll(
        Map.of("GITHUB_STEP_SUMMARY", summary.toString(), "MAVEN", "1", "SAYS", "no network"));
    // As the pretty printer writes it, and with an outcome in a text.
    write(
        "parts.json",
        """
        {
          "stage" : "check toy",
          "parts" : [ {
            "name" : "a", "outcome" : "holds", "detail" : "\\"outcome\\" : \\"violated\\""
          }, {
            "name" : "b", "outcome" : "time-out"
          }, {
            "name" : "c", "outcome" : "unknown"
          }, {
            "name" : "d", "outcome" : "violated"
          } ]
        }
        """);
    write(
        "plumb",
        PLUMB.replace(
            "verify) ",
            "verify) mkdir -p .plumb/reports/parts; cp parts.json .plumb/reports/parts/x.json; "));
    assertThat(run("ci/nightly 1 1")).as(said).isEqualTo(3);
    assertThat(Files.readString(summary))
        .contains("nightly lane, shard 1/1: environment")
        .contains("| stage | holds | violated | unknown | time-out | environment | not run |\n")
        .contains("| check toy | 1 | 1 | 1 | 1 | . | . |\n")
        .containsPattern("\\| besides verify \\| \\d \\| \\. \\| \\. \\| \\. \\| [12] \\| \\d \\|");
  }

  @Test
  void theTimeAllowedIsThatOfTheWholeShare() throws Exception {
    told.putAll(Map.of("PLUMB_MINUTES", "0.05", "MAVEN_SLEEP", "50"));
    assertThat(run("ci/nightly 1 1")).as(said).isEqualTo(124);
    assertThat(said).contains("time-out  fuzz", "time-out  slow-tests (0 s)");
    told.put("SLEEP", "50");
    assertThat(run("ci/quick")).as(said).isEqualTo(124);
    assertThat(exit()).isEqualTo("124");
  }

  /** A merge has one exit code for both. */
  @Test
  void aStageWhoseTimeIsOverIsNotUnknown() throws Exception {
    Path summary = temporary.resolve("summary");
    told.putAll(
        Map.of(
            "GITHUB_STEP_SUMMARY", summary.toString(),
            "PLUMB_MINUTES", "0.05",
            "PLUMB_SKIP_TESTS", "1",
            "MERGE", "4"));
    write("plumb", PLUMB.replace("verify) ", "verify) sleep 50 & wait $!; "));
    assertThat(run("ci/quick")).as(said).isEqualTo(124);
    assertThat(exit()).isEqualTo("124");
    assertThat(Files.readString(summary)).contains("quick lane: time-out");
    Files.delete(summary);
    write("plumb", PLUMB.replace("merge)", "merge) echo 'time-out  a: b' >\"${!#}/merged.txt\"\n"));
    assertThat(run("ci/merge .plumb/ci")).as(said).isEqualTo(4);
    assertThat(Files.readString(summary)).contains("nightly lane, merged: time-out");
  }

  /** The system kills what takes too much memory, and a time that is over what does not end. */
  @Test
  void whatIsKilledIsATimeOutOnlyWhereTheTimeWasOver() throws Exception {
    Path summary = temporary.resolve("summary");
    told.put("GITHUB_STEP_SUMMARY", summary.toString());
    write("plumb", PLUMB.replace("verify) ", "verify) kill -9 $$; "));
    for (String minutes : List.of("0", "5")) {
      told.put("PLUMB_MINUTES", minutes);
      assertThat(run("ci/quick")).as(said).isEqualTo(137);
      assertThat(exit()).isEqualTo("137");
      assertThat(Files.readString(summary)).contains("quick lane: environment");
      Files.delete(summary);
    }
    write("plumb", PLUMB.replace("exit 143", "kill -9 $$"));
    told.putAll(Map.of("PLUMB_MINUTES", "0.05", "SLEEP", "50"));
    assertThat(run("ci/quick")).as(said).isEqualTo(124);
    assertThat(Files.readString(summary)).contains("quick lane: time-out");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ci/nightly 1 1", "ci/quick", "ci/jepsen toy"})
  void whoIsStoppedLeavesWhatWasFound(String line) throws Exception {
    told.put("SLEEP", "50");
    write(".plumb/reports/parts/earlier.json", "{}");
    Process process = start(root, line);
    while (called().isEmpty()) {
      assertThat(process.isAlive()).isTrue();
      Thread.sleep(50);
    }
    write(".plumb/reports/parts/known.json", "{}");
    // Nobody listens any more either.
    process.destroy();
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
    assertThat(exit()).isEqualTo("143");
    assertThat(root.resolve(".plumb/ci/reports/parts/known.json")).exists();
    assertThat(root.resolve(".plumb/ci/reports/parts/earlier.json")).doesNotExist();
  }

  @Test
  void nothingOfAnEarlierRunIsTakenForThisOnes() throws Exception {
    Path summary = temporary.resolve("summary");
    told.putAll(
        Map.of(
            "GITHUB_STEP_SUMMARY", summary.toString(),
            "GITHUB_SERVER_URL", "https://server",
            "GITHUB_REPOSITORY", "of/mine",
            "GITHUB_RUN_ID", "7"));
    assertThat(run("ci/quick")).as(said).isZero();
    assertThat(Files.readString(summary))
        .contains("quick lane: holds", "all holds")
        .contains("[Results](https://server/of/mine/actions/runs/7#artifacts)");
    Files.delete(summary);
    write(".plumb/ci/logs/logs.tar.gz", "old");
    write(".plumb/reports/parts/simulate_toy.1-of-1.json", "what somebody tried by hand");
    told.putAll(Map.of("TEST", "1", "SAYS", "There are test failures."));
    assertThat(run("ci/quick")).as(said).isEqualTo(1);
    assertThat(Files.readString(summary)).contains("violated").doesNotContain("all holds");
    assertThat(Files.size(root.resolve(".plumb/ci/logs/logs.tar.gz"))).isGreaterThan(3);
    assertThat(root.resolve(".plumb/ci/reports/parts")).doesNotExist();
    told.put("TEST", "0");
    assertThat(run("ci/quick")).as(said).isZero();
    assertThat(root.resolve(".plumb/ci/logs")).doesNotExist();
  }

  @Test
  void aRunThatLeftNothingHasNoTableOfAnEarlierOne() throws Exception {
    Path summary = temporary.resolve("summary");
    told.put("GITHUB_STEP_SUMMARY", summary.toString());
    for (int code : List.of(3, 0)) {
      write(".plumb/jepsen/toy/20200101-000000-000/result.txt", "earlier: valid");
      String leaves =
          code == 0 ? "d=.plumb/jepsen/toy/20200102; mkdir $d; echo own >$d/result.txt; " : "";
      write(
          "plumb",
          PLUMB.replace("verify) ", "jepsen) " + leaves + "exit " + code + " ;; verify) "));
      assertThat(run("ci/jepsen toy")).as(said).isEqualTo(code);
      assertThat(Files.readString(summary)).doesNotContain("earlier").contains("jepsen toy");
    }
    assertThat(Files.readString(summary)).contains("    own");
  }

  /** Whose temporary files and entries come and go while a machine copies it. */
  @Test
  void aCacheMayBeOneThatOthersWriteToMeanwhile() throws Exception {
    Path cache = Files.createDirectories(temporary.resolve("cache/check"));
    for (int i = 0; i < 3_000; i++) {
      Files.writeString(cache.resolve("entry-" + i), "outcome");
    }
    AtomicBoolean done = new AtomicBoolean();
    Thread other =
        new Thread(
            () -> {
              try {
                for (int i = 0; !done.get(); i++) {
                  Path part = Files.writeString(cache.resolve(".part-" + i), "outcome");
                  Files.move(part, cache.resolve("other-" + i));
                  Files.delete(cache.resolve("other-" + i));
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    other.start();
    try {
      told.put("PLUMB_CACHE", cache.getParent().toString());
      for (int i = 0; i < 5; i++) {
        assertThat(run("ci/nightly 1 2")).as(said).isZero();
        assertThat(exit()).isEqualTo("0");
      }
      assertThat(root.resolve(".plumb/ci/cache/check/entry-2999")).hasContent("outcome");
    } finally {
      done.set(true);
      other.join();
    }
  }

  /** Who looks no further than to the first hit breaks the pipe of whoever is still speaking. */
  @Test
  void aNetworkOfTheMachineIsNoneForNodesHoweverMuchElseItHas() throws Exception {
    write(
        "jepsen/nodes.sh",
        Files.readString(Path.of("../jepsen/nodes.sh"))
            .replace("/run/plumbline-suites", "state")
            .replace("/opt/plumbline", "home"));
    write("bin/id", "#!/bin/sh\necho 0\n");
    write("bin/ip", "#!/bin/sh\n[ $2 = route ] || sleep 0.2\necho 198.51.100.7 dev eth0\n");
    assertThat(run("jepsen/nodes.sh up 3")).as(said).isEqualTo(3);
    assertThat(said).contains("this machine uses 198.51.100.0");
    assertThat(root.resolve("state")).doesNotExist();
  }

  @Test
  void jepsenWithoutARegistryIsTheMachinesAndWhatARunSaysIsItsOwn() throws Exception {
    write(
        "docker/jepsen",
        Files.readString(Path.of("../docker/jepsen")).replace("/plumbline/", "'" + root + "'/"));
    write("docker/nodes", "#!/bin/sh\n");
    write("jepsen/project.clj", "");
    write("bin/lein", "#!/bin/sh\necho lein $*\n[ $1 = run ] && exit 1\nexit ${LEIN_DEPS:-0}\n");
    told.putAll(Map.of("PLUMB_HOSTS", "n1,n2", "LEIN_DEPS", "1"));
    assertThat(run("docker/jepsen test")).as(said).isEqualTo(3);
    assertThat(said).contains("a network that leads to Clojars").doesNotContain("lein run");
    told.put("LEIN_DEPS", "0");
    assertThat(run("docker/jepsen test")).as(said).isEqualTo(1);
    assertThat(said).contains("lein run test --nodes n1,n2 ");
  }

  /** With it cd looks elsewhere for a relative path, and says where it went. */
  @Test
  void whereTheShellLooksForFoldersPlaysNoPart() throws Exception {
    told.put("CDPATH", ".:" + Files.createDirectories(temporary.resolve("other/ci")).getParent());
    write("relative", "#!/bin/sh\nexec ci/merge x\n");
    write("x/exit", "0");
    assertThat(run("relative")).as(said).isZero();
    assertThat(called()).startsWith("merge x --out");
  }

  @Test
  void whatCannotBeKeptIsTheMachinesFault() throws Exception {
    write(".plumb/reports/parts/known.json", "{}");
    for (String copies : List.of("cp", "tar")) {
      write(
          "bin/" + copies,
          "#!/bin/sh\ncase $* in *.plumb/reports*) exit 2 ;; esac\nPATH=/usr/bin:/bin exec "
              + copies
              + " \"$@\"\n");
    }
    assertThat(run("ci/quick")).as(said).isEqualTo(3);
    assertThat(said).contains("make it writable, or free some disk");
    assertThat(root.resolve(".plumb/ci/exit")).doesNotExist();
  }

  @Test
  void aFolderOfMachinesIsItsMachinesAndPathsAreTheCallers() throws Exception {
    Path caller = Files.createDirectories(temporary.resolve("caller"));
    for (String machine : List.of("all/shard-1", "all/shard-2", "single")) {
      Files.createDirectories(caller.resolve(machine));
      Files.writeString(caller.resolve(machine).resolve("exit"), "0\n");
    }
    told.put("PLUMB_OUT", "joined");
    assertThat(run(caller, "ci/merge all single")).as(said).isZero();
    assertThat(called())
        .isEqualTo(
            "merge %1$s/all/shard-1 %1$s/all/shard-2 %1$s/single --out %1$s/joined%n"
                .formatted(caller));
    assertThat(caller.resolve("joined/merged.json")).exists();
  }

  @Test
  void pathsInVariablesAreTheCallersToo() throws Exception {
    Path caller = Files.createDirectories(temporary.resolve("caller"));
    Files.createDirectories(caller.resolve("remembered/check"));
    Files.writeString(caller.resolve("remembered/check/a"), "outcome");
    told.putAll(
        Map.of(
            "PLUMB_CACHE", "remembered",
            "PLUMB_TLA2TOOLS", "tla.jar",
            "PLUMB_APALACHE", "/apalache",
            "PLUMB_ELLE", "elle.jar:/lib/clojure.jar"));
    write(
        "plumb",
        PLUMB.replace(
            "verify) ",
            "verify) echo $PLUMB_CACHE $PLUMB_TLA2TOOLS $PLUMB_APALACHE $PLUMB_ELLE >told; "));
    assertThat(run(caller, "ci/nightly 1 2")).as(said).isZero();
    assertThat(root.resolve("told"))
        .hasContent(
            "%1$s/remembered %1$s/tla.jar /apalache %1$s/elle.jar:/lib/clojure.jar"
                .formatted(caller));
    assertThat(root.resolve(".plumb/ci/cache/check/a")).hasContent("outcome");
  }

  @Test
  void aFolderThatIsNotThereOrHasNothingIsBadInputAndNamed() throws Exception {
    assertThat(run("ci/merge gone")).as(said).isEqualTo(2);
    assertThat(said).contains("gone: no such folder");
    Files.createDirectories(root.resolve("nothing"));
    assertThat(run("ci/merge nothing")).as(said).isEqualTo(2);
    assertThat(said).contains("nothing: it has no results");
    assertThat(called()).isEmpty();
    Files.createDirectories(root.resolve("something"));
    Files.writeString(root.resolve("something/exit"), "0\n");
    assertThat(run("ci/merge nothing something")).as(said).isZero();
    assertThat(called()).startsWith("merge nothing something ");
  }

  @Test
  void aPageThatIsBrokenIsNotTheVerdict() throws Exception {
    for (int i = 10; i < 45; i++) {
      write(".plumb/ci/runs/20000101T0000" + i + "Z.json", "[]");
    }
    write("all/exit", "0");
    assertThat(run("ci/merge all")).as(said).isZero();
    Path page = root.resolve(".plumb/ci/history.html");
    assertThat(Files.readString(page)).contains("The last 30 runs", "no merged report");
    assertThat(root.resolve(".plumb/ci/runs").toFile().list()).hasSize(30);
    Files.delete(page);
    write("ci/history", "#!/bin/sh\nexit 1\n");
    assertThat(run("ci/merge all")).as(said).isZero();
    assertThat(said).contains("no page over the last runs");
    assertThat(page).doesNotExist();
  }

  @Test
  void whatReportsSayIsTextInThePage() throws Exception {
    write(
        "runs/1.json",
        """
        {"commit": "<i>", "missing": [], "stages": [
          {"stage": "<script>", "counts": {"violated": 1}, "parts": [
            {"name": "\\"><img>", "outcome": "violated", "verdict": "v", "detail": ""}]},
          {"stage": "idle", "counts": {}, "parts": []}]}
        """);
    write("runs/2.json", "{\"commit\": 7, \"missing\": [], \"stages\": [{\"stage\": 1}]}");
    assertThat(run("ci/history runs")).as(said).isZero();
    assertThat(said)
        .contains("&lt;script&gt;", "&quot;&gt;&lt;img&gt;", "violated 1", "not run 0")
        .doesNotContain("<script>", "<img>", "<i>", "holds 0");
    Files.delete(root.resolve("runs/1.json"));
    Files.delete(root.resolve("runs/2.json"));
    assertThat(run("ci/history runs")).as(said).isEqualTo(2);
  }

  @Test
  void aDamagedReportIsARowAndThePageIsUtf8WhateverTheLocale() throws Exception {
    String report =
        "{\"commit\": \"c\", \"missing\": [], \"stages\": [{\"stage\": \"é \\ud800\","
            + " \"counts\": {\"%s\": %s}, \"parts\": []}]}";
    write("runs/1.json", report.formatted("holds", 1));
    write("runs/2.json", report.formatted("holds", "1e999"));
    write("runs/3.json", report.formatted("holds", -1));
    write("runs/4.json", report.formatted("exploded", 1));
    told.putAll(Map.of("LC_ALL", "POSIX", "PYTHONUTF8", "0", "PYTHONCOERCECLOCALE", "0"));
    assertThat(run("ci/history runs")).as(said).isZero();
    assertThat(said.split("<td>no merged report</td>", -1)).hasSize(4);
    assertThat(said).contains("<th>é ?</th>", "holds 1</td>").doesNotContain("Traceback");
  }
}
