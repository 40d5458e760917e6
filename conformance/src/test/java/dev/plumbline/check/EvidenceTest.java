package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.audit.Audit;
import dev.plumbline.audit.Planned;
import dev.plumbline.parts.Shard;
import dev.plumbline.tlc.InputError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements of verdicts: a flipped byte is noticed wherever it is, and so is another outcome. */
class EvidenceTest {
  private static final String STATEMENT = "evidence/toy.repaired.json";
  private static final List<Planned> PLANNED =
      List.of(new Planned("toy", "simulate", "simulate toy", "a digest"));

  @TempDir Path root;
  private Path out;

  @BeforeEach
  void written() throws IOException {
    ToyWorkspace.copyTo(root);
    Driver.Options options =
        new Driver.Options(
            List.of("toy/repaired", "toy/as-published"), "quick", false, 1, Shard.WHOLE);
    new Driver(new Workspace(root), options, quiet()).run();
    Path reports = Files.createDirectories(root.resolve(".plumb/reports"));
    Files.writeString(
        reports.resolve("verify.json"),
        """
        {"manifest": {"commit": "abc"}, "stages": [{"command": "./plumb simulate toy",
          "verdict": "holds", "exit": 0, "input": "a digest"}]}
        """);
    Path run = Files.createDirectories(root.resolve(".plumb/jepsen/toy/1"));
    Files.writeString(run.resolve("result.json"), "{\"verdict\": \"valid\", \"command\": \"c\"}");
    Files.writeString(run.resolve("history.edn"), "{:type :invoke}");
    out = root.resolve("out");
    audit().write(out);
  }

  private static Board quiet() {
    return new Board(new PrintStream(new ByteArrayOutputStream()), false);
  }

  private Audit audit() {
    return new Audit(new Workspace(root), List.of(), "quick", PLANNED, List.of());
  }

  private void flip(Path file, int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 1;
    Files.write(file, bytes);
  }

  @Test
  void aStatementSaysWhatWasFoundOfWhat() throws IOException {
    JsonNode s = new ObjectMapper().readTree(out.resolve(STATEMENT).toFile());
    assertThat(s.path("_type").asText()).isEqualTo("https://in-toto.io/Statement/v1");
    assertThat(s.path("predicateType").asText())
        .isEqualTo("https://in-toto.io/attestation/test-result/v0.1");
    assertThat(s.path("subject").findValuesAsText("name"))
        .contains("specs/toy/TwoPhase.tla", "specs/toy/MCTwoPhase.cfg");
    assertThat(s.path("predicate").path("result").asText()).isEqualTo("PASSED");
    assertThat(s.path("predicate").path("passedTests").path(0).asText()).isEqualTo("toy/repaired");
    JsonNode said = s.path("predicate").path("configuration").path(1);
    String outcome = new String(said.path("content").binaryValue(), StandardCharsets.UTF_8);
    assertThat(outcome).contains("\"distinct\":20", "\"verdict\":\"holds\"");
    assertThat(out.resolve("evidence").toFile().list())
        .contains("toy.as-published.json", "stage.simulate_toy.json", "run.jepsen_toy_1.json")
        .doesNotContain("toy.live.json");
  }

  @Test
  void aFlippedByteIsNoticedAnywhere() throws IOException {
    Audit before = audit();
    assertThat(before.verify(out)).isEmpty();
    List<Path> files = new ArrayList<>();
    try (Stream<Path> all = Files.walk(out)) {
      all.filter(Files::isRegularFile).forEach(files::add);
    }
    for (String subject :
        List.of(
            "specs/toy/TwoPhase.tla",
            "specs/toy/MCTwoPhase.cfg",
            ".plumb/jepsen/toy/1/result.json",
            ".plumb/jepsen/toy/1/history.edn")) {
      files.add(root.resolve(subject));
    }
    assertThat(files).hasSizeGreaterThan(10);
    for (Path file : files) {
      int size = (int) Files.size(file);
      for (int at : List.of(size / 3, size - 2)) {
        flip(file, at);
        assertThat(before.verify(out)).as("%s, byte %d", file, at).isNotEmpty();
        flip(file, at);
      }
    }
    assertThat(before.verify(out)).isEmpty();
  }

  @Test
  void anotherInputOfAStageAndAFileMoreOrLessAreNoticed() throws IOException {
    List<Planned> other = List.of(new Planned("toy", "simulate", "simulate toy", "another digest"));
    assertThat(new Audit(new Workspace(root), List.of(), "quick", other, List.of()).verify(out))
        .singleElement()
        .asString()
        .contains("simulate toy is another one");
    Files.writeString(out.resolve("evidence/more.json"), "{}");
    assertThat(audit().verify(out)).singleElement().asString().contains("not as listed");
    Files.delete(out.resolve("evidence/more.json"));
    Files.delete(out.resolve(STATEMENT));
    assertThat(audit().verify(out)).singleElement().asString().contains("changed or gone");
  }

  @Test
  void aStageOfAnotherInputHasNoStatement() {
    List<Planned> other = List.of(new Planned("toy", "simulate", "simulate toy", "another digest"));
    Audit today = new Audit(new Workspace(root), List.of(), "quick", other, List.of());
    today.write(out);
    assertThat(today.verify(out)).isEmpty();
    assertThat(out.resolve("evidence/stage.simulate_toy.json")).doesNotExist();
  }

  @Test
  void aFolderMayBeNamedByALink() throws IOException {
    Path link = Files.createSymbolicLink(root.resolve("link"), out);
    assertThat(audit().verify(link)).isEmpty();
    audit().write(link);
    assertThat(audit().verify(out)).isEmpty();
    assertThat(out.resolve("SHA256SUMS")).content().contains(STATEMENT);
  }

  @Test
  void aFileIsListedWhateverItsName() throws IOException {
    Files.writeString(out.resolve("evidence/SHA256SUMS"), "");
    assertThat(audit().verify(out)).singleElement().asString().contains("not as listed");
  }

  /**
   * Another branch's run leaves its counterexample, and the verdict of this one's is remembered.
   */
  @Test
  void aCounterexampleOfAnotherInputIsNotSteppedThrough() throws IOException {
    Path page = out.resolve("play/toy-as-published.html");
    assertThat(page).exists();
    Path stored = root.resolve(".plumb/run/toy/as-published/counterexample.json");
    String text = Files.readString(stored);
    String other = text.replaceFirst("\"input\" : \"[0-9a-f]+\"", "\"input\" : \"another\"");
    assertThat(other).isNotEqualTo(text);
    Files.writeString(stored, other);
    audit().write(out);
    assertThat(page).doesNotExist();
    assertThat(Files.readString(out.resolve("audit.json"))).doesNotContain("toy-as-published.html");
  }

  @Test
  void otherConstantsOfACheckAreNoticed() throws IOException {
    Path checks = root.resolve("specs/toy/checks.yaml");
    String text = Files.readString(checks);
    String edited = text.replaceFirst("Repairs: '\\{}'", "Repairs: '{1}'");
    assertThat(edited).isNotEqualTo(text);
    Files.writeString(checks, edited);
    assertThat(audit().verify(out))
        .singleElement()
        .asString()
        .contains("input of ./plumb check toy/as-published is another one");
  }

  @Test
  void aShareIsRunAgainAndComparedByteForByte() throws IOException {
    List<String> said = new ArrayList<>();
    assertThat(audit().rederive(out, 5, 1, 60, quiet(), said::add)).isEmpty();
    assertThat(said).singleElement().asString().matches("again: toy/[a-z-]+");
    said.clear();
    assertThat(audit().rederive(out, 100, 1, 60, quiet(), said::add)).isEmpty();
    assertThat(said).containsExactly("again: toy/as-published toy/repaired");

    Path file = out.resolve(STATEMENT);
    String text = Files.readString(file);
    String content = new ObjectMapper().readTree(text).findValuesAsText("content").get(0);
    String forged =
        Base64.getEncoder()
            .encodeToString(
                new String(Base64.getDecoder().decode(content), StandardCharsets.UTF_8)
                    .replace("\"distinct\":20", "\"distinct\":21")
                    .getBytes(StandardCharsets.UTF_8));
    assertThat(forged).isNotEqualTo(content);
    Files.writeString(file, text.replace(content, forged));
    assertThat(audit().rederive(out, 100, 1, 60, quiet(), said::add))
        .singleElement()
        .asString()
        .contains("toy/repaired", "21");
  }

  /** As {@code ./plumb check NAME} has one for a check of the nightly lane. */
  @Test
  void aSearchByTwoWorkersIsComparedWithThatOfOne() throws IOException {
    String larger =
        """
          - {id: larger, module: MCTwoPhase, constants: {Participant: '{r1, r2, r3}'},
             lane: nightly, expect: holds, claims: [TOY-1], states: [18, 1000], properties: [],
             coverage: [Vote]}
        """;
    ToyWorkspace.edit(root, "checks.yaml", "  - id: walks\n", larger + "  - id: walks\n");
    new Driver(
            new Workspace(root),
            new Driver.Options(List.of("toy/larger"), "quick", false, 2, Shard.WHOLE),
            quiet())
        .run();
    Audit nightly = new Audit(new Workspace(root), List.of(), "nightly", PLANNED, List.of());
    nightly.write(out);
    assertThat(Files.readString(out.resolve("evidence/toy.larger.json"))).contains("PASSED");
    List<String> said = new ArrayList<>();
    assertThat(nightly.rederive(out, 100, 1, 60, quiet(), said::add)).isEmpty();
    assertThat(said).singleElement().asString().contains("toy/larger");
  }

  @Test
  void whatThisMachineDidNotJudgeIsNoDifferenceAndWhatIsOfAnotherInputIsNamed() throws IOException {
    Path checks = root.resolve("specs/toy/checks.yaml");
    String text = Files.readString(checks);
    Files.writeString(checks, text.replaceFirst("Repairs: '\\{}'", "Repairs: '{1}'"));
    List<String> said = new ArrayList<>();
    assertThat(audit().rederive(out, 100, 1, 60, quiet(), said::add)).isEmpty();
    assertThat(said)
        .containsExactly(
            "left out, no verdict of today's input: toy/as-published", "again: toy/repaired");
    Files.writeString(checks, text);
    Path run = root.resolve(".plumb/run/toy/repaired");
    Workspace.delete(run);
    Files.writeString(run, "a file where a folder is needed");
    assertThatThrownBy(() -> audit().rederive(out, 100, 1, 60, quiet(), said::add))
        .isInstanceOf(Unjudged.class)
        .hasMessageContaining("not compared, since this machine gave no verdict: toy/repaired");
  }

  @Test
  void aShareOfNothingIsNoneAndLongChecksAreLeftOut() {
    List<String> said = new ArrayList<>();
    assertThatThrownBy(() -> audit().rederive(out, 0, 1, 60, quiet(), said::add))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("0.0% of 2 checks are none");
    assertThat(said).isEmpty();
    assertThatThrownBy(() -> audit().rederive(out, 100, 1, 0, quiet(), said::add))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("100.0% of 0 checks are none");
    assertThat(said).singleElement().asString().startsWith("left out, longer than --minutes: toy/");
    long ran =
        new Records(new Workspace(root))
            .of(new Workspace(root).protocols().get(0)).stream()
                .filter(k -> !k.verdict().equals(Records.MISSING))
                .count();
    assertThat(ran).isEqualTo(2);
  }

  /** Changes a statement, and the digests of the folder with it. */
  private void forge(String statement, String from, String to) throws IOException {
    Path file = out.resolve(statement);
    String text = Files.readString(file);
    assertThat(text).contains(from);
    Files.writeString(file, text.replace(from, to));
    sum();
  }

  private void sum() throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> all = Files.walk(out)) {
      for (Path f : all.filter(Files::isRegularFile).sorted().toList()) {
        if (!f.endsWith("SHA256SUMS")) {
          lines.add(sha256(Files.readAllBytes(f)) + "  " + out.relativize(f) + "\n");
        }
      }
    }
    Files.writeString(out.resolve("SHA256SUMS"), String.join("", lines));
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"result\" : \"PASSED\" | \"result\" : \"FAILED\" | its lists of tests say otherwise",
        "\"failedTests\" : [ ] | \"failedTests\" : [ \"toy/repaired\" ] | lists of tests say"
            + " otherwise",
        "\"content\" : \" | \"content\" : \"! | its outcome is no base64",
        "\"lane\" : \"quick\" | \"lane\" : \"slow\" | the digest of",
        "check toy/repaired\" | check toy/ghost\" | which there is not today",
        "\"name\" : \"toy/repaired\" | \"name\" : \"toy/live\" | lists of tests say otherwise",
        "attestation/test-result | attestation/other | no statement of a test's result",
      })
  void aForgedStatementIsNoticedThoughTheFoldersDigestsFit(String from, String to, String why)
      throws IOException {
    forge(STATEMENT, from, to);
    assertThat(audit().verify(out)).anySatisfy(fault -> assertThat(fault).contains(why));
  }

  @Test
  void anotherOutcomeUnderTheOldDigestIsNoticed() throws IOException {
    JsonNode s = new ObjectMapper().readTree(out.resolve(STATEMENT).toFile());
    String content = s.at("/predicate/configuration/1/content").asText();
    String other = Base64.getEncoder().encodeToString("{}".getBytes(StandardCharsets.UTF_8));
    forge(STATEMENT, content, other);
    assertThat(audit().verify(out)).singleElement().asString().contains("digest of \"outcome\"");
  }

  @Test
  void aStatementOfNothingIsNoticed() throws IOException {
    Path file = out.resolve(STATEMENT);
    ObjectMapper json = new ObjectMapper();
    ObjectNode s = (ObjectNode) json.readTree(file.toFile());
    s.putArray("subject");
    Files.writeString(file, s.toPrettyString());
    sum();
    assertThat(audit().verify(out)).containsExactly("toy.repaired.json: it is of nothing");
  }

  @ParameterizedTest
  @ValueSource(strings = {STATEMENT, "evidence/run.repaired.json"})
  void aStatementThatDoesNotSayWhatItsCheckDependedOnIsNoticed(String renamed) throws IOException {
    ObjectNode s = (ObjectNode) new ObjectMapper().readTree(out.resolve(STATEMENT).toFile());
    JsonNode module = s.get("subject").get(0);
    s.putArray("subject").add(module);
    Files.delete(out.resolve(STATEMENT));
    Files.writeString(out.resolve(renamed), s.toPrettyString());
    sum();
    assertThat(audit().verify(out))
        .anySatisfy(fault -> assertThat(fault).contains("what toy/repaired depended on"));
  }

  @Test
  void aSubjectThatCanBeNoFileIsAFault() throws IOException {
    ObjectNode s = (ObjectNode) new ObjectMapper().readTree(out.resolve(STATEMENT).toFile());
    s.withArray("subject").addObject().put("name", "specs\0x").putObject("digest");
    Files.writeString(out.resolve(STATEMENT), s.toPrettyString());
    sum();
    assertThat(audit().verify(out)).singleElement().asString().contains("specs");
  }

  /** The words that stand for the digest of a file that there is not are no digest. */
  @Test
  void aSubjectThatThereIsNotHasNoDigest() throws IOException {
    ObjectNode s = (ObjectNode) new ObjectMapper().readTree(out.resolve(STATEMENT).toFile());
    for (String name : List.of("specs/toy/Gone.tla", "specs\0x", "specs")) {
      ObjectNode subject = s.withArray("subject").addObject().put("name", name);
      subject.putObject("digest").put("sha256", "no such file");
    }
    Files.writeString(out.resolve(STATEMENT), s.toPrettyString());
    sum();
    assertThat(audit().verify(out)).hasSize(3).allMatch(fault -> fault.contains("specs"));
  }

  @Test
  void aFolderWithoutAStatementVerifiesNothing() throws IOException {
    Workspace.delete(out.resolve("evidence"));
    sum();
    assertThat(audit().verify(out)).singleElement().asString().contains("no statement");
  }

  @ParameterizedTest
  @CsvSource({
    "toy.repaired, '\"holds\"', '\"FAILED\"'",
    "stage.simulate_toy, '\"exit\":0', '\"exit\":1'",
    "run.jepsen_toy_1, '\"valid\"', '\"invalid\"'"
  })
  void aResultThatItsOwnOutcomeDeniesIsNoticed(String statement, String from, String to)
      throws IOException {
    String file = "evidence/" + statement + ".json";
    JsonNode said =
        new ObjectMapper().readTree(out.resolve(file).toFile()).at("/predicate/configuration/1");
    String content = said.path("content").asText();
    String outcome = new String(Base64.getDecoder().decode(content), StandardCharsets.UTF_8);
    assertThat(outcome).contains(from);
    byte[] forged = outcome.replace(from, to).getBytes(StandardCharsets.UTF_8);
    forge(file, content, Base64.getEncoder().encodeToString(forged));
    forge(file, said.at("/digest/sha256").asText(), sha256(forged));
    assertThat(audit().verify(out)).singleElement().asString().contains("its outcome");
  }

  @Test
  void statementsThatChangedPlacesAreNoticed() throws IOException {
    Path one = out.resolve(STATEMENT);
    Path other = out.resolve("evidence/toy.as-published.json");
    String text = Files.readString(one);
    Files.writeString(one, Files.readString(other));
    Files.writeString(other, text);
    sum();
    assertThat(audit().verify(out))
        .contains("toy.repaired.json: it is a statement of toy/as-published");
  }

  @Test
  void aVerdictThatIsAnotherOneTodayIsNoticed() throws IOException {
    ToyWorkspace.edit(
        root, "checks.yaml", "states: [18, 22]\n    main", "states: [21, 22]\n    main");
    assertThat(audit().verify(out))
        .singleElement()
        .asString()
        .contains("today's verdict of toy/repaired is FAILED");
  }

  @Test
  void aStageThatEndedOtherwiseIsNoticed() throws IOException {
    Path stages = root.resolve(".plumb/reports/verify.json");
    String said = Files.readString(stages);
    Files.writeString(stages, said.replace("\"exit\": 0", "\"exit\": 1"));
    assertThat(audit().verify(out))
        .containsExactly(
            "stage.simulate_toy.json: today's verdict of ./plumb simulate toy is FAILED");
    Files.writeString(
        stages,
        said.replace("\"exit\": 0", "\"exit\": 1").replace("a digest", "that of another input"));
    assertThat(audit().verify(out)).isEmpty();
  }

  @Test
  void aRunThatEndedOtherwiseThanItsStatementSaysIsNoticed() throws IOException {
    Path result = root.resolve(".plumb/jepsen/toy/1/result.json");
    String before = sha256(Files.readAllBytes(result));
    Files.writeString(result, "{\"verdict\": \"invalid\", \"command\": \"c\"}");
    forge("evidence/run.jepsen_toy_1.json", before, sha256(Files.readAllBytes(result)));
    assertThat(audit().verify(out))
        .containsExactly(
            "run.jepsen_toy_1.json: the verdict of .plumb/jepsen/toy/1/result.json is FAILED");
  }

  @Test
  void aRunThatThereIsNotOrThatLeftMoreIsNoticed() throws IOException {
    Path run = out.resolve("evidence/run.jepsen_toy_1.json");
    ObjectNode s = (ObjectNode) new ObjectMapper().readTree(run.toFile());
    JsonNode history = s.get("subject").get(0);
    assertThat(history.path("name").asText()).endsWith("history.edn");
    s.putArray("subject").add(history);
    Files.writeString(run, s.toPrettyString());
    sum();
    String fault = ": it is not what a run that is stored here says";
    assertThat(audit().verify(out)).containsExactly(run.getFileName() + fault);
    audit().write(out);
    Files.writeString(out.resolve("evidence/run.best.json"), s.toPrettyString());
    sum();
    assertThat(audit().verify(out)).containsExactly("run.best.json" + fault);
  }

  @Test
  void aStatementWithoutAnOutcomeIsNoticed() throws IOException {
    ObjectNode s = (ObjectNode) new ObjectMapper().readTree(out.resolve(STATEMENT).toFile());
    ((ArrayNode) s.at("/predicate/configuration")).remove(1);
    Files.writeString(out.resolve(STATEMENT), s.toPrettyString());
    sum();
    assertThat(audit().verify(out)).containsExactly("toy.repaired.json: it has no outcome");
    assertThatThrownBy(() -> audit().rederive(out, 100, 1, 60, quiet(), t -> {}))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("no outcome that can be read");
  }

  @Test
  void stagesOfAnotherLaneOrOfMoreProtocolsAreNotCompared() {
    Audit quick = new Audit(new Workspace(root), List.of(), "quick", List.of(), List.of());
    assertThat(quick.verify(out)).isEmpty();
  }

  @Test
  void aFolderThatListsNothingShowsNothing() throws IOException {
    Path empty = Files.createDirectories(root.resolve("empty"));
    Files.writeString(empty.resolve("SHA256SUMS"), "");
    assertThat(audit().verify(empty)).singleElement().asString().contains("it lists no file");
  }
}
