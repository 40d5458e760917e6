package dev.plumbline.engage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.engage.system.EngageSystem;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.protocol.Settings;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MachinesTest {
  private static final List<String> ALL = List.of("RYW", "MR", "WFR", "MW");
  private static final List<String> NONE = List.of();

  private final Rig rig = new Rig(Rig.config(), Rig.ring());

  private static ClientSession session(Rig of) {
    return new ClientSession(of.config, of.layout, "s");
  }

  private static EngageResponse.Written write(
      Rig on, ClientSession s, String at, long id, String object, String value) {
    var written = (EngageResponse.Written) on.ask(at, id, s.write(object, value, at, ALL));
    s.answered(at, written);
    return written;
  }

  private List<String> values(String cloudlet, String object) {
    return values(rig, cloudlet, object);
  }

  private static List<String> values(Rig of, String cloudlet, String object) {
    return of.cloudlet(cloudlet).object(object).updates().stream().map(Update::value).toList();
  }

  @Test
  void anUpdateReachesItsReplicasAndAFlushTheOthers() {
    write(rig, session(rig), "c1", 1, "x", "v");
    rig.settle();

    assertThat(values("c3", "x")).containsExactly("v");
    assertThat(rig.cloudlet("c2").clock().entries()).containsExactly(0L, 0L, 0L);

    rig.fire(EngageTimer.FlushDue.class);

    assertThat(rig.cloudlet("c2").clock().entries()).containsExactly(1L, 0L, 0L);
  }

  @Test
  void aReadThatAsksForItWaitsForItsClientsWrite() {
    ClientSession s = session(rig);
    write(rig, s, "c1", 1, "x", "v");

    assertThat(rig.ask("c3", 2, s.read("x", "c3", ALL))).isNull();
    assertThat(rig.ask("c3", 3, session(rig).read("x", "c3", NONE)))
        .isInstanceOf(EngageResponse.Value.class);

    rig.settle();

    assertThat(((EngageResponse.Value) rig.nodes.get("c3").replies.get(2L)).values())
        .containsExactly("v");
  }

  @Test
  void aWriteWaitsForThoseOfItsSessionWhereItAsksForThat() {
    ClientSession s = session(rig);
    write(rig, s, "c1", 1, "x", "v");
    EngageRequest.Write again = (EngageRequest.Write) s.write("x", "w", "c3", List.of("MW"));
    assertThat(rig.ask("c3", 2, again)).isNull();
    rig.settle();
    s.answered("c3", (EngageResponse.Written) rig.nodes.get("c3").replies.get(2L));

    assertThat(s.writeClock().entries()).as("at both cloudlets").containsExactly(1L, 0L, 1L);
  }

  @Test
  void whatIsLostIsSentAgainAndTakenOnce() {
    rig.loses = sent -> sent.message() instanceof EngageMessage.Notification;
    write(rig, session(rig), "c1", 1, "x", "v");
    rig.settle();
    assertThat(values("c3", "x")).isEmpty();

    rig.loses = sent -> sent.message() instanceof EngageMessage.Ack;
    rig.fire(EngageTimer.Resend.class);
    rig.fire(EngageTimer.Resend.class);
    rig.loses = sent -> false;
    rig.fire(EngageTimer.Resend.class);

    assertThat(values("c3", "x")).containsExactly("v");
    assertThat(rig.nodes.values()).allMatch(node -> !node.timers.contains(resendOf(node)));
  }

  private static EngageTimer resendOf(Rig.Node node) {
    return new EngageTimer.Resend(node.name.equals("b1") ? "c3" : "b1");
  }

  @Test
  void asPublishedWhatIsLostIsLost() {
    Rig published = new Rig(Rig.config(EngageConfig.RESEND), Rig.ring());
    published.loses = sent -> true;
    write(published, session(published), "c1", 1, "x", "v");
    published.settle();
    published.loses = sent -> false;
    published.fire(EngageTimer.Resend.class);

    assertThat(published.cloudlet("c3").object("x").updates()).isEmpty();
  }

  @Test
  void nodesThatStartAgainGoOn() {
    write(rig, session(rig), "c1", 1, "x", "v");
    rig.restart("c1");
    rig.settle();
    rig.restart("b1");
    rig.restart("c3");
    rig.settle();

    assertThat(values("c1", "x")).containsExactly("v");
    assertThat(values("c3", "x")).containsExactly("v");

    rig.fire(EngageTimer.FlushDue.class);

    assertThat(rig.cloudlet("c2").clock().entries()).containsExactly(1L, 0L, 0L);
    rig.restart("c2");
    assertThat(rig.cloudlet("c2").clock().entries()).containsExactly(1L, 0L, 0L);
  }

  @Test
  void asPublishedABrokerThatStartsAgainForgetsPendingFlushes() {
    Rig published = new Rig(Rig.config(EngageConfig.DURABLE_BROKER), Rig.ring());
    write(published, session(published), "c1", 1, "x", "v");
    published.settle();
    published.restart("b1");
    published.fire(EngageTimer.FlushDue.class);

    assertThat(published.cloudlet("c2").clock().entries()).containsExactly(0L, 0L, 0L);
  }

  @Test
  void aBrokerThatIsLostForGoodIsReplaced() {
    rig.loses = sent -> sent.to().equals("c3");
    write(rig, session(rig), "c1", 1, "x", "v");
    rig.settle();
    rig.loses = sent -> false;
    rig.replace("b1", 2);
    rig.settle();
    rig.fire(EngageTimer.FlushDue.class);
    write(rig, session(rig), "c1", 2, "x", "w");
    rig.settle();

    assertThat(values("c3", "x")).containsExactly("v", "w");
    assertThat(rig.cloudlet("c2").clock().entries()).containsExactly(1L, 0L, 0L);
  }

  /** An update of c1 that its broker acknowledged, did not pass on, and took along. */
  private void writeAndLose() {
    rig.loses = sent -> sent.to().equals("c3");
    write(rig, session(rig), "c1", 1, "x", "v");
    rig.settle();
    rig.loses = sent -> sent.from().equals("b1");
    rig.replace("b1", 2);
    rig.settle();
    rig.loses = sent -> false;
    assertThat(values("c3", "x")).isEmpty();
  }

  /** Nobody has anything else to send, so nothing else would tell of it. */
  @Test
  void aNewTreeIsToldOfUntilItIsHeard() {
    writeAndLose();
    rig.fire(EngageTimer.Resend.class);

    assertThat(values("c3", "x")).containsExactly("v");
    assertThat(rig.nodes.values())
        .as("all have heard")
        .allMatch(node -> node.timers.stream().noneMatch(EngageTimer.Resend.class::isInstance));
  }

  @Test
  void aSuccessorThatStartsAgainTellsOfItsTree() {
    writeAndLose();
    rig.restart("b1");
    rig.settle();

    assertThat(values("c3", "x")).containsExactly("v");
  }

  @Test
  void aCloudletThatBeginsANewTreeTellsOfItUntilItIsHeard() {
    rig.loses = sent -> sent.from().equals("c1");
    rig.nodes.get("c1").start(rig.machine("c1", rig.config.inTree(2)));
    rig.settle();
    rig.loses = sent -> false;
    rig.fire(EngageTimer.Resend.class);
    assertThat(rig.nodes.get("c3").disk).contains(new EngageRecord.Planted(2));
    int sent = rig.nodes.values().stream().mapToInt(node -> node.sent).sum();
    rig.fire(EngageTimer.Resend.class);
    assertThat(rig.nodes.values().stream().mapToInt(node -> node.sent).sum()).isEqualTo(sent);
  }

  /** All that it ever made, but no more at once than is sent again at once. */
  @Test
  void aNewTreeIsNotFlooded() {
    for (int id = 1; id <= 1_000; id++) {
      write(rig, session(rig), "c1", id, "x", "v" + id);
    }
    rig.settle();
    rig.replace("b1", 2);
    int before = rig.nodes.get("c1").sent;
    Rig.Sent told =
        rig.network.stream().filter(sent -> sent.to().equals("c1")).findFirst().orElseThrow();
    Rig.Node c1 = rig.nodes.get("c1");
    c1.machine.handle(new Input.Deliver("b1", told.message()), ClockReading.local(0), c1);
    assertThat(c1.sent - before).isBetween(64, 70);

    rig.settle();
    assertThat(((TreeCloudlet) c1.machine).unacknowledged()).isZero();
    write(rig, session(rig), "c1", 1_001, "x", "last");
    rig.settle();
    assertThat(values("c3", "x")).hasSize(8).endsWith("v1000", "last");
  }

  /** What it sent in the new tree is under way, though it made it in the old one. */
  @Test
  void aCloudletThatStartsAgainInANewTreeSendsWhatIsNotAcknowledged() {
    rig.loses = sent -> sent.from().equals("c1");
    write(rig, session(rig), "c1", 1, "x", "v");
    rig.replace("b1", 2);
    rig.settle();
    rig.restart("c1");
    rig.settle();
    rig.loses = sent -> false;
    write(rig, session(rig), "c1", 2, "x", "w");
    rig.fire(EngageTimer.Resend.class);

    assertThat(values("c3", "x")).containsExactly("v", "w");
  }

  /** Two brokers; x is at c1 and c2, y and z at c4 and c1. */
  private static Rig chain() {
    return new Rig(
        Rig.config(),
        Layout.of(
            List.of("c1", "c2", "c3", "c4"),
            List.of("b1", "b2"),
            List.of(
                List.of("c1", "b1"),
                List.of("c4", "b1"),
                List.of("b1", "b2"),
                List.of("c2", "b2"),
                List.of("c3", "b2")),
            Map.of("x", List.of("c1", "c2"), "y", List.of("c4", "c1"), "z", List.of("c1", "c4"))));
  }

  /** The flush of y goes with x to the broker from which x is a flush, too. */
  @Test
  void whatRodeOnANotificationGoesOnWhereThatTurnsIntoAFlush() {
    Rig chain = chain();
    write(chain, session(chain), "c4", 1, "y", "v");
    chain.settle();
    write(chain, session(chain), "c1", 2, "x", "w");
    chain.settle();
    chain.fire(EngageTimer.FlushDue.class);

    assertThat(chain.cloudlet("c3").clock().entries()).containsExactly(1L, 0L, 0L, 1L);
  }

  @Test
  void flushesThatWaitForTheSameTimerBecomeOne() {
    Rig chain = chain();
    write(chain, session(chain), "c4", 1, "y", "v");
    chain.settle();
    chain.nodes.get("b1").fire(new EngageTimer.FlushDue("b2"));
    chain.settle();
    write(chain, session(chain), "c1", 2, "z", "w");
    chain.settle();
    chain.nodes.get("b1").fire(new EngageTimer.FlushDue("b2"));
    chain.settle();
    chain.fire(EngageTimer.FlushDue.class);

    assertThat(chain.cloudlet("c3").clock().entries()).containsExactly(1L, 0L, 0L, 1L);
  }

  @Test
  void anUpdateThatIsKnownIsNotAppliedAgain() {
    write(rig, session(rig), "c1", 1, "x", "v");
    rig.settle();
    rig.replace("b1", 2);
    rig.settle();

    assertThat(values("c3", "x")).containsExactly("v");
    assertThat(rig.cloudlet("c3").waiting()).isEmpty();
  }

  @Test
  void aBrokerThatStartsAgainInANewTreeGoesOnInIt() {
    Rig chain = new Rig(Rig.config(), Rig.chain("c1", "c2"));
    write(chain, session(chain), "c1", 1, "x", "v");
    chain.settle();
    chain.replace("b1", 2);
    chain.settle();
    chain.restart("b2");
    write(chain, session(chain), "c1", 2, "x", "w");
    chain.settle();
    chain.fire(EngageTimer.Resend.class);

    assertThat(values(chain, "c2", "x")).containsExactly("v", "w");
  }

  /** In a new tree links begin anew, and what an update depends on may come after it. */
  @Test
  void anUpdateThatComesAfterOneThatDependsOnItIsExecuted() {
    Rig shared =
        new Rig(
            Rig.config(),
            Layout.of(
                List.of("c1", "c2", "c3"),
                List.of("b1"),
                List.of(List.of("c1", "b1"), List.of("c2", "b1"), List.of("c3", "b1")),
                Map.of("x", List.of("c1", "c2", "c3"), "y", List.of("c2"))));
    shared.loses = sent -> sent.to().equals("c3");
    write(shared, session(shared), "c1", 1, "x", "v");
    shared.settle();
    write(shared, session(shared), "c2", 2, "x", "w");
    shared.loses = sent -> sent.from().equals("c1");
    shared.replace("b1", 2);
    shared.settle();
    assertThat(shared.cloudlet("c3").waiting()).extracting(Update::value).containsExactly("w");
    assertThat(values(shared, "c3", "x")).isEmpty();
    // Whoever has read the second elsewhere must not take its clocks for known here.
    write(shared, session(shared), "c2", 3, "y", "u");
    shared.settle();
    shared.fire(EngageTimer.FlushDue.class);
    assertThat(shared.cloudlet("c3").heard().entries()).containsExactly(0L, 2L, 0L);
    EngageRequest read = session(shared).read("x", "c3", NONE);
    assertThat(((EngageResponse.Value) shared.ask("c3", 4, read)).cloudlet().entries())
        .containsExactly(0L, 0L, 0L);
    // It waits, and is not refused: that they were made needs no proof.
    EngageRequest.Token t = read.token();
    VectorClock seen = new VectorClock(List.of(0L, 2L, 0L));
    EngageRequest.Token old =
        new EngageRequest.Token(
            t.cluster(), true, seen, t.write(), t.tag(), List.of("", "old", ""));
    assertThat(shared.ask("c3", 5, new EngageRequest.Read("o.1", "x", List.of("MR"), old)))
        .isNull();

    shared.loses = sent -> false;
    shared.fire(EngageTimer.Resend.class);

    assertThat(values(shared, "c3", "x")).containsExactly("v", "w");
  }

  @Test
  void concurrentUpdatesAreOrderedAlike() {
    write(rig, session(rig), "c1", 1, "x", "from c1");
    write(rig, session(rig), "c3", 2, "x", "from c3");
    rig.settle();

    assertThat(values("c1", "x")).isEqualTo(values("c3", "x")).hasSize(2);

    Rig published = new Rig(Rig.config(EngageConfig.TOTAL_ORDER), Rig.ring());
    write(published, session(published), "c1", 1, "x", "from c1");
    write(published, session(published), "c3", 2, "x", "from c3");
    published.settle();

    assertThat(published.cloudlet("c1").object("x").updates())
        .isNotEqualTo(published.cloudlet("c3").object("x").updates());
  }

  @Test
  void requestsThatMakeNoSenseAreRefusedAndChangeNothing() {
    ClientSession s = session(rig);
    write(rig, s, "c1", 1, "x", "v");
    int disk = rig.nodes.get("c1").disk.size();
    EngageConfig others = Rig.config(2, List.of());
    ClientSession foreign = new ClientSession(others, rig.layout, "f");
    Rig empty = new Rig(Rig.config(), Rig.ring());

    refused(rig, 2, s.read("z", "c1", ALL), "there is no partition z");
    refused(rig, 3, foreign.read("x", "c1", ALL), "another cluster's");
    refused(rig, 4, s.read("x", "c1", List.of("STRONG")), "a guarantee is one of");
    refused(rig, 5, s.write("x", "v".repeat(101), "c1", ALL), "too long: at most 100");
    refused(empty, 6, s.write("x", "w", "c1", NONE), "never made");
    assertThat(rig.ask("c2", 7, s.read("x", "c2", ALL)))
        .isInstanceOfSatisfying(
            EngageResponse.Refused.class,
            r -> assertThat(r.why()).contains("c2 does not replicate x; ask c1, c3"));
    assertThat(rig.nodes.get("c1").disk).hasSize(disk);
    assertThat(rig.cloudlet("c1").held()).isEmpty();
  }

  private static void refused(Rig on, long id, EngageRequest request, String why) {
    refused(on, "c1", id, request, why);
  }

  private static void refused(Rig on, String at, long id, EngageRequest request, String why) {
    assertThat(on.ask(at, id, request))
        .isInstanceOfSatisfying(
            EngageResponse.Refused.class, r -> assertThat(r.why()).contains(why));
  }

  @Test
  void aSessionGoesOnWithItsClocks() {
    ClientSession s = session(rig);
    write(rig, s, "c1", 1, "x", "v");
    ClientSession later = session(rig);
    later.resume(s.token());

    assertThat(rig.ask("c3", 2, later.read("x", "c3", ALL))).isNull();

    EngageConfig others = Rig.config(2, List.of());
    assertThatThrownBy(() -> new ClientSession(others, rig.layout, "s").resume(s.token()))
        .hasMessageContaining("another cluster's (its number is 1, this one's 2)");
    EngageRequest.Token t = s.token();
    for (long entry : List.of(-1L, Long.MAX_VALUE / 2)) {
      VectorClock no = new VectorClock(t.read().entries().stream().map(e -> entry).toList());
      impossible(
          later, new EngageRequest.Token(t.cluster(), true, no, t.write(), t.tag(), t.seals()));
      impossible(
          later, new EngageRequest.Token(t.cluster(), true, t.read(), no, t.tag(), t.seals()));
      impossible(
          later, new EngageRequest.Token(t.cluster(), true, t.read(), t.write(), no, t.seals()));
    }
    VectorClock more = new VectorClock(List.of(0L, 0L, 0L, 0L));
    impossible(
        later, new EngageRequest.Token(t.cluster(), true, more, t.write(), t.tag(), t.seals()));
    impossible(
        later, new EngageRequest.Token(t.cluster(), true, t.read(), t.write(), t.tag(), List.of()));
  }

  private static void impossible(ClientSession session, EngageRequest.Token forged) {
    assertThatThrownBy(() -> session.resume(forged))
        .hasMessageContaining("one has an impossible entry");
  }

  /**
   * What nobody made is named by nobody: the write would be executed nowhere else, and all that its
   * cloudlet makes after it neither.
   */
  @Test
  void aClientThatNamesWhatNobodyMadeHoldsNobodyBack() {
    EngageSystem engage = new EngageSystem();
    Settings settings = Settings.repaired(engage.clockBounds());
    Rig all = new Rig(engage.config(settings), engage.layout(settings));
    long id = 0;
    for (String cloudlet : all.layout.cloudlets()) {
      List<Record> lies = engage.lies(cloudlet, settings);
      assertThat(lies).isNotEmpty();
      for (Record lie : lies) {
        assertThat(all.ask(cloudlet, ++id, (EngageRequest) lie))
            .isInstanceOfSatisfying(
                EngageResponse.Refused.class,
                r -> assertThat(r.why()).contains("has not heard of", "begin a new session"));
      }
      assertThat(all.cloudlet(cloudlet).held()).isEmpty();
    }
    for (String cloudlet : all.layout.replicas("A/x")) {
      write(all, session(all), cloudlet, ++id, "A/" + cloudlet, cloudlet);
    }
    all.settle();

    for (String from : all.layout.replicas("A/x")) {
      for (String at : all.layout.replicas("A/x")) {
        assertThat(values(all, at, "A/" + from)).as(from + " at " + at).containsExactly(from);
      }
    }
    assertThat(engage.lies("b1", settings)).isEmpty();
  }

  /** Each entry of a client's clocks comes with its seal, from whichever cloudlet it has it. */
  @Test
  void whatCloudletsGaveIsTakenWhereItHasNotBeenHeardOf() {
    ClientSession writer = session(rig);
    write(rig, writer, "c1", 1, "x", "v");
    ClientSession s = session(rig);
    s.answered("c1", (EngageResponse.Value) rig.ask("c1", 2, s.read("x", "c1", NONE)));
    EngageRequest far = s.write("y", "w", "c2", NONE);
    s.answered("c2", (EngageResponse.Written) rig.ask("c2", 3, far));
    assertThat(s.token().seals()).containsExactly("c1/1", "c2/1", "");

    assertThat(rig.ask("c3", 4, s.write("x", "u", "c3", NONE)))
        .as("c3 has heard of neither, and is not asked to wait")
        .isInstanceOf(EngageResponse.Written.class);

    rig.settle();
    rig.fire(EngageTimer.FlushDue.class);
    assertThat(values("c1", "x")).containsExactly("v", "u");
  }

  /** A client may have read of more than it wrote, or the other way round: one seal is enough. */
  @Test
  void aSealIsForTheLargerOfBothEntries() {
    ClientSession s = session(rig);
    write(rig, s, "c1", 1, "x", "v");
    s.answered("c1", (EngageResponse.Value) rig.ask("c1", 2, s.read("x", "c1", NONE)));
    write(rig, s, "c1", 3, "x", "w");
    EngageRequest.Token t = s.token();
    assertThat(t.read().entries()).containsExactly(1L, 0L, 0L);
    assertThat(t.write().entries()).containsExactly(2L, 0L, 0L);
    assertThat(t.seals()).containsExactly("c1/2", "", "");
    assertThat(rig.ask("c3", 4, s.write("x", "u", "c3", NONE)))
        .isInstanceOf(EngageResponse.Written.class);

    VectorClock more = new VectorClock(List.of(3L, 0L, 0L));
    EngageRequest.Token forged =
        new EngageRequest.Token(t.cluster(), true, t.read(), more, t.tag(), t.seals());
    refused(rig, "c3", 5, new EngageRequest.Write("l.1", "x", "u", NONE, forged), "heard of");
  }

  /** What it asked may yet happen, and who answers next may be another in the cloudlet's place. */
  @Test
  void aSessionWithoutAnAnswerGoesOnUnderAnotherNameAndSendsItsClocks() {
    ClientSession s = session(rig);
    write(rig, s, "c1", 1, "x", "v");
    assertThat(s.attached()).isEqualTo("c1");
    assertThat(s.read("x", "c1", NONE).token().sent()).isFalse();
    String before = s.life();
    s.lost();
    assertThat(s.life()).isNotEqualTo(before);
    EngageRequest.Token token = s.read("x", "c1", NONE).token();
    assertThat(token.sent()).isTrue();
    assertThat(token.write().entries()).containsExactly(1L, 0L, 0L);
  }

  /** What a cloudlet has heard of is there: so is the session whose seals are of an old secret. */
  @Test
  void whatACloudletHasHeardOfNeedsNoSeal() {
    ClientSession s = session(rig);
    write(rig, s, "c1", 1, "x", "v");
    EngageRequest.Token t = s.token();
    EngageRequest.Token old =
        new EngageRequest.Token(
            t.cluster(), true, t.read(), t.write(), t.tag(), List.of("old", "", ""));
    EngageRequest.Write request = new EngageRequest.Write("o.1", "x", "w", NONE, old);
    refused(rig, "c3", 2, request, "before the cluster's secret changed");

    rig.settle();
    assertThat(rig.ask("c3", 3, request)).isInstanceOf(EngageResponse.Written.class);
  }

  /** Finding F10: the order of an object's updates follows what its clients did, asked or not. */
  @Test
  void aClientThatAsksForNothingHasItsUpdatesInItsOrder() {
    assertThat(firstAndSecond(Rig.config())).containsExactly("other", "first", "second");
  }

  @Test
  void asPublishedAClientsSecondUpdateMayStandBehindItsFirst() {
    assertThat(firstAndSecond(Rig.config(EngageConfig.KEEP_TAG)))
        .containsExactly("other", "second", "first");
  }

  /**
   * What c3 holds of x after a client wrote there, where it had come, and at c2, where it had not.
   */
  private static List<String> firstAndSecond(EngageConfig config) {
    Layout star =
        new Layout(
            Rig.ring().cloudlets(),
            Rig.ring().brokers(),
            Rig.ring().neighbours(),
            new TreeMap<>(Map.of("x", List.of("c1", "c2", "c3"))));
    Rig all = new Rig(config, star);
    write(all, session(all), "c1", 1, "x", "other");
    all.loses = sent -> sent.to().equals("c2");
    all.settle();
    ClientSession s = session(all);
    s.answered("c3", (EngageResponse.Written) all.ask("c3", 2, s.write("x", "first", "c3", NONE)));
    s.answered("c2", (EngageResponse.Written) all.ask("c2", 3, s.write("x", "second", "c2", NONE)));
    all.loses = sent -> false;
    all.fire(EngageTimer.Resend.class);
    assertThat(values(all, "c2", "x")).isEqualTo(values(all, "c3", "x"));
    return values(all, "c3", "x");
  }

  /** What it keeps, it is not made to wait for: c2 has its own update, and not what came before. */
  @Test
  void whoAsksForItsOwnWritesWaitsForNoOthers() {
    ClientSession s = session(rig);
    write(rig, session(rig), "c1", 1, "y", "other");
    s.answered("c1", (EngageResponse.Value) rig.ask("c1", 2, s.read("y", "c1", NONE)));
    s.answered("c2", (EngageResponse.Written) rig.ask("c2", 3, s.write("y", "v", "c2", NONE)));

    assertThat(s.tagClock().entries()).containsExactly(1L, 1L, 0L);
    assertThat(s.writeClock().entries()).containsExactly(0L, 1L, 0L);
    assertThat(rig.ask("c2", 4, s.read("y", "c2", List.of("RYW"))))
        .isInstanceOf(EngageResponse.Value.class);
    assertThat(rig.ask("c2", 5, s.read("y", "c2", List.of("MR")))).isNull();
  }

  /**
   * Beyond the failures that the repairs are for, and as docs/engage-machines.md has it: its
   * neighbours take what it says for what they have, and it waits for what it had.
   */
  @Test
  void aCloudletThatLostItsDiskIsCutOff() {
    ClientSession before = session(rig);
    write(rig, before, "c1", 1, "x", "v");
    write(rig, session(rig), "c3", 2, "x", "w");
    rig.settle();
    rig.replace("c1", 1);
    rig.settle();

    refused(rig, 3, before.write("x", "u", "c1", NONE), "never made");
    write(rig, session(rig), "c1", 4, "x", "mute");
    write(rig, session(rig), "c3", 5, "x", "deaf");
    rig.settle();
    rig.fire(EngageTimer.Resend.class);
    rig.fire(EngageTimer.FlushDue.class);
    assertThat(values("c1", "x")).containsExactly("mute");
    assertThat(values("c3", "x")).containsExactly("v", "w", "deaf");
  }

  /** It was acknowledged and sealed, and nobody has it: what depends on it waits elsewhere. */
  @Test
  void anUpdateLostWithItsDiskBeforeItWasSentHoldsBackWhatNamesIt() {
    ClientSession s = session(rig);
    rig.loses = sent -> sent.from().equals("c1");
    write(rig, s, "c1", 1, "x", "lost");
    rig.settle();
    rig.loses = sent -> false;
    rig.replace("c1", 1);
    rig.ask("c3", 2, s.write("x", "named", "c3", NONE));
    write(rig, session(rig), "c3", 3, "x", "after");
    rig.settle();
    assertThat(rig.cloudlet("c1").waiting()).extracting(Update::value).contains("named", "after");
    assertThat(values("c1", "x")).isEmpty();

    write(rig, session(rig), "c1", 4, "x", "anew");
    rig.settle();
    assertThat(values("c1", "x")).containsExactlyInAnyOrder("anew", "named", "after");
  }

  @Test
  void clocksAreLeftOutWhereTheCloudletsClockCoversThem() {
    ClientSession s = session(rig);
    assertThat(s.read("x", "c1", ALL).token().sent()).isTrue();
    write(rig, s, "c1", 1, "x", "v");
    assertThat(s.read("x", "c1", ALL).token().sent()).isFalse();
    assertThat(s.write("x", "w", "c1", ALL).token().sent()).isTrue();
    assertThat(s.read("x", "c3", ALL).token().sent()).isTrue();
    s.answered("c3", (EngageResponse.Value) rig.ask("c3", 2, s.read("x", "c3", NONE)));
    assertThat(s.attached()).isEqualTo("none");

    ClientSession published =
        new ClientSession(
            Rig.config(EngageConfig.COVERED, EngageConfig.SEND_ON_WRITE), rig.layout, "p");
    published.answered(
        "c3", (EngageResponse.Value) rig.ask("c3", 3, published.read("x", "c3", NONE)));
    assertThat(published.write("x", "w", "c3", ALL).token().sent()).isFalse();
  }
}
