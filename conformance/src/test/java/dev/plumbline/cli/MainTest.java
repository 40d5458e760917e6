package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.check.Progress;
import dev.plumbline.check.Unjudged;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** What commands do alike. */
class MainTest {
  /** On a terminal of 80 columns a path or a file's name can be copied as it stands. */
  @Test
  void helpBreaksNoPathOverTwoLines() {
    CommandLine plumb = Main.commandLine();
    String all = plumb.getUsageMessage(CommandLine.Help.Ansi.OFF);
    for (CommandLine command : plumb.getSubcommands().values()) {
      CommandSpec spec = command.getCommandSpec();
      List<String> words = new ArrayList<>(paths(spec.usageMessage().description()));
      spec.args().forEach(arg -> words.addAll(paths(arg.description())));
      String usage = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
      assertThat(words).allSatisfy(word -> assertThat(usage).contains(word));
      assertThat(paths(spec.usageMessage().description()[0]))
          .allSatisfy(word -> assertThat(all).contains(word));
    }
  }

  private static List<String> paths(String... description) {
    return Stream.of(description)
        .flatMap(text -> Stream.of(text.split("\\s+")))
        .filter(word -> word.matches("[^$%]*[./,]\\w[^$%]*"))
        .toList();
  }

  /** The one with worse clocks is for tests. */
  @Test
  void everyProtocolThatHelpOffersHasASpecification() {
    assertThat(new ProtocolNames())
        .isNotEmpty()
        .allSatisfy(name -> assertThat(Path.of("../specs", name, "checks.yaml")).exists());
  }

  @Test
  void whatCannotBeWrittenIsSaidInWords() {
    assertThat(Workspace.said(new NoSuchFileException("/proc/x.html")))
        .isEqualTo("/proc/x.html: no such file");
    assertThatThrownBy(() -> ExplainCommand.write(Path.of("/"), "text"))
        .isInstanceOf(FileSystemException.class);
  }

  /** Reports are read by other programs, in whatever language their user works. */
  @Test
  void numbersAreWrittenAlikeInEveryLanguage(@TempDir Path folder) throws Exception {
    Path history = folder.resolve("history.edn");
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 1_000; i++) {
      String type = i % 2 == 0 ? ":invoke" : ":ok";
      lines.append("{:index %d, :type %s, :process 0, :time %d, :f :txn,".formatted(i, type, i));
      lines.append(" :value [[:r 1 nil]], :ts [%d]}\n".formatted(i));
    }
    Files.writeString(history, lines);
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Duser.language=de",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "history",
                history.toString(),
                "--require",
                "witness")
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(said).contains("1,000 operations");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bench nope",
        "bugs nope",
        "cluster up nope",
        "corpus nope",
        "coverage nope",
        "jepsen nope",
        "replay nope",
        "simulate nope",
        "trace nope ."
      })
  void aProtocolThatIsNotThereIsBadInput(String line) {
    StringWriter err = new StringWriter();
    CommandLine plumb = Main.commandLine().setErr(new PrintWriter(err, true));

    assertThat(plumb.execute(line.split(" "))).isEqualTo(2);

    assertThat(err.toString()).contains("no protocol").contains("nope").doesNotContain("\tat ");
  }

  @ParameterizedTest
  @CsvSource({
    "bench k2 --processes, no figures of processes",
    "bench --processes, no figures of processes",
    "bench metric --processes --seed 2, real time has no seed",
    "bench metric --processes --figures 4b, no such figure: 4b",
    "bench metric --processes --update --figures 4a, a page of real time is of one run"
  })
  void aBenchOfProcessesIsForThoseThatHaveOne(String line, String why) {
    StringWriter err = new StringWriter();
    CommandLine plumb = Main.commandLine().setErr(new PrintWriter(err, true));

    assertThat(plumb.execute(line.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(why).doesNotContain("\tat ");
  }

  @ParameterizedTest
  @CsvSource({
    "worlds k2 --jobs 0, --jobs 0 searches nothing",
    "worlds k2 --count 0, --count 0 draws nothing",
    "mutate k2 --jobs 0, --jobs and --sample start at 1"
  })
  void aNumberThatAsksForNothingIsBadInput(String line, String why) {
    StringWriter err = new StringWriter();
    CommandLine plumb = Main.commandLine().setErr(new PrintWriter(err, true));

    assertThat(plumb.execute(line.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(why, "give a larger number").doesNotContain("\tat ");
  }

  @ParameterizedTest
  @CsvSource({
    "k2/tb-lifetime --width -3, --width -3",
    "k2/tb-lifetime --op 3, no run is named",
    "--run . --html f.html --json, nothing else",
    "--run . --html f.html --svg f.svg, nothing else",
    "k2/tb-lifetim, did you mean k2/tb-lifetime?"
  })
  void whatExplainCannotShowIsBadInput(String line, String why) {
    Workspace workspace = new Workspace(Path.of("..").toAbsolutePath());
    assertThatThrownBy(
            () ->
                CommandLine.populateCommand(new ExplainCommand(workspace), line.split(" ")).call())
        .isInstanceOfSatisfying(InputError.class, e -> assertThat(e.describe()).contains(why));
  }

  @ParameterizedTest
  @CsvSource({"80, 80", "0, 0", "99999999999, 0", "-3, 0", "wide, 0", ", 0"})
  void columnsThatAreNoWidthAreNotTaken(String said, int width) {
    assertThat(ExplainCommand.columns(said)).isEqualTo(width);
  }

  @Test
  void anArgumentIsNeverTakenForAFileOfArguments(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("args"), "--help");
    StringWriter err = new StringWriter();
    CommandLine plumb = Main.commandLine().setErr(new PrintWriter(err, true));

    assertThat(plumb.execute("bugs", "@" + file)).isEqualTo(2);

    assertThat(err.toString()).contains("@" + file);
  }

  @Test
  void aFileWhereAFolderIsNeededIsBadInput(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("kept"), "kept");
    for (List<String> option :
        List.of(List.of("--trace", "" + file), List.of("--history", file + "/h.edn"))) {
      StringWriter err = new StringWriter();
      CommandLine plumb = Main.commandLine().setErr(new PrintWriter(err, true));
      List<String> line = new ArrayList<>(List.of("simulate", "k2", "--txns", "2"));
      line.addAll(option);

      assertThat(plumb.execute(line.toArray(String[]::new))).as("%s", option).isEqualTo(2);

      assertThat(err.toString()).contains("" + file, "where a folder is needed", "another path");
      assertThat(file).hasContent("kept");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "No space left on device, 3, MiB left",
    "/x: Is a directory, 2, name a file",
    "/x (Permission denied), 3, make the path writable"
  })
  void aFailedAccessToFilesHasItsRemedy(String failure, int code, String remedy) {
    StringWriter err = new StringWriter();
    Callable<Integer> fails =
        () -> {
          throw new IOException(failure);
        };
    CommandLine plumb =
        Main.commandLine().addSubcommand("fails", CommandSpec.wrapWithoutInspection(fails));
    plumb.setErr(new PrintWriter(err, true));

    assertThat(plumb.execute("fails")).isEqualTo(code);

    assertThat(err.toString()).contains(failure, remedy).doesNotContain("\tat ");
  }

  private static String ending(Throwable fault) {
    return ending(fault, 3);
  }

  private static String ending(Throwable fault, int exit) {
    StringWriter err = new StringWriter();
    Callable<Integer> fails =
        () -> {
          if (fault instanceof Error e) {
            throw e;
          }
          throw (Exception) fault;
        };
    CommandLine plumb =
        Main.commandLine().addSubcommand("fails", CommandSpec.wrapWithoutInspection(fails));
    plumb.setErr(new PrintWriter(err));

    assertThat(plumb.execute("fails")).isEqualTo(exit);
    plumb.getErr().flush();
    return err.toString();
  }

  @Test
  void tooLittleMemoryIsTheEnvironments() {
    for (Throwable fault :
        List.of(
            new OutOfMemoryError("Java heap space"),
            new IllegalStateException(new OutOfMemoryError("Java heap space")))) {
      assertThat(ending(fault))
          .contains("OutOfMemoryError: Java heap space", "PLUMB_JAVA_OPTS=-Xmx8g")
          .hasLineCount(1);
    }
    assertThat(ending(new StackOverflowError())).contains("PLUMB_JAVA_OPTS=-Xss64m");
  }

  @Test
  void aTimeThatIsOverIsNoFaultOfTheMachine() {
    assertThat(ending(new Unjudged("killed"))).contains("plumb: killed");
    assertThat(ending(Unjudged.late("no time"), 4)).contains("plumb: no time");
  }

  @Test
  void aFaultOfPlumbItselfIsNoVerdict() {
    for (Throwable fault : List.of(new IllegalStateException("odd"), new AssertionError("odd"))) {
      assertThat(ending(fault)).contains("odd", "\tat ");
    }
  }

  /** One line that helps, and where the rest stands; no page of usage and no stack trace. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "simulat k2|did you mean simulate",
        "check --project x|--project DIR stands before the command: ./plumb --project DIR check",
        "check k2 --project=x|--project DIR stands before the command",
        "check --lne quick|--lne",
        "check --jobs x|is not an int",
        "simulate k2 --txns -3|at least one transaction",
        "attack k2 --seconds -3|--seconds takes 1 or more",
        "simulate k2 --set ttlMicros=-5|at least 1 µs",
        "simulate k2 --set resendMicros=-5|0 µs at least",
        "simulate k2 --set batchRetryMicros=-5|0 µs at least",
        "simulate k2 --set heartbeatMicros=-5|0 µs at least",
        "simulate k2 --set suspectMicros=-5|0 µs at least",
        "simulate k2 --set patienceMicros=-5|0 µs at least",
        "simulate dast --set tellMicros=-5|tellMicros is -5; it is from 1 to",
        "simulate dast --set resendMicros=-5|resendMicros is -5; it is from 1 to",
        "simulate dast --set rttMicros=-5|rttMicros is -5; it is from 0 to",
        "simulate dast --set suspectMicros=-5|suspectMicros is -5; it is from 0 to",
        "simulate dast --set remoteMicros=-5|remoteMicros is -5",
        "simulate dast --set remoteMicros=1000000000|it is from 0 to 999999999",
        "simulate dast --set regions=4294967297|regions is 4294967297",
        "simulate metric --set tables=0|tables is 0",
        "simulate engage --set remoteMicros=-5|remoteMicros is -5; it is from 0",
        "simulate engage --set largestValue=4294967297|largestValue is 4294967297; it is from 1",
        "simulate engage --set versions=4294967297|versions is 4294967297; it is from 1",
        "simulate engage --set mesh=1 --set lostBroker=1|no broker to lose",
        "simulate engage --seed 9223372036854775806 --seeds 2|too large for --seeds 2",
        "jepsen engage --seed 9223372036854775807 --seeds 2|too large for --seeds 2",
        "simulate k2 --bug early-finalize --bugs pom.xml|pom.xml: there is no seeded bug of k2",
        "history /dev/null|/dev/null is a pipe or a device",
        "simulate k2 --set epochMicros=0|at least 1 µs",
        "simulate k2 --set epochMicros=9223372036854775807|at most 1000000000000"
      })
  void badUsageSaysOneUsefulLine(String line, String said) {
    StringWriter err = new StringWriter();
    CommandLine plumb = Main.commandLine().setErr(new PrintWriter(err, true));

    assertThat(plumb.execute(line.split(" "))).isEqualTo(2);

    assertThat(err.toString()).contains(said).contains("--help").doesNotContain("\tat ");
    assertThat(err.toString().lines()).hasSizeLessThanOrEqualTo(3);
  }

  @Test
  void noEventsAreNoLog(@TempDir Path folder) {
    StringWriter err = new StringWriter();
    CommandLine plumb = Main.commandLine().setErr(new PrintWriter(err, true));
    assertThat(plumb.execute("trace", "k2", "--first", "-1", folder.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--first is -1").doesNotContain("\tat ");
  }

  @Test
  void helpAndReadmeSayWhichCommandsMayEndUnknown() throws IOException {
    CommandLine plumb = Main.commandLine();
    List<String> unknown =
        plumb.getSubcommands().entrySet().stream()
            .filter(
                c -> c.getValue().getCommandSpec().usageMessage().exitCodeList().containsKey("4"))
            .map(c -> c.getKey())
            .sorted()
            .toList();
    assertThat(unknown).contains("simulate", "verify");
    assertThat(plumb.getUsageMessage().replaceAll("\\s+", " "))
        .contains("(" + String.join(", ", unknown) + ")");
    String last = unknown.get(unknown.size() - 1);
    assertThat(Files.readString(Path.of("../README.md")))
        .contains(
            "(`"
                + String.join("`, `", unknown.subList(0, unknown.size() - 1))
                + "` and `"
                + last
                + "` add 4: unknown)");
  }

  /** Any may be asked wrongly, and any may meet a full disk or too little memory. */
  @Test
  void everyCommandListsItsExitCodes() {
    Main.commandLine()
        .getSubcommands()
        .forEach(
            (name, command) ->
                assertThat(command.getCommandSpec().usageMessage().exitCodeList().keySet())
                    .as(name)
                    .contains("0", "2", "3"));
  }

  @Test
  void theScriptForShellsKnowsAllCommandsAndIsOne() throws Exception {
    StringWriter out = new StringWriter();
    assertThat(Main.commandLine().setOut(new PrintWriter(out, true)).execute("completion"))
        .isZero();
    assertThat(out.toString()).contains("plumb", "audit", "--rederive", "jepsen");
    Process bash = new ProcessBuilder("bash", "-n").start();
    bash.getOutputStream().write(out.toString().getBytes(StandardCharsets.UTF_8));
    bash.getOutputStream().close();
    assertThat(bash.waitFor()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "simulate k3|did you mean k2?",
        "simulate k2 --faults partion|did you mean partition?",
        "simulate k2 --faults fire|there are all, none, loss"
      })
  void aNameThatIsNearlyRightIsNamed(String line, String said) {
    StringWriter err = new StringWriter();
    CommandLine plumb = Main.commandLine().setErr(new PrintWriter(err, true));
    assertThat(plumb.execute(line.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(said).doesNotContain("\tat ");
  }

  @Test
  void progressNeverCountsBeyondTheEnd() {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    Progress progress = new Progress(new PrintStream(said, true, StandardCharsets.UTF_8), true);
    progress.begin("k2", 0, "seeds");
    progress.upTo(1);
    assertThat(said.toString(StandardCharsets.UTF_8)).doesNotContain("of 0").doesNotContain("left");
  }

  @Test
  void whatFailedCountsBeforeWhatTheMachineLacks() {
    assertThat(VerifyCommand.exit(List.of(0, -1, 0))).isZero();
    assertThat(VerifyCommand.exit(List.of(0, 3, 1, 4))).isEqualTo(1);
    assertThat(VerifyCommand.exit(List.of(0, -1, 3))).isEqualTo(3);
    assertThat(VerifyCommand.exit(List.of(2, 3, 4))).isEqualTo(3);
    assertThat(VerifyCommand.exit(List.of(4, -1, 0))).isEqualTo(4);
  }
}
