package dev.plumbline.metric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.machine.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The lock service and its clients, whose messages take their time. */
class LocksTest {
  private static final String KEY = "table T1";
  private static final ClockReading NOW = ClockReading.local(1);
  private static final MetricConfig CONFIG =
      new MetricConfig(List.of("T1"), 1_000, 1_000, 1_000, 1_000, 10, List.of());

  /** Keeps what is sent. */
  private static final class Sent extends NoEffects {
    private final List<Message> messages = new ArrayList<>();
    private final List<String> receivers = new ArrayList<>();
    private final List<Record> disk = new ArrayList<>();
    private final List<Timer> timers = new ArrayList<>();

    @Override
    public void setTimer(Timer timer, long delayMicros) {
      timers.add(timer);
    }

    @Override
    public void persist(Record record) {
      disk.add(record);
    }

    @Override
    public void send(String to, Message message) {
      messages.add(message);
      receivers.add(to);
    }

    /** Who was told of a deadlock. */
    List<String> told() {
      return IntStream.range(0, messages.size())
          .filter(i -> messages.get(i) instanceof MetricMessage.Deadlock)
          .mapToObj(receivers::get)
          .toList();
    }

    <T extends Message> T last(Class<T> type) {
      return messages.stream().filter(type::isInstance).map(type::cast).reduce((a, b) -> b).get();
    }
  }

  private LockService locks = new LockService(CONFIG);
  private final Sent answers = new Sent();

  private static StoreClient client(String name, long site) {
    StoreClient client =
        new StoreClient(
            new MetricProcess.Parts(CONFIG, name, site, "locks", List.of("r"), Optional.empty()));
    client.start(1);
    return client;
  }

  private void deliver(String from, Message message) {
    locks.handle(new Input.Deliver(from, message), NOW, answers);
  }

  private void fire(MetricTimer timer) {
    locks.handle(new Input.TimerFired(timer), NOW, answers);
  }

  @Test
  void whoStopsWaitingForALockThatIsItsOwnByNowLeavesTheNextOneToSynchronize() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    StoreClient waiting = client("m2", 2);
    Sent said = new Sent();
    waiting.acquire(KEY, false, said);
    deliver("m2", said.last(MetricMessage.Acquire.class));
    fire(new MetricTimer.Lease(KEY, 1));
    fire(new MetricTimer.Next(KEY));
    assertThat(answers.last(MetricMessage.Granted.class).forced()).isTrue();
    waiting.abandon(said);
    deliver("m2", said.last(MetricMessage.Release.class));
    assertThat(locks.holder(KEY)).isZero();
    deliver("m3", new MetricMessage.Acquire(KEY, 9, false));
    MetricMessage.Granted next = answers.last(MetricMessage.Granted.class);
    assertThat(next.reference()).isEqualTo(3);
    assertThat(next.forced()).as("m2 has not synchronized").isTrue();
  }

  @Test
  void aLockServiceThatStartsAgainStillAsksTheNextOneToSynchronize() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    fire(new MetricTimer.Lease(KEY, 1));
    locks = new LockService(CONFIG);
    locks.handle(new Input.Start(2, List.copyOf(answers.disk)), NOW, new Sent());
    deliver("m2", new MetricMessage.Acquire(KEY, 9, false));
    assertThat(answers.last(MetricMessage.Granted.class))
        .isEqualTo(new MetricMessage.Granted(KEY, 9, 2, true));
  }

  @Test
  void aHolderThatStartedAgainAndAsksAgainHasToSynchronize() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    deliver("m1", new MetricMessage.Acquire(KEY, 1L << 33, false));
    fire(new MetricTimer.Next(KEY));
    assertThat(answers.last(MetricMessage.Granted.class))
        .isEqualTo(new MetricMessage.Granted(KEY, 1L << 33, 2, true));
  }

  /** Its grant came late, after the lock was taken from it and given to the same request again. */
  @Test
  void whoLetsGoOfAnEarlierGrantLeavesTheNextOneToSynchronize() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    fire(new MetricTimer.Lease(KEY, 1));
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    deliver("m1", new MetricMessage.Release(KEY, 7, 1, true));
    deliver("m2", new MetricMessage.Acquire(KEY, 1, false));
    assertThat(answers.last(MetricMessage.Granted.class))
        .isEqualTo(new MetricMessage.Granted(KEY, 1, 3, true));

    deliver("m2", new MetricMessage.Release(KEY, 1, 3, true));
    deliver("m1", new MetricMessage.Acquire(KEY, 8, false));
    assertThat(answers.last(MetricMessage.Granted.class))
        .as("let go of in peace")
        .isEqualTo(new MetricMessage.Granted(KEY, 8, 4, false));
  }

  /** The answer to it may be lost. */
  @Test
  void whoAsksAgainForALockThatItHasIsStillToSynchronize() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    fire(new MetricTimer.Lease(KEY, 1));
    for (int i = 0; i < 2; i++) {
      answers.messages.clear();
      deliver("m2", new MetricMessage.Acquire(KEY, 9, false));
      assertThat(answers.last(MetricMessage.Granted.class))
          .isEqualTo(new MetricMessage.Granted(KEY, 9, 2, true));
    }
  }

  @Test
  void aLateCopyOfAnEarlierRequestTakesNothingAndAnEarlierHeartbeatKeepsNothing() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    deliver("m1", new MetricMessage.Acquire(KEY, 6, false));
    assertThat(locks.holder(KEY)).isEqualTo(1);
    deliver("m1", new MetricMessage.Renew(KEY, 6));
    assertThat(answers.last(MetricMessage.Released.class))
        .isEqualTo(new MetricMessage.Released(KEY, 6));
  }

  @Test
  void whoIsWritingDoesNotLetGoInPeaceAndWhoIsNotDoes() {
    for (boolean writing : new boolean[] {true, false}) {
      StoreClient client = client("m1", 1);
      Sent said = new Sent();
      client.acquire(KEY, false, said);
      long request = said.last(MetricMessage.Acquire.class).request();
      heard(client, new MetricMessage.Granted(KEY, request, 4, false));
      if (writing) {
        client.put(KEY, Value.NONE, NOW, said);
      }
      client.abandon(said);
      assertThat(said.last(MetricMessage.Release.class))
          .isEqualTo(new MetricMessage.Release(KEY, request, 4, !writing));
    }
  }

  @Test
  void aLaterLifeAsksForNothingAsAnEarlierOneDid() {
    StoreClient client = client("m1", 1);
    Sent said = new Sent();
    for (int i = 0; i < 9; i++) {
      client.acquire(KEY, false, said);
    }
    long before = said.last(MetricMessage.Acquire.class).request();
    client.start(2);
    client.acquire(KEY, false, said);
    assertThat(said.last(MetricMessage.Acquire.class).request()).isGreaterThan(before);
  }

  /** What the earlier life did under it, nobody knows. */
  @Test
  void aLockThatWasGrantedToAnEarlierLifeIsNotLetGoOfInPeace() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    Sent said = new Sent();
    client("m1", 1).handle("locks", answers.last(MetricMessage.Granted.class), NOW, said);
    assertThat(said.last(MetricMessage.Release.class))
        .isEqualTo(new MetricMessage.Release(KEY, 7, 0, false));
    deliver("m1", new MetricMessage.Release(KEY, 7, 0, true));
    deliver("m2", new MetricMessage.Acquire(KEY, 1, false));
    assertThat(answers.last(MetricMessage.Granted.class))
        .isEqualTo(new MetricMessage.Granted(KEY, 1, 2, true));
  }

  @Test
  void whatAWritePromisedLastsLongerThanTheReplica() {
    Sent said = new Sent();
    MetricMessage.Put put = new MetricMessage.Put(KEY, 1, 5, new Stamp(5, 1), Value.NONE);
    new StoreReplica(CONFIG, "r").handle(new Input.Deliver("m1", put), NOW, said);
    StoreReplica again = new StoreReplica(CONFIG, "r");
    again.handle(new Input.Start(2, List.copyOf(said.disk)), NOW, said);
    again.handle(new Input.Deliver("m2", new MetricMessage.Get(KEY, 2, 4, false)), NOW, said);
    assertThat(said.last(MetricMessage.Refused.class))
        .isEqualTo(new MetricMessage.Refused(KEY, 2, 5));
  }

  @Test
  void whatAReadToSynchronizePromisedLastsLongerThanTheReplica() {
    Sent said = new Sent();
    MetricMessage.Get sync = new MetricMessage.Get(KEY, 1, 5, true);
    new StoreReplica(CONFIG, "r").handle(new Input.Deliver("m1", sync), NOW, said);
    StoreReplica again = new StoreReplica(CONFIG, "r");
    again.handle(new Input.Start(2, List.copyOf(said.disk)), NOW, said);
    MetricMessage.Put late = new MetricMessage.Put(KEY, 2, 4, new Stamp(4, 1), Value.NONE);
    again.handle(new Input.Deliver("m2", late), NOW, said);
    assertThat(said.last(MetricMessage.Refused.class))
        .isEqualTo(new MetricMessage.Refused(KEY, 2, 5));
  }

  /** What it left half done, it may not know. */
  @Test
  void whoLostALockAndLetsGoOfItLeavesTheNextOneToSynchronize() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    fire(new MetricTimer.Lease(KEY, 1));
    deliver("m1", new MetricMessage.Release(KEY, 7, 1, true));
    deliver("m2", new MetricMessage.Acquire(KEY, 9, false));
    assertThat(answers.last(MetricMessage.Granted.class))
        .isEqualTo(new MetricMessage.Granted(KEY, 9, 2, true));
  }

  /** What it left half done, it says, and the lock was its own to the end. */
  @Test
  void aHolderThatIsNotSureLeavesTheNextOneToSynchronize() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    deliver("m1", new MetricMessage.Release(KEY, 7, 1, false));
    deliver("m2", new MetricMessage.Acquire(KEY, 9, false));
    assertThat(answers.last(MetricMessage.Granted.class))
        .isEqualTo(new MetricMessage.Granted(KEY, 9, 2, true));
  }

  @Test
  void aLateCopyOfAnEarlierReleaseTakesNothing() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    deliver("m1", new MetricMessage.Release(KEY, 7, 1, true));
    deliver("m1", new MetricMessage.Acquire(KEY, 8, false));
    deliver("m1", new MetricMessage.Release(KEY, 7, 1, true));
    assertThat(locks.holder(KEY)).isEqualTo(2);
    assertThat(answers.last(MetricMessage.Released.class))
        .as("it asks until it is answered")
        .isEqualTo(new MetricMessage.Released(KEY, 7));
  }

  /** Whoever asks again keeps its turn, and an earlier request of it changes nothing. */
  @Test
  void whoAskedFirstIsServedFirst() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    deliver("m2", new MetricMessage.Acquire(KEY, 9, false));
    deliver("m3", new MetricMessage.Acquire(KEY, 3, false));
    deliver("m2", new MetricMessage.Acquire(KEY, 9, false));
    deliver("m2", new MetricMessage.Acquire(KEY, 8, false));
    deliver("m1", new MetricMessage.Release(KEY, 7, 1, true));
    assertThat(answers.timers).contains(new MetricTimer.Next(KEY));
    fire(new MetricTimer.Next(KEY));
    assertThat(answers.last(MetricMessage.Granted.class))
        .isEqualTo(new MetricMessage.Granted(KEY, 9, 2, false));
  }

  /** Somebody asked between the release and the timer, and the first one has the lock. */
  @Test
  void theNextOneWaitsForAHolderThatWasFasterThanTheTimer() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    deliver("m2", new MetricMessage.Acquire(KEY, 9, false));
    deliver("m1", new MetricMessage.Release(KEY, 7, 1, true));
    deliver("m3", new MetricMessage.Acquire(KEY, 3, false));
    assertThat(locks.holder(KEY)).isEqualTo(2);
    fire(new MetricTimer.Next(KEY));
    assertThat(locks.holder(KEY)).isEqualTo(2);
    assertThat(answers.last(MetricMessage.Granted.class))
        .isEqualTo(new MetricMessage.Granted(KEY, 9, 2, false));
  }

  @Test
  void theLeaseOfAnEarlierGrantTakesNothing() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    deliver("m1", new MetricMessage.Release(KEY, 7, 1, true));
    deliver("m2", new MetricMessage.Acquire(KEY, 9, false));
    fire(new MetricTimer.Lease(KEY, 1));
    assertThat(locks.holder(KEY)).isEqualTo(2);
  }

  /** It would be granted a lock that nobody is there for, and the next one would wait. */
  @Test
  void whoStoppedWaitingIsGrantedNothing() {
    deliver("m1", new MetricMessage.Acquire(KEY, 7, false));
    deliver("m2", new MetricMessage.Acquire(KEY, 9, false));
    deliver("m3", new MetricMessage.Acquire(KEY, 3, false));
    deliver("m2", new MetricMessage.Release(KEY, 9, 0, false));
    deliver("m1", new MetricMessage.Release(KEY, 7, 1, true));
    fire(new MetricTimer.Next(KEY));
    assertThat(answers.last(MetricMessage.Granted.class))
        .isEqualTo(new MetricMessage.Granted(KEY, 3, 2, false));
  }

  /** A client of three replicas that holds the lock of the key, under reference 4. */
  private static StoreClient holder(Sent said) {
    return holder(said, "r1", "r2", "r3");
  }

  private static StoreClient holder(Sent said, String... replicas) {
    StoreClient client =
        new StoreClient(
            new MetricProcess.Parts(CONFIG, "m1", 1, "locks", List.of(replicas), Optional.empty()));
    client.start(1);
    client.acquire(KEY, false, said);
    long request = said.last(MetricMessage.Acquire.class).request();
    heard(client, new MetricMessage.Granted(KEY, request, 4, false));
    return client;
  }

  @Test
  void twoAnswersOfOneReplicaAreNoQuorum() {
    Sent said = new Sent();
    StoreClient client = holder(said);
    client.put(KEY, Value.NONE, NOW, said);
    long put = said.last(MetricMessage.Put.class).operation();
    MetricMessage stored = new MetricMessage.Stored(KEY, put);
    assertThat(client.handle("r1", stored, NOW, said)).isNull();
    assertThat(client.handle("r1", stored, NOW, said)).isNull();
    assertThat(client.handle("r2", stored, NOW, said)).isNotNull();

    client.get(KEY, said);
    long get = said.last(MetricMessage.Get.class).operation();
    MetricMessage newest = new MetricMessage.Newest(KEY, get, new Stamp(4, 1), Value.NONE);
    assertThat(client.handle("r3", newest, NOW, said)).isNull();
    assertThat(client.handle("r3", newest, NOW, said)).isNull();
    assertThat(client.handle("r2", newest, NOW, said)).isNotNull();
  }

  @Test
  void halfOfTheReplicasIsNoQuorum() {
    Sent said = new Sent();
    StoreClient client = holder(said, "r1", "r2", "r3", "r4");
    client.put(KEY, Value.NONE, NOW, said);
    MetricMessage stored =
        new MetricMessage.Stored(KEY, said.last(MetricMessage.Put.class).operation());
    assertThat(client.handle("r1", stored, NOW, said)).isNull();
    assertThat(client.handle("r2", stored, NOW, said)).isNull();
    assertThat(client.handle("r4", stored, NOW, said)).isNotNull();
  }

  /** The first two of three were enough, and the third comes late. */
  @Test
  void whatAReplicaSaysOfAnEarlierOperationIsNotHeard() {
    Sent said = new Sent();
    StoreClient client = holder(said);
    client.put(KEY, Value.NONE, NOW, said);
    long first = said.last(MetricMessage.Put.class).operation();
    client.handle("r1", new MetricMessage.Stored(KEY, first), NOW, said);
    client.handle("r2", new MetricMessage.Stored(KEY, first), NOW, said);
    client.put(KEY, Value.NONE, NOW, said);
    long second = said.last(MetricMessage.Put.class).operation();
    assertThat(client.handle("r1", new MetricMessage.Stored(KEY, second), NOW, said)).isNull();
    assertThat(client.handle("r3", new MetricMessage.Stored(KEY, first), NOW, said)).isNull();
    assertThat(client.handle("r3", new MetricMessage.Refused(KEY, first, 9), NOW, said)).isNull();
    assertThat(client.operation()).isEqualTo("put");
    assertThat(client.handle("r3", new MetricMessage.Stored(KEY, second), NOW, said)).isNotNull();
  }

  @Test
  void oneReplicaThatRefusesIsEnoughWhateverOthersSaid() {
    Sent said = new Sent();
    StoreClient client = holder(said);
    client.put(KEY, Value.NONE, NOW, said);
    long put = said.last(MetricMessage.Put.class).operation();
    assertThat(client.handle("r1", new MetricMessage.Stored(KEY, put), NOW, said)).isNull();
    assertThat(client.handle("r2", new MetricMessage.Refused(KEY, put, 5), NOW, said).outcome())
        .isEqualTo(StoreClient.Outcome.REJECTED);
    assertThat(said.last(MetricMessage.Release.class).clean()).isFalse();
  }

  /** The link may lose it more than once. */
  @Test
  void whatIsNotAnsweredIsSentAgainUntilItIs() {
    Sent said = new Sent();
    StoreClient client = client("m1", 1);
    client.acquire(KEY, false, said);
    for (int i = 2; i <= 4; i++) {
      int before = said.timers.size();
      client.resend(said);
      assertThat(said.messages).hasSize(i).hasOnlyElementsOfType(MetricMessage.Acquire.class);
      assertThat(said.timers).as("and again").hasSize(before + 1);
    }
  }

  @Test
  void whatIsLetGoOfIsSaidUntilItIsHeard() {
    Sent said = new Sent();
    StoreClient client = holder(said);
    client.release(KEY, said);
    MetricMessage.Release release = said.last(MetricMessage.Release.class);
    for (int i = 0; i < 3; i++) {
      said.messages.clear();
      client.resend(said);
      assertThat(said.messages).containsExactly(release);
    }
    heard(client, new MetricMessage.Released(KEY, release.request()));
    said.messages.clear();
    client.resend(said);
    assertThat(said.messages).isEmpty();
  }

  /** To synchronize may take longer than a lease. */
  @Test
  void whoHasALockSaysSoFromItsGrantOn() {
    Sent said = new Sent();
    StoreClient client = client("m1", 1);
    client.acquire(KEY, false, said);
    long request = said.last(MetricMessage.Acquire.class).request();
    MetricMessage renew = new MetricMessage.Renew(KEY, request);
    assertThat(beats(client)).isEmpty();
    client.handle("locks", new MetricMessage.Granted(KEY, request, 4, true), NOW, said);
    assertThat(client.operation()).isEqualTo("syncRead");
    assertThat(beats(client)).containsExactly(renew);
    client.abandon(said);
    assertThat(beats(client)).isEmpty();

    StoreClient holder = holder(said);
    assertThat(beats(holder)).containsExactly(renew);
    assertThat(holder.wanted()).isFalse();
    heard(holder, new MetricMessage.Released(KEY, request));
    assertThat(holder.wanted()).as("it is somebody else's").isTrue();
  }

  private static List<Message> beats(StoreClient client) {
    Sent said = new Sent();
    client.heartbeat(said);
    assertThat(said.timers).containsExactly(new MetricTimer.Heartbeat());
    return said.messages;
  }

  /** Each of some clients has a lock, and asks for that of the next. */
  private void circle(boolean... atStake) {
    for (int i = 0; i < atStake.length; i++) {
      deliver("m" + i, new MetricMessage.Acquire("table " + i, 1, atStake[i]));
    }
    for (int i = 0; i < atStake.length; i++) {
      assertThat(answers.told()).as("no circle yet").isEmpty();
      String next = "table " + (i + 1) % atStake.length;
      deliver("m" + i, new MetricMessage.Acquire(next, 2, atStake[i]));
    }
  }

  @Test
  void ofTwoThatWaitForEachOtherTheOneGivesUpThatLosesLittle() {
    circle(false, true);
    assertThat(answers.told()).containsExactly("m0");
    assertThat(answers.last(MetricMessage.Deadlock.class))
        .isEqualTo(new MetricMessage.Deadlock("table 1", 2));
  }

  @Test
  void whereAllLoseMuchTheOneGivesUpThatClosedTheCircle() {
    circle(true, true, true);
    assertThat(answers.told()).containsExactly("m2");
  }

  @Test
  void whoOnlyWaitsForACircleIsNotToldAndWhoGaveUpBreaksIt() {
    circle(true, true);
    deliver("m9", new MetricMessage.Acquire("table 0", 1, false));
    assertThat(answers.told()).containsExactly("m1");
    deliver("m1", new MetricMessage.Release("table 0", 2, 0, true));
    deliver("m0", new MetricMessage.Acquire("table 1", 2, true));
    assertThat(answers.told()).as("m0 waits for m1, which waits for nobody").hasSize(1);
  }

  /** It is not what the client waits for. */
  @Test
  void aLateCopyOfAnEarlierRequestHidesNoCircle() {
    deliver("m0", new MetricMessage.Acquire("table 0", 2, true));
    deliver("m1", new MetricMessage.Acquire("table 1", 1, true));
    deliver("m0", new MetricMessage.Acquire("table 1", 3, true));
    deliver("m0", new MetricMessage.Acquire("table 9", 1, true));
    deliver("m1", new MetricMessage.Acquire("table 0", 2, true));
    assertThat(answers.told()).containsExactly("m1");
  }

  @Test
  void aClientIsToldOfTheLockThatItWaitsForAlone() {
    StoreClient client = client("m1", 1);
    Sent said = new Sent();
    client.acquire(KEY, false, said);
    long request = said.last(MetricMessage.Acquire.class).request();
    for (long other : new long[] {request - 1, request + 1}) {
      assertThat(heard(client, new MetricMessage.Deadlock(KEY, other))).isNull();
    }
    assertThat(heard(client, new MetricMessage.Deadlock(KEY, request)).outcome())
        .isEqualTo(StoreClient.Outcome.DEADLOCK);
    heard(client, new MetricMessage.Granted(KEY, request, 1, true));
    assertThat(heard(client, new MetricMessage.Deadlock(KEY, request)))
        .as("it has the lock, and synchronizes")
        .isNull();
  }

  private static StoreClient.Event heard(StoreClient client, MetricMessage message) {
    return client.handle("locks", message, NOW, new Sent());
  }
}
