package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.plumbline.explain.Counterexample;
import dev.plumbline.parts.Shard;
import dev.plumbline.tlc.InputError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The driver on a toy protocol, with real checking processes. */
class CheckTest {
  @TempDir Path root;
  private final ByteArrayOutputStream progress = new ByteArrayOutputStream();

  @BeforeEach
  void copyFixture() throws IOException {
    ToyWorkspace.copyTo(root);
  }

  private Map<String, Result> run(String lane, String... names) {
    Board board = new Board(new PrintStream(progress, true, StandardCharsets.UTF_8), false);
    Driver.Options options = new Driver.Options(List.of(names), lane, false, 2, Shard.WHOLE);
    return new Driver(new Workspace(root), options, board)
        .run().stream().collect(Collectors.toMap(Result::check, Function.identity()));
  }

  private void edit(String file, String from, String to) throws IOException {
    ToyWorkspace.edit(root, file, from, to);
  }

  private void refuses(String file, int line, String message, String remedy) {
    InputError e = catchThrowableOfType(() -> run("nightly"), InputError.class);
    assertThat(e).isNotNull();
    assertThat(e.file()).endsWith(file);
    assertThat(e.line()).isEqualTo(line);
    assertThat(e.getMessage()).contains(message);
    assertThat(e.remedy()).contains(remedy);
    assertThat(root.resolve(".plumb/run")).doesNotExist();
  }

  @Test
  void shardsTogetherDoEveryCheckOnceAndADamagedOutcomeIsFoundAgain() throws IOException {
    run("quick");
    Path entry;
    try (Stream<Path> files = Files.list(root.resolve(".plumb/cache/check"))) {
      entry = files.sorted().findFirst().orElseThrow();
    }
    String whole = Files.readString(entry);
    String damaged = whole.replaceFirst("distinct\" : ", "distinct\" : 1");
    assertThat(damaged).isNotEqualTo(whole);
    Files.writeString(entry, damaged);
    List<String> ran = new java.util.ArrayList<>();
    long found = 0;
    for (int i = 1; i <= 3; i++) {
      Board board = new Board(new PrintStream(progress, true, StandardCharsets.UTF_8), false);
      Driver.Options options = new Driver.Options(List.of(), "quick", false, 2, new Shard(i, 3));
      List<Result> results = new Driver(new Workspace(root), options, board).run();
      results.forEach(r -> ran.add(r.check()));
      found += results.stream().filter(r -> !r.cached()).count();
      assertThat(results).noneMatch(Result::failed);
    }
    assertThat(ran).containsExactlyInAnyOrderElementsOf(run("quick").keySet());
    assertThat(found).isEqualTo(1);
  }

  @Test
  void aCheckThatDoesNotExistIsSaidWithWhereThoseOfItsProtocolAre() throws IOException {
    List<Checks> protocols = new Workspace(root).protocols();
    Function<String, String> remedy =
        name ->
            catchThrowableOfType(
                    () -> Driver.demandKnown(List.of(name), protocols), InputError.class)
                .remedy();
    assertThat(remedy.apply("toy/nothing")).contains("specs/toy/checks.yaml");
    assertThat(remedy.apply("nothing")).isEqualTo("protocols: toy");
  }

  @Test
  void everyKindOfExpectationIsMetAndRemembered() throws IOException {
    Map<String, Result> first = run("nightly");
    assertThat(first.values()).noneMatch(Result::failed).noneMatch(Result::cached);
    assertThat(first.get("repaired").verdict()).isEqualTo("holds");
    assertThat(first.get("repaired").distinct()).isEqualTo(20);
    assertThat(first.get("as-published").verdict()).isEqualTo("violated");
    assertThat(first.get("not-live").verdict()).isEqualTo("violated");
    assertThat(first.get("commits").verdict()).isEqualTo("reached");
    assertThat(first.get("live").verdict()).isEqualTo("holds");
    assertThat(first.get("walks").verdict()).isEqualTo("sampled");
    assertThat(first.get("walks").distinct()).isEqualTo(-1);
    assertThat(first.get("walks-commit").verdict()).isEqualTo("reached");
    assertThat(first.get("repaired").manifest().path("bounds").path("Repairs").asText())
        .isEqualTo("= { \"all votes\" }");

    Map<String, Result> second = run("nightly");
    assertThat(second.values())
        .filteredOn(r -> !r.engine().equals("apalache"))
        .allMatch(Result::cached);

    edit("TwoPhase.tla", "A toy two-phase commit", "A changed toy");
    assertThat(run("quick", "toy/repaired").get("repaired").cached()).isFalse();
  }

  /** Else the broken module would hold, from then on, by what was found in the mended one. */
  @Test
  void whatIsFoundInAModuleThatWasEditedMeanwhileIsNoVerdictOfTheOneBefore() throws IOException {
    Path module = root.resolve("specs/toy/TwoPhase.tla");
    String mended = Files.readString(module);
    edit("TwoPhase.tla", "Cardinality(Votes(TRUE)) = Cardinality(Participant)", "Votes(TRUE) # {}");
    String broken = Files.readString(module);
    PrintStream editor =
        new PrintStream(progress, true, StandardCharsets.UTF_8) {
          @Override
          public void println(String line) {
            if (line.contains("running toy/repaired")) {
              Workspace.writeWhole(module, mended);
            }
          }
        };
    Driver.Options options =
        new Driver.Options(List.of("toy/repaired"), "quick", false, 1, Shard.WHOLE);
    List<Result> edited = new Driver(new Workspace(root), options, new Board(editor, false)).run();
    assertThat(edited).allMatch(Result::environment);
    assertThat(edited.get(0).message()).contains("changed while");
    Files.writeString(module, broken);
    assertThat(run("quick", "toy/repaired").get("repaired").verdict()).isEqualTo("FAILED");
  }

  @Test
  void withoutApalacheASymbolicCheckIsNotRunAndNotPassed() {
    Result r = run("nightly", "inductive").get("inductive");
    assertThat(r.verdict()).isIn("not run", "holds", "FAILED");
    if (System.getenv("PLUMB_APALACHE") == null) {
      assertThat(r.verdict()).isEqualTo("not run");
      assertThat(Reports.table(List.of(r), 0)).contains("1 not run");
      assertThat(Reports.junit(List.of(r))).contains("<skipped");
    }
  }

  @Test
  @Timeout(120)
  void aSampledModelThatCannotBeEvaluatedFailsAndEnds() throws IOException {
    edit("TwoPhase.tla", "\\E m \\in msgs : Learn(m)", "\\E m \\in msgs : Learn(m) /\\ m.nothing");
    Result r = run("nightly", "walks").get("walks");
    assertThat(r.failed()).isTrue();
    assertThat(r.message()).contains("TLC stopped").contains("nothing");
  }

  @Test
  void aSampleWithoutOneThatShowsWhereItsBehavioursGetSaysSo() throws IOException {
    assertThat(run("nightly", "walks").get("walks").message()).isEmpty();
    edit(
        "checks.yaml", "reaches: CommitReach\"\n    simulate", "violates: TypeInv\"\n    simulate");
    Result r = run("nightly", "walks").get("walks");
    assertThat(r.verdict()).isEqualTo("sampled");
    assertThat(Reports.table(List.of(r), 0))
        .contains("sampled toy/walks: nothing shows that its random behaviours get anywhere");
  }

  @Test
  void aSampleWhoseBehavioursAConstraintEndsSaysSo() throws IOException {
    edit("MCTwoPhase.cfg", "PROPERTY", "ACTION_CONSTRAINT MCNext\nPROPERTY");
    assertThat(run("nightly", "walks").get("walks").message())
        .contains("ACTION_CONSTRAINT MCNext ends random behaviours early");
  }

  @Test
  void aModelOutsideItsBandFails() throws IOException {
    edit("checks.yaml", "states: [18, 22]\n    main", "states: [21, 22]\n    main");
    Result r = run("quick", "repaired").get("repaired");
    assertThat(r.failed()).isTrue();
    assertThat(r.message()).contains("20 distinct states lie outside the band [21, 22]");
  }

  @Test
  void anActionThatIsNeverTakenFailsUnlessWaived() throws IOException {
    edit("checks.yaml", "    waive: {Restart: participants never crash here}\n", "");
    assertThat(run("quick", "repaired").get("repaired").message())
        .isEqualTo("never taken: Restart");
    edit("checks.yaml", "    main: true\n", "    main: true\n    waive: {Restart: no, Vote: no}\n");
    assertThat(run("quick", "repaired").get("repaired").message())
        .isEqualTo("waived without need: Vote");
    edit("checks.yaml", "Vote: no}", "Votes: no}");
    assertThat(run("quick", "repaired").get("repaired").message())
        .isEqualTo("waived is Votes, no action of Next: did you mean Vote?");
  }

  @Test
  void actionsThatShareAQuantifierOverTheStateAreToldApart() throws IOException {
    edit(
        "TwoPhase.tla",
        "\\E m \\in msgs : Learn(m)",
        "\\E m \\in msgs : (Learn(m) \\/ Restart(m.src))");
    edit("TwoPhase.tla", "  \\/ \\E p \\in Participant : Restart(p)\n", "");
    edit(
        "TwoPhase.tla",
        "state[p] = \"crashed\"\n  /\\ state'",
        "p \\in Participant\n  /\\ state[p] = \"crashed\"\n  /\\ state'");
    edit("checks.yaml", "    waive: {Restart: participants never crash here}\n", "");
    assertThat(run("quick", "repaired").get("repaired").message())
        .isEqualTo("never taken: Restart");
  }

  @Test
  void violatingAnythingButTheNamedPropertyFails() throws IOException {
    edit("checks.yaml", "violates: AgreementInv", "violates: TypeInv");
    Result r = run("quick", "as-published").get("as-published");
    assertThat(r.failed()).isTrue();
    assertThat(r.message()).isEqualTo("AgreementInv is violated, expected: TypeInv");
  }

  @Test
  void aMustFailCheckThatHoldsFails() throws IOException {
    edit("checks.yaml", "constants: {Repairs: '{}'}", "constants: {Repairs: '{\"all votes\"}'}");
    assertThat(run("quick", "as-published").get("as-published").message())
        .isEqualTo("AgreementInv holds, expected to be violated");
  }

  @Test
  void aDeadlockAndAnEvaluationErrorAreNotTheNamedViolation() throws IOException {
    edit("checks.yaml", "    finding: TOY-F1\n", "    deadlock: true\n");
    edit("checks.yaml", "constants: {Repairs: '{}'}", "constants: {Repairs: '{\"all votes\"}'}");
    assertThat(run("quick", "as-published").get("as-published").message())
        .contains("the model deadlocks");
    edit("TwoPhase.tla", "/\\ state[m.dst] = \"prepared\"", "/\\ state[m.nothing] = \"prepared\"");
    Result r = run("quick", "as-published").get("as-published");
    assertThat(r.failed()).isTrue();
    assertThat(r.message()).contains("TLC stopped").contains("nothing");
  }

  @Test
  void whatIsNotReachedFails() throws IOException {
    edit("checks.yaml", "reaches: CommitReach", "reaches: CrashReach");
    assertThat(run("quick", "commits").get("commits").message())
        .isEqualTo("CrashReach is not reached");
  }

  @Test
  void constantsMayBeExpressions() throws IOException {
    edit(
        "checks.yaml",
        "constants: {Repairs: '{}'}",
        "constants: {Repairs: '{\"all votes\"} \\ {\"all votes\"}'}");
    assertThat(run("quick", "as-published").get("as-published").verdict()).isEqualTo("violated");
  }

  @Test
  void aConstantThatIsNoExpressionNamesItsLine() throws IOException {
    edit("checks.yaml", "constants: {Repairs: '{}'}", "constants: {Repairs: '{} \\union + ]'}");
    refuses("checks.yaml", 17, "constant Repairs is no expression: {} \\union + ]", "correct");
  }

  @Test
  void aConstantWhoseBracketIsNotClosedNamesItsLine() throws IOException {
    edit("checks.yaml", "constants: {Repairs: '{}'}", "constants: {Repairs: '{'}");
    refuses("checks.yaml", 17, "constant Repairs is no expression: {", "correct");
  }

  @Test
  void aLivenessViolationNamesItsProperty() throws IOException {
    edit("checks.yaml", "properties: [DecidedLive]", "properties: [CommittedLive]");
    Result live = run("quick", "live").get("live");
    assertThat(live.message()).isEqualTo("CommittedLive is violated");
    assertThat(Counterexample.read(root.resolve(live.counterexample())).verdict())
        .startsWith("CommittedLive is violated");
  }

  @Test
  void aSyntaxErrorNamesFileAndLine() throws IOException {
    edit(
        "TwoPhase.tla",
        "  /\\ decision = \"none\"\n  /\\ msgs = {}",
        "  /\\ decision = = \"none\"\n  /\\ msgs = {}");
    refuses("toy/TwoPhase.tla", 20, "Encountered", "correct the module");
  }

  @Test
  void anUnknownNameInAModuleNamesFileAndLine() throws IOException {
    edit("TwoPhase.tla", "/\\ UNCHANGED decision\n\nVotes", "/\\ UNCHANGED decisoin\n\nVotes");
    refuses("toy/TwoPhase.tla", 28, "decisoin", "correct the module");
  }

  @Test
  void aConstantWithoutValueIsNamed() throws IOException {
    edit("MCTwoPhase.cfg", "  Repairs = {\"all votes\"}\n", "");
    refuses(
        "MCTwoPhase.cfg",
        0,
        "Repairs (declared in TwoPhase.tla, line 6) has no value",
        "constants:");
  }

  @Test
  void anUndeclaredConstantIsNamed() throws IOException {
    edit("MCTwoPhase.cfg", "  Repairs", "  Other = 1\n  Repairs");
    refuses("MCTwoPhase.cfg", 5, "Other", "remove the line");
  }

  @Test
  void anUnknownInvariantGetsASuggestion() throws IOException {
    edit("MCTwoPhase.cfg", "TypeInv AgreementInv", "TypeInv AgrementInv");
    refuses("MCTwoPhase.cfg", 6, "AgrementInv", "AgreementInv (TwoPhase.tla, line 73)");
  }

  @Test
  void anUnknownKeyIsNamed() throws IOException {
    edit("checks.yaml", "    main: true", "    mian: true");
    refuses("checks.yaml", 12, "unknown key mian", "main");
  }

  @Test
  void aBadBandIsNamed() throws IOException {
    edit("checks.yaml", "states: [18, 22]\n    main", "states: [22, 18]\n    main");
    refuses("checks.yaml", 11, "a band is [LOW, HIGH]", "distinct states");
  }

  @Test
  void aDuplicateIdIsNamed() throws IOException {
    edit("checks.yaml", "id: live", "id: repaired");
    refuses("checks.yaml", 32, "taken by the check at line 6", "id of its own");
  }

  @Test
  void anUndeclaredClaimIsNamed() throws IOException {
    edit("checks.yaml", "claims: [TOY-1]", "claims: [TOY-9]");
    refuses("checks.yaml", 20, "TOY-9 is not declared", "declare it");
  }

  @Test
  void aMissingFindingIsNamed() throws IOException {
    edit("checks.yaml", "TOY-F1", "TOY-F2");
    refuses("checks.yaml", 21, "TOY-F2 has no page", "docs/findings/toy-f2.md");
  }

  @Test
  void aCheckThatNothingCanRefuteIsRefused() throws IOException {
    edit("checks.yaml", "    main: true", "    main: true\n    invariants: []\n    properties: []");
    refuses("checks.yaml", 9, "it judges no property", "invariants:");
  }

  @Test
  void aFileWithoutChecksIsRefused() throws IOException {
    Path file = root.resolve("specs/toy/checks.yaml");
    Files.writeString(file, "protocol: toy\nchecks: []\n");
    refuses("checks.yaml", 2, "it lists no check", "add one");
  }

  @Test
  void aCheckThatHoldsForNoClaimIsRefused() throws IOException {
    edit("checks.yaml", "    claims: [TOY-1, TOY-2]\n", "    claims: []\n");
    refuses("checks.yaml", 10, "check repaired supports no claim", "claims: [ID, …]");
    edit("checks.yaml", "    claims: []\n", "");
    refuses("checks.yaml", 6, "check repaired supports no claim", "claims: [ID, …]");
  }

  @Test
  void aCoverageThatDemandsNothingIsRefused() throws IOException {
    edit("checks.yaml", "coverage: [Vote, DecideCommit, DecideAbort, Learn]", "coverage: []");
    refuses("checks.yaml", 39, "coverage names no action", "every action must");
  }

  @Test
  void anActionOfCoverageThatIsNoneNamesTheNearest() throws IOException {
    edit("checks.yaml", "coverage: [Vote, ", "coverage: [Decision, Vot, ");
    refuses("checks.yaml", 39, "MCTwoPhase defines no action Decision", "define it, or correct");
    edit("checks.yaml", "Decision, Vot, ", "Vot, ");
    refuses("checks.yaml", 39, "MCTwoPhase defines no action Vot", "did you mean Vote (");
    edit("checks.yaml", "coverage: [Vot, ", "coverage: [");
    run("quick", "live");
    edit("checks.yaml", "coverage: [", "coverage: [Vot, ");
    assertThat(catchThrowableOfType(() -> run("quick", "live"), InputError.class))
        .as("what is remembered says nothing of it")
        .hasMessageContaining("MCTwoPhase defines no action Vot");
  }

  @Test
  void anInvariantUnderCoverageIsNoAction() throws IOException {
    edit("checks.yaml", "coverage: [Vote, ", "coverage: [TypeInv, ");
    refuses("checks.yaml", 39, "TypeInv is no action", "name operators that Next reaches");
  }

  @Test
  void aRepairThatNoModuleHasNamesTheNearest() throws IOException {
    edit("checks.yaml", "constants: {Repairs: '{}'}", "constants: {Repairs: '{\"all vots\"}'}");
    refuses("checks.yaml", 17, "no module in", "did you mean all votes?");
  }

  @Test
  void aFindingThatNoCheckHasOrAnUnknownKindIsRefused() throws IOException {
    edit("checks.yaml", "protocol: toy\n", "protocol: toy\nfindings: {TOY-F2: published}\n");
    refuses("checks.yaml", 2, "no check has the finding TOY-F2", "did you mean TOY-F1?");
    edit("checks.yaml", "TOY-F2: published", "TOY-F1: publishd");
    refuses("checks.yaml", 2, "\"publishd\" is no good here", "did you mean published?");
  }

  @Test
  void aDiagramOfOtherNamesIsRefused() throws IOException {
    edit("checks.yaml", "protocol: toy\n", "protocol: toy\ndiagram:\n  messages: msgs, mgs\n");
    refuses("checks.yaml", 3, "no module in", "did you mean msgs?");
    edit("checks.yaml", "messages: msgs, mgs", "lanes:\n    Vot: p");
    refuses("checks.yaml", 4, "has the action Vot", "did you mean Vote?");
    edit("checks.yaml", "Vot: p", "Vote: p");
    assertThat(run("quick", "commits").get("commits").failed()).isFalse();
  }

  @Test
  void aSampleOfNothingIsRefused() throws IOException {
    edit("checks.yaml", "{traces: 200", "{traces: 0");
    refuses("checks.yaml", 47, "traces is 0", "at least 1");
  }

  /** 4,294,967,297 random behaviours were one. */
  @Test
  void aNumberThatIsTooLargeIsRefused() throws IOException {
    edit("checks.yaml", "{traces: 200", "{traces: 4_294_967_297");
    refuses("checks.yaml", 47, "\"4_294_967_297\" is too large", "nine digits");
    edit("checks.yaml", "{traces: 4_294_967_297", "{traces: 200");
    edit("checks.yaml", "length: 1\n", "length: 4294967296\n");
    refuses("checks.yaml", 63, "\"4294967296\" is too large", "nine digits");
    edit("checks.yaml", "length: 4294967296\n", "length: -1\n");
    refuses("checks.yaml", 63, "length is -1", "0 or more");
  }

  @Test
  void aTemporalPropertyUnderSymmetryIsRefused() throws IOException {
    edit("MCTwoPhase.cfg", "PROPERTY", "SYMMETRY MCSymmetry\nPROPERTY");
    refuses("checks.yaml", 27, "not-live judges CommittedLive under SYMMETRY", "without it");
    edit("MCTwoPhase.cfg", "SYMMETRY MCSymmetry", "VIEW MCView");
    refuses("checks.yaml", 27, "not-live judges CommittedLive under VIEW", "without it");
  }

  /** A comment between the names of modules hides none of them from the cache. */
  @Test
  void whatIsExtendedAfterACommentDecidesToo() throws IOException {
    edit("TwoPhase.tla", "FiniteSets, Sets", "FiniteSets, \\* sets\n  (* of (* our *) own *) Sets");
    assertThat(run("quick", "repaired").get("repaired").verdict()).isEqualTo("holds");
    Path sets = root.resolve("specs/common/Sets.tla");
    Files.writeString(sets, Files.readString(sets) + "\n\\* changed\n");
    assertThat(run("quick", "repaired").get("repaired").cached()).isFalse();
  }

  @Test
  void whatIsNotUtf8IsNamed() throws IOException {
    Path module = root.resolve("specs/toy/TwoPhase.tla");
    Files.write(
        module, (Files.readString(module) + "\u00e9").getBytes(StandardCharsets.ISO_8859_1));
    refuses("TwoPhase.tla", 0, "not UTF-8", "UTF-8");
    Path checks = root.resolve("specs/toy/checks.yaml");
    Files.write(checks, "# \u00e9\n".getBytes(StandardCharsets.ISO_8859_1));
    refuses("checks.yaml", 0, "no YAML", "UTF-8");
  }

  @Test
  void brokenYamlIsNamed() throws IOException {
    edit("checks.yaml", "states: [18, 22]\n    main", "states: [18, 22\n    main");
    refuses("checks.yaml", 12, "no YAML", "brackets");
  }

  @Test
  void yamlThatUnfoldsWithoutEndIsRefusedWithAnotherRemedy() throws IOException {
    StringBuilder bomb = new StringBuilder("a: &a [x]\n");
    for (char c = 'b'; c < 'k'; c++) {
      bomb.append("%c: &%c [%s]\n".formatted(c, c, ("*" + (char) (c - 1) + ", ").repeat(9)));
    }
    Path checks = root.resolve("specs/toy/checks.yaml");
    String text = Files.readString(checks);
    Files.writeString(checks, bomb + text);
    refuses("checks.yaml", 0, "no YAML", "aliases");
    Files.writeString(checks, "x: " + "[".repeat(100) + "]".repeat(100) + "\n" + text);
    refuses("checks.yaml", 0, "no YAML", "brackets");
  }
}
