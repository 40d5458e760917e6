package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.check.Workspace;
import dev.plumbline.parts.KeptSeeds;
import dev.plumbline.trace.TraceReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Drives the command with the toy protocol, which lives among the simulator's own tests. */
class SimulateCommandTest {
  private static final Path TOY = Path.of("..", "impl", "target", "test-classes");

  @TempDir Path directory;
  private final ClassLoader before = Thread.currentThread().getContextClassLoader();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private URLClassLoader toy;

  @BeforeEach
  void addTheToyProtocol() throws IOException {
    assertThat(TOY.resolve("META-INF/services/dev.plumbline.protocol.ProtocolSystem"))
        .as("run the whole build, or mvn test-compile in impl, first")
        .exists();
    toy = new URLClassLoader(new URL[] {TOY.toUri().toURL()}, before);
    Thread.currentThread().setContextClassLoader(toy);
  }

  @AfterEach
  void removeIt() throws IOException {
    Thread.currentThread().setContextClassLoader(before);
    toy.close();
  }

  @Test
  void aCorrectProtocolHoldsAndWritesWhatWasAskedFor() throws IOException {
    Path traces = directory.resolve("traces");
    Path history = directory.resolve("missing/history.edn");
    int code = run("toy", "--seed", "3", "--txns", "30", "--trace", traces, "--history", history);

    assertThat(code).isZero();
    assertThat(out.toString()).contains("strict serializability").contains("1 seeds from 3");
    assertThat(Files.readAllLines(history)).hasSizeGreaterThan(60);
    assertThat(TraceReader.read(traces.resolve("primary.ndjson"))).isNotEmpty();
  }

  @Test
  void logsOfAnotherRunAreNotMixedWithItsOwn() throws IOException {
    Path traces = Files.createDirectory(directory.resolve("traces"));
    for (int times = 0; times < 2; times++) {
      assertThat(run("toy", "--seed", "3", "--txns", "5", "--trace", traces)).isZero();
    }
    Path other = Files.writeString(traces.resolve("dn-SH.ndjson"), "mine");
    assertThat(run("toy", "--seed", "3", "--txns", "5", "--trace", traces)).isEqualTo(2);
    assertThat(err.toString()).contains("holds a log of another run, dn-SH.ndjson");
    assertThat(other).hasContent("mine");
  }

  @Test
  void logsThatNoSeedWouldWriteAreNotWritten() {
    Path traces = directory.resolve("traces");
    int code = run("toy", "--seed", "3", "--txns", "30", "--logs", "20", "--trace", traces);

    assertThat(code).as(out.toString()).isEqualTo(2);
    assertThat(err.toString()).contains("--trace has nothing to write: --logs 20 takes no seed");
    assertThat(traces).doesNotExist();
  }

  @Test
  void judgesThatKnowNothingOfTheClaimedOrderSayWhyTheyDoNotRun() throws IOException {
    int code = run("toy", "--txns", "30", "--workload", "bank", "--black-boxes", "--json");

    assertThat(code).as("nobody could judge, though somebody was asked").isEqualTo(4);
    JsonNode judges = new ObjectMapper().readTree(out.toString()).path("judges");
    assertThat(judges.path("adya").path("NOT_RUN").asInt()).as(out.toString()).isEqualTo(1);
    assertThat(judges.path("elle").path("NOT_RUN").asInt()).as(out.toString()).isEqualTo(1);
    Path ledger = Places.root().resolve(".plumb/reports/parts/simulate_toy_bank_of_30.1-of-1.json");
    JsonNode parts = new ObjectMapper().readTree(ledger.toFile()).path("parts");
    assertThat(parts.findValuesAsText("outcome")).as("what a merge says").containsOnly("unknown");
  }

  /** Sites that lead say of no transaction where it stands. */
  @Test
  void aPromiseThatNobodyJudgedIsUnknown() {
    int code = run("metric", "--set", "led=1", "--txns", "20", "--faults", "none", "--logs", "0");

    assertThat(code).as(out.toString()).isEqualTo(4);
    assertThat(out.toString())
        .contains("strict serializability cannot tell: seed 1: the history claims no serial order");
  }

  @Test
  void theFirstSeedIsRunTwice() {
    assertThat(run("toy", "--seed", "3", "--seeds", "3", "--txns", "30")).isZero();
    assertThat(out.toString()).containsPattern("same run again +1 +0 +0 +2\n");
  }

  /** Some of its eight seeds fail. */
  private int halfDurable(Object... more) {
    String bug = "toy --seeds 8 --txns 40 --workload bank --bug half-durable";
    return run(Stream.concat(Stream.of(bug.split(" ", -1)), Stream.of(more)).toArray());
  }

  @Test
  void aSeededBugFailsIsShrunkAndReplays() throws IOException {
    Path spaced = Files.createSymbolicLink(directory.resolve("the toy's"), TOY.toAbsolutePath());
    int code = halfDurable("--bugs", spaced);

    assertThat(code).as(err.toString()).isEqualTo(1);
    String replay =
        out.toString()
            .lines()
            .filter(line -> line.startsWith("replay: "))
            .findFirst()
            .orElseThrow();
    assertThat(replay).startsWith("replay: ./plumb simulate toy --seed ");
    String typed = ToolCommand.word(spaced.toString());
    assertThat(typed).startsWith("'").endsWith("/the toy'\\''s'");
    assertThat(replay).contains(" --bugs " + typed + " --plan ");
    String[] words =
        replay
            .substring("replay: ./plumb simulate ".length())
            .replace(typed, TOY.toString())
            .split(" ", -1);
    assertThat(run((Object[]) words)).isEqualTo(1);
    assertThat(out.toString()).contains("1 seeds from");
  }

  /** Others of the block may take hours, and the machine be stopped before they end. */
  @Test
  void thatASeedFailsIsKnownBeforeItsBlockEnds() throws Exception {
    Path ledger = Places.root().resolve(".plumb/reports/parts/simulate_toy_bank_of_40.1-of-1.json");
    AtomicReference<String> known = new AtomicReference<>("");
    PrintStream console = System.err;
    System.setErr(
        new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8) {
          @Override
          public void println(String line) {
            for (int i = 0; line.endsWith(" failed") && known.get().isEmpty() && i < 50; i++) {
              try {
                Thread.sleep(100);
                String said = Files.readString(ledger);
                known.set(said.contains("violated") ? said : "");
              } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            }
          }
        });
    try {
      int code = halfDurable("--bugs", TOY, "--no-shrink");
      assertThat(code).as(err.toString()).isEqualTo(1);
    } finally {
      System.setErr(console);
    }
    assertThat(known.get()).isNotEmpty();
    assertThat(Files.readString(ledger)).isNotEqualTo(known.get());
  }

  @Test
  void jsonIsReadable() throws IOException {
    assertThat(run("toy", "--txns", "20", "--faults", "none", "--json")).isZero();
    JsonNode result = new ObjectMapper().readTree(out.toString());
    assertThat(result.get("committed").asInt()).isGreaterThanOrEqualTo(20);
    assertThat(result.get("faults").size()).isZero();
    assertThat(result.at("/judges/strict serializability/HOLDS").asInt()).isEqualTo(1);
  }

  @Test
  void aShardWithoutSeedsSaysSo() throws IOException {
    int said = 0;
    for (String shard : new String[] {"1/2", "2/2"}) {
      err.getBuffer().setLength(0);
      assertThat(run("toy", "--txns", "20", "--shard", shard)).isZero();
      boolean empty = out.toString().contains(" 0 of 1 seeds from 1");
      assertThat(err.toString().contains("has none of the 1 blocks of up to 20 seeds"))
          .isEqualTo(empty);
      said += empty ? 1 : 0;
      out.getBuffer().setLength(0);
    }
    assertThat(said).isEqualTo(1);
  }

  @Test
  void blocksOfSeedsAreTimed() throws IOException {
    assertThat(run("toy", "--seeds", "30", "--txns", "100", "--shard", "1/1")).isZero();
    Path ledger = Path.of(".plumb/reports/parts/simulate_toy_list-append_of_100.1-of-1.json");
    JsonNode parts = new ObjectMapper().readTree(ledger.toFile()).path("parts");
    assertThat(parts).hasSize(2).allMatch(p -> p.path("millis").asLong() > 0);
  }

  @Test
  void aSeedThatFailedBeforeIsCountedApart() throws IOException {
    KeptSeeds.Kept failed = new KeptSeeds.Kept(50, false, "strict serializability", "", "");
    KeptSeeds.of(Workspace.here())
        .update(SimulateCommand.stage("toy", "list-append", 20), List.of(failed));
    assertThat(run("toy", "--seeds", "2", "--txns", "20")).isZero();
    assertThat(out.toString()).contains(": 2 seeds from 1, and 1 that failed before, ");
    assertThat(run("toy", "--seeds", "2", "--txns", "20")).isZero();
    assertThat(out.toString()).contains(": 2 seeds from 1, ").doesNotContain("before");
  }

  /** Neither other faults, nor other parameters, nor a run that its judge did not see. */
  @Test
  void aSeedThatFailedIsKeptUntilTheJudgeThatFailedItSaysThatItHolds() throws IOException {
    String stage = SimulateCommand.stage("toy", "list-append", 20);
    KeptSeeds.Kept failed = new KeptSeeds.Kept(50, false, "no such judge", "", "");
    KeptSeeds.of(Workspace.here()).update(stage, List.of(failed));
    assertThat(run("toy", "--seed", "50", "--txns", "20")).isZero();
    assertThat(KeptSeeds.of(Workspace.here()).of(stage)).containsExactly(failed);
    failed = new KeptSeeds.Kept(50, false, "strict serializability", "", "");
    KeptSeeds.of(Workspace.here()).update(stage, List.of(new KeptSeeds.Kept(50, true, "", "", "")));
    KeptSeeds.of(Workspace.here()).update(stage, List.of(failed));
    assertThat(run("toy", "--seed", "50", "--txns", "20", "--faults", "none")).isZero();
    assertThat(KeptSeeds.of(Workspace.here()).of(stage)).containsExactly(failed);
    assertThat(run("toy", "--seed", "50", "--txns", "20")).isZero();
    assertThat(KeptSeeds.of(Workspace.here()).of(stage)).isEmpty();
  }

  @Test
  void badUsageNamesTheRemedy() throws IOException {
    assertThat(run("nope")).isEqualTo(2);
    assertThat(err.toString()).contains("no protocol \"nope\"; there are").contains("toy");
    assertThat(run("toy", "--faults", "fire")).isEqualTo(2);
    assertThat(err.toString()).contains("no fault kind \"fire\"; there are all, none, loss");
    assertThat(run("toy", "--bug", "x", "--bugs", TOY)).isEqualTo(2);
    assertThat(err.toString()).contains("toy has no seeded bug \"x\"").contains("half-durable");
    assertThat(run("toy", "--bug", "half-durabel", "--bugs", TOY)).isEqualTo(2);
    assertThat(err.toString()).contains("did you mean half-durable? there are");
    assertThat(run("toy", "--plan", directory.resolve("none.json"))).isEqualTo(2);
    assertThat(err.toString()).contains("is no fault plan");
    Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, 0});
    assertThat(run("toy", "--plan", binary)).isEqualTo(2);
    assertThat(err.toString()).contains("is no fault plan: no UTF-8 text;");
    Path foreign = directory.resolve("foreign.json");
    Files.writeString(
        foreign,
        """
        {"healedAtMicros":9,"faults":[{"kind":"crash","at":1,"until":2,"node":"elsewhere"}]}
        """);
    assertThat(run("toy", "--plan", foreign)).isEqualTo(2);
    assertThat(err.toString()).contains("--plan names elsewhere, no node of toy");
    assertRefused("{\"healedAtMicros\":9}", "Missing creator property 'faults' (line 1)");
    assertRefused("{\"healedAtMicros\":9,\"faults\":[]} x", "Unrecognized token 'x'");
    String loss =
        "{\"healedAtMicros\":9,\"faults\":[{\"kind\":\"loss\",\"at\":1,\"until\":2,"
            + "\"from\":\"*\",\"to\":\"*\",\"permille\":5}]}";
    assertRefused(
        loss.replace("\":5", "\":1001"), "fault 1: permille is 1001; it is from 0 to 1000");
    assertRefused(loss.replace("\"at\":1", "\"at\":9"), "fault 1: at is 9; it is from 0 to 8");
    assertRefused(loss.replace("\"at\":1", "\"at\":3"), "fault 1: until is 2; it is from 3 to");
    assertRefused(loss.replace("\"until\":2,", ""), "Missing creator property 'until' (line 1)");
    assertRefused(
        "{\"healedAtMicros\":9,\"faults\":[{\"kind\":\"crash\",\"at\":1,\"until\":2,\"node\":\"r1\"}]}",
        "--plan names r1, no node of toy");
    assertThat(run("toy", "--as-published", "x")).isEqualTo(2);
    assertThat(err.toString()).contains("no published behaviour \"x\"; it has half-durable");
    assertThat(run("toy", "--workload", "x")).isEqualTo(2);
    assertThat(err.toString()).contains("no workload \"x\"");
    assertThat(run("toy", "--break", "x")).isEqualTo(2);
    assertThat(err.toString()).contains("no assumption \"x\"");
  }

  @Test
  void aPlanBreaksNoAssumption() throws IOException {
    Path plan = directory.resolve("plan.json");
    Files.writeString(plan, "{\"healedAtMicros\":9,\"faults\":[]}");
    assertThat(run("k2", "--txns", "20", "--logs", "0", "--plan", plan, "--break", "oracle-bound"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("--break would break nothing");
  }

  private void assertRefused(String plan, String message) throws IOException {
    Path file = directory.resolve("plan.json");
    Files.writeString(file, plan);
    assertThat(run("toy", "--plan", file)).isEqualTo(2);
    assertThat(err.toString()).contains(message);
  }

  @Test
  void whatOnlyK2KnowsIsRefusedForDast() {
    assertThat(run("dast", "--break", "oracle-bound")).isEqualTo(2);
    assertThat(err.toString()).contains("dast does not assume oracle-bound");
    assertThat(run("dast", "--set", "ttlMicros=100")).isEqualTo(2);
    assertThat(err.toString())
        .contains("dast has no parameter \"ttlMicros\"", "it has partBytes, regions");
    assertThat(run("dast", "--as-published", "expired-batch")).isEqualTo(2);
    assertThat(err.toString()).contains("dast has no published behaviour \"expired-batch\"");
    assertThat(run("dast", "--faults", "failover")).isEqualTo(2);
    assertThat(err.toString()).contains("does not tolerate the fault failover");
  }

  private int run(Object... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    String[] words = new String[arguments.length];
    for (int i = 0; i < words.length; i++) {
      words[i] = arguments[i].toString();
    }
    return new CommandLine(new SimulateCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(words);
  }
}
