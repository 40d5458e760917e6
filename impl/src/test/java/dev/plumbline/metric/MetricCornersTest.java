package dev.plumbline.metric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.machine.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What machines do in corners that no stored behaviour leads to, and runs seldom do. */
class MetricCornersTest {
  private static final String KEY = "table T1";
  private static final MetricConfig CONFIG =
      new MetricConfig(List.of("T1"), 1_000, 1_000, 1_000, 1_000, 10, List.of());

  private static final class Kept extends NoEffects {
    final List<Record> disk = new ArrayList<>();
    final List<Timer> timers = new ArrayList<>();
    final List<Message> sent = new ArrayList<>();

    @Override
    public void persist(Record record) {
      disk.add(record);
    }

    @Override
    public void setTimer(Timer timer, long delayMicros) {
      timers.add(timer);
    }

    @Override
    public void send(String to, Message message) {
      sent.add(message);
    }
  }

  /** A holder that died while the lock service was away says nothing any more. */
  @Test
  void aLockServiceThatStartsAgainCountsTheLeaseOfItsHolders() {
    ClockReading now = ClockReading.local(1);
    Kept first = new Kept();
    new LockService(CONFIG)
        .handle(new Input.Deliver("m1", new MetricMessage.Acquire(KEY, 7, false)), now, first);
    LockService again = new LockService(CONFIG);
    Kept effects = new Kept();
    again.handle(new Input.Start(2, first.disk), now, effects);
    assertThat(effects.timers).containsExactly(new MetricTimer.Lease(KEY, 1));
    again.handle(new Input.TimerFired(new MetricTimer.Lease(KEY, 1)), now, effects);
    assertThat(again.holder(KEY)).isZero();
  }

  /** What was discarded is in no entry, and its request has no answer. */
  @Test
  void whatWasDiscardedStaysSoInALaterLife() {
    Kept effects = new Kept();
    MemoryDatabase database = new MemoryDatabase();
    RequestId lost = new RequestId("c", 1);
    RequestId logged = new RequestId("c", 2);
    commit(database, lost, effects);
    database.discard(2, effects);
    commit(database, logged, effects);
    database.clear(new Uuid(5, 1), 1, effects);
    MemoryDatabase again = new MemoryDatabase();
    effects.disk.forEach(again::recall);
    assertThat(again.answered(logged)).isPresent();
    assertThat(again.answered(lost)).as("it never was in the redo log").isEmpty();
    assertThat(again.position("T1")).isEqualTo(database.position("T1"));
  }

  /** Its rows are what no entry has: it has to be populated anew. */
  @Test
  void aTableWithSomethingDiscardedIsAtNoPositionInALaterLifeEither() {
    Kept effects = new Kept();
    MemoryDatabase database = new MemoryDatabase();
    commit(database, new RequestId("c", 1), effects);
    database.clear(new Uuid(5, 1), 1, effects);
    commit(database, new RequestId("c", 2), effects);
    database.discard(2, effects);
    MemoryDatabase again = new MemoryDatabase();
    effects.disk.forEach(again::recall);
    assertThat(database.position("T1")).isEmpty();
    assertThat(again.position("T1")).isEmpty();
  }

  /** An append that was cut off may be in the redo log or not. */
  @Test
  void aProcessThatStartsAgainEmptiesItsLocalQueue() {
    Kept life = new Kept();
    commit(new MemoryDatabase(), new RequestId("c", 1), life);
    MetricProcess again =
        new MetricProcess(
            new MetricProcess.Parts(CONFIG, "m1", 1, "locks", List.of("r"), Optional.empty()));
    again.handle(new Input.Start(2, List.copyOf(life.disk)), ClockReading.local(1), life);
    assertThat(again.database().queue()).isEmpty();
    assertThat(again.database().position("T1")).isEmpty();
    assertThat(life.disk).last().isEqualTo(new MetricRecord.Discarded(2));
  }

  /** Whether it is in the redo log is not known yet. */
  @Test
  void aTableWithALocalCommitIsAtNoPosition() {
    Kept effects = new Kept();
    MemoryDatabase database = new MemoryDatabase();
    commit(database, new RequestId("c", 1), effects);
    database.clear(new Uuid(5, 1), 1, effects);
    assertThat(database.position("T1")).contains(new Position(new Uuid(5, 1), 1));
    commit(database, new RequestId("c", 2), effects);
    assertThat(database.position("T1")).isEmpty();
  }

  @Test
  void aRequestHasItsOwnAnswerAlone() {
    Kept effects = new Kept();
    MemoryDatabase database = new MemoryDatabase();
    commit(database, new RequestId("c", 2), effects);
    database.clear(new Uuid(5, 1), 1, effects);
    assertThat(database.answered(new RequestId("c", 2))).isPresent();
    assertThat(database.answered(new RequestId("c", 1))).isEmpty();
    assertThat(database.answered(new RequestId("c", 3))).isEmpty();
    assertThat(database.answered(new RequestId("d", 2))).isEmpty();
  }

  private static void commit(MemoryDatabase database, RequestId id, Kept effects) {
    database.begin();
    database.execute(new Statement(Statement.Kind.APPEND, "T1", "r", id.number()));
    database.commit(id, List.of(), List.of(), effects);
  }

  /** Names of entries are never used twice, and the clock of a site may step back. */
  @Test
  void anEntryOfALaterLifeIsNamedLaterWhateverTheClockShows() {
    List<Record> disk = List.of(new MetricRecord.Made(new Uuid(1_000, 1)));
    Uuid before = new Uuid(1_000, 1);
    for (long life = 2; life <= 3; life++) {
      OneProcess one = new OneProcess();
      one.give(new Input.Start(life, disk));
      one.give(own(1, "t1"));
      one.run(1, false);
      assertThat(one.answer).isInstanceOf(MetricResponse.Ok.class);
      assertThat(one.process.mine()).isGreaterThan(before);
      before = one.process.mine();
      disk = one.disk;
    }
  }

  /** What a transaction that was given up would have appended. */
  @Test
  void theTextOfATransactionThatWasGivenUpIsNotTheNextOnes() {
    OneProcess one = new OneProcess();
    one.give(new Input.Start(1, List.of()));
    one.give(own(1, "t1"));
    one.run(1, false);
    one.give(append(2, "t1", "lost;", false));
    one.give(ask(3, new MetricRequest.Release("t1")));
    one.give(own(4, "t2"));
    one.run(4, false);
    one.give(append(5, "t2", "kept;", true));
    one.run(5, false);
    assertThat(one.answer).isInstanceOf(MetricResponse.Appended.class);
    assertThat(one.process.entry().queue()).extracting(Redo::text).containsExactly("kept;");
  }

  /** The one record of an entry that the site lacks. */
  @Test
  void aSiteIsToldOfTheFirstRecordAfterItsPosition() {
    OneProcess one = new OneProcess();
    one.give(new Input.Start(1, List.of()));
    Position first = led(one, 1, "t1", "a;");
    led(one, 4, "t2", "b;");
    one.give(own(7, "t3"));
    one.run(7, false);
    one.give(ask(8, new MetricRequest.Since("t3", new TreeMap<>(Map.of("x", first)))));
    one.run(8, false);
    MetricResponse.Lacking lacking = (MetricResponse.Lacking) one.answer;
    assertThat(lacking.records())
        .extracting(MetricResponse.Missing::redo)
        .filteredOn(text -> !text.isEmpty())
        .containsExactly("b;");
  }

  private static Position led(OneProcess one, long request, String name, String text) {
    one.give(own(request, name));
    one.run((int) request, false);
    one.give(append(request + 1, name, text, true));
    one.run((int) request + 1, false);
    Position at = ((MetricResponse.Appended) one.answer).at();
    one.give(ask(request + 2, new MetricRequest.Release(name)));
    return at;
  }

  /** A transaction holds on to the tables of its own queries alone. */
  @Test
  void anotherTransactionDoesNotGoForTheTablesOfTheLastOne() {
    OneProcess one = new OneProcess();
    one.give(new Input.Start(1, List.of()));
    led(one, 1, "t1", "a;");
    one.acquired.clear();
    one.give(ask(4, new MetricRequest.Own("t2", true, 1_000, new TreeSet<>(List.of("y")))));
    one.run(4, false);
    assertThat(one.acquired)
        .extracting(MetricMessage.Acquire::key)
        .contains(MetricConfig.tableKey("y"))
        .doesNotContain(MetricConfig.tableKey("x"));
    assertThat(one.process.via()).containsOnlyKeys("y");
  }

  /** A site that leads nothing asks what others have left, and again when there is more. */
  @Test
  void aSiteThatAsksAgainIsToldWhatCameSince() {
    OneProcess one = new OneProcess();
    one.give(new Input.Start(1, List.of()));
    led(one, 1, "t1", "a;");
    givesUp(one, 4, "t2");
    givesUp(one, 6, "t3");
    assertThat(since(one, 8)).containsExactly("a;");
    led(one, 9, "t4", "b;");
    givesUp(one, 12, "t5");
    givesUp(one, 14, "t6");
    assertThat(since(one, 16)).containsExactly("a;", "b;");
  }

  /** Who owned nothing makes an entry, and gives all back. */
  private static void givesUp(OneProcess one, long request, String name) {
    one.give(own(request, name));
    one.run((int) request, false);
    one.give(ask(request + 1, new MetricRequest.Release(name)));
  }

  /** What the redo log has of a table that the process does not own. */
  private static List<String> since(OneProcess one, long request) {
    assertThat(one.process.via()).isEmpty();
    one.give(ask(request, new MetricRequest.Since("", new TreeMap<>(Map.of("x", Position.NONE)))));
    one.run((int) request, false);
    return ((MetricResponse.Lacking) one.answer)
        .records().stream()
            .map(MetricResponse.Missing::redo)
            .filter(text -> !text.isEmpty())
            .toList();
  }

  /** It appends to one entry, which has the tables of its own queries. */
  @Test
  void aTransactionThatChangedWhatItDoesNotOwnIsRefusedAndMayGoOn() {
    OneProcess one = new OneProcess();
    one.give(new Input.Start(1, List.of()));
    one.give(own(1, "t1"));
    one.run(1, false);
    one.give(
        ask(2, new MetricRequest.Append("t1", new TreeSet<>(List.of("x", "y")), "lost;", true)));
    assertThat(one.answer)
        .isEqualTo(new MetricResponse.Refused("it changed tables that it does not own"));
    one.give(append(3, "t1", "kept;", true));
    one.run(3, false);
    assertThat(one.answer).isInstanceOf(MetricResponse.Appended.class);
    assertThat(one.process.entry().queue()).extracting(Redo::text).containsExactly("kept;");
  }

  /** It has them from the transaction before, which says nothing of this one's queries. */
  @Test
  void aTransactionMayNotChangeTablesThatOnlyAnEarlierOneUsed() {
    OneProcess one = new OneProcess();
    one.give(new Input.Start(1, List.of()));
    one.give(ask(1, new MetricRequest.Own("t1", true, 1_000, new TreeSet<>(List.of("x", "y")))));
    one.run(1, false);
    one.give(append(2, "t1", "a;", true));
    one.run(2, false);
    one.give(ask(3, new MetricRequest.Release("t1")));
    one.give(own(4, "t2"));
    one.run(4, false);
    assertThat(one.process.via()).as("it kept them").containsOnlyKeys("x", "y");
    one.give(
        ask(5, new MetricRequest.Append("t2", new TreeSet<>(List.of("x", "y")), "lost;", true)));
    assertThat(one.answer)
        .isEqualTo(new MetricResponse.Refused("it changed tables that it does not own"));
  }

  @Test
  void aTransactionCommitsOnce() {
    OneProcess one = new OneProcess();
    one.give(new Input.Start(1, List.of()));
    one.give(own(1, "t1"));
    one.run(1, false);
    one.give(append(2, "t1", "a;", true));
    one.run(2, false);
    one.give(append(3, "t1", "a;", true));
    one.run(3, false);
    assertThat(one.answer).isEqualTo(new MetricResponse.Refused("the transaction is committed"));
    assertThat(one.process.entry().queue()).extracting(Redo::text).containsExactly("a;");
  }

  /** The site would take half of it for all, and run its query on that. */
  @Test
  void whatIsTooLongForOneAnswerIsToldInParts() {
    OneProcess one = new OneProcess();
    one.give(new Input.Start(1, List.of()));
    List<String> texts = List.of("a".repeat(700_000), "b".repeat(700_000), "c".repeat(300_000));
    for (int i = 0; i < texts.size(); i++) {
      led(one, 1 + 3L * i, "t" + i, texts.get(i));
    }
    one.give(own(10, "t9"));
    one.run(10, false);
    List<String> told = new ArrayList<>();
    TreeMap<String, Position> at = new TreeMap<>(Map.of("x", Position.NONE));
    MetricResponse.Lacking part;
    int request = 11;
    do {
      one.give(ask(request, new MetricRequest.Since("t9", at)));
      one.run(request++, false);
      part = (MetricResponse.Lacking) one.answer;
      for (MetricResponse.Missing missing : part.records()) {
        at.putAll(missing.tables());
        told.add(missing.redo());
      }
    } while (part.more());
    assertThat(told).filteredOn(text -> !text.isEmpty()).isEqualTo(texts);
    assertThat(request).as("more than one answer").isGreaterThan(12);
  }

  /** A leader that never went on may be gone; one that did has its lease. */
  @Test
  void aLeaderIsWaitedForAndGivenUpAfterItsLease() {
    OneProcess one = new OneProcess();
    one.give(new Input.Start(1, List.of()));
    one.give(ask(1, new MetricRequest.Own("t1", true, 9_000_000, new TreeSet<>(List.of("x")))));
    one.run(1, false);
    assertThat(one.timers).containsEntry(new MetricTimer.Silence(), 2_000_000L);
    one.timers.clear();
    one.give(ask(2, new MetricRequest.Keep("t1")));
    assertThat(one.timers).containsEntry(new MetricTimer.Silence(), 9_000_000L);
    one.give(new Input.TimerFired(new MetricTimer.Silence()));
    assertThat(one.process.via()).as("all tables are given back").isEmpty();
    assertThat(one.process.held()).isEmpty();
    one.give(append(3, "t1", "lost;", true));
    assertThat(one.answer).isInstanceOf(MetricResponse.Failed.class);
  }

  /** Nobody would lead it once its turn came, and its tables would be kept for nothing. */
  @Test
  void whoReleasesATransactionThatWaitsForItsTurnDoesNotWaitAnyMore() {
    OneProcess one = new OneProcess();
    one.give(new Input.Start(1, List.of()));
    one.give(own(1, "t1"));
    one.run(1, false);
    one.give(own(2, "t2"));
    assertThat(one.process.waiting()).isEqualTo(1);
    one.give(ask(3, new MetricRequest.Release("t2")));
    assertThat(one.process.waiting()).isZero();
    assertThat(one.process.via()).as("t1 goes on").containsOnlyKeys("x");
  }

  /**
   * A process owns two tables, and its transaction has used one of them. Another process takes the
   * other one over and writes it, before a later query asks for that one and for a third. Nothing
   * that was used is lost, so that the transaction goes on, with what the other process wrote.
   */
  @Test
  void aTableThatWasTakenOverBeforeItIsUsedIsReadAnew() {
    OneProcess one = new OneProcess();
    one.give(new Input.Start(1, List.of()));
    transact(one, 1, List.of(read("whole"), read("whole2")));
    one.run(1, false);
    Uuid mine = one.process.mine();
    transact(one, 2, List.of(read("whole")), List.of(read("whole2"), read("whole3")));
    while (one.process.queries() == 0) {
      one.give(new Input.TimerFired(new MetricTimer.Step()));
    }
    Uuid others = new Uuid(9, 2);
    Redo redo =
        Redo.rows(
            new RequestId("d", 1),
            List.of(new Change("whole2", "k", List.of(Statement.REGISTER, 7L))),
            List.of(),
            List.of());
    one.stored.put(MetricConfig.tableKey("whole2"), Value.latest(others));
    one.stored.put(
        MetricConfig.entryKey(others),
        Value.latest(others).with("whole2", mine).with(List.of(redo)));
    one.run(2, false);
    assertThat(((MetricResponse.Done) one.answer).results())
        .containsExactly(List.of(), List.of(Statement.REGISTER, 7L), List.of());
  }

  private static Statement read(String table) {
    return new Statement(Statement.Kind.READ, table, "k", 0);
  }

  @SafeVarargs
  private static void transact(OneProcess one, long request, List<Statement>... queries) {
    one.give(
        new Input.ClientRequest(
            request,
            new MetricRequest.Transact(
                new RequestId("c", request), Stream.of(queries).map(Query::new).toList()),
            "c"));
  }

  private static Input own(long request, String name) {
    return ask(request, new MetricRequest.Own(name, true, 1_000, new TreeSet<>(List.of("x"))));
  }

  private static Input append(long request, String name, String text, boolean last) {
    return ask(request, new MetricRequest.Append(name, new TreeSet<>(List.of("x")), text, last));
  }

  private static Input ask(long request, MetricRequest what) {
    return new Input.ClientRequest(request, (Record) what, "site");
  }
}
