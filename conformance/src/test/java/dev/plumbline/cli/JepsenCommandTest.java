package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.history.HistoryFiles;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.RunResult;
import dev.plumbline.sim.SimulationRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
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
      new HashMap<>(
          Map.of(
              "model",
              "list-append",
              "unseen",
              List.of(),
              "stuck",
              0L,
              "unread",
              0L,
              "starved",
              false,
              "settled",
              0L,
              "commits",
              commits(200),
              "byClient",
              List.of(120L, 80L),
              "load",
              load(false)));
  private Path folder;
  private String stale = "";
  private String garbled = "";
  private boolean withoutTraces;
  private boolean beheaded;
  private String protocol = "k2";
  private String moved = "";

  private static Map<String, Object> commits(long during) {
    return Map.of("setup", 60L, "faults", during, "healing", 60L, "final", 20L);
  }

  private static Map<String, Object> load(boolean starved) {
    return Map.of("starved", starved, "text", "2 processors, 41.0 threads wanted one");
  }

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
      if (beheaded) {
        List<String> lines = Files.readAllLines(history);
        Files.write(history, lines.subList(1, lines.size()));
      }
      if (!moved.isEmpty()) {
        Files.writeString(history, moveBack(Files.readString(history)));
      }
      if (!withoutTraces) {
        Files.createDirectories(folder.resolve("trace"));
        for (var trace : result.traces().entrySet()) {
          Path log = folder.resolve("trace/" + trace.getKey() + ".ndjson");
          Files.write(log, trace.getValue());
          if (!garbled.isEmpty()) {
            Files.writeString(log, Files.readString(log).replaceFirst(garbled, "$1"));
          }
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
  void whereNodesReachADatabaseByThemselvesClientsAreFewerAndLeasesLonger() {
    Map<String, Object> asked = new HashMap<>();
    int exit =
        new CommandLine(
                new JepsenCommand(
                    (options, progress) -> {
                      asked.putAll(options);
                      throw new IOException("seen enough");
                    },
                    Path.of("..").toAbsolutePath(),
                    output))
            .setErr(new PrintWriter(err))
            .execute(
                "metric",
                "--store",
                "cassandra",
                "--set",
                "cassandra=1",
                "--set",
                "patienceMicros=2000000");
    assertThat(exit).as(err.toString()).isEqualTo(3);
    assertThat(asked).containsEntry("clients", 6L);
    assertThat(asked.get("parameters"))
        .isEqualTo(
            Map.of(
                "cassandra", 1L,
                "places", 1L,
                "leaseMicros", 1_500_000L,
                "heartbeatMicros", 300_000L,
                "resendMicros", 200_000L,
                "patienceMicros", 2_000_000L));
  }

  /** A stored run goes when another one has come and there is no room, and not before. */
  @Test
  void whatIsRefusedDeletesNoRun() throws IOException {
    Path stored = output.resolve("jepsen/k2/20200101-000000-000");
    Files.createDirectories(stored);
    Files.write(stored.resolve("result.json"), new byte[2 << 20]);
    for (String keep : List.of("-1", "0", "-9223372036854775808")) {
      assertThat(run("--keep", keep)).isEqualTo(2);
    }
    int exit =
        new CommandLine(
                new JepsenCommand(
                    (options, progress) -> {
                      throw new IllegalArgumentException("no such fault");
                    },
                    Path.of("..").toAbsolutePath(),
                    output))
            .setErr(new PrintWriter(err))
            .execute("k2", "--keep", "1");
    assertThat(exit).as(err.toString()).isEqualTo(2);
    try (Stream<Path> runs = Files.list(stored.getParent())) {
      assertThat(runs).containsExactly(stored);
    }
    run("--require", "witness", "--keep", "8796093022208");
    assertThat(stored).exists();
    run("--require", "witness", "--keep", "1");
    assertThat(stored).doesNotExist();
    assertThat(folder).exists();
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
  void theStoreIsPartOfTheCommandAndHasToMakeSense() throws IOException {
    assertThat(run("--store", "cupboard")).isEqualTo(2);
    assertThat(err.toString()).contains("--store takes rocksdb, cassandra or", "not cupboard");
    assertThat(run("--store", "cassandra", "--faults", "kill,disk")).isEqualTo(2);
    assertThat(err.toString()).contains("fault disk fills the nodes' folders");
    assertThat(run("--require", "witness", "--store", "cassandra")).isZero();
    assertThat(Files.readString(folder.resolve("result.txt"))).contains(" --store cassandra");
  }

  @Test
  void aClusterThatDoesNotStartSaysWhy() {
    JepsenCommand command =
        new JepsenCommand(
            (o, progress) -> {
              throw new IOException("no Cassandra answers");
            },
            Path.of("..").toAbsolutePath(),
            output);
    assertThat(new CommandLine(command).setErr(new PrintWriter(err)).execute(protocol))
        .isEqualTo(3);
    assertThat(err.toString()).contains("plumb: no Cassandra answers; what there is lies in ");
  }

  @Test
  void aBlackBoxJudgeIsNeeded() throws Exception {
    assertThat(run()).isEqualTo(3);
    assertThat(err.toString()).contains("no black-box checker ran");
    assertThat(run("--require", "elle")).isEqualTo(3);
    assertThat(err.toString()).contains("required, but not run: elle");
    assertThat(Files.readString(folder.resolve("result.txt")))
        .startsWith("k2 list-append: unknown\n")
        .containsPattern("those that are needed ran +unknown: required, but not run: elle");
    assertThat(Files.readString(folder.resolve("result.json")))
        .contains("\"verdict\" : \"unknown\"");
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

  /** The run has ended and everyone else has judged: the log's fault is one verdict among them. */
  @Test
  void aLogThatCannotBeReadIsInvalidAndTheRunHasItsResult() throws IOException {
    garbled = "(\"action\":\"Mvto.IssueWrite\",\"args\":\\{)[^}]*";
    assertThat(run("--require", "witness")).as(err.toString()).isEqualTo(1);
    assertThat(out.toString())
        .containsPattern("trace +Mvto +invalid")
        .contains("Mvto.IssueWrite has no argument t")
        .containsPattern("trace +TimestampBatching +valid")
        .containsPattern("witness +.* valid");
    JsonNode result = new ObjectMapper().readTree(folder.resolve("result.json").toFile());
    assertThat(result.get("verdict").asText()).isEqualTo("invalid");
  }

  @Test
  void aBrokenHistoryIsInvalidAndTheRunHasItsResult() throws IOException {
    beheaded = true;
    assertThat(run("--require", "witness")).as(err.toString()).isEqualTo(1);
    assertThat(out.toString())
        .containsPattern("validator +.*invalid")
        .contains("has no transaction open to complete");
    assertThat(folder.resolve("result.html")).exists();
    assertThat(folder.resolve("result.json")).exists();
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
  void clientsThatDoNotComeBackToAStarvedMachineSayNothing() {
    ran.put("stuck", 2L);
    ran.put("starved", true);
    ran.put("load", load(true));
    assertThat(run("--require", "witness")).isEqualTo(4);
    assertThat(out.toString()).contains("the machine was starved: 2 processors, 41.0 threads");
  }

  @Test
  void onlyWhatCommittedWhileThereWereFaultsCounts() {
    ran.put("commits", commits(3));
    assertThat(run("--require", "witness")).isEqualTo(4);
    assertThat(out.toString())
        .contains("3 committed while there were faults")
        .contains("the machine was not starved, so the protocol was blocked")
        .contains("by phase: setup 60, faults 3, healing 60, final readings 20");
    ran.put("load", load(true));
    assertThat(run("--require", "witness")).isEqualTo(4);
    assertThat(out.toString()).contains("the machine was starved: 2 processors");
    assertThat(run("--require", "witness", "--at-least", "3")).isZero();
    ran.put("byClient", List.of(3L, 0L, 0L));
    assertThat(run("--require", "witness", "--at-least", "3")).isEqualTo(4);
    assertThat(out.toString()).contains("2 clients nothing");
  }

  @Test
  void aRunHasASlotOfItsOwnWithEveryNumberOfItsPage() throws IOException {
    ran.put("stuck", 1L);
    ran.put("starved", true);
    assertThat(run("--require", "witness")).isEqualTo(4);
    Path first = folder;
    assertThat(run("--require", "witness")).isEqualTo(4);
    for (Path run : List.of(first, folder)) {
      Path slot = output.resolve("reports/jepsen-k2-" + run.getFileName() + ".xml");
      assertThat(slot).exists();
      assertThat(Files.getPosixFilePermissions(slot)).contains(PosixFilePermission.OTHERS_READ);
      assertThat(Files.readString(slot))
          .contains("<skipped message=\"unknown: 1 clients stuck")
          .contains("errors=\"0\"")
          .containsPattern("trace: Mvto\" time=\"\\d+\\.\\d*[1-9]\\d*\"");
    }
    JsonNode result = new ObjectMapper().readTree(folder.resolve("result.json").toFile());
    assertThat(result.at("/operations/committed").asLong()).isPositive();
    assertThat(result.at("/operations/latencyMillis/p99").asDouble()).isPositive();
    assertThat(result.at("/operations/perSecond").size()).isPositive();
    assertThat(result.at("/facts/asked again").asText()).startsWith("0 calls");
    assertThat(result.at("/run/byClient/0").asLong()).isEqualTo(120);
  }

  @Test
  void oldRunsMakeRoom() throws IOException {
    JepsenRuns runs = new JepsenRuns(output.resolve("jepsen"), output.resolve("reports"));
    for (String name : List.of("20260101-1", "20260102-1", "20260103-1")) {
      Path at = Files.createDirectories(output.resolve("jepsen/k2").resolve(name));
      Files.write(at.resolve("history.edn"), new byte[1_000]);
      Files.writeString(at.resolve("result.json"), "{}");
      Files.writeString(at.resolve("result.html"), "page");
      Files.writeString(at.resolve("result.xml"), "xml");
      runs.publish(at);
    }
    Path going = Files.createDirectories(output.resolve("jepsen/k2/20260100-1"));
    runs.prune(2_100);
    assertThat(output.resolve("jepsen/k2/20260101-1")).doesNotExist();
    assertThat(output.resolve("reports/jepsen-k2-20260101-1.xml")).doesNotExist();
    assertThat(output.resolve("jepsen/k2/20260102-1")).exists();
    assertThat(output.resolve("reports/jepsen-k2-20260103-1.html")).exists();
    assertThat(going).as("has no result yet").exists();
  }

  @Test
  void aProtocolIsJudgedByWhatItPromises() throws IOException {
    protocol = "dast";
    ran.put(
        "availability",
        Map.of("verdict", "VALID", "reason", "", "subject", "regions", "details", List.of("r1")));
    assertThat(run("--require", "witness")).isZero();
    assertThat(Files.readString(folder.resolve("result.txt")))
        .containsPattern("witness +serializable")
        .containsPattern("real time in a region .*valid")
        .containsPattern("availability +regions +valid")
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
        Map.of(
            "verdict",
            "INVALID",
            "reason",
            "none committed in r2",
            "subject",
            "regions",
            "details",
            List.of()));
    assertThat(run("--require", "witness")).isEqualTo(1);
    assertThat(out.toString()).contains("invalid: none committed in r2");
    ran.put("load", load(true));
    assertThat(run("--require", "witness")).isEqualTo(4);
    assertThat(out.toString())
        .contains("unknown: none committed in r2; the machine was starved: 2 processors, 41.0");
  }

  @Test
  void badOptionsAreBadUsage() {
    assertThat(run("--require", "nobody")).isEqualTo(2);
    assertThat(run("--seconds", "soon")).isEqualTo(2);
    for (String bad : List.of("--seconds=0", "--seconds=-1", "--clients=0", "--rtt=0")) {
      assertThat(run(bad)).as(bad).isEqualTo(2);
      assertThat(err.toString()).contains(bad.split("=")[0] + " takes 1 or more");
    }
    assertThat(run("--set", "ttlMicro=1")).isEqualTo(2);
    assertThat(run("--network", "999.1.1.1/24", "--loopback")).isEqualTo(2);
    assertThat(run("--network", "192.0.2.0/24", "--loopback")).isEqualTo(2);
    assertThat(err.toString()).contains("--loopback has no namespaces");
    assertThat(err.toString())
        .contains("k2 has no parameter \"ttlMicro\", did you mean ttlMicros?")
        .contains("no IPv4 network: 999.1.1.1/24");
    assertThat(run("--break", "oracle-bounds")).isEqualTo(2);
    assertThat(err.toString()).contains("no assumption \"oracle-bounds\"");
    assertThat(run("--break", "oracle-bound", "--faults", "kill,pause")).isEqualTo(2);
    assertThat(err.toString()).contains("--break: only fault clock");
    assertThat(run("--bug", "early-comit")).isNotZero();
    protocol = "dast";
    assertThat(run("--break", "oracle-bound")).isEqualTo(2);
    assertThat(err.toString()).contains("dast does not assume oracle-bound");
    assertThat(output.resolve("jepsen")).doesNotExist();
  }
}
