package dev.plumbline.parts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Memory;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Machines' ledgers, joined. */
class MergeTest {
  private static final List<String> PARTS =
      IntStream.rangeClosed(1, 12).mapToObj(i -> "part " + i).toList();

  @TempDir Path temporary;

  private static Part part(String name) {
    return switch (name) {
      case "part 3" -> new Part(name, Ending.UNKNOWN, "unknown", "a judge cannot tell", 30);
      case "part 5" -> new Part(name, Ending.TIME_OUT, "time-out", "too long", 50);
      case "part 7" -> new Part(name, Ending.NOT_RUN, "not run", "no tool", 0);
      default -> new Part(name, Ending.HOLDS, "holds", "", 10);
    };
  }

  /** What N machines leave, one folder each. */
  private List<Path> machines(int count) {
    List<Path> folders = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      Shard shard = new Shard(i, count);
      Workspace machine = new Workspace(temporary.resolve(i + "-of-" + count));
      Ledger ledger = new Ledger(machine, "toys", shard, PARTS);
      List<String> mine = shard.of(PARTS, p -> p, p -> part(p).millis());
      mine.forEach(p -> ledger.add(part(p)));
      ledger.add(new Share("toys killed", 90, mine.size() * 9L, mine.size() * 10L));
      ledger.write();
      new Ledger(machine, Merge.PROMISED, shard, List.of("toys"));
      folders.add(machine.made());
    }
    return folders;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7})
  void theReportOfManyMachinesIsThatOfOne(int count) {
    Merge one = new Merge(machines(1), null);
    Merge many = new Merge(machines(count), null);
    assertThat(many.json()).isEqualTo(one.json());
    assertThat(many.text(false)).isEqualTo(one.text(false));
    assertThat(many.text(true)).isEqualTo(one.text(true));
    assertThat(many.junit()).isEqualTo(one.junit());
    assertThat(many.missing()).isEmpty();
    assertThat(many.exit()).isEqualTo(4);
  }

  @Test
  void whatPartsSaySteersNoTerminalAndIsXml() throws Exception {
    Workspace machine = new Workspace(temporary.resolve("hostile"));
    String name = "\u001b[2J\nall holds \ufffe";
    Ledger ledger = new Ledger(machine, "toys\u001b[2J", Shard.WHOLE, List.of(name));
    ledger.add(new Part(name, Ending.VIOLATED, "\u0007", "", 1));
    ledger.write();
    Merge merge = new Merge(List.of(machine.made()), null);
    assertThat(merge.text(false)).doesNotContain("\u001b").contains("\\u001b[2J\\u000aall holds");
    assertThat(merge.text(true)).doesNotContain("\u001b", "\nall holds");
    javax.xml.parsers.DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new org.xml.sax.InputSource(new java.io.StringReader(merge.junit())));
  }

  /** Numbers that no machine wrote: a share above its whole is met, whatever is demanded. */
  @ParameterizedTest
  @CsvSource({
    "'\"millis\" : 10', '\"millis\" : -10'",
    "'\"millis\" : 10', '\"millis\" : 9223372036854775807'",
    "'\"some\" : 108', '\"some\" : 208'",
    "'\"some\" : 108', '\"some\" : -1'",
    "'\"all\" : 120', '\"all\" : -120'",
    "'\"least\" : 90', '\"least\" : -90'",
    "'\"least\" : 90', '\"least\" : 101'"
  })
  void aLedgerWithAnImpossibleNumberIsRefused(String from, String to) throws IOException {
    List<Path> folders = machines(1);
    Path ledger = folders.get(0).resolve("reports/parts/toys.1-of-1.json");
    String text = Files.readString(ledger);
    assertThat(text).contains(from);
    Files.writeString(ledger, text.replace(from, to));
    assertThatThrownBy(() -> new Merge(folders, null))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("no ledger of parts");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "", "x", "99999999999"})
  void whatIsNoExitCodeIsRefused(String code) throws IOException {
    List<Path> folders = machines(1);
    Files.writeString(folders.get(0).resolve("exit"), code);
    assertThatThrownBy(() -> new Merge(folders, null))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("no exit code");
  }

  @Test
  void theRootOfAFileSystemIsNoMachine() {
    assertThatThrownBy(() -> new Merge(List.of(Path.of("/")), null))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("reports/parts");
  }

  @Test
  void whatNoMachineReportedIsNamedAndIsNotGreen() {
    List<Path> folders = machines(7);
    List<String> lost = new Shard(4, 7).of(PARTS, p -> p, p -> part(p).millis());
    folders.remove(3);
    Merge merge = new Merge(folders, null);
    assertThat(lost).isNotEmpty();
    assertThat(merge.missing()).containsExactlyElementsOf(lost);
    assertThat(merge.exit()).isEqualTo(3);
    assertThat(merge.text(false)).contains("environment  toys: " + lost.get(0));
  }

  @Test
  void whatAStoppedMachineOwesIsATimeOut() throws IOException {
    List<Path> folders = machines(7);
    Path stopped = folders.get(3).resolve("reports/parts");
    Ledger none =
        new Ledger(
            new Workspace(stopped.getParent().getParent().getParent()),
            "toys",
            new Shard(4, 7),
            PARTS);
    none.write();
    ended(folders);
    Files.writeString(folders.get(3).resolve("exit"), "124\n");
    Merge merge = new Merge(folders, null);
    assertThat(merge.missing()).isNotEmpty();
    assertThat(merge.exit()).isEqualTo(4);
    assertThat(merge.text(false)).contains("time-out  toys: " + merge.missing().get(0));
  }

  @Test
  void aMachineThatReportedNothingIsLostAndNotRefused() throws IOException {
    List<Path> folders = machines(7);
    List<String> lost = new Shard(4, 7).of(PARTS, p -> p, p -> part(p).millis());
    ended(folders);
    Path empty = Files.createDirectories(temporary.resolve("empty"));
    Files.writeString(empty.resolve("exit"), "124\n");
    folders.set(3, empty);
    Merge merge = new Merge(folders, null);
    assertThat(merge.missing()).containsExactlyElementsOf(lost);
    assertThat(merge.exit()).isEqualTo(4);
    assertThatThrownBy(() -> new Merge(List.of(empty), null))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("no machine reported");
  }

  @Test
  void aLostMachineIsNoTimeOutOfAnother() throws IOException {
    List<Path> folders = machines(7);
    folders.remove(3);
    Files.writeString(folders.get(0).resolve("exit"), "124\n");
    Merge merge = new Merge(folders, null);
    assertThat(merge.text(false)).contains("environment  machines: shards 4/7: no machine left");
    assertThat(merge.exit()).isEqualTo(3);
  }

  private static void ended(List<Path> folders) throws IOException {
    for (Path folder : folders) {
      Files.writeString(folder.resolve("exit"), "0\n");
    }
  }

  /** Its entry point leaves the exit code last. */
  @Test
  void aMachineThatWasKilledAmidItsPartsIsNoTimeOutOfAnother() throws IOException {
    List<Path> folders = machines(7);
    ended(folders);
    Files.writeString(folders.get(0).resolve("exit"), "124\n");
    Files.delete(folders.get(3).resolve("exit"));
    Merge merge = new Merge(folders, null);
    assertThat(merge.text(false)).containsPattern("environment  machines: .*no exit code");
    assertThat(merge.exit()).isEqualTo(3);
  }

  @Test
  void eachMachinesManifestIsKept() {
    Merge merge = new Merge(machines(2), null);
    assertThat(merge.machines())
        .hasSize(4)
        .allSatisfy(
            m -> {
              assertThat(m.path("manifest").path("machine").path("cores").asInt()).isPositive();
              assertThat(m.path("manifest").path("date").asText()).isNotEmpty();
              assertThat(m.path("shard").asText()).matches("[12]/2");
            });
  }

  @Test
  void aFolderThatHasNothingIsALostMachineBesideOthers() throws IOException {
    List<Path> folders = machines(2);
    Path empty = Files.createDirectories(temporary.resolve("empty"));
    folders.set(1, empty);
    Merge merge = new Merge(folders, null);
    assertThat(merge.text(false)).contains("environment  machines: empty: it left neither");
    assertThat(merge.exit()).isEqualTo(3);
    assertThatThrownBy(() -> new Merge(List.of(empty), null))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("there is no reports/parts");
  }

  @Test
  @Timeout(30)
  void manyPartsAreJoinedInTime() {
    Workspace machine = new Workspace(temporary.resolve("large"));
    List<String> many = IntStream.range(0, 40_000).mapToObj(i -> "part " + i).toList();
    Ledger ledger = new Ledger(machine, "toys", Shard.WHOLE, many);
    many.forEach(p -> ledger.add(new Part(p + "/1", Ending.HOLDS, "holds", "", 1)));
    ledger.write();
    assertThat(new Merge(List.of(machine.made()), null).json().at("/stages/0/counts/holds").asInt())
        .isEqualTo(many.size());
  }

  @Test
  void whereNothingRanNothingIsShown() {
    Workspace machine = new Workspace(temporary.resolve("idle"));
    Ledger ledger = new Ledger(machine, "toys", Shard.WHOLE, List.of("a"));
    ledger.add(new Part("a", Ending.NOT_RUN, "not run", "no tool", 0));
    ledger.write();
    new Ledger(machine, "games", Shard.WHOLE, List.of());
    Merge merge = new Merge(List.of(machine.made()), null);
    assertThat(merge.exit()).isEqualTo(4);
    assertThat(merge.text(false)).contains("nothing ran").doesNotContain("all holds");
  }

  @Test
  void whatNobodyDidSaysNothingOfWhatItTakes() {
    Path cache = temporary.resolve("costs");
    new Merge(machines(1), null).keep(cache);
    assertThat(Costs.in(cache).millis("toys", "part 5")).isEqualTo(50);
    Workspace machine = new Workspace(temporary.resolve("lost"));
    Ledger ledger = new Ledger(machine, "toys", Shard.WHOLE, PARTS);
    new Merge(List.of(machine.made()), null).keep(cache);
    assertThat(Costs.in(cache).millis("toys", "part 5")).isEqualTo(50);
    ledger.add(new Part("part 5", Ending.NOT_RUN, "not run", "no tool", 1));
    ledger.write();
    new Merge(List.of(machine.made()), null).keep(cache);
    assertThat(Costs.in(cache).millis("toys", "part 5")).isEqualTo(50);
  }

  @Test
  void aMergeKnowsWhatThereIsBesidesAndHowMuchWasDoneAtOnce() throws Exception {
    Path cache = temporary.resolve("costs");
    Workspace machine = new Workspace(temporary.resolve("first"));
    List<String> planned = List.of("a", "b", "c", "d", "e");
    Ledger ledger = new Ledger(machine, "toys", new Shard(1, 2), planned);
    ledger.add(new Part("a", Ending.HOLDS, "holds", "", 100_000));
    ledger.add(new Part("b", Ending.HOLDS, "holds", "", 20_000));
    ledger.add(new Part("c/1", Ending.HOLDS, "holds", "", 0));
    ledger.add(new Part("e", Ending.NOT_RUN, "not run", "no time left", 0));
    // An earlier run took that long.
    ledger.remembered(new Part("f", Ending.HOLDS, "holds", "", 9_000_000));
    ledger.write();
    Path file = machine.made().resolve("reports/parts/toys.1-of-2.json");
    ObjectNode written = (ObjectNode) new ObjectMapper().readTree(file.toFile());
    assertThat(written.path("elapsed").isIntegralNumber()).isTrue();
    Files.writeString(file, written.put("elapsed", 60_000).toString());
    new Merge(List.of(machine.made()), null).keep(cache);
    assertThat(Costs.in(cache).atOnce("toys")).isEqualTo(2);
    assertThat(Costs.in(cache).atOnce("games")).isEqualTo(1);
    assertThat(Costs.in(cache).parts("toys"))
        .isEqualTo(
            Map.of("a", 100_000L, "b", 20_000L, "c/1", 0L, "d", 0L, "e", 0L, "f", 9_000_000L));
    // Where most was remembered, a machine was busy with other things than parts.
    Files.writeString(file, written.put("elapsed", 90_000_000).toString());
    new Merge(List.of(machine.made()), null).keep(cache);
    assertThat(Costs.in(cache).atOnce("toys")).isEqualTo(2);
    // What is known of a part that nobody did this time stays.
    written.putArray("parts");
    Files.writeString(file, written.toString());
    new Merge(List.of(machine.made()), null).keep(cache);
    assertThat(Costs.in(cache).millis("toys", "a")).isEqualTo(100_000);
  }

  @Test
  void aPromisedStageThatNobodyReportedIsNamed() throws IOException {
    List<Path> folders = machines(2);
    new Ledger(
        new Workspace(folders.get(0).getParent()),
        Merge.PROMISED,
        new Shard(1, 2),
        List.of("toys", "games"));
    assertThat(new Merge(folders, null).missing()).containsExactly("games");
  }

  @Test
  void whatAStageDidNotReachIsAsUndecidedAsItWas() {
    List<Path> folders = machines(1);
    Workspace machine = new Workspace(folders.get(0).getParent());
    new Ledger(machine, "toys", Shard.WHOLE, PARTS);
    Ledger promised = new Ledger(machine, Merge.PROMISED, Shard.WHOLE, List.of("toys", "games"));
    promised.add(new Part("toys", Ending.UNKNOWN, "exit 2", "./plumb toys", 1));
    promised.add(new Part("games", Ending.UNKNOWN, "exit 2", "./plumb games", 1));
    promised.write();
    Merge merge = new Merge(folders, null);
    assertThat(merge.missing()).hasSize(PARTS.size() + 1);
    assertThat(merge.exit()).isEqualTo(4);
    assertThat(merge.text(false))
        .contains("unknown  toys: part 3: not reached, since this decided nothing: ./plumb toys")
        .contains("unknown  games: games: not reached");
  }

  @Test
  void aStageThatDecidedNothingIsNotGreenThoughItsPartsHold() {
    Workspace machine = new Workspace(temporary.resolve("late"));
    Ledger ledger = new Ledger(machine, "toys", Shard.WHOLE, List.of("a"));
    ledger.add(new Part("a", Ending.HOLDS, "holds", "", 1));
    ledger.write();
    Ledger promised = new Ledger(machine, Merge.PROMISED, Shard.WHOLE, List.of("toys"));
    promised.add(new Part("toys", Ending.UNKNOWN, "exit 2", "./plumb toys", 1));
    promised.write();
    Merge merge = new Merge(List.of(machine.made()), null);
    assertThat(merge.missing()).isEmpty();
    assertThat(merge.exit()).isEqualTo(4);
    assertThat(merge.text(false)).contains("unknown  toys: toys: ./plumb toys");
  }

  @Test
  void aShareIsThatOfAllMachines() {
    Workspace machine = new Workspace(temporary.resolve("low"));
    Ledger ledger = new Ledger(machine, "toys", Shard.WHOLE, List.of("a"));
    ledger.add(new Part("a", Ending.HOLDS, "holds", "", 1));
    ledger.add(new Share("toys killed", 90, 89, 100));
    ledger.write();
    Merge merge = new Merge(List.of(machine.made()), null);
    assertThat(merge.exit()).isEqualTo(1);
    assertThat(merge.text(false)).contains("toys killed: 89 of 100, demanded are 90%");
  }

  /** A machine that was stopped, and the one that did its shard again. */
  @Test
  void ofAShardThatRanTwiceTheWholeShareCounts() {
    List<Path> folders = new ArrayList<>();
    for (long[] share : new long[][] {{5, 5}, {80, 100}}) {
      Workspace machine = new Workspace(temporary.resolve("of-" + share[1]));
      Ledger ledger = new Ledger(machine, "toys", Shard.WHOLE, List.of("a"));
      ledger.add(new Part("a", Ending.HOLDS, "holds", "", 1));
      ledger.add(new Share("toys killed", 90, share[0], share[1]));
      ledger.write();
      folders.add(machine.made());
    }
    assertThat(new Merge(folders, null).text(false)).contains("toys killed: 80 of 100");
    Collections.reverse(folders);
    assertThat(new Merge(folders, null).exit()).isEqualTo(1);
  }

  @Test
  void resultsOfAnotherCommitAreRefused() throws IOException {
    List<Path> folders = machines(2);
    try (var files = Files.list(folders.get(1).resolve("reports/parts"))) {
      for (Path p : files.toList()) {
        Files.writeString(p, Files.readString(p).replace("\"unknown\"", "\"0123abc\""));
      }
    }
    assertThatThrownBy(() -> new Merge(folders, null))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("of commit 0123abc, not unknown");
    assertThatThrownBy(() -> new Merge(machines(1), "0123abc")).isInstanceOf(InputError.class);
  }

  @Test
  void shardsOfDifferentRunsAreRefused() {
    List<Path> folders = new ArrayList<>(machines(2));
    folders.add(machines(7).get(2));
    assertThatThrownBy(() -> new Merge(folders, null))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("another run of \"toys\"");
  }

  /** Of two machines one has restored the cache that says which seed failed last time. */
  @Test
  void aSeedThatFailedIsNamedIfTheMachineThatHadToRunItDidNotKnowOfIt() {
    List<String> asked = List.of("seeds 1 to 20", "seeds 21 to 40");
    List<Path> folders = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      Shard shard = new Shard(i, 2);
      Workspace machine = new Workspace(temporary.resolve("restored-" + i));
      List<String> planned = new ArrayList<>(asked);
      if (i == 1) {
        planned.add(0, new KeptSeeds.Kept(7, false, "", "", "").part());
      }
      Ledger ledger = new Ledger(machine, "toys", shard, planned);
      ledger.add(part(asked.get(i - 1)));
      ledger.write();
      new Ledger(machine, Merge.PROMISED, shard, List.of("toys"));
      folders.add(machine.made());
    }
    for (List<Path> order : List.of(folders, List.of(folders.get(1), folders.get(0)))) {
      Merge merge = new Merge(order, null);
      assertThat(merge.text(false)).contains("kept seed 7");
      assertThat(merge.missing()).hasSize(1);
      assertThat(merge.exit()).isEqualTo(3);
    }
  }

  @Test
  void aDamagedEntryOfTheCacheIsNoticedAndLeftOut() throws IOException {
    Path cache = temporary.resolve("m").resolve("cache");
    Memory.write(cache.resolve("check/a.json"), "{\"distinct\": 20}");
    Memory.write(cache.resolve("check/b.json"), "{\"distinct\": 30}");
    Path damaged = cache.resolve("check/b.json");
    Files.writeString(damaged, Files.readString(damaged).replace("30", "31"));
    Path joined = temporary.resolve("joined");
    assertThat(Merge.joinCaches(List.of(temporary.resolve("m")), joined)).isEqualTo(1);
    assertThat(Memory.read(joined.resolve("check/a.json"))).isEqualTo("{\"distinct\": 20}");
    assertThat(joined.resolve("check/b.json")).doesNotExist();
  }

  @Test
  void whatAStoppedCommandWasWritingIsNoDamagedEntry() throws IOException {
    Path cache = temporary.resolve("m").resolve("cache/check");
    Memory.write(cache.resolve("a.json"), "{}");
    Files.writeString(cache.resolve(".part-7-1"), "{\"dist");
    Path joined = temporary.resolve("joined");
    assertThat(Merge.joinCaches(List.of(temporary.resolve("m")), joined)).isZero();
    assertThat(joined.resolve("check")).isDirectoryNotContaining("glob:**.part-*");
  }

  /** Whose entries come, change and go meanwhile. */
  @Test
  @Timeout(60)
  void aMachineMayStillBeWriting() throws Exception {
    Path cache = Files.createDirectories(temporary.resolve("m").resolve("cache/check"));
    for (int i = 0; i < 2_000; i++) {
      Memory.write(cache.resolve("entry-" + i), "outcome");
    }
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; !done.get(); i = (i + 1) % 100) {
                Memory.write(cache.resolve("other-" + i), "outcome " + i);
                if (i % 2 == 0) {
                  assertThat(cache.resolve("other-" + i).toFile().delete()).isTrue();
                }
              }
            });
    try {
      for (int i = 0; i < 10; i++) {
        Path joined = temporary.resolve("joined-" + i);
        assertThat(Merge.joinCaches(List.of(temporary.resolve("m")), joined)).isZero();
        assertThat(Memory.read(joined.resolve("check/entry-1999"))).isEqualTo("outcome");
      }
    } finally {
      done.set(true);
      writer.join();
    }
  }

  @Test
  void aCacheMayBeALink() throws IOException {
    Memory.write(temporary.resolve("elsewhere/check/a.json"), "{\"distinct\": 20}");
    Path machine = Files.createDirectories(temporary.resolve("m"));
    Files.createSymbolicLink(machine.resolve("cache"), temporary.resolve("elsewhere"));
    Path joined = temporary.resolve("joined");
    assertThat(Merge.joinCaches(List.of(machine), joined)).isZero();
    assertThat(Memory.read(joined.resolve("check/a.json"))).isEqualTo("{\"distinct\": 20}");
  }

  @Test
  void aFailingSeedIsKeptUntilItPasses() {
    Path cache = temporary.resolve("cache");
    KeptSeeds.in(cache)
        .update("simulate toy", List.of(new KeptSeeds.Kept(7, false, "witness", "replay 7", "{}")));
    KeptSeeds.in(cache)
        .update("simulate toy", List.of(new KeptSeeds.Kept(7, false, "witness", "", "")));
    assertThat(KeptSeeds.in(cache).of("simulate toy"))
        .containsExactly(new KeptSeeds.Kept(7, false, "witness", "replay 7", "{}"));
    KeptSeeds.in(cache).update("simulate toy", List.of(new KeptSeeds.Kept(7, true, "", "", "")));
    assertThat(KeptSeeds.in(cache).of("simulate toy")).isEmpty();
  }

  /** A machine whose only part holds, and how its entry point ended. */
  private Path green(String name, String exit) throws IOException {
    Workspace machine = new Workspace(temporary.resolve(name));
    Ledger ledger = new Ledger(machine, "toys", Shard.WHOLE, List.of("a"));
    ledger.add(new Part("a", Ending.HOLDS, "holds", "", 1));
    ledger.write();
    if (!exit.isEmpty()) {
      Files.writeString(machine.made().resolve("exit"), exit + "\n");
    }
    return machine.made();
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 4", "3, 3", "4, 4", "124, 4", "137, 3", "0, 0"})
  void aMachineThatEndedOtherwiseThanItsPartsCounts(String ended, int exit) throws IOException {
    Merge merge = new Merge(List.of(green("m", ended)), null);
    assertThat(merge.exit()).isEqualTo(exit);
    if (exit != 0) {
      assertThat(merge.text(false)).contains("machines: .plumb: its entry point ended so");
    }
  }

  /** A stage may hold and have left parts: of those it says nothing. */
  @Test
  void aLedgerNamesWhatItsRunDidNotComeTo() {
    Workspace machine = new Workspace(temporary.resolve("hurried"));
    assertThat(Ledger.left(machine, "toys", Shard.WHOLE)).isEmpty();
    Ledger ledger = new Ledger(machine, "toys", Shard.WHOLE, List.of("a", "b", "c"));
    ledger.add(new Part("a", Ending.HOLDS, "holds", "", 1));
    ledger.add(new Part("b", Ending.NOT_RUN, "not run", "no time left", 0));
    ledger.add(new Part("c", Ending.UNKNOWN, "unknown", "", 1));
    ledger.write();
    assertThat(Ledger.left(machine, "toys", Shard.WHOLE)).containsExactly("b");
  }

  @Test
  void aRedPartIsReasonEnoughForItsMachinesEnd() throws IOException {
    Path machine = machines(1).get(0);
    Files.writeString(machine.resolve("exit"), "4\n");
    assertThat(new Merge(List.of(machine), null).text(false)).doesNotContain("machines");
  }

  @Test
  void soIsAShareThatIsNotMet() throws IOException {
    Workspace machine = new Workspace(temporary.resolve("low"));
    Ledger ledger = new Ledger(machine, "toys", Shard.WHOLE, List.of("a"));
    ledger.add(new Part("a", Ending.HOLDS, "holds", "", 1));
    ledger.add(new Share("toys killed", 90, 89, 100));
    ledger.write();
    Files.writeString(machine.made().resolve("exit"), "1\n");
    assertThat(new Merge(List.of(machine.made()), null).text(false)).doesNotContain("machines");
  }

  @Test
  void whatAShardWasToldIsReadBack() {
    List<Path> folders = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      Workspace machine = new Workspace(temporary.resolve("same-" + i));
      new Ledger(machine, "toys", new Shard(i, 2, "--seed=7"), PARTS);
      folders.add(machine.made());
    }
    assertThat(new Merge(folders, null).missing()).hasSameElementsAs(PARTS);
  }

  @Test
  void aMachineThatEndedWorseThanItsPartsCounts() throws IOException {
    Path machine = machines(1).get(0);
    Files.writeString(machine.resolve("exit"), "1\n");
    Merge merge = new Merge(List.of(machine), null);
    assertThat(merge.exit()).isEqualTo(1);
    assertThat(merge.text(false)).contains("violated  machines: .plumb");
  }

  @Test
  void shardsThatWereToldOtherThingsAreRefused() {
    List<Path> folders = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      Workspace machine = new Workspace(temporary.resolve("told-" + i));
      new Ledger(machine, "toys", new Shard(i, 2, "--seed=" + i), PARTS);
      folders.add(machine.made());
    }
    assertThatThrownBy(() -> new Merge(folders, null))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("told --seed=2, not --seed=1");
  }

  @Test
  void whatNobodyPlannedCountsToo() {
    Workspace machine = new Workspace(temporary.resolve("more"));
    Ledger ledger = new Ledger(machine, "toys", Shard.WHOLE, List.of("a"));
    ledger.add(new Part("a/1", Ending.HOLDS, "holds", "", 1));
    ledger.add(new Part("pair a + b", Ending.VIOLATED, "survives", "", 1));
    ledger.write();
    Merge merge = new Merge(List.of(machine.made()), null);
    assertThat(merge.exit()).isEqualTo(1);
    assertThat(merge.text(false)).contains("violated  toys: pair a + b");
    assertThat(merge.missing()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "VIOLATED, ENVIRONMENT, 1",
    "ENVIRONMENT, VIOLATED, 1",
    "HOLDS, UNKNOWN, 4",
    "TIME_OUT, ENVIRONMENT, 3",
    "NOT_RUN, HOLDS, 0"
  })
  void ofTwoReportsOfAPartTheWorseCounts(Ending one, Ending other, int exit) {
    List<Path> folders = new ArrayList<>();
    for (Ending ending : List.of(one, other)) {
      Workspace machine = new Workspace(temporary.resolve(ending.name()));
      Ledger ledger = new Ledger(machine, "toys", Shard.WHOLE, List.of("a"));
      ledger.add(new Part("a", ending, ending.toString(), "", 1));
      ledger.write();
      folders.add(machine.made());
    }
    Merge merge = new Merge(folders, null);
    assertThat(merge.exit()).isEqualTo(exit);
    assertThat(merge.json().at("/stages/0/counts").has(one == Ending.NOT_RUN ? "not run" : "holds"))
        .isEqualTo(one != Ending.NOT_RUN && exit == 0);
  }

  @Test
  void anEarlierRunWithAnotherNumberOfShardsLeavesNothing() throws IOException {
    Workspace machine = new Workspace(temporary.resolve("again"));
    Path parts = machine.made().resolve("reports/parts");
    new Ledger(machine, "toys", Shard.WHOLE, List.of("a"));
    new Ledger(machine, "toys.more", Shard.WHOLE, List.of("a"));
    new Ledger(machine, "toys", new Shard(1, 30), PARTS);
    new Ledger(machine, "toys", new Shard(1, 3), PARTS);
    new Ledger(machine, "toys", new Shard(2, 3), PARTS);
    assertThat(parts.toFile().list())
        .containsExactlyInAnyOrder("toys.more.1-of-1.json", "toys.1-of-3.json", "toys.2-of-3.json");
  }

  /** The next part may take hours, and nobody ends the ledger of a machine that is stopped. */
  @Test
  @Timeout(20)
  void whatWasFoundIsWrittenSoonThoughNothingFollows() throws Exception {
    Workspace machine = new Workspace(temporary.resolve("stopped"));
    Ledger ledger = new Ledger(machine, "toys", Shard.WHOLE, PARTS);
    ledger.add(new Part("part 1", Ending.HOLDS, "holds", "", 10));
    ledger.add(new Part("part 2", Ending.VIOLATED, "FAILED", "", 10));
    while (new Merge(List.of(machine.made()), null).exit() != 1) {
      Thread.sleep(100);
    }
  }

  @Test
  void ofAPartWhatWasSaidLastCountsUnlessItWasWorseBefore() {
    Workspace machine = new Workspace(temporary.resolve("twice"));
    Ledger ledger = new Ledger(machine, "toys", Shard.WHOLE, List.of("part 1"));
    ledger.add(new Part("part 1", Ending.VIOLATED, "violated", "seed 1", 10));
    ledger.add(new Part("part 1", Ending.VIOLATED, "violated", "seeds 1, 2", 30));
    ledger.add(new Part("part 1", Ending.HOLDS, "holds", "", 40));
    ledger.write();
    assertThat(Ledger.text(machine, "toys", Shard.WHOLE))
        .contains("seeds 1, 2")
        .doesNotContain("seed 1\"", "holds");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "", "{\"planned\": \"x\"}", "{\"manifest\": 1}", "no JSON"})
  void whatIsNoLedgerIsBadInput(String text) throws IOException {
    Path machine = green("broken", "");
    Files.writeString(machine.resolve("reports/parts/toys.1-of-1.json"), text);
    assertThatThrownBy(() -> new Merge(List.of(machine), null))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("no ledger of parts");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "'\"millis\" : 1'; '\"millis\" : \"x\"'; millis is \"x\", no whole number, in {\"name\":",
        "'\"millis\" : 1'; '\"millis\" : 1.5'; millis is 1.5, no whole number",
        "'\"outcome\" : \"holds\"'; '\"outcome\" : \"fine\"'; no outcome \"fine\"; there are holds,"
            + " violated,",
        "'\"outcome\" : \"holds\"'; '\"outcom\" : \"holds\"'; there is no outcome in {\"name\":",
        "'\"dirty\" : '; '\"dirty\" : \"no\", \"d\" : '; 'dirty is \"no\", neither true nor false'",
        "'\"parts\" : ['; '\"parts\" : 7, \"p\" : ['; parts is 7, no list",
        "'\"verdict\" : \"holds\"'; '\"verdict\" : 7'; verdict is 7, no text"
      })
  void aFieldThatIsWrongIsNamedWithItsFile(String good, String bad, String why) throws IOException {
    Path machine = green("broken", "");
    Path file = machine.resolve("reports/parts/toys.1-of-1.json");
    String text = Files.readString(file);
    assertThat(text).contains(good);
    Files.writeString(file, text.replace(good, bad));
    assertThatThrownBy(() -> new Merge(List.of(machine), null))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("no ledger of parts: " + why)
        .satisfies(e -> assertThat(((InputError) e).file()).endsWith("toys.1-of-1.json"))
        .satisfies(e -> assertThat(((InputError) e).remedy()).contains("run that shard again"));
  }

  @Test
  void whatIsNoJsonIsSaidWithItsLineAndWithoutNoise() throws IOException {
    Path machine = green("broken", "");
    Files.writeString(machine.resolve("reports/parts/toys.1-of-1.json"), "{\n\"stage\": toys}");
    assertThatThrownBy(() -> new Merge(List.of(machine), null))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("it is no JSON")
        .hasMessageNotContaining("REDACTED")
        .satisfies(e -> assertThat(((InputError) e).line()).isEqualTo(2));
  }

  @Test
  void anEntryUnderAnotherNameIsNoEntry() throws IOException {
    Path one = temporary.resolve("check/one.json");
    Memory.write(one, "{}");
    assertThat(Memory.read(one)).isEqualTo("{}");
    for (String other : List.of("check/other.json", "stages/one.json")) {
      Path copy = temporary.resolve(other);
      Files.createDirectories(copy.getParent());
      Files.copy(one, copy);
      assertThat(Memory.read(copy)).as(other).isNull();
    }
  }
}
