package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.history.HistoryFiles;
import dev.plumbline.sim.FaultKind;
import dev.plumbline.sim.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.SimulationRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The verdict, the exit code and the pages; the run itself is a simulated one. */
class JepsenCommandTest {
  @TempDir Path output;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Map<String, Object> ran =
      new HashMap<>(Map.of("model", "list-append", "unseen", List.of(), "stuck", 0L, "unread", 0L));
  private Path folder;
  private String stale = "";
  private boolean withoutTraces;
  private String protocol = "k2";
  private String moved = "";

  private Map<String, Object> simulated(Map<String, Object> options) {
    folder = Path.of((String) options.get("folder"));
    @SuppressWarnings("unchecked")
    var parameters = new TreeMap<>((Map<String, Long>) options.get("parameters"));
    RunResult result =
        SimulationRun.of(
            new RunConfig(
                Protocols.named(protocol),
                1,
                40,
                "list-append",
                FaultKind.parse("none"),
                Set.of(),
                new TreeSet<>(),
                parameters,
                Optional.empty(),
                Optional.empty(),
                true));
    try {
      Path history = folder.resolve("history.edn");
      try (var writer = new HistoryFiles.Writer(history)) {
        result.history().ops().forEach(writer::write);
      }
      if (!stale.isEmpty()) {
        Files.writeString(history, Files.readString(history).replaceFirst(stale, "[]"));
      }
      if (!moved.isEmpty()) {
        Files.writeString(history, moveBack(Files.readString(history)));
      }
      if (!withoutTraces) {
        Files.createDirectories(folder.resolve("trace"));
        for (var trace : result.traces().entrySet()) {
          Files.write(folder.resolve("trace/" + trace.getKey() + ".ndjson"), trace.getValue());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ran;
  }

  /** Puts the last transaction of a history before all others in the claimed order. */
  private String moveBack(String history) {
    int last = history.lastIndexOf(":ts [");
    return history.substring(0, last) + moved + history.substring(history.indexOf(']', last) + 1);
  }

  private int run(String... options) {
    String[] args =
        Stream.concat(Stream.of(protocol), Arrays.stream(options)).toArray(String[]::new);
    return new CommandLine(
            new JepsenCommand(
                (o, progress) -> simulated(o), Path.of("..").toAbsolutePath(), output))
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }

  @Test
  void agreeingJudgesAreValidAndLeaveTheirPages() throws Exception {
    assertThat(run("--require", "witness", "--json")).isZero();
    assertThat(new ObjectMapper().readTree(out.toString()).get("verdict").asText())
        .isEqualTo("valid");
    for (String file : List.of("result.html", "result.txt", "result.xml", "result.json")) {
      assertThat(folder.resolve(file)).exists();
    }
    assertThat(Files.readString(folder.resolve("result.txt")))
        .contains("repeat: ./plumb jepsen k2 --workload list-append")
        .containsPattern("trace +Mvto +valid")
        .containsPattern("elle .*not run");
  }

  @Test
  void aBlackBoxJudgeIsNeeded() {
    assertThat(run()).isEqualTo(3);
    assertThat(err.toString()).contains("no black-box checker ran");
    assertThat(run("--require", "elle")).isEqualTo(3);
    assertThat(err.toString()).contains("required, but not run: elle");
  }

  @Test
  void oneObjectionIsInvalid() {
    stale = "\\[\\d+ \\d+[ \\d]*\\](?=[^\\n]*:ts)";
    assertThat(run("--require", "witness")).isEqualTo(1);
    assertThat(out.toString()).containsPattern("(witness|validator) .*invalid");
  }

  @Test
  void missingLogsAreNoAcceptance() {
    withoutTraces = true;
    assertThat(run("--require", "witness")).isEqualTo(1);
    assertThat(out.toString()).containsPattern("trace +logs +invalid");
  }

  @Test
  void aFaultThatWasNotSeenIsUnknown() {
    ran.put("unseen", List.of("start-partition {…}"));
    assertThat(run("--require", "witness")).isEqualTo(4);
    assertThat(out.toString()).contains("1 not seen").contains("start-partition");
  }

  @Test
  void clientsThatDoNotComeBackAreAFailure() {
    ran.put("stuck", 2L);
    assertThat(run("--require", "witness")).isEqualTo(1);
    assertThat(out.toString()).contains("2 clients stuck");
  }

  @Test
  void tooFewTransactionsAreAFailure() {
    assertThat(run("--require", "witness", "--at-least", "100000")).isEqualTo(1);
    assertThat(out.toString()).containsPattern("at least 100000 committed +invalid");
  }

  @Test
  void aProtocolIsJudgedByWhatItPromises() throws IOException {
    protocol = "dast";
    ran.put("availability", Map.of("verdict", "VALID", "reason", "", "details", List.of("r1")));
    assertThat(run("--require", "witness")).isZero();
    assertThat(Files.readString(folder.resolve("result.txt")))
        .containsPattern("witness +serializable")
        .containsPattern("real time in a region .*valid")
        .containsPattern("availability .*valid")
        .contains("shards=1");
  }

  @Test
  void aTransactionBeforeOneThatHadEndedInItsRegionIsInvalid() throws IOException {
    protocol = "dast";
    moved = ":ts [0 0 0 1]";
    assertThat(run("--require", "witness")).isEqualTo(1);
    assertThat(Files.readString(folder.resolve("result.txt")))
        .containsPattern("real time in a region .*invalid");
  }

  @Test
  void aRegionThatWasNotAvailableIsInvalid() {
    protocol = "dast";
    ran.put(
        "availability",
        Map.of("verdict", "INVALID", "reason", "none committed in r2", "details", List.of()));
    assertThat(run("--require", "witness")).isEqualTo(1);
    assertThat(out.toString()).contains("invalid: none committed in r2");
  }

  @Test
  void badOptionsAreBadUsage() {
    assertThat(run("--require", "nobody")).isEqualTo(2);
    assertThat(run("--seconds", "soon")).isEqualTo(2);
  }
}
