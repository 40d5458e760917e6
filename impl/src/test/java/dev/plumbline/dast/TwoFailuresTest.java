package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Join;
import dev.plumbline.dast.DastMessage.Keep;
import dev.plumbline.dast.DastMessage.Kept;
import dev.plumbline.dast.DastMessage.PrepRemote;
import dev.plumbline.dast.DastMessage.ViewAck;
import dev.plumbline.dast.DastMessage.ViewPrep;
import dev.plumbline.dast.DastMessage.Vote;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Shards of more replicas than one may lose: f of 2f+1 fail together (section 3.1). */
class TwoFailuresTest extends OneShardNodes {
  private final Layout five = new OneShard(5);
  private ReplaceableManager manager;

  @BeforeEach
  void begin() {
    begin(five);
  }

  private void begin(Layout layout) {
    manager = new ReplaceableManager(layout, "m", config(List.of()));
    manager.handle(new Input.Start(1, List.of()), ClockReading.local(100), out);
    for (String member : layout.nodes("A")) {
      deliver(manager, member, FIRST, new Clock(at(1), Map.of(), List.of()));
    }
  }

  @Test
  void twoReplicasOfAShardThatFallSilentTogetherAreRemoved() {
    untilSilent("n1", "n2", "n3");
    assertThat(manager.proposal().remove()).containsExactly("n4", "n5");
    answers("n1", "n2", "n3");
    assertThat(manager.view().members()).containsOnlyKeys("n1", "n2", "n3");
  }

  /** Algorithm 3, lines 18 and 19. */
  @Test
  void whoDoesNotAnswerARemovalIsRemovedWithTheFirst() {
    deliver(manager, "n5", FIRST + 1, new Join());
    assertThat(manager.proposal().remove()).containsExactly("n5");
    answers("n1", "n2", "n3");
    untilSilent("n1", "n2", "n3");
    assertThat(manager.proposal().remove()).containsExactly("n4", "n5");
    answers("n1", "n2");
    assertThat(decided).as("n3 answered another round").isEmpty();
    answers("n3");
    assertThat(manager.view().members()).containsOnlyKeys("n1", "n2", "n3");
  }

  /** A majority of three may be among those who are silent: what it has would be lost. */
  @Test
  void moreThanFReplicasOfAShardAreNotRemovedTogether() {
    untilSilent("n1", "n2");
    assertThat(manager.proposal().remove()).hasSize(2);
    answers("n1", "n2");
    assertThat(decided).isEmpty();
  }

  /** One was suspected in error, and another one fails before it has answered. */
  @Test
  void whoIsHeardAgainAnswersBeforeItIsRemoved() {
    untilSilent("n3", "n4", "n5");
    answers("n3");
    untilSilent("n1", "n3", "n4");
    assertThat(manager.proposal().remove()).containsExactly("n2", "n5");
    answers("n1", "n3", "n4");
    assertThat(manager.view().members()).containsOnlyKeys("n1", "n3", "n4");
    deliver(manager, "n4", FIRST, new Clock(at(1), Map.of(), List.of()));
    manager.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(200), out);
    assertThat(manager.proposal().remove()).as("n3 ignores it").containsExactly("n1");
  }

  /** The same where one alone may fail: the other one only seemed to. */
  @Test
  void aSuspicionInErrorDoesNotKeepAnotherMemberFromBeingRemoved() {
    begin(LAYOUT);
    untilSilent("n2", "n3");
    answers("n3");
    untilSilent("n1", "n3");
    answers("n1", "n3");
    assertThat(manager.view().members()).containsOnlyKeys("n1", "n3");
    untilSilent("n1", "n3");
    answers("n3");
    assertThat(manager.view().members()).containsOnlyKeys("n3");
  }

  /** It never started, say. */
  @Test
  void whoWasNeverHeardIsRemoved() {
    ReplaceableManager first = new ReplaceableManager(LAYOUT, "m", config(List.of()));
    first.handle(new Input.Start(1, List.of()), ClockReading.local(100), out);
    manager = first;
    untilSilent("n1", "n2");
    assertThat(manager.proposal()).as("it may be starting").isNull();
    for (int i = 0; i < 10; i++) {
      untilSilent("n1", "n2");
    }
    assertThat(manager.proposal()).isNotNull();
    assertThat(manager.proposal().remove()).containsExactly("n3");
  }

  /** Its state is then kept where f others fail with it (Algorithm 2, lines 2 and 8). */
  @Test
  void aCrtGoesOnOnceAMajorityKeepsIt() {
    ReplaceableNode n2 = new ReplaceableNode(five, Procedures.standard(), "n2", config(List.of()));
    n2.handle(new Input.Start(1, List.of()), ClockReading.local(1), out);
    Txn crt = txn("9", OneShard.REMOTE_KEY);
    n2.handle(new Input.ClientRequest(1, new DastRequest(crt)), ClockReading.local(50), out);
    deliver(n2, "n1", FIRST, new Kept("9", false));
    deliver(n2, "n1", FIRST, new Kept("9", false));
    assertThat(of(PrepRemote.class)).isEmpty();
    deliver(n2, "n3", FIRST, new Kept("9", false));
    assertThat(of(PrepRemote.class)).hasSize(1);
    deliver(n2, "other", FIRST, new Vote("9", at(80), 0));
    assertThat(of(Keep.class)).anyMatch(keep -> keep.note().committed());
    deliver(n2, "n4", FIRST, new Kept("9", true));
    assertThat(of(DastMessage.CommitRemote.class)).isEmpty();
    deliver(n2, "n5", FIRST, new Kept("9", true));
    assertThat(of(DastMessage.CommitRemote.class)).hasSize(1);
  }

  /** The others are silent for as long as it takes. */
  private void untilSilent(String... members) {
    for (int i = 0; i < 1_100; i++) {
      manager.handle(new Input.TimerFired(new DastTimer.Tell()), ClockReading.local(200), out);
      for (String member : members) {
        deliver(manager, member, FIRST, new Clock(at(1), Map.of(), List.of()));
      }
    }
  }

  private void answers(String... members) {
    ViewPrep prep = of(ViewPrep.class).get(of(ViewPrep.class).size() - 1);
    for (String member : members) {
      ViewAck ack =
          new ViewAck(
              prep.number(),
              prep.round(),
              prep.remove(),
              List.of(),
              List.of(),
              List.of(),
              at(1),
              at(0),
              at(0));
      manager.handle(new Input.Deliver(member, new From(FIRST, ack)), ClockReading.local(100), out);
    }
  }
}
