package dev.plumbline.k2;

import static dev.plumbline.k2.Fixtures.CONFIG;
import static dev.plumbline.k2.Fixtures.published;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TimestampSourceTest {
  private static final K2Timer NEXT = new K2Timer.NextTimestamp();
  private static final K2Request BEGIN = new K2Request.Begin(K2Request.Mode.PRIMARY, null);
  private static final long UP = 5_000;

  private final List<Timestamp> issued = new ArrayList<>();

  private Recording coordinator(K2Config config) {
    return Recording.started(Fixtures.coordinator(config));
  }

  /** Begins a transaction and lets it take its timestamp, or ask for a batch. */
  private void begin(Recording c) {
    c.ask(BEGIN);
    next(c);
  }

  private void next(Recording c) {
    c.fire(NEXT);
    c.replies.forEach(reply -> issued.add(((K2Response.Begun) reply).ts()));
  }

  private static long request(Recording c) {
    return ((K2Message.BatchRequest) c.sentTo("o").get(0)).id();
  }

  private void reply(Recording c, long id, long up) {
    c.deliver("o", new K2Message.BatchReply(id, 1, up));
  }

  private List<Long> micros() {
    return issued.stream().map(Timestamp::micros).toList();
  }

  @Test
  void aBatchGivesTimestampsStepByStepFromTtlAboveTheOracle() {
    Recording c = coordinator(CONFIG);
    begin(c);
    reply(c, request(c), UP);
    next(c);
    begin(c);
    begin(c);
    assertThat(micros()).containsExactly(UP + 100, UP + 101, UP + 102);
    assertThat(c.actions())
        .containsExactly("TimestampBatching.Assign", "Mvto.Begin", "EpochVisibility.Begin");
  }

  @Test
  void aBatchEndsWithItsLastTimestamp() {
    Recording c = coordinator(CONFIG);
    begin(c);
    reply(c, request(c), UP);
    next(c);
    for (int i = 1; i < 100; i++) {
      begin(c);
    }
    assertThat(micros()).hasSize(100).endsWith(UP + 199);
    begin(c);
    assertThat(issued).hasSize(100);
    assertThat(c.sentTo("o")).hasSize(1);
  }

  @Test
  void theTtlEndsWhenTheSlowestClockMayHaveCountedIt() {
    assertThat(usableAfter(CONFIG, 98)).isTrue();
    assertThat(usableAfter(CONFIG, 99)).isFalse();
    assertThat(usableAfter(published(K2Config.DRIFT_MARGIN), 99)).isTrue();
    assertThat(usableAfter(published(K2Config.DRIFT_MARGIN), 100)).isFalse();
  }

  private boolean usableAfter(K2Config config, long micros) {
    Recording c = coordinator(config);
    begin(c);
    reply(c, request(c), UP);
    issued.clear();
    c.after(micros);
    next(c);
    return !issued.isEmpty();
  }

  @Test
  void aReplyToAnEarlierRequestIsInstalledOnlyAsPublished() {
    for (boolean tied : List.of(true, false)) {
      issued.clear();
      Recording c = coordinator(tied ? CONFIG : published(K2Config.TIE_REPLY));
      begin(c);
      long old = request(c);
      c.after(5_000);
      next(c);
      long recent = request(c);
      assertThat(recent).isGreaterThan(old);
      reply(c, old, UP);
      if (tied) {
        assertThat(c.actions()).isEmpty();
        assertThat(c.timers.get(NEXT)).isEqualTo(CONFIG.batchRetryMicros());
      } else {
        next(c);
        assertThat(micros()).containsExactly(UP + 100);
      }
    }
  }

  @Test
  void aDuplicateReplyIssuesNoTimestampTwice() {
    Recording c = coordinator(CONFIG);
    begin(c);
    long id = request(c);
    reply(c, id, UP);
    next(c);
    reply(c, id, UP);
    begin(c);
    assertThat(issued).doesNotHaveDuplicates().hasSize(2);

    issued.clear();
    Recording published =
        coordinator(CONFIG.asPublished(List.of(K2Config.TIE_REPLY, K2Config.NAME_ISSUER)));
    begin(published);
    id = request(published);
    reply(published, id, UP);
    next(published);
    reply(published, id, UP);
    begin(published);
    assertThat(issued).hasSize(2);
    assertThat(issued.get(0)).isEqualTo(issued.get(1));
  }

  @Test
  void coordinatorsThatGotTheSameAnswerShareTimestampsOnlyAsPublished() {
    for (boolean named : List.of(true, false)) {
      K2Config config = named ? CONFIG : published(K2Config.NAME_ISSUER);
      issued.clear();
      for (long number = 1; number <= 2; number++) {
        Recording c =
            Recording.started(
                new Coordinator(
                    config,
                    Fixtures.PLACEMENT,
                    "c" + number,
                    new TimestampSource(config, "c" + number, number, "o")));
        begin(c);
        reply(c, request(c), UP);
        next(c);
      }
      assertThat(issued.get(0).equals(issued.get(1))).isEqualTo(!named);
    }
  }

  @Test
  void aRestartForgetsTheBatchAndIgnoresRepliesToEarlierIncarnations() {
    Recording before = coordinator(CONFIG);
    begin(before);
    long old = request(before);
    Recording after = new Recording(Fixtures.coordinator(CONFIG)).start(2, List.of());
    assertThat(after.actions()).containsExactly("TimestampBatching.RestartCoordinator");
    begin(after);
    assertThat(request(after)).isNotEqualTo(old);
    reply(after, old, UP);
    assertThat(after.actions()).isEmpty();
  }

  /** An answer that is late by a restart would count for a request of the next incarnation. */
  @Test
  void requestsOfALongLifeAreNotThoseOfTheNextOne() {
    TimestampSource source = Fixtures.source(CONFIG, "c");
    Effects nothing = new NoEffects();
    source.start(1, nothing);
    Set<Long> asked = new HashSet<>();
    for (int i = 0; i < 2_000_000; i++) {
      source.requestBatch(ClockReading.local(i), nothing);
      asked.add(source.pending().id());
    }
    TimestampSource next = Fixtures.source(CONFIG, "c");
    next.start(2, nothing);
    next.requestBatch(ClockReading.local(0), nothing);
    assertThat(asked).hasSize(2_000_000).doesNotContain(next.pending().id());
  }

  /** The answer to a request is lost with the request that replaces it. */
  @Test
  void anOracleThatTakesLongerThanARequestIsRepeatedIsHeard() {
    K2Config config = withTtl(50_000);
    long way = 3 * config.batchRetryMicros();
    Recording c = coordinator(config);
    Map<Long, Long> due = new TreeMap<>();
    c.ask(BEGIN);
    long nextAt = c.timers.get(NEXT);
    for (long now = 0; now < 1_000_000 && issued.isEmpty(); now += 1_000) {
      if (c.timers.containsKey(NEXT) && now >= nextAt) {
        next(c);
        for (Message message : c.sentTo("o")) {
          due.put(now + way, ((K2Message.BatchRequest) message).id());
        }
        nextAt = now + c.timers.getOrDefault(NEXT, 0L);
      }
      if (due.containsKey(now)) {
        reply(c, due.get(now), now);
        nextAt = now + c.timers.get(NEXT);
      }
      c.after(1_000);
    }
    assertThat(issued).hasSize(1);
  }

  /** What is lost is asked for soon; only silence makes it slower, and not beyond the TTL. */
  @Test
  void aRequestIsRepeatedLaterEachTimeUntilThereIsAnAnswer() {
    Recording c = coordinator(withTtl(50_000));
    c.ask(BEGIN);
    List<Long> pauses = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      next(c);
      pauses.add(c.timers.get(NEXT));
    }
    assertThat(pauses).containsExactly(5_000L, 10_000L, 20_000L, 40_000L, 50_000L, 50_000L);
    reply(c, request(c), UP);
    c.after(50_000);
    next(c);
    assertThat(c.timers).containsEntry(NEXT, 5_000L);
  }

  private static K2Config withTtl(long micros) {
    return new K2Config(
        micros, 1, 100, 200, 100_000, 300_000, 5_000, 250_000, 100_000, 500_000, 1_500_000,
        List.of());
  }

  @Test
  void oraclesAnswerWithTheUpperEndOfTheirInterval() {
    Recording oracle = Recording.started(new Oracle(3)).upTo(777);
    oracle.deliver("c", new K2Message.BatchRequest(5));
    assertThat(oracle.sentTo("c")).containsExactly(new K2Message.BatchReply(5, 3, 777));
  }
}
