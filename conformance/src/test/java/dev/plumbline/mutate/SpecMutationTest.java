package dev.plumbline.mutate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.check.Board;
import dev.plumbline.check.Driver;
import dev.plumbline.check.Unjudged;
import dev.plumbline.check.Workspace;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.Merge;
import dev.plumbline.parts.Shard;
import dev.plumbline.tlc.Explorer.Exploration;
import dev.plumbline.tlc.InputError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mutants of a toy protocol, judged by real exploration. */
class SpecMutationTest {
  private static final Path FIXTURE = Path.of("src/test/resources/mutate");

  private static final String DESK = "      - check: desk\n";

  @TempDir Path root;
  private JsonNode report;
  private String only = "";

  @BeforeEach
  void copyFixture() throws IOException {
    try (Stream<Path> files = Files.walk(FIXTURE)) {
      for (Path p : files.filter(Files::isRegularFile).toList()) {
        Path to = root.resolve(FIXTURE.relativize(p).toString());
        Files.createDirectories(to.getParent());
        Files.copy(p, to);
      }
    }
  }

  private boolean run(boolean nightly) throws IOException {
    return run(nightly, false);
  }

  private boolean run(boolean nightly, boolean first) throws IOException {
    return run(nightly, first, false);
  }

  private boolean run(boolean nightly, boolean first, boolean reach) throws IOException {
    return run(nightly, first, reach, Shard.WHOLE);
  }

  private boolean run(boolean nightly, boolean first, boolean reach, Shard shard)
      throws IOException {
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    return run(nowhere, nightly, first, reach, shard);
  }

  private boolean run(PrintStream out, boolean nightly, boolean first, boolean reach, Shard shard)
      throws IOException {
    Mutation.Options options =
        new Mutation.Options(
            List.of("tickets"),
            nightly,
            first,
            reach,
            "specs",
            only.isEmpty() ? List.of() : List.of(only),
            5,
            3,
            1,
            1,
            false,
            false,
            shard,
            "");
    Mutation m = new Mutation(new Workspace(root), options, out, false);
    boolean holds = m.run() == Ending.HOLDS;
    report = new ObjectMapper().readTree(m.json()).at("/protocols/0");
    return holds;
  }

  private void edit(String file, String from, String to) throws IOException {
    Path p = root.resolve("specs/tickets").resolve(file);
    String text = Files.readString(p, StandardCharsets.UTF_8);
    assertThat(text).contains(from);
    Files.writeString(p, text.replace(from, to), StandardCharsets.UTF_8);
  }

  private List<String> ids(String verdict) {
    List<String> all = new ArrayList<>();
    report
        .path("mutants")
        .forEach(
            m -> {
              if (m.path("verdict").asText().equals(verdict)) {
                all.add(m.path("id").asText());
              }
            });
    return all;
  }

  private JsonNode property(String name) {
    for (JsonNode p : report.path("properties")) {
      if (p.path("property").asText().equals(name)) {
        return p;
      }
    }
    throw new AssertionError("no property " + name);
  }

  private List<String> alone(String name) {
    List<String> all = new ArrayList<>();
    property(name).path("alone").forEach(n -> all.add(n.asText()));
    return all;
  }

  private List<String> faults() {
    List<String> all = new ArrayList<>();
    report.path("faults").forEach(n -> all.add(n.asText()));
    return all;
  }

  /** A machine that is stopped leaves what it knew, a mutant that survives above all. */
  @Test
  void whatBecameOfAMutantIsToldBeforeTheOthersAreJudged() throws IOException {
    boolean[] told = {false};
    PrintStream held =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8) {
          @Override
          public void println(String line) {
            if (line.startsWith("  pairs of tickets")) {
              told[0] = told();
            }
          }
        };
    assertThat(run(held, true, false, false, Shard.WHOLE)).isTrue();
    assertThat(told[0]).as("pairs are judged afterwards").isTrue();
  }

  /** Whether the ledger has a mutant; it is written at most once a second. */
  private boolean told() {
    Path ledger = root.resolve(".plumb/reports/parts/mutate_tickets.1-of-1.json");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    try {
      while (System.nanoTime() < deadline) {
        for (JsonNode part : new ObjectMapper().readTree(ledger.toFile()).path("parts")) {
          if (part.path("name").asText().startsWith("Tickets.")) {
            return true;
          }
        }
        Thread.sleep(20);
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
    return false;
  }

  @Test
  void everyMutantIsKilledOrLosesBehaviourAndEachPropertyIsAccountedFor() throws IOException {
    assertThat(run(true)).as(report.toPrettyString()).isTrue();
    assertThat(report.path("score").asDouble()).isEqualTo(100);
    assertThat(ids("killed")).anyMatch(i -> i.startsWith("Tickets.Restart.skip-persist"));
    assertThat(ids("loses behaviour")).anyMatch(i -> i.startsWith("Tickets.Serve.swap-relation"));
    assertThat(alone("BoundInv")).anyMatch(i -> i.startsWith("Tickets.Take.drop-guard"));
    assertThat(alone("OrderStep")).anyMatch(i -> i.startsWith("Tickets.Serve.drop-guard"));
    assertThat(property("OnceInv").path("kills").asInt()).isPositive();
    assertThat(property("OnceInv").path("note").asText()).contains("killed by others too");
    assertThat(property("NeverInv").path("note").asText()).contains("VACUOUS");
  }

  @Test
  void aSampleDoesNotTakeThePlaceOfAll() throws IOException {
    Path own = root.resolve(".plumb/reports/mutate-tickets.json");
    run(true);
    int all = report.path("mutants").size();
    run(false);
    assertThat(report.path("mutants")).hasSizeLessThan(all);
    run(true, false, true);
    JsonNode kept = new ObjectMapper().readTree(own.toFile());
    assertThat(kept.at("/protocols/0/mutants")).hasSize(all);
    assertThat(kept.at("/protocols/0/mutants/0/verdict").asText()).isNotEqualTo("reached");
    edit("Tickets.tla", "BoundInv == ", "BoundInv == 1 = 1 /\\ ");
    run(false);
    assertThat(new ObjectMapper().readTree(own.toFile()).at("/protocols/0/mutants"))
        .hasSizeLessThan(all);
    Files.writeString(own, "{");
    run(false);
    assertThat(new ObjectMapper().readTree(own.toFile()).at("/lane").asText()).isEqualTo("quick");
  }

  @Test
  void judgingUpToTheFirstKillGivesTheSameVerdictsAndDoesNotAccountForProperties()
      throws IOException {
    run(true);
    List<String> killed = ids("killed");
    List<String> losing = ids("loses behaviour");
    assertThat(run(true, true)).isTrue();
    assertThat(ids("killed")).isNotEmpty().isEqualTo(killed);
    assertThat(ids("loses behaviour")).isEqualTo(losing);
    assertThat(report.path("properties")).isEmpty();
  }

  @Test
  void weakeningAPropertyThatAloneKillsNamesTheSurvivors() throws IOException {
    run(true);
    List<String> expected = alone("BoundInv");
    assertThat(expected).isNotEmpty();
    edit("Tickets.tla", "BoundInv == \\A n \\in held : n <= Last", "BoundInv == TRUE");
    assertThat(run(true)).isFalse();
    assertThat(ids("survives")).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(faults()).containsAll(expected.stream().map(i -> "survives: " + i).toList());
  }

  @Test
  void removingAPropertyThatAloneKillsNamesTheSurvivors() throws IOException {
    run(true);
    List<String> expected = alone("OrderStep");
    assertThat(expected).isNotEmpty();
    edit("MCTickets.cfg", "PROPERTY OrderStep", "");
    assertThat(run(true)).isFalse();
    assertThat(ids("survives")).containsExactlyInAnyOrderElementsOf(expected);
    String id = expected.get(0);
    edit(
        "mutants.yaml",
        "      - check: desk",
        "      - check: desk\nequivalent:\n  " + id + ": order is not promised");
    run(true);
    assertThat(faults()).doesNotContain("survives: " + id).hasSize(expected.size() - 1);
  }

  @Test
  void aReasonWithoutItsMutantFailsAndSoDoesOneForAMutantThatIsKilled() throws IOException {
    run(true);
    String killed = ids("killed").get(0);
    edit(
        "mutants.yaml",
        "      - check: desk",
        "      - check: desk\nequivalent:\n  Tickets.Take.drop-guard.00000000: gone\n  "
            + killed
            + ": no");
    assertThat(run(true)).isFalse();
    assertThat(faults())
        .containsExactlyInAnyOrder(
            "listed in mutants.yaml, but it is killed: " + killed,
            "mutants.yaml:10: no mutant has the id Tickets.Take.drop-guard.00000000");
  }

  @Test
  void namesSurviveEditsElsewhereAndASampleIsReproducible() throws IOException {
    assertThat(run(false)).as(report.toPrettyString()).isTrue();
    assertThat(report.path("mutants")).hasSize(5);
    List<String> before = report.findValuesAsText("id");
    edit(
        "Tickets.tla",
        "Restart ==",
        "\\* A comment, and another operator.\nIdle == held = {}\n\nRestart ==");
    run(false);
    assertThat(report.findValuesAsText("id")).isEqualTo(before);
  }

  @Test
  void aModuleWithoutANextStateRelationIsReachedThroughOneThatExtendsIt() throws IOException {
    run(true);
    List<String> killed = ids("killed");
    String next =
        "Next ==\n  \\/ Take\n  \\/ \\E n \\in 1 .. Last : Serve(n)\n  \\/ Restart\n\n"
            + "Spec == Init /\\ [][Next]_vars\n";
    edit("Tickets.tla", next, "");
    edit("MCTickets.tla", "EXTENDS Tickets\n", "EXTENDS Tickets\n" + next);
    assertThatThrownBy(() -> run(true))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("module Tickets defines no Next");
    edit("mutants.yaml", "  Tickets:\n", "  Tickets:\n    through: MCTickets\n");
    assertThat(run(true)).as(report.toPrettyString()).isTrue();
    assertThat(ids("killed")).isNotEmpty().isEqualTo(killed);
  }

  @Test
  void aModelOfTheNightlyLaneJudgesOfASampleWhatTheOthersLeaveOpen() throws IOException {
    run(false);
    List<String> killed = ids("killed");
    Path checks = root.resolve("specs/tickets/checks.yaml");
    String desk = Files.readString(checks, StandardCharsets.UTF_8);
    String weak =
        desk.substring(desk.indexOf("  - id: desk")).replace("id: desk", "id: weak")
            + "    invariants: [NeverInv]\n    properties: []\n";
    Files.writeString(checks, desk + weak, StandardCharsets.UTF_8);
    edit("mutants.yaml", "check: desk", "check: weak");
    assertThat(run(false)).isFalse();
    assertThat(ids("survives")).isNotEmpty().isSubsetOf(killed);
    edit(
        "mutants.yaml",
        "- check: weak",
        "- check: weak\n      - check: desk\n        lane: nightly");
    assertThat(run(false)).as(report.toPrettyString()).isTrue();
    assertThat(ids("killed")).isNotEmpty().isEqualTo(killed);
  }

  /** An action that no model's bounds let happen. */
  private void addRefund() throws IOException {
    edit(
        "Tickets.tla",
        "Next ==\n",
        "Refund ==\n  /\\ next > 100\n  /\\ held' = held \\ {next}\n"
            + "  /\\ UNCHANGED <<next, served>>\n\nNext ==\n  \\/ Refund\n");
  }

  @Test
  void aMutantInALineThatNoModelEvaluatesIsUnreachedWhichIsNoPass() throws IOException {
    addRefund();
    assertThat(run(true)).isFalse();
    List<String> unreached = ids("unreached");
    assertThat(unreached)
        .isNotEmpty()
        .allMatch(i -> i.matches("Tickets.Refund.drop-(update|element).*"));
    assertThat(faults()).contains("unreached: " + unreached.get(0));
    assertThat(ids("same graph")).noneMatch(unreached::contains);
    StringBuilder argued = new StringBuilder("      - check: desk\nequivalent:\n");
    unreached.forEach(i -> argued.append("  ").append(i).append(": nobody gets a hundred\n"));
    edit("mutants.yaml", "      - check: desk\n", argued.toString());
    run(true);
    assertThat(faults()).noneMatch(f -> f.contains("unreached"));
  }

  @Test
  void reachAloneFindsTheSameUnreachedMutants() throws IOException {
    addRefund();
    run(true);
    List<String> unreached = ids("unreached");
    assertThat(run(true, false, true)).isFalse();
    assertThat(ids("unreached")).isEqualTo(unreached);
    assertThat(ids("reached")).hasSize(report.path("mutants").size() - unreached.size());
  }

  /** A reason says why nothing kills a mutant, and stays where nothing was to kill it. */
  @Test
  void aReasonIsNoFaultOfAMutantThatIsReached() throws IOException {
    run(true);
    String killed = ids("killed").get(0);
    edit("mutants.yaml", DESK, DESK + "equivalent:\n  " + killed + ": why\n");
    assertThat(run(true, false, true)).as("%s", faults()).isTrue();
  }

  @Test
  void sharesOfReachAreMerged() throws IOException {
    writeErrors("    killed: {check: desk, property: OrderStep}\n");
    for (int i = 1; i <= 2; i++) {
      assertThat(run(true, false, true, new Shard(i, 2))).isTrue();
    }
    Merge merge = new Merge(List.of(root.resolve(".plumb")), null);
    assertThat(merge.missing()).isEmpty();
    assertThat(merge.exit()).isZero();
    assertThat(merge.text(false)).contains("mutate reach of tickets").contains("all holds");
  }

  @Test
  void whatTheLaneDoesNotJudgeIsNamed() throws IOException {
    writeErrors("");
    only = "handmade";
    assertThatThrownBy(() -> run(true, false, true))
        .hasMessageContaining("no mutant's name begins with [handmade]");
    edit("checks.yaml", "    lane: quick", "    lane: nightly");
    writeErrors("    killed: {check: desk, property: OrderStep}\n");
    assertThatThrownBy(() -> run(false))
        .hasMessageContaining("the quick lane judges none of [handmade]");
  }

  private JsonNode handMade(String name) {
    for (JsonNode h : report.path("handmade")) {
      if (h.path("id").asText().equals("handmade." + name)) {
        return h;
      }
    }
    throw new AssertionError("no error " + name + " in " + report.path("handmade"));
  }

  private void writeErrors(String killed) throws IOException {
    Files.writeString(
        root.resolve("specs/tickets/handmade.yaml"),
        """
        protocol: tickets
        errors:
          serves-the-last:
            module: Tickets
            before: "\\\\A m \\\\in held : n <= m"
            after: "\\\\A m \\\\in held : m <= n"
            why: who came last is served first
        """
            + killed);
  }

  @Test
  void anErrorMadeByHandIsNoticedByThePropertyThatIsNamed() throws IOException {
    writeErrors("    killed: {check: desk, property: OrderStep}\n");
    run(false);
    assertThat(handMade("serves-the-last").path("verdict").asText()).isEqualTo("killed");
    assertThat(handMade("serves-the-last").path("by").asText()).isEqualTo("desk OrderStep");
    assertThat(faults()).noneMatch(f -> f.contains("handmade"));
    edit("Tickets.tla", "served[i] < served'[Len(served')]", "served[i] <= Last");
    assertThat(run(false)).isFalse();
    assertThat(faults())
        .contains(
            "survives: handmade.serves-the-last, which is wrong: who came last is served first");
  }

  private String said() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    run(new PrintStream(out, true, StandardCharsets.UTF_8), false, false, false, Shard.WHOLE);
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Not of another input: the original may have become wrong, and everything notices it then. */
  @Test
  void whatItsCheckSaidOfTheOriginalIsNotFoundOutAgain() throws IOException {
    writeErrors("    killed: {check: desk, property: OrderStep}\n");
    only = "handmade";
    assertThat(said()).contains("original of Tickets in desk").doesNotContain("by its check");
    Board quiet = new Board(new PrintStream(OutputStream.nullOutputStream()), false);
    Driver.Options options =
        new Driver.Options(List.of("tickets/desk"), "quick", false, 1, Shard.WHOLE);
    assertThat(new Driver(new Workspace(root), options, quiet).run().get(0).verdict())
        .isEqualTo("holds");
    assertThat(said()).contains("original in desk: holds by its check");
    assertThat(handMade("serves-the-last").path("by").asText()).isEqualTo("desk OrderStep");
    edit("Tickets.tla", "BoundInv == \\A n \\in held : n <= Last", "BoundInv == next < Last");
    assertThatThrownBy(this::said)
        .isInstanceOf(InputError.class)
        .hasMessageContaining("the unchanged Tickets does not pass desk");
  }

  @Test
  void whoNamesNoPropertyIsToldOne() throws IOException {
    writeErrors("");
    assertThat(run(false)).isFalse();
    assertThat(faults())
        .contains(
            "handmade.serves-the-last: write it down: killed: {check: desk, property: OrderStep}");
  }

  @Test
  void anErrorThatTheModuleDoesNotHaveOnceNamesItsLine() throws IOException {
    writeErrors("");
    edit("handmade.yaml", "n <= m", "n < m");
    assertThatThrownBy(() -> run(false))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("Tickets does not have this text exactly once");
  }

  @Test
  void pairsOfMutantsAreJudgedInTheNightlyLane() throws IOException {
    run(true);
    List<JsonNode> pairs = new ArrayList<>();
    report.path("mutants").forEach(m -> pairs.add(m));
    pairs.removeIf(m -> !m.path("kind").asText().equals("pair"));
    assertThat(pairs).hasSize(3);
    assertThat(pairs).allMatch(m -> m.path("diff").asText().lines().count() >= 4);
    assertThat(pairs).anyMatch(m -> m.path("verdict").asText().equals("killed"));
  }

  /** Also the errors made by hand and the pairs, which every machine would do again. */
  @Test
  void machinesTogetherJudgeEverythingOnce() throws IOException {
    writeErrors("    killed: {check: desk, property: OrderStep}\n");
    Path ledgers = root.resolve(".plumb/reports/parts");
    List<String> planned = new ArrayList<>();
    List<String> judged = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      run(true, false, false, new Shard(i, 3));
      JsonNode ledger =
          new ObjectMapper()
              .readTree(ledgers.resolve("mutate_tickets." + i + "-of-3.json").toFile());
      planned.clear();
      ledger.path("planned").forEach(p -> planned.add(p.asText()));
      ledger.path("parts").forEach(p -> judged.add(p.path("name").asText()));
    }
    assertThat(planned).contains("errors made by hand/serves-the-last");
    assertThat(planned).filteredOn(p -> p.contains(" + ")).hasSize(3);
    judged.removeIf("mutants.yaml"::equals);
    planned.remove("mutants.yaml");
    assertThat(judged).containsExactlyInAnyOrderElementsOf(planned);
  }

  @Test
  void faultsOfTheInputNameTheirLine() throws IOException {
    edit("mutants.yaml", "variable: held", "variable: nothing");
    assertThatThrownBy(() -> run(true))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("has no UNCHANGED that keeps nothing");
  }

  /** Kills every process that was started since, as soon as the originals have been explored. */
  private static PrintStream killer() {
    List<ProcessHandle> before = ProcessHandle.current().children().toList();
    return new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8) {
      @Override
      public void println(String line) {
        if (line.contains("original of")) {
          ProcessHandle.current()
              .children()
              .filter(p -> !before.contains(p))
              .forEach(ProcessHandle::destroyForcibly);
        }
      }
    };
  }

  @Test
  void aCheckingProcessThatIsKilledJudgesNoMutant() {
    assertThatThrownBy(() -> run(killer(), true, true, false, Shard.WHOLE))
        .isInstanceOf(Unjudged.class)
        .hasMessageContaining("was ended by signal 9");
  }

  /** Writes a module as it was, at the first line that has this. */
  private PrintStream editor(String line, String mended) {
    return new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8) {
      @Override
      public void println(String said) {
        if (said.contains(line)) {
          Workspace.writeWhole(root.resolve("specs/tickets/Tickets.tla"), mended);
        }
      }
    };
  }

  /** Its verdicts would be remembered for a module that they are not of, and shown by the audit. */
  @Test
  void mutantsOfAModuleThatIsEditedMeanwhileHaveNoVerdict() throws IOException {
    Path module = root.resolve("specs/tickets/Tickets.tla");
    String whole = Files.readString(module);
    edit("Tickets.tla", "BoundInv == \\A n \\in held : n <= Last", "BoundInv == TRUE");
    String weak = Files.readString(module);
    assertThatThrownBy(() -> run(editor(" states, ", whole), true, true, false, Shard.WHOLE))
        .isInstanceOf(Unjudged.class)
        .hasMessageContaining("changed while");
    Files.writeString(module, weak);
    run(editor("original of", whole), true, true, false, Shard.WHOLE);
    assertThat(report.path("input").asText()).as("neither of the two").isEmpty();
    run(true, true);
    assertThat(report.path("input").asText()).isNotEmpty();
  }

  @Test
  void aFileThatMutatesNothingOrAsksNobodyIsRefused() throws IOException {
    String whole = Files.readString(root.resolve("specs/tickets/mutants.yaml"));
    Path file = root.resolve("specs/tickets/mutants.yaml");
    Files.writeString(file, "protocol: tickets\nmodules: {}\n");
    assertThatThrownBy(() -> run(false))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("mutates no module");
    Files.writeString(
        file, whole.replace("    models:\n      - check: desk\n", "    models: []\n"));
    assertThatThrownBy(() -> run(false))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("no model judges");
    Files.writeString(file, whole.replace("    models:", "    skip: {Take: ''}\n    models:"));
    assertThatThrownBy(() -> run(false))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("no reason");
  }

  /** What is changed then is what judges: it notices itself. */
  @Test
  void anErrorInThePropertyThatIsToNoticeItIsRefused() throws IOException {
    Files.writeString(
        root.resolve("specs/tickets/handmade.yaml"),
        """
        protocol: tickets
        errors:
          bound-is-lower:
            module: Tickets
            before: 'BoundInv == \\A n \\in held : n <= Last'
            after: 'BoundInv == \\A n \\in held : n < Last'
            why: the last ticket is handed out, too
            killed: {check: desk, property: BoundInv}
        """);
    assertThatThrownBy(() -> run(false))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("BoundInv");
  }

  private void assume(String what) throws IOException {
    edit("Tickets.tla", "  /\\ next <= Last", "  /\\ InRange(next)");
    edit("Tickets.tla", "VARIABLES", "InRange(n) == n <= Last\nASSUME " + what + "\n\nVARIABLES");
  }

  /** TLC explores nothing then: no property has said anything of the mutant. */
  @Test
  void aMutantThatBreaksAnAssumptionIsNeitherKilledNorAlive() throws IOException {
    assume("InRange(Last) /\\ ~InRange(Last + 1)");
    run(true);
    List<String> errors = ids("evaluation error");
    assertThat(errors).anyMatch(i -> i.startsWith("Tickets.InRange."));
    report
        .path("mutants")
        .forEach(
            m -> {
              if (m.path("id").asText().startsWith("Tickets.InRange.")) {
                assertThat(errors).contains(m.path("id").asText());
                assertThat(m.path("note").asText())
                    .contains("the assumption at Tickets.tla:")
                    .contains("is false: InRange(Last)");
              }
            });
  }

  @Test
  void anOriginalThatBreaksItsAssumptionJudgesNothing() throws IOException {
    assume("InRange(Last + 1)");
    assertThatThrownBy(() -> run(true))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("the unchanged Tickets does not pass")
        .hasMessageContaining("the assumption at Tickets.tla:");
  }

  private static Exploration ended(String end, String message) {
    return new Exploration(end, message, 1, 1, 1, 1, Map.of(), Map.of(), "", "");
  }

  /** Nothing is wrong with a specification for which there was no time. */
  @Test
  void anOriginalThatIsNotJudgedInTimeIsATimeOut() {
    SpecMutation.inTime("Tickets", "small", ended("complete", ""));
    assertThatThrownBy(() -> SpecMutation.inTime("Tickets", "small", ended("millis", "")))
        .isInstanceOfSatisfying(Unjudged.class, e -> assertThat(e.late()).isTrue())
        .hasMessage("the unchanged Tickets has no verdict in small within the time limit");
    assertThatThrownBy(() -> SpecMutation.inTime("Tickets", "small", ended("millis", ": it broke")))
        .isInstanceOfSatisfying(Unjudged.class, e -> assertThat(e.late()).isFalse())
        .hasMessage("the unchanged Tickets has no verdict in small: it broke");
  }

  /** What is not evaluated in the time that there is may be evaluated later. */
  @Test
  void anExplorationThatIsNotDoneInTimeDoesNotSayWhatIsUnreached() {
    assertThat(Laboratory.reached(ended("millis", ""))).isEmpty();
    assertThat(Laboratory.reached(ended("complete", ""))).contains(false);
    assertThat(Laboratory.reached(ended("error", ""))).contains(true);
  }
}
