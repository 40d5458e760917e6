package dev.plumbline.engage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.machine.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What machines do in corners that no stored behaviour leads to, and runs seldom do. */
class EngageCornersTest {
  private static final ClockReading NOW = ClockReading.local(0);

  private static void write(Rig on, String at, long id, String object) {
    ClientSession s = new ClientSession(on.config, on.layout, "s");
    on.ask(at, id, s.write(object, "v", at, List.of()));
  }

  /** What the old tree's updates are to be followed by may overtake them in the new one. */
  @Test
  void aBrokerThatJoinsANewTreeHasNothingPending() {
    Rig rig = new Rig(Rig.config(), Rig.chain("c1"));
    write(rig, "c1", 1, "x");
    rig.settle();
    Rig.Node b1 = rig.nodes.get("b1");
    assertThat(((Broker) b1.machine).flushes()).isTrue();
    b1.machine.handle(new Input.Deliver("b2", new EngageMessage.NewTree(2)), NOW, b1);
    assertThat(((Broker) b1.machine).flushes()).isFalse();
    assertThat(b1.timers).noneMatch(timer -> timer instanceof EngageTimer.FlushDue);
  }

  /** Whoever asks may have lost what it knew of the new tree. */
  @Test
  void aMessageOfAnEarlierTreeIsAnsweredWithTheTree() {
    Rig rig = new Rig(Rig.config(), Rig.chain("c1"));
    Rig.Node b1 = rig.nodes.get("b1");
    b1.machine.handle(new Input.Deliver("b2", new EngageMessage.NewTree(2)), NOW, b1);
    b1.machine.handle(new Input.Deliver("c1", new EngageMessage.NewTree(2)), NOW, b1);
    rig.network.clear();
    b1.machine.handle(new Input.Deliver("c1", new EngageMessage.Ack(1, 0)), NOW, b1);
    assertThat(rig.network).containsExactly(new Rig.Sent("b1", "c1", new EngageMessage.NewTree(2)));
  }

  /** What it read is in its next update's tag, wherever it goes on. */
  @Test
  void aSessionGoesOnWithItsTag() {
    Rig rig = new Rig(Rig.config(), Rig.ring());
    write(rig, "c3", 1, "x");
    rig.settle();
    ClientSession s = new ClientSession(rig.config, rig.layout, "s");
    Record value = rig.ask("c1", 2, s.read("x", "c1", List.of()));
    s.answered("c1", (EngageResponse.Value) value);
    Record written = rig.ask("c1", 3, s.write("y", "v", "c1", List.of()));
    s.answered("c1", (EngageResponse.Written) written);
    assertThat(s.tagClock()).isNotEqualTo(s.writeClock());
    ClientSession later = new ClientSession(rig.config, rig.layout, "later");
    later.resume(s.token());
    assertThat(later.tagClock()).isEqualTo(s.tagClock());
  }

  /** A log tells by the name whose clocks another client's session began with. */
  @Test
  void theNameSaysThatTheClocksAreAnothers() {
    Rig rig = new Rig(Rig.config(), Rig.ring());
    ClientSession first = new ClientSession(rig.config, rig.layout, "first");
    ClientSession second = new ClientSession(rig.config, rig.layout, "second");
    second.resume(first.token());
    assertThat(first.life()).isEqualTo("first.1");
    assertThat(second.life()).isEqualTo("second.2" + ClientSession.RESUMED);
    second.lost();
    assertThat(second.life()).isEqualTo("second.3");
  }

  /** The cloudlet that it was at does not know of the other clocks. */
  @Test
  void aSessionThatGoesOnWithOtherClocksSendsThem() {
    Rig rig = new Rig(Rig.config(), Rig.ring());
    ClientSession first = new ClientSession(rig.config, rig.layout, "first");
    Record written = rig.ask("c1", 1, first.write("x", "v", "c1", List.of()));
    first.answered("c1", (EngageResponse.Written) written);
    ClientSession second = new ClientSession(rig.config, rig.layout, "second");
    Record value = rig.ask("c3", 2, second.read("x", "c3", List.of()));
    second.answered("c3", (EngageResponse.Value) value);
    assertThat(second.attached()).isEqualTo("c3");
    second.resume(first.token());
    EngageRequest.Token token = second.read("x", "c3", List.of("RYW")).token();
    assertThat(token.write()).isEqualTo(first.writeClock());
  }

  /** It was received, and the node ended before the step that executes it. */
  @Test
  void aCloudletThatStartsAgainExecutesWhatCanBe() {
    Rig rig = new Rig(Rig.config(), Rig.ring());
    write(rig, "c1", 1, "x");
    while (!rig.network.isEmpty()) {
      Rig.Sent sent = rig.network.remove();
      Rig.Node to = rig.nodes.get(sent.to());
      to.machine.handle(new Input.Deliver(sent.from(), sent.message()), NOW, to);
    }
    assertThat(rig.cloudlet("c3").waiting()).hasSize(1);
    rig.restart("c3");
    rig.settle();
    assertThat(rig.cloudlet("c3").waiting()).isEmpty();
    assertThat(rig.cloudlet("c3").object("x").updates()).hasSize(1);
  }

  /** A flush has a number of its link, and none is used twice. */
  @Test
  void aCloudletOfAMeshGoesOnBehindTheFlushesThatItSent() {
    Layout layout = Rig.ring();
    Kept before = new Kept();
    MeshCloudlet c1 = new MeshCloudlet(Rig.config(), layout, "c1");
    c1.handle(new Input.Start(1, List.of()), NOW, before);
    ClientSession s = new ClientSession(Rig.config(), layout, "s");
    c1.handle(new Input.ClientRequest(1, (Record) s.write("y", "v", "c1", List.of())), NOW, before);
    c1.handle(new Input.TimerFired(new EngageTimer.FlushDue("")), NOW, before);
    List<Message> flushes = before.sentTo("c3");
    assertThat(flushes).hasSize(1);
    MeshCloudlet again = new MeshCloudlet(Rig.config(), layout, "c1");
    Kept after = new Kept();
    again.handle(new Input.Start(2, before.disk), NOW, after);
    assertThat(after.sentTo("c3")).as("it may be lost").isEqualTo(flushes);
    after.sent.clear();
    again.handle(
        new Input.ClientRequest(2, (Record) s.write("x", "w", "c1", List.of())), NOW, after);
    EngageMessage.Numbered next = (EngageMessage.Numbered) after.sentTo("c3").get(0);
    assertThat(next.number()).isEqualTo(2);
  }

  /** One source is cut off, and what thousands of updates of two others depend on with it. */
  @Test
  void manyUpdatesThatWaitAreHandledInTime() {
    Layout layout =
        Layout.of(
            List.of("c1", "c2", "c3", "c4"),
            List.of("b1"),
            List.of(
                List.of("c1", "b1"), List.of("c2", "b1"), List.of("c3", "b1"), List.of("c4", "b1")),
            Map.of("x", List.of("c1", "c2", "c3", "c4")));
    Rig rig = new Rig(Rig.config(), layout);
    Rig.Node c4 = rig.nodes.get("c4");
    int each = 5_000;
    assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () -> {
          for (int i = 1; i <= 2 * each; i++) {
            long number = (i + 1) / 2;
            VectorClock tag = layout.zero().with(0, 1).with(i % 2 == 1 ? 1 : 2, number);
            Update update = new Update(i % 2 == 1 ? "c2" : "c3", number, "x", "v", tag);
            c4.machine.handle(
                new Input.Deliver(
                    "b1", new EngageMessage.Notification(1, i, update, layout.zero())),
                NOW,
                c4);
          }
          assertThat(rig.cloudlet("c4").waiting()).hasSize(2 * each);
          Update first = new Update("c1", 1, "x", "u", layout.zero().with(0, 1));
          c4.machine.handle(
              new Input.Deliver(
                  "b1", new EngageMessage.Notification(1, 2L * each + 1, first, layout.zero())),
              NOW,
              c4);
          rig.network.clear();
          rig.settle();
        });
    assertThat(rig.cloudlet("c4").waiting()).isEmpty();
    assertThat(rig.cloudlet("c4").clock().entries()).containsExactly(1L, 5_000L, 5_000L, 0L);
  }

  /** Their clients have given up meanwhile, or will. */
  @Test
  void requestsThatAreHeldAreBounded() {
    Rig rig = new Rig(Rig.config(), Rig.ring());
    ClientSession s = new ClientSession(rig.config, rig.layout, "s");
    s.answered("c1", (EngageResponse.Written) rig.ask("c1", 1, s.write("x", "v", "c1", List.of())));
    long id = 1;
    Record answer = null;
    while (answer == null && id < 100_000) {
      answer = rig.ask("c3", ++id, s.read("x", "c3", List.of("RYW")));
    }
    assertThat(answer)
        .isInstanceOfSatisfying(
            EngageResponse.Refused.class, r -> assertThat(r.why()).contains("ask again later"));
    assertThat(rig.cloudlet("c3").held()).hasSize((int) id - 2);
    assertThat(rig.ask("c3", ++id, s.read("x", "c3", List.of())))
        .as("what need not wait")
        .isInstanceOf(EngageResponse.Value.class);

    rig.settle();
    assertThat(rig.cloudlet("c3").held()).isEmpty();
    assertThat(rig.ask("c3", ++id, s.read("x", "c3", List.of("RYW"))))
        .isInstanceOf(EngageResponse.Value.class);
  }

  private static final class Kept extends NoEffects {
    final List<Record> disk = new ArrayList<>();
    final List<Map.Entry<String, Message>> sent = new ArrayList<>();

    @Override
    public void persist(Record record) {
      disk.add(record);
    }

    @Override
    public void setTimer(Timer timer, long delayMicros) {}

    @Override
    public void send(String to, Message message) {
      sent.add(Map.entry(to, message));
    }

    List<Message> sentTo(String to) {
      return sent.stream().filter(e -> e.getKey().equals(to)).map(Map.Entry::getValue).toList();
    }
  }
}
