package dev.plumbline.metric.sql.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.metric.MetricResponse;
import dev.plumbline.metric.Position;
import dev.plumbline.metric.sql.log.MetricProcess.Lacking;
import dev.plumbline.metric.sql.log.MetricProcess.Logged;
import dev.plumbline.metric.sql.log.Nack.Kind;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What Metric's machines do for transactions that sites lead. */
class NodeProcessTest {
  private static final byte[] ENTRY = {1};
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Machines machines = new Machines(3);

  @AfterEach
  void close() {
    machines.close();
    assertThat(machines.failures()).isEmpty();
  }

  private MetricProcess process(int site) {
    return machines.process(site, PATIENCE, Duration.ofSeconds(20));
  }

  private static void nack(ThrowingCallable work, Kind kind) {
    assertThatThrownBy(work)
        .isInstanceOf(Nack.class)
        .satisfies(e -> assertThat(((Nack) e).kind()).as(e.getMessage()).isEqualTo(kind));
  }

  private static Map<String, Position> none(String... tables) {
    Map<String, Position> none = new HashMap<>();
    Arrays.stream(tables).forEach(t -> none.put(t, Position.NONE));
    return none;
  }

  private static List<Logged> read(MetricProcess p, String transaction, String... tables)
      throws Nack {
    return p.since(transaction, none(tables)).records();
  }

  @Test
  void aTableIsOneSitesAtATime() throws Nack {
    MetricProcess a = process(0);
    MetricProcess b = process(1);
    a.own("1", Set.of("x", "y"));
    a.keep("1");
    nack(() -> b.own("1", Set.of("y", "z")), Kind.LOST);
    b.release("1");
    b.own("2", Set.of("z"));
    b.keep("2");
    a.release("1");
    nack(() -> a.own("2", Set.of("z")), Kind.LOST);
    a.release("2");
    b.release("2");
    b.own("3", Set.of("x", "y", "z"));
    b.release("3");
  }

  @Test
  void whatATransactionAppendsIsThereForTheNextOwner() throws Nack {
    MetricProcess a = process(0);
    MetricProcess b = process(1);
    a.own("1", Set.of("x"));
    a.own("1", Set.of("y", "z"));
    assertThat(read(a, "1", "x", "y")).allMatch(l -> l.entry().length == 0);
    Position first = a.append("1", Set.of("x", "y"), ENTRY);
    a.release("1");
    a.own("2", Set.of("y"));
    // It owns y already: the record stands in the same entry.
    assertThat(read(a, "2", "y")).hasSize(2);
    assertThat(a.append("2", Set.of("y"), new byte[] {2}))
        .isEqualTo(new Position(first.entry(), first.length() + 1));
    a.release("2");
    b.own("1", Set.of("x", "y", "z"));
    List<Logged> all = read(b, "1", "x", "y", "z");
    assertThat(all).hasSize(3);
    assertThat(all.get(0).tables()).isEqualTo(Map.of("x", first, "y", first));
    assertThat(all.get(1).tables().keySet()).containsExactly("y");
    assertThat(all.get(1).entry()).containsExactly(2);
    assertThat(all.get(2).tables().keySet()).containsExactlyInAnyOrder("x", "y", "z");
    assertThat(all.get(2).entry()).isEmpty();
    // From where they are nothing is missing, and of a part the rest.
    assertThat(b.since("1", all.get(2).tables()).records()).isEmpty();
    assertThat(b.since("1", Map.of("y", first)).records().get(0).entry()).containsExactly(2);
    b.release("1");
  }

  @Test
  void aPositionThatTheLogDoesNotHaveIsRefused() throws Nack {
    MetricProcess a = process(0);
    a.own("1", Set.of("x"));
    nack(() -> a.since("1", Map.of("x", Position.of("7.9/1"))), Kind.REFUSED);
    nack(() -> a.append("1", Set.of("y"), ENTRY), Kind.REFUSED);
    nack(() -> a.append("1", Set.of("none"), ENTRY), Kind.REFUSED);
    a.append("1", Set.of("x"), ENTRY);
    a.release("1");
    // Nothing of what was refused is in the log.
    MetricProcess b = process(1);
    b.own("1", Set.of("x"));
    assertThat(read(b, "1", "x").get(0).entry()).isEqualTo(ENTRY);
  }

  /** METRIC-F13: a table that was somebody else's in between is lost to the transaction. */
  @Test
  void whoLostATableCommitsNothingAndOwnsNoMore() throws Exception {
    MetricProcess a = process(0);
    MetricProcess b = process(1);
    a.own("1", Set.of("x"));
    machines.cut("site0", true);
    Thread.sleep(2_300);
    b.own("1", Set.of("x"));
    b.append("1", Set.of("x"), ENTRY);
    b.release("1");
    machines.cut("site0", false);
    nack(() -> a.confirm("1"), Kind.LOST);
    nack(() -> a.append("1", Set.of("x"), ENTRY), Kind.LOST);
    nack(() -> a.own("1", Set.of("y")), Kind.LOST);
    nack(() -> read(a, "1", "x"), Kind.LOST);
    a.release("1");
    a.own("2", Set.of("x"));
    assertThat(read(a, "2", "x").get(0).entry()).isEqualTo(ENTRY);
  }

  @Test
  void aLeaderWhoIsSilentForItsLeaseIsGivenUp() throws Exception {
    MetricProcess a = machines.process(0, PATIENCE, Duration.ofMillis(400));
    a.own("1", Set.of("x"));
    for (int i = 0; i < 4; i++) {
      Thread.sleep(200);
      a.keep("1");
    }
    a.confirm("1");
    Thread.sleep(900);
    nack(() -> a.append("1", Set.of("x"), ENTRY), Kind.LOST);
    // Another leader's word is no word of the first.
    MetricProcess other = machines.process(0, PATIENCE, Duration.ofSeconds(20));
    other.own("1", Set.of("x"));
    nack(() -> a.append("1", Set.of("x"), ENTRY), Kind.LOST);
    assertThat(read(other, "1", "x")).allMatch(l -> l.entry().length == 0);
  }

  /** Who may have gone as soon as it had its tables: they are not kept for a whole lease. */
  @Test
  void aLeaderWhoNeverGoesOnIsGivenUpSoon() throws Exception {
    MetricProcess a = process(0);
    a.own("1", Set.of("x"));
    Thread.sleep(2_300);
    nack(() -> a.confirm("1"), Kind.LOST);
  }

  @Test
  void aProcessThatEndsLosesWhatWasNotAcknowledged() throws Nack {
    MetricProcess a = process(0);
    MetricProcess b = process(1);
    a.own("1", Set.of("x"));
    a.append("1", Set.of("x"), ENTRY);
    a.release("1");
    a.own("2", Set.of("x"));
    machines.kill("site0");
    nack(() -> a.confirm("2"), Kind.AWAY);
    nack(() -> process(0).own("3", Set.of("x")), Kind.AWAY);
    a.release("2");
    machines.restart("site0");
    b.own("1", Set.of("x"));
    assertThat(read(b, "1", "x").get(0).entry()).isEqualTo(ENTRY);
    b.release("1");
    a.own("4", Set.of("x"));
    assertThat(read(a, "4", "x").get(0).entry()).isEqualTo(ENTRY);
  }

  /** METRIC-F11. */
  @Test
  void anAppendWithoutAnAnswerIsUnknown() throws Nack {
    MetricProcess a = process(0);
    a.own("1", Set.of("x"));
    machines.cut("site0", true);
    nack(() -> a.append("1", Set.of("x"), ENTRY), Kind.UNKNOWN);
    a.release("1");
    machines.cut("site0", false);
    MetricProcess b = process(1);
    b.own("1", Set.of("x"));
    assertThat(read(b, "1", "x")).allMatch(l -> l.entry().length == 0);
  }

  @Test
  void aLongEntryGoesInPiecesAndOneThatIsTooLongNotAtAll() throws Nack {
    byte[] large = new byte[MetricProcess.LONGEST];
    new Random(1).nextBytes(large);
    MetricProcess a = process(0);
    for (int i = 0; i < 3; i++) {
      a.own("t" + i, Set.of("x"));
      a.append("t" + i, Set.of("x"), large);
      a.release("t" + i);
    }
    a.own("1", Set.of("x"));
    nack(() -> a.append("1", Set.of("x"), new byte[2 * MetricProcess.LONGEST]), Kind.REFUSED);
    a.release("1");
    MetricProcess b = process(1);
    b.own("1", Set.of("x"));
    Map<String, Position> at = none("x");
    int records = 0;
    Lacking lacking;
    do {
      lacking = b.since("1", at);
      for (Logged logged : lacking.records()) {
        at = logged.tables();
        records += logged.entry().length > 0 ? 1 : 0;
      }
    } while (lacking.more());
    assertThat(records).isEqualTo(3);
  }

  /** Outside of a transaction the entry that its owner may be writing does not count. */
  @Test
  void whoOwnsNothingReadsOnlyWhatIsFollowed() throws Nack {
    MetricProcess a = process(0);
    MetricProcess b = process(1);
    a.own("1", Set.of("x"));
    Position at = a.append("1", Set.of("x"), ENTRY);
    a.release("1");
    assertThat(b.since(none("x", "y")).records()).isEmpty();
    process(2).own("1", Set.of("x"));
    assertThat(b.since(none("x", "y")).records().get(0).tables()).isEqualTo(Map.of("x", at));
  }

  @Test
  void aProcessThatFailsAtOnceIsNotAskedAsFastAsItAnswers() {
    AtomicInteger asked = new AtomicInteger();
    NodeProcess.Link failing =
        new NodeProcess.Link() {
          @Override
          public Record ask(Record request, Duration patience) {
            asked.incrementAndGet();
            return new MetricResponse.Failed("no");
          }

          @Override
          public boolean isOpen() {
            return true;
          }

          @Override
          public void close() {}
        };
    NodeProcess process =
        new NodeProcess(() -> failing, Duration.ofMillis(500), Duration.ofSeconds(1));
    nack(() -> process.own("1", Set.of("x")), Kind.LOST);
    assertThat(asked.get()).isBetween(2, 20);
  }
}
