package dev.plumbline.worlds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.CheckModel;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Expect;
import dev.plumbline.check.ToyWorkspace;
import dev.plumbline.check.Workspace;
import dev.plumbline.parts.Merge;
import dev.plumbline.parts.Shard;
import dev.plumbline.tlc.InputError;
import dev.plumbline.worlds.Family.World;
import dev.plumbline.worlds.Search.Tally;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Worlds are drawn alike from a seed, and what fails in one is found and shrunk. */
class WorldsTest {
  private static final Workspace WORKSPACE =
      new Workspace(Path.of("").toAbsolutePath().getParent());

  private static Checks protocol(String name) {
    return WORKSPACE.protocols().stream()
        .filter(p -> p.protocol().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Family family(String protocol, String id) {
    return Family.of(protocol(protocol)).all().stream()
        .filter(f -> f.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  /** Two repairs that failed in a world which nobody had chosen, and families that can fail. */
  @ParameterizedTest
  @CsvSource({
    "metric, own-requests, own-live-ordered-three, 1080, 1",
    "dast, fo-crt, fo-crt-replaced-published, 151, 1",
    "dast, fo-managers, fo-anticipated-published, 3, 1",
    "dast, r1, tpa-r1-published, 1, 3",
    "engage, bc-published, bc-f1-visible, 2, 1",
    "engage, bc-direct, bc-direct-clocks, 1, 1",
    "k2, epoch-rejects, epoch-repair-rejects, 5, 1",
    "metric, ec, ec-unanswered, 1, 1"
  })
  void aRepairThatIsNotEnoughIsFound(
      String protocol, String family, String check, long seed, int count) {
    Family red = family(protocol, family).red(check);
    try (Search search = new Search(WORKSPACE, 0, 60_000)) {
      Tally tally = search.run(red, seed, count, t -> true);
      assertThat(tally.failure).isNotNull();
      assertThat(
              Choices.isSimpler(tally.failure.drawn().choices(), tally.failure.shrunk().choices()))
          .isFalse();
      assertThat(Worlds.entry(tally))
          .contains("expect: \"violates: " + family(protocol, family).red().get(check));
    }
  }

  /** The same of families whose worlds take longest. */
  @ParameterizedTest
  @Tag("slow")
  @CsvSource({
    "dast, first-read, tpa-first-unconditional, 6, 1",
    "dast, fo-irts, fo-removal-published, 21, 2",
    "dast, fo-irts, fo-join-published, 21, 1"
  })
  void aRepairThatIsNotEnoughIsFoundInLargeWorldsToo(
      String protocol, String family, String check, long seed, int count) {
    aRepairThatIsNotEnoughIsFound(protocol, family, check, seed, count);
  }

  /** Rare among the draws, but there: the choices that make the world of a must-fail check. */
  @ParameterizedTest
  @Tag("slow")
  @CsvSource({
    "dast, fo-stamps, fo-add-published, 0 0 0 0 0 0 1 0 0 0 0",
    "dast, fo-answered, fo-replaced-published, 0 1 0 0 1 0 0 1 0 0 0 0 0 0 0",
    "catenae, rep, rep-unscheduled, 0 0 0 1 0 0 0 0 1 0 1 0 0 0 0 0 1 0 1 1 0"
  })
  void theDrawsContainTheWorldOfAMustFailCheck(
      String protocol, String family, String check, String choices) {
    Family red = family(protocol, family).red(check);
    World world =
        red.world(Choices.of(Stream.of(choices.split(" ")).map(Integer::valueOf).toList()));
    try (Search search = new Search(WORKSPACE, 0, 60_000)) {
      assertThat(search.explore(red, world).violated())
          .as("%s", world)
          .containsOnlyKeys(family(protocol, family).red().get(check));
    }
  }

  /** No time at all, and a first draw that is too large: smaller ones are drawn. */
  @Test
  void aFamilyWhoseTimeIsOverFinishesOneWorldAllTheSame() {
    Family family = family("engage", "bc");
    World simplest = family.world(Choices.of(List.of()));
    try (Search search = new Search(WORKSPACE, 0, 60_000)) {
      long steps = search.explore(family, simplest).steps();
      int parts = 0;
      for (long seed = 1; seed <= 12; seed++) {
        Tally tally = search.run(limited(family, steps + 1), seed, 4, t -> false);
        assertThat(tally.ended).as("seed %d", seed).isEqualTo(1);
        parts += tally.parts;
      }
      assertThat(parts).as("first draws that are too large").isPositive();
      assertThat(search.run(limited(family, 1), 1, 4, t -> true).ended).isZero();
    }
  }

  /** How fast the machine is does not say whether a family has a world that is searched. */
  @Test
  void theSimplestWorldIsSearchedToTheEndOnASlowMachineToo() {
    try (Search search = new Search(WORKSPACE, 0, 1)) {
      Tally tally = search.run(family("dast", "fo-stamps"), 1, 1, t -> false);
      assertThat(tally.ended).isEqualTo(1);
      assertThat(tally.parts).isEqualTo(2);
    }
  }

  /** As by two commands in one checkout. */
  @Test
  void twoSearchesOfAProtocolDoNotTakeEachOthersWorlds() {
    List<String> families = List.of("bc", "bc-published");
    List<String> alone = families.stream().map(WorldsTest::someWorlds).toList();
    List<String> together = families.parallelStream().map(WorldsTest::someWorlds).toList();
    assertThat(together).isEqualTo(alone);
  }

  private static String someWorlds(String family) {
    try (Search search = new Search(WORKSPACE, 0, 60_000)) {
      Tally tally = search.run(limited(family("engage", family), 500), 1, 5, t -> true);
      return tally.ended + " ended, " + tally.parts + " in part, " + tally.states + " states";
    }
  }

  private static Family limited(Family f, long limit) {
    return new Family(
        f.protocol(), f.id(), f.base(), f.properties(), f.draw(), limit, f.red(), f.line());
  }

  /** ENGAGE's specifications in a folder of their own, whose worlds are all too large. */
  private static void tooLarge(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(WORKSPACE.specs())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path name = WORKSPACE.root().relativize(file);
        if (name.startsWith("specs/engage") || name.startsWith("specs/common")) {
          Path copy = root.resolve(name.toString());
          Files.createDirectories(copy.getParent());
          Files.copy(file, copy);
        }
      }
    }
    assertThat(Files.createSymbolicLink(root.resolve("docs"), WORKSPACE.docs())).isDirectory();
    Path checks = root.resolve("specs/engage/checks.yaml");
    Files.writeString(checks, Files.readString(checks).replaceAll("( +limit:) \\d+\n", "$1 1\n"));
  }

  /** A whole machine with one process, shares with two. */
  private static Worlds engage(Path root, String claim, Shard shard) {
    int jobs = shard.equals(Shard.WHOLE) ? 1 : 2;
    return new Worlds(
        new Workspace(root),
        new Worlds.Options(List.of("engage"), 1, 8, claim, false, 10, jobs, shard),
        new PrintStream(OutputStream.nullOutputStream()));
  }

  /** ENGAGE's first family, with a mistake. */
  private static InputError mistaken(Path root, String from, String to) throws IOException {
    Path file = root.resolve("specs/engage/checks.yaml");
    String text = Files.readString(file);
    assertThat(text).contains(from);
    Files.writeString(file, text.replace(from, to));
    Workspace workspace = new Workspace(root);
    Family f = Family.of(workspace.protocols().get(0)).all().get(0);
    Check check = f.base().with(f.world(Choices.of(List.of())).constants());
    InputError e =
        catchThrowableOfType(
            InputError.class, () -> new CheckModel(workspace, f.protocol(), check, "none"));
    Files.writeString(file, text);
    assertThat(e).isNotNull();
    return e;
  }

  /** The check that the worlds are drawn for is right. */
  @Test
  void aMistakeNamesItsLineUnderWorlds(@TempDir Path root) throws IOException {
    tooLarge(root);
    List<String> lines = Files.readAllLines(root.resolve("specs/engage/checks.yaml"));
    String of = "    of: bc-repaired-one-client\n";
    int family = lines.indexOf(of.stripTrailing()) + 1;
    int drawn = family + lines.subList(family, lines.size()).indexOf("      OpsA: {int: [1, 3]}");
    assertThat(mistaken(root, "      OpsA: {int: [1, 3]}", "      OpA: {int: [1, 3]}").line())
        .isEqualTo(drawn + 1);
    assertThat(mistaken(root, of, of + "    constants: {OpB: 0}\n").line()).isEqualTo(family + 1);
    InputError e = mistaken(root, of, of + "    properties:\n      - ReadYourWritsInv\n");
    assertThat(e.line()).isEqualTo(family + 2);
    assertThat(e.remedy()).contains("did you mean ReadYourWritesInv");
  }

  /** What machines found of all families, times apart. */
  private static String merged(List<Path> machines) {
    ObjectNode report =
        new Merge(machines.stream().map(m -> m.resolve(".plumb")).toList(), null).json();
    return report.toPrettyString().replaceAll("\"millis\" : \\d+", "");
  }

  @Test
  void theWorldsOfManyMachinesAreThoseOfOne(@TempDir Path temporary) throws Exception {
    Path one = Files.createDirectories(temporary.resolve("one"));
    tooLarge(one);
    assertThat(engage(one, "", Shard.WHOLE).run()).isEqualTo(Worlds.Outcome.UNKNOWN);
    String whole = merged(List.of(one));
    assertThat(whole).contains("worlds engage").contains("unknown");
    List<Path> machines = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      Path machine = Files.createDirectories(temporary.resolve("machine-" + i));
      Files.createSymbolicLink(machine.resolve("specs"), one.resolve("specs"));
      Files.createSymbolicLink(machine.resolve("docs"), WORKSPACE.docs());
      engage(machine, "", new Shard(i, 2)).run();
      machines.add(machine);
    }
    assertThat(merged(machines)).isEqualTo(whole);
    assertThat(merged(machines.subList(1, 2))).as("one is lost").isNotEqualTo(whole);
  }

  @Test
  void aShardWithoutAPartSaysSo(@TempDir Path root) throws Exception {
    tooLarge(root);
    Worlds worlds = engage(root, "", new Shard(99, 99));
    assertThat(worlds.run()).isEqualTo(Worlds.Outcome.HOLDS);
    JsonNode json = new ObjectMapper().readTree(worlds.json());
    assertThat(json.path("shard").asText()).isEqualTo("99/99");
    assertThat(json.path("worlds").isArray()).isTrue();
    assertThat(json.path("worlds")).isEmpty();
    assertThat(json.path("why").asText()).startsWith("this shard has no part");
    assertThat(worlds.text()).contains("this shard has no part");
  }

  /** All worlds are too large: no green that says nothing. */
  @Test
  void aFamilyThatFinishesNoneIsUnknownAndSaysWhy(@TempDir Path root) throws Exception {
    tooLarge(root);
    Worlds worlds = engage(root, "EN-FIRST", Shard.WHOLE);
    assertThat(worlds.run()).isEqualTo(Worlds.Outcome.UNKNOWN);
    assertThat(worlds.text())
        .contains("of engage/bc no world was searched to the end")
        .contains("checks.yaml");
  }

  /** A toy protocol whose worlds have one participant or two. */
  private static void toyWorlds(Path root) throws Exception {
    ToyWorkspace.copyTo(root);
    Path checks = root.resolve("specs/toy/checks.yaml");
    Files.writeString(
        checks,
        Files.readString(checks)
            + """
              worlds:
                - id: votes
                  of: repaired
                  draw:
                    Participant: {one: ['{"r1"}', '{"r1", "r2"}']}
                  limit: 10000
              """);
  }

  private static InputError refused(Path root) {
    Worlds.Options options = new Worlds.Options(List.of("toy"), 1, 2, "", false, 0, 2, Shard.WHOLE);
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    return catchThrowableOfType(
        InputError.class, () -> new Worlds(new Workspace(root), options, nowhere).run());
  }

  /** Temporal properties are not searched for in worlds: none of these could fail. */
  @Test
  void worldsThatAreSearchedForNothingAreRefused(@TempDir Path root) throws Exception {
    toyWorlds(root);
    String of = "    of: repaired\n";
    Path checks = root.resolve("specs/toy/checks.yaml");
    String text = Files.readString(checks);
    int line = text.lines().toList().indexOf("  - id: votes") + 1;
    for (String properties : List.of("[DecidedLive]", "[]")) {
      Files.writeString(checks, text.replace(of, of + "    properties: " + properties + "\n"));
      InputError e = refused(root);
      assertThat(e).as(properties).isNotNull();
      assertThat(e.getMessage()).contains("votes").contains("nothing");
      assertThat(e.line()).isEqualTo(line);
    }
  }

  @Test
  void twoFamiliesOfOneIdAndAChoiceOfNothingNameTheirLine(@TempDir Path root) throws Exception {
    toyWorlds(root);
    String one = "{one: ['{\"r1\"}', '{\"r1\", \"r2\"}']}";
    ToyWorkspace.edit(root, "checks.yaml", one, "{one: []}");
    assertThat(refused(root).getMessage()).contains("chooses from nothing");
    ToyWorkspace.edit(root, "checks.yaml", "{one: []}", "{one: ['Nowhere']}");
    assertThat(refused(root).getMessage()).contains("votes").contains("{Participant=Nowhere}");
    ToyWorkspace.edit(root, "checks.yaml", "{one: ['Nowhere']}", one);
    Path checks = root.resolve("specs/toy/checks.yaml");
    String text = Files.readString(checks);
    Files.writeString(checks, text + text.substring(text.indexOf("  - id: votes")));
    assertThat(refused(root).getMessage()).contains("the id votes is taken");
  }

  /** Of nothing nothing can be drawn, and of TLA+ text nobody knows the elements. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{some: [1, 2], size: [0, 2]} | {of: p}                    | 0 elements, of which 1",
        "{seq: 1, size: [0, 2]}       | {of: p}                    | 0 elements, of which 1",
        "{int: [1, 2]}                | {of: []}                   | 0 elements, of which 1",
        "{some: [1, 2], size: [1, 2]} | {some: p, size: [2, 2]}    | 1 elements, of which 2",
        "{one: [\"{1, 2}\", \"{1}\"]}   | {some: p, size: [0, 2]}    | p has no elements",
        "\"{1, 2}\"                   | {map: p, to: 1}            | p has no elements"
      })
  void aPoolFromWhichNotEnoughCanBeDrawnIsRefused(
      String pool, String use, String said, @TempDir Path root) throws Exception {
    toyWorlds(root);
    ToyWorkspace.edit(
        root,
        "checks.yaml",
        "      Participant: {one: ['{\"r1\"}', '{\"r1\", \"r2\"}']}\n",
        "      p: " + pool + "\n      Participant: " + use + "\n");
    int line =
        Files.readAllLines(root.resolve("specs/toy/checks.yaml"))
                .indexOf("      Participant: " + use)
            + 1;
    InputError e = refused(root);
    assertThat(e).isNotNull();
    assertThat(e.getMessage()).contains(said);
    assertThat(e.line()).isEqualTo(line);
  }

  /** An element that is a sequence itself can be drawn from. */
  @Test
  void anElementOfAPoolMayBeAPool(@TempDir Path root) throws Exception {
    toyWorlds(root);
    ToyWorkspace.edit(
        root,
        "checks.yaml",
        "      Participant: {one: ['{\"r1\"}', '{\"r1\", \"r2\"}']}\n",
        "      p: {of: [{some: ['\"r1\"', '\"r2\"'], size: [1, 2]}]}\n"
            + "      q: {of: p}\n"
            + "      Participant: {some: p, size: [1, 1]}\n");
    assertThat(refused(root)).isNull();
  }

  @Test
  void aClaimThatThereIsNotIsRefusedWithThoseThatThereAre(@TempDir Path root) throws Exception {
    toyWorlds(root);
    for (String claim : List.of("TOY-3", "X")) {
      Worlds.Options options =
          new Worlds.Options(List.of("toy"), 1, 2, claim, false, 0, 2, Shard.WHOLE);
      PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
      InputError e =
          catchThrowableOfType(
              InputError.class, () -> new Worlds(new Workspace(root), options, nowhere).run());
      assertThat(e.getMessage()).contains("there is no claim " + claim);
      assertThat(e.remedy()).contains("TOY-1");
    }
  }

  /** What was found stays found where a simpler world cannot be searched. */
  @Test
  void aFailureIsKeptThoughASimplerWorldIsBroken(@TempDir Path root) throws Exception {
    toyWorlds(root);
    ToyWorkspace.edit(
        root,
        "checks.yaml",
        "{one: ['{\"r1\"}', '{\"r1\", \"r2\"}']}",
        "{one: ['{\"r1\", 1}', '{\"r1\", \"r2\"}']}\n      Repairs: {one: ['{}']}");
    Family family =
        Family.of(new Workspace(root).protocols().get(0)).all().stream()
            .filter(f -> f.id().equals("votes"))
            .findFirst()
            .orElseThrow();
    try (Search search = new Search(new Workspace(root), 10, 60_000)) {
      for (long seed = 1; seed < 40; seed++) {
        if (family.world(Choices.drawn(new Random(seed * 31 + "votes".hashCode()))).choices().get(0)
            == 1) {
          Tally tally = search.run(family, seed, 1, t -> true);
          assertThat(tally.failure).isNotNull();
          assertThat(tally.failure.shrunk().constants().get("Participant")).contains("r2");
          return;
        }
      }
    }
    throw new AssertionError("no seed draws the second choice");
  }

  /** What has no state violates nothing, whatever is claimed of it. */
  @Test
  void aWorldWithoutAStateIsNoneThatWasSearched(@TempDir Path root) throws Exception {
    toyWorlds(root);
    Worlds.Options options = new Worlds.Options(List.of("toy"), 1, 2, "", false, 0, 2, Shard.WHOLE);
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    assertThat(new Worlds(new Workspace(root), options, nowhere).run())
        .isEqualTo(Worlds.Outcome.HOLDS);
    ToyWorkspace.edit(root, "TwoPhase.tla", "  /\\ msgs = {}\n\n", "  /\\ msgs \\in {}\n\n");
    Worlds worlds = new Worlds(new Workspace(root), options, nowhere);
    assertThat(worlds.run()).isEqualTo(Worlds.Outcome.UNKNOWN);
    assertThat(worlds.text())
        .contains("of toy/votes no world was searched to the end")
        .contains("3 without any state");
  }

  /** What the module says that it is not about cannot be searched, nor fail. */
  @Test
  void aWorldThatItsModuleExcludesIsRefusedAndAnotherDrawn(@TempDir Path root) throws Exception {
    toyWorlds(root);
    Worlds.Options options = new Worlds.Options(List.of("toy"), 1, 4, "", false, 0, 2, Shard.WHOLE);
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    ToyWorkspace.edit(
        root, "TwoPhase.tla", "VARIABLES", "ASSUME \"r2\" \\in Participant\nVARIABLES");
    Worlds some = new Worlds(new Workspace(root), options, nowhere);
    assertThat(some.run()).isEqualTo(Worlds.Outcome.HOLDS);
    JsonNode votes = new ObjectMapper().readTree(some.json()).at("/worlds/0");
    assertThat(votes.path("ended").asInt()).as("there is but one").isEqualTo(1);
    assertThat(votes.path("again").asInt()).isEqualTo(3);
    assertThat(votes.path("refused").asInt()).isPositive();
    assertThat(votes.path("drawn").asInt()).isEqualTo(4 + votes.path("refused").asInt());
    assertThat(some.text())
        .contains("the assumption at TwoPhase.tla:")
        .contains("is false: \"r2\"");
    ToyWorkspace.edit(root, "TwoPhase.tla", "ASSUME \"r2\"", "ASSUME \"r3\"");
    Worlds none = new Worlds(new Workspace(root), options, nowhere);
    assertThat(none.run()).isEqualTo(Worlds.Outcome.UNKNOWN);
    assertThat(none.text()).contains("100 refused");
  }

  @Test
  void familiesForWhichNoTimeIsLeftAreNamed() {
    Worlds worlds =
        new Worlds(
            WORKSPACE,
            new Worlds.Options(List.of("metric"), 1, 8, "", false, 1, 2, Shard.WHOLE),
            new PrintStream(OutputStream.nullOutputStream()));
    assertThat(worlds.run()).isEqualTo(Worlds.Outcome.HOLDS);
    assertThat(worlds.text()).contains("no time left for metric/");
    assertThat(worlds.json()).contains("\"left\"");
  }

  @Test
  void everyMustFailCheckIsDrawnOrSaysWhyNot() {
    for (Checks protocol : WORKSPACE.protocols()) {
      Family.Families families = Family.of(protocol);
      assertThat(families.all()).as(protocol.protocol()).isNotEmpty();
      TreeSet<String> said = new TreeSet<>(families.undrawn().keySet());
      for (Family f : families.all()) {
        for (String check : f.red().keySet()) {
          assertThat(said.add(check)).as(check).isTrue();
        }
      }
      TreeSet<String> mustFail = new TreeSet<>();
      protocol.checks().stream()
          .filter(c -> c.expect() == Expect.VIOLATES)
          .forEach(c -> mustFail.add(c.id()));
      assertThat(said).isEqualTo(mustFail);
    }
  }

  @Test
  void aSeedDrawsTheSameWorldsAndChoicesMakeThemAgain() {
    for (Checks protocol : WORKSPACE.protocols()) {
      for (Family f : Family.of(protocol).all()) {
        World world = f.world(Choices.drawn(new Random(5)));
        assertThat(f.world(Choices.drawn(new Random(5)))).isEqualTo(world);
        assertThat(f.world(Choices.of(world.choices()))).isEqualTo(world);
      }
    }
  }

  /** A part of the model that is left out would make another world of it. */
  @Test
  void theEntryOfAFailingWorldIsThatWorld(@TempDir Path root) throws Exception {
    for (Checks protocol : WORKSPACE.protocols()) {
      Path folder = Files.createDirectory(root.resolve(protocol.protocol()));
      try (Stream<Path> modules = Files.list(protocol.file().resolveSibling(""))) {
        for (Path module : modules.filter(m -> m.toString().endsWith(".tla")).toList()) {
          Files.copy(module, folder.resolve(module.getFileName()));
        }
      }
      String text = Files.readString(protocol.file());
      int worlds = text.indexOf("\nworlds:");
      for (Family f : Family.of(protocol).all()) {
        World world = f.world(Choices.drawn(new Random(3)));
        Tally tally = new Tally(f);
        tally.failure = new Search.Failure(1, "SomeInv", world, world, 0);
        Path file = folder.resolve("checks.yaml");
        Files.writeString(
            file,
            text.substring(0, text.indexOf("\nchecks:"))
                + "\nchecks:\n"
                + Worlds.entry(tally)
                + text.substring(text.indexOf("\nchecks:") + 8, worlds));
        Check read =
            Checks.read(file, WORKSPACE.docs()).checks().stream()
                .filter(c -> c.id().equals(f.id() + "-found"))
                .findFirst()
                .orElseThrow();
        Check searched = f.base().with(world.constants());
        assertThat(
                List.of(
                    read.module(),
                    read.config(),
                    read.spec(),
                    "" + read.constraints(),
                    read.constants()))
            .as("%s/%s", protocol.protocol(), f.id())
            .isEqualTo(
                List.of(
                    searched.module(),
                    searched.config(),
                    searched.spec(),
                    "" + searched.constraints(),
                    searched.constants()));
      }
    }
  }

  @Test
  void aFailingWorldIsShrunkToTheLeastThatFails() {
    Family family = family("metric", "own-requests");
    World drawn = family.world(Choices.drawn(new Random(7)));
    Search.Shrunk least =
        Search.shrunk(family, drawn, w -> w.constants().get("Plan").contains("T3"), 400);
    assertThat(drawn.constants().get("Plan")).contains("T3").contains(">>, <<");
    assertThat(least.world().constants().get("Plan")).contains("T3").doesNotContain(">>, <<");
    assertThat(Choices.isSimpler(least.world().choices(), drawn.choices())).isTrue();
    assertThat(least.tries()).isPositive();
  }

  @Test
  void simplerChoicesAreShorterOrLower() {
    List<Integer> choices = List.of(2, 0, 3);
    assertThat(Choices.simpler(choices))
        .contains(List.of(0, 3), List.of(0, 0, 3), List.of(2, 0, 2));
    assertThat(Choices.simpler(choices)).allMatch(c -> Choices.isSimpler(c, choices));
    assertThat(Choices.simpler(List.of())).isEmpty();
    assertThat(Choices.isSimpler(choices, choices)).isFalse();
  }
}
