package dev.plumbline.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.history.Judgement.Outcome;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionCheckerTest {
  private static final int HISTORIES = 10_000;

  @TempDir Path folder;

  private static Map<String, Judgement> judged(History history, Model model) {
    return SessionChecker.check(history, model).stream()
        .collect(Collectors.toMap(Judgement::subject, j -> j));
  }

  private static History random(long seed, double careless) {
    var random = new Random(seed);
    return SessionStore.history(
        random, 2 + random.nextInt(2), 2, 1 + random.nextInt(3), 5 + random.nextInt(9), careless);
  }

  @Test
  void nothingIsFoundInHistoriesOfACausalStore() throws Exception {
    for (long seed = 0; seed < HISTORIES; seed++) {
      History history = random(seed, 0);
      HistoryValidator.validate(history, DataModel.RW_REGISTER);
      for (Judgement j : SessionChecker.check(history, Model.CAUSAL)) {
        assertThat(j.outcome())
            .as("seed %d: %s", seed, j)
            .isNotIn(Outcome.INVALID, Outcome.UNKNOWN);
      }
      assertThat(SessionChecker.visible(history).outcome())
          .as("seed %d", seed)
          .isNotIn(Outcome.INVALID, Outcome.UNKNOWN);
    }
  }

  @Test
  void whatIsFoundIsWhatTheDefinitionsForbid() {
    Map<String, Integer> broken = new TreeMap<>();
    for (long seed = 0; seed < HISTORIES; seed++) {
      History history = random(seed, 0.2 + seed % 5 * 0.15);
      var definitions = new SessionDefinitions(history);
      Map<String, Boolean> expected =
          Map.of(
              "read-your-writes", definitions.readYourWrites(),
              "monotonic-reads", definitions.monotonicReads(),
              "writes-follow-reads", definitions.writesFollowReads(),
              "monotonic-writes", definitions.monotonicWrites(),
              "causal", definitions.causal(),
              "convergence", definitions.convergence(),
              "no loss", definitions.noLoss(),
              "visible in causal order", definitions.visible());
      Map<String, Judgement> judged = judged(history, Model.SESSION_GUARANTEES);
      judged.put("visible in causal order", SessionChecker.visible(history));
      for (var e : expected.entrySet()) {
        Judgement j = judged.get(e.getKey());
        assertThat(j.outcome() != Outcome.INVALID)
            .as("seed %d, %s: %s", seed, e.getKey(), j)
            .isEqualTo(e.getValue());
        assertThat(j.count() > 0).isEqualTo(!j.anomalies().isEmpty());
        broken.merge(e.getKey(), e.getValue() ? 0 : 1, Integer::sum);
      }
    }
    assertThat(broken).as("every guarantee is broken often").hasSize(8);
    assertThat(broken.values()).allSatisfy(n -> assertThat(n).isGreaterThan(100));
  }

  /** At the node that made a write, what it follows may come later: nobody waited for it. */
  @Test
  void whatNobodyAskedForIsJudgedWhereItBecomesVisible() {
    History elsewhere = History.of(story(""));
    assertThat(SessionChecker.visible(elsewhere).anomalies())
        .singleElement()
        .satisfies(
            anomaly ->
                assertThat(anomaly.text())
                    .contains("operation 7 reads [:r 1 nil] at b", "operation 1 ([:w 1 10])"));
    List<Op> there = new ArrayList<>();
    for (Op op : elsewhere.ops()) {
      Visit v = op.visit();
      there.add(
          new Op(
              op.index(),
              op.type(),
              op.process(),
              op.time(),
              op.f(),
              op.value(),
              op.ts(),
              null,
              null,
              null,
              new Visit(v.session(), "b", v.asked(), v.last())));
    }
    assertThat(SessionChecker.visible(History.of(there)).outcome()).isEqualTo(Outcome.VALID);
  }

  /** s1 writes x, then y; s2 is shown y, and then an x that is too old. */
  private static List<Op> story(String asks) {
    return story(asks, 20);
  }

  private static List<Op> story(String asks, int y) {
    String text =
        """
        {:index 0, :type :invoke, :process 1, :time 0, :f :write, :value [[:w 1 10]], ASK1}
        {:index 1, :type :ok, :process 1, :time 0, :f :write, :value [[:w 1 10]], :ts [1], ASK1}
        {:index 2, :type :invoke, :process 1, :time 0, :f :write, :value [[:w 2 20]], ASK1}
        {:index 3, :type :ok, :process 1, :time 0, :f :write, :value [[:w 2 20]], :ts [2], ASK1}
        {:index 4, :type :invoke, :process 2, :time 0, :f :read, :value [[:r 2 nil]], ASK2}
        {:index 5, :type :ok, :process 2, :time 0, :f :read, :value [[:r 2 Y]], ASK2}
        {:index 6, :type :invoke, :process 2, :time 0, :f :read, :value [[:r 1 nil]], ASK2}
        {:index 7, :type :ok, :process 2, :time 0, :f :read, :value [[:r 1 nil]], ASK2}
        """
            .replace("ASK1", ":session \"s1\", :node \"a\", :asks [" + asks + "]")
            .replace("Y", "" + y)
            .replace("ASK2", ":session \"s2\", :node \"b\", :asks []");
    try {
      Path file = Files.createTempFile("session", ".edn");
      Files.writeString(file, text);
      List<Op> ops = HistoryFiles.read(file).ops();
      Files.delete(file);
      return ops;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theOffendingPairIsNamed() {
    Judgement mw =
        judged(History.of(story(":mw")), Model.SESSION_GUARANTEES).get("monotonic-writes");
    assertThat(mw.outcome()).isEqualTo(Outcome.INVALID);
    assertThat(mw.anomalies().get(0).operations()).containsExactly(1L, 7L);
    assertThat(mw.anomalies().get(0).text())
        .contains("session s2: operation 7 reads [:r 1 nil] at b", "operation 1 ([:w 1 10])");
  }

  @Test
  void whatNobodyAskedForIsNotJudged() {
    var judged = judged(History.of(story("")), Model.SESSION_GUARANTEES);
    assertThat(judged.values()).extracting(Judgement::outcome).containsOnly(Outcome.NOT_RUN);
    assertThat(judged.get("causal").reason()).isEqualTo("no operation asked for it");
    assertThat(judged.get("convergence").reason()).isEqualTo("no read is marked as the last");
    assertThat(judged(History.of(story("")), Model.CAUSAL).get("causal").outcome())
        .isEqualTo(Outcome.INVALID);
  }

  @Test
  void aValueThatNobodyWroteIsOneThoughNobodyAskedForAnything() {
    assertThat(judged(History.of(story("", 21)), Model.SESSION_GUARANTEES))
        .hasEntrySatisfying(
            "values and places", j -> assertThat(j.outcome()).isEqualTo(Outcome.INVALID));
  }

  /**
   * Operations of sessions, each a line {@code WHO TYPE MICRO PLACE}, with {@code last} as the
   * place of a last read; all guarantees asked for.
   */
  private static Map<String, Judgement> told(String story) {
    List<Op> ops = new ArrayList<>();
    for (String line : story.strip().split("\n", -1)) {
      String[] word = line.strip().split(" ", -1);
      String[] of = word[2].split("=", -1);
      Long value = of[1].equals("nil") ? null : Long.valueOf(of[1]);
      boolean read = of[0].startsWith("r");
      Object key = of[0].substring(1);
      ObservedMicroOp micro =
          read ? new ObservedMicroOp.Read(key, value) : new ObservedMicroOp.Write(key, value);
      boolean last = word[3].equals("last");
      ClaimedTimestamp place =
          last || word[3].equals("-") ? null : ClaimedTimestamp.of(Long.parseLong(word[3]));
      Visit visit = new Visit(word[0], "n", Guarantee.all(), last);
      String f = read ? "read" : "write";
      Op.Type type = Op.Type.valueOf(word[1].toUpperCase(Locale.ROOT));
      ops.add(op(ops.size(), type, word[0].charAt(0), f, micro, place, visit));
    }
    return judged(History.of(ops), Model.SESSION_GUARANTEES);
  }

  private static void objects(Map<String, Judgement> judged, String subject, String text) {
    assertThat(judged.get(subject).outcome()).isEqualTo(Outcome.INVALID);
    assertThat(judged.get(subject).anomalies().get(0).text()).contains(text);
  }

  @Test
  void aReadReturnsNoWriteThatFailed() {
    objects(
        told("b invoke wx=7 -\nb fail wx=7 -\na invoke rx=nil -\na ok rx=7 -"),
        "values and places",
        "operation 3 reads [:r \"x\" 7], which operation 1 failed to write");
  }

  @Test
  void aReadReturnsNothingThatNobodyWrote() {
    objects(
        told("b invoke wx=7 -\nb ok wx=7 1\na invoke rx=nil -\na ok rx=8 -"),
        "values and places",
        "operation 3 reads [:r \"x\" 8], which nobody wrote");
  }

  /** A read that ends before the write begins; a circle of two sessions has such a read. */
  @Test
  void aReadReturnsNothingFromTheFuture() {
    objects(
        told("a invoke rx=nil -\na ok rx=7 -\nb invoke wx=7 -\nb ok wx=7 1"),
        "values and places",
        "operation 1 reads [:r \"x\" 7], which operation 3 begins to write later");
    Map<String, Judgement> overlapping =
        told("a invoke rx=nil -\nb invoke wx=7 -\na ok rx=7 -\nb ok wx=7 1");
    assertThat(overlapping.get("values and places").outcome()).isEqualTo(Outcome.VALID);
  }

  @Test
  void noTwoWritesOfAKeyShareAPlace() {
    String two = "a invoke wx=7 -\na ok wx=7 1\nb invoke wK=8 -\nb ok wK=8 1";
    objects(told(two.replace('K', 'x')), "values and places", "at the same place [1]");
    assertThat(told(two.replace('K', 'y')).get("values and places").outcome())
        .isEqualTo(Outcome.VALID);
  }

  /** Stores that claim no places are judged as far as any order would break a guarantee. */
  @Test
  void aKeyIsNotEmptyAfterwardsInWhateverOrder() {
    String write = "a invoke wx=7 -\na ok wx=7 -\n";
    String read = "a invoke rx=nil -\na ok rx=nil -";
    objects(
        told(write + read),
        "read-your-writes",
        "operation 3 reads nothing of \"x\", which operation 1 of its session wrote before");
    objects(
        told(write + "b invoke rx=nil -\nb ok rx=7 -\n" + read.replace('a', 'b')),
        "monotonic-reads",
        "operation 5 reads nothing of \"x\", which operation 3 of its session read before");
    for (String other :
        List.of(
            read.replace('a', 'b'),
            read.replace("rx", "ry"),
            read.replace("ok rx=nil", "ok rx=7"))) {
      Map<String, Judgement> judged = told(write + other);
      judged.remove("values and places");
      assertThat(judged.values()).extracting(Judgement::outcome).containsOnly(Outcome.UNKNOWN);
    }
    assertThat(told(read + "\n" + write).get("read-your-writes").outcome())
        .isEqualTo(Outcome.UNKNOWN);
  }

  /** Neither is before the other, whoever reads which. */
  @Test
  void equalPlacesBreakNoGuarantee() {
    for (int last = 7; last <= 8; last++) {
      Map<String, Judgement> judged =
          told(
              "a invoke wx=7 -\na ok wx=7 1\nb invoke wx=8 -\nb ok wx=8 1\n"
                  + "a invoke rx=nil last\na ok rx=N last\nb invoke rx=nil last\nb ok rx=N last"
                      .replace("N", "" + last));
      judged.remove("values and places");
      assertThat(judged.values()).extracting(Judgement::outcome).doesNotContain(Outcome.INVALID);
    }
  }

  @Test
  void aLastReadIsJudgedByWhatItAsksFor() {
    Map<String, Judgement> judged =
        told(
            "w invoke wx=1 -\nw ok wx=1 1\nw invoke wx=2 -\nw info wx=2 2\n"
                + "a invoke rx=nil -\na ok rx=2 -\na invoke rx=nil last\na ok rx=1 last");
    objects(
        judged,
        "monotonic-reads",
        "operation 7 reads [:r \"x\" 1] at n and is not shown operation 3");
    assertThat(judged.get("monotonic-reads").anomalies().get(0).operations())
        .containsExactly(3L, 7L);
  }

  /** The session that comes first in the history breaks it last. */
  @Test
  void whatIsFoundIsToldInTheOrderOfTheHistory() {
    Map<String, Judgement> judged =
        told(
            "w invoke wx=1 -\nw ok wx=1 1\nw invoke wx=2 -\nw ok wx=2 2\n"
                + "a invoke rx=nil -\na ok rx=2 -\nb invoke rx=nil -\nb ok rx=2 -\n"
                + "b invoke rx=nil -\nb ok rx=1 -\na invoke rx=nil -\na ok rx=1 -");
    assertThat(judged.get("monotonic-reads").anomalies())
        .extracting(found -> found.operations().get(1))
        .containsExactly(9L, 11L);
  }

  @Test
  void aWriteThatWasShownIsNotLost() {
    String unknown = "w invoke wx=1 -\nw info wx=1 1\n";
    String last = "\nb invoke rx=nil last\nb ok rx=nil last";
    objects(told(unknown + "a invoke rx=nil -\na ok rx=1 -" + last), "no loss", "operation 1");
    assertThat(told(unknown.strip() + last).get("no loss").outcome()).isEqualTo(Outcome.VALID);
    String newer = "w invoke wx=2 -\nw ok wx=2 2\na invoke rx=nil -\na ok rx=2 -\n";
    String overwritten =
        newer + "v invoke wx=3 -\nv ok wx=3 3" + last.replace("b ok rx=nil", "b ok rx=3");
    assertThat(told(overwritten).get("no loss").outcome()).isEqualTo(Outcome.VALID);
  }

  @Test
  void aWriteWithoutAPlaceThatWasShownHappened() {
    objects(
        told(
            "a invoke wx=7 -\na info wx=7 -\nb invoke rx=nil -\nb ok rx=7 -\n"
                + "b invoke rx=nil -\nb ok rx=nil -"),
        "monotonic-reads",
        "is not shown operation 1");
  }

  @Test
  void withoutPlacesTheVerdictIsUnknown() {
    List<Op> ops =
        story(":mw").stream()
            .map(
                o ->
                    new Op(
                        o.index(),
                        o.type(),
                        o.process(),
                        o.time(),
                        o.f(),
                        o.value(),
                        null,
                        null,
                        null,
                        null,
                        o.visit()))
            .toList();
    assertThat(judged(History.of(ops), Model.SESSION_GUARANTEES).get("monotonic-writes").outcome())
        .isEqualTo(Outcome.UNKNOWN);
  }

  @Test
  void filesKeepWhoAskedWhereAndForWhat() throws Exception {
    History history = random(7, 0.3);
    for (String name : List.of("h.edn", "h.json")) {
      Path file = folder.resolve(name);
      HistoryFiles.write(file, history.ops());
      assertThat(HistoryFiles.read(file).ops()).as(name).isEqualTo(history.ops());
    }
  }

  @Test
  void brokenOperationsOfSessionsAreRefused() throws Exception {
    String good = ":process 1, :time 0, :f :read, :value [[:r 1 nil]], :session \"s\", :node \"n\"";
    for (String wrong :
        List.of(
            good.replace(":f :read", ":f :txn"),
            good.replace("[[:r 1 nil]]", "[[:r 1 nil] [:r 2 nil]]"),
            good.replace("[[:r 1 nil]]", "[[:append 1 1]]"),
            good.replace(", :node \"n\"", ""),
            good.replace(":node \"n\"", ":node \"\""),
            good.replace(":session \"s\"", ":session \" \""),
            good + ", :asks [:ryw :more]",
            good + ", :last 3",
            good.replace(":f :read", ":f :write").replace(":r 1 nil", ":w 1 1") + ", :last true")) {
      Path file = folder.resolve("wrong.edn");
      Files.writeString(
          file, "{:index 0, :type :invoke, " + wrong + "}\n{:index 1, :type :ok, " + wrong + "}\n");
      assertThatThrownBy(
              () -> HistoryValidator.validate(HistoryFiles.read(file), DataModel.RW_REGISTER))
          .as(wrong)
          .isInstanceOf(HistoryException.class);
    }
    Path two = folder.resolve("two.edn");
    Files.writeString(
        two,
        "{:index 0, :type :invoke, "
            + good
            + "}\n{:index 1, :type :invoke, "
            + good.replace(":process 1", ":process 2")
            + "}\n");
    assertThatThrownBy(
            () -> HistoryValidator.validate(HistoryFiles.read(two), DataModel.RW_REGISTER))
        .hasMessageContaining("has an operation open");
  }

  /** Sessions that wander over nodes which are all up to date, until one read is stale. */
  @ParameterizedTest
  @CsvSource({"50, 500", "1000, 100", "1000, 3000", "10000, 10000", "10000, 10"})
  void aHundredThousandOperationsTakeSeconds(int sessions, int keys) throws Exception {
    var random = new Random(1);
    List<Op> ops = new ArrayList<>();
    Map<Long, Long> newest = new HashMap<>();
    long key = 0;
    int session = 0;
    for (int i = 0; i < 100_000; i++) {
      boolean stale = i == 99_999;
      if (!stale) {
        key = random.nextInt(keys);
        session = random.nextInt(sessions);
      }
      var visit = new Visit("s" + session, "n" + random.nextInt(5), Guarantee.all(), false);
      boolean read = stale || (i != 99_998 && random.nextBoolean());
      Long value = stale ? null : newest.get(key);
      ObservedMicroOp ask =
          read ? new ObservedMicroOp.Read(key, null) : new ObservedMicroOp.Write(key, (long) i);
      ObservedMicroOp done = read ? new ObservedMicroOp.Read(key, value) : ask;
      if (!read) {
        newest.put(key, (long) i);
      }
      String f = read ? "read" : "write";
      ClaimedTimestamp place = read ? null : ClaimedTimestamp.of(i);
      long n = ops.size();
      ops.add(op(n, Op.Type.INVOKE, session, f, ask, null, visit));
      ops.add(op(n + 1, Op.Type.OK, session, f, done, place, visit));
    }
    History history = History.of(ops);
    long before = cpu();
    HistoryValidator.validate(history, DataModel.RW_REGISTER);
    List<Judgement> judged = SessionChecker.check(history, Model.CAUSAL);
    assertThat(cpu() - before).as("nanoseconds of processor time").isLessThan(5_000_000_000L);
    Judgement causal = judged.get(4);
    assertThat(causal.subject()).isEqualTo("causal");
    assertThat(causal.count()).as("only the stale read").isOne();
    assertThat(causal.anomalies().get(0).operations().get(1)).isEqualTo(199_999);
  }

  private static Op op(
      long n,
      Op.Type type,
      int session,
      String f,
      ObservedMicroOp micro,
      ClaimedTimestamp ts,
      Visit visit) {
    return new Op(n, type, session, n, f, List.of(micro), ts, null, null, null, visit);
  }

  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
