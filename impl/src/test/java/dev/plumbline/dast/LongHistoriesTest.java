package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.DastMessage.Ack;
import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.Commit;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.Prepare;
import dev.plumbline.dast.DastMessage.Resolve;
import dev.plumbline.dast.DastMessage.Resolved;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.dast.DastMessage.ViewAck;
import dev.plumbline.dast.DastMessage.ViewCommit;
import dev.plumbline.dast.DastMessage.ViewPrep;
import dev.plumbline.dast.DastMessage.ViewTaken;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What grows with the transactions of a removed node does not come in the way of what follows. */
class LongHistoriesTest extends OneShardNodes {
  private static final DastConfig CONFIG = config(List.of());

  private static Note note(int id) {
    return new Note(txn(String.valueOf(id), 0), true, at(10), "n3");
  }

  private int toldToN1(Region region, long wall) {
    sent.clear();
    receivers.clear();
    region.tell(region.now(wall, Map.of(), out), Map.of(), out);
    assertThat(receivers).contains("m", "n3");
    int at = receivers.indexOf("n1");
    return at < 0 ? -1 : ((Clock) sent.get(at)).notes().size();
  }

  @Test
  void manyNotesAreNotRepeatedWithEveryClockMessage() {
    Region region = new Region(LAYOUT, "n2", CONFIG);
    int many = 2 * Pace.FEW;
    region.now(5, Map.of(), out);
    for (int i = 0; i < many; i++) {
      region.note("n1", note(i));
    }
    assertThat(toldToN1(region, 50)).isEqualTo(many);
    Timestamp first = region.clock.last();
    assertThat(toldToN1(region, 60)).isEqualTo(-1);
    for (int i = 0; i < many / Pace.FEW; i++) {
      region.resend();
      assertThat(toldToN1(region, 70 + i)).isEqualTo(-1);
    }
    region.resend();
    assertThat(toldToN1(region, 80)).as("it may have been lost").isEqualTo(many);
    region.acknowledged("n1", at(1));
    assertThat(toldToN1(region, 90)).as("of an earlier message").isEqualTo(-1);
    region.acknowledged("n1", new Timestamp(first.time() + 1, 0, 0));
    assertThat(toldToN1(region, 100)).isZero();
  }

  /** What its peers noted for an incarnation that is gone is not under way to the next one. */
  @Test
  void aNewMemberIsToldAtOnce() {
    Region region = new Region(LAYOUT, "n2", CONFIG);
    for (int i = 0; i <= Pace.FEW; i++) {
      region.note("n1", note(i));
    }
    assertThat(toldToN1(region, 50)).isEqualTo(Pace.FEW + 1);
    region.remove("n1");
    region.add("n1", at(60), at(20), LAYOUT);
    assertThat(toldToN1(region, 70)).isZero();
  }

  @Test
  void aLongAnswerIsNotGivenWithEveryQuestion() {
    ReplaceableNode n2 = member("n2", CONFIG);
    List<Note> notes = new ArrayList<>();
    for (int i = 0; i <= Pace.FEW; i++) {
      notes.add(new Note(txn(String.valueOf(i), 0), false, at(10), "n1"));
    }
    deliver(n2, "n1", FIRST, new Clock(at(20), Map.of(), notes));
    ViewPrep asked = new ViewPrep(1, 1, List.of("n1"), "", 0);
    deliver(n2, "m", 1, asked);
    deliver(n2, "m", 1, asked);
    assertThat(of(ViewAck.class)).hasSize(1);
    assertThat(of(ViewAck.class).get(0).irts()).hasSameSizeAs(notes);
    deliver(n2, "m", 1, new ViewPrep(1, 2, List.of("n1"), "", 0));
    assertThat(of(ViewAck.class)).as("another round").hasSize(2);
    for (int i = 0; i < 2; i++) {
      deliver(n2, "m", 1, asked);
      n2.handle(new Input.TimerFired(new DastTimer.Resend()), ClockReading.local(50), out);
    }
    assertThat(of(ViewAck.class)).hasSize(2);
    deliver(n2, "m", 1, asked);
    assertThat(of(ViewAck.class)).as("it may have been lost").hasSize(3);
  }

  @Test
  void aMemberGetsLongChangesOneAfterTheOther() {
    ReplaceableManager manager = new ReplaceableManager(LAYOUT, "m", CONFIG);
    TreeMap<String, Long> members = new TreeMap<>(Map.of("n1", FIRST, "n2", FIRST, "n3", FIRST));
    int half = ReplaceableManager.MOST_NOTES / 2;
    List<Record> changes = new ArrayList<>();
    for (int notes : List.of(half, half, 1, 3 * half, 0)) {
      changes.add(
          new Change(
              new View(changes.size() + 1, members, 1),
              List.of(),
              "",
              at(0),
              at(0),
              Collections.nCopies(notes, note(1)),
              List.of(),
              List.of()));
    }
    manager.handle(new Input.Start(1, changes), ClockReading.local(1), out);
    assertThat(changesToN1(manager)).containsExactly(1L, 2L);
    deliver(manager, "n1", FIRST, new ViewTaken(2));
    assertThat(changesToN1(manager)).containsExactly(3L);
    deliver(manager, "n1", FIRST, new ViewTaken(3));
    assertThat(changesToN1(manager)).as("one that is too long by itself").containsExactly(4L);
    assertThat(changesToN1(manager)).as("it is under way").isEmpty();
    deliver(manager, "n1", FIRST, new ViewTaken(4));
    assertThat(changesToN1(manager)).containsExactly(5L);
  }

  private List<Long> changesToN1(ReplaceableManager manager) {
    sent.clear();
    receivers.clear();
    manager.handle(new Input.TimerFired(new DastTimer.Resend()), ClockReading.local(50), out);
    for (int i = 0; i < sent.size(); i++) {
      if (receivers.get(i).equals("n1")
          && ((From) sent.get(i)).body() instanceof ViewCommit commit) {
        return commit.changes().stream().map(change -> change.view().number()).toList();
      }
    }
    return List.of();
  }

  /** A replica that is away executes nothing, for as long as it is away. */
  private ReplaceableNode coordinatingWithoutN3(int executed) {
    ReplaceableNode n2 = member("n2", CONFIG);
    for (int i = 1; i <= executed; i++) {
      String id = String.valueOf(i);
      coordinate(n2, id);
      deliver(n2, "n1", FIRST, new Ack(id));
      deliver(n2, "n1", FIRST, new Result(id, "s", true, Map.of(0, List.of(1L, 7L))));
      deliver(n2, "n2", FIRST, new Result(id, "s", true, Map.of(0, List.of(1L, 7L))));
      sent.clear();
      receivers.clear();
    }
    return n2;
  }

  private void coordinate(ReplaceableNode n2, String id) {
    Input.ClientRequest asked = new Input.ClientRequest(1, new DastRequest(txn(id, 0)));
    n2.handle(asked, ClockReading.local(50), out);
  }

  @Test
  void whatAReplicaThatIsAwayDidNotExecuteIsRepeatedInTurns() {
    ReplaceableNode n2 = coordinatingWithoutN3(3 * Pace.FEW);
    coordinate(n2, "99999");
    Set<String> repeated = new TreeSet<>();
    for (int turn = 0; turn < 10; turn++) {
      sent.clear();
      n2.handle(new Input.TimerFired(new DastTimer.Resend()), ClockReading.local(50), out);
      assertThat(of(Commit.class).size()).isBetween(1, Pace.FEW);
      of(Commit.class).forEach(commit -> repeated.add(commit.txn().id()));
      assertThat(of(Prepare.class)).as("a client waits").hasSize(2);
    }
    assertThat(repeated).hasSize(3 * Pace.FEW);
  }

  /** One of its participants never answers, and there are many. */
  @Test
  void howCrtsEndedIsToldInTurns() {
    int many = 2 * Pace.FEW;
    TreeMap<String, Long> members = new TreeMap<>(Map.of("n1", FIRST, "n2", FIRST));
    List<Note> crts = new ArrayList<>();
    for (int i = 1; i <= many; i++) {
      crts.add(note(i));
    }
    Change removal =
        new Change(
            new View(1, members, 1), List.of("n3"), "", at(0), at(0), List.of(), crts, List.of());
    ReplaceableManager manager = new ReplaceableManager(LAYOUT, "m", CONFIG);
    manager.handle(new Input.Start(1, List.of(removal)), ClockReading.local(1), out);
    Set<String> told = new TreeSet<>();
    for (int turn = 0; turn < 10; turn++) {
      sent.clear();
      receivers.clear();
      manager.handle(new Input.TimerFired(new DastTimer.Resend()), ClockReading.local(50), out);
      assertThat(of(Resolve.class).size()).isBetween(1, Pace.FEW + 3);
      for (int i = 0; i < sent.size(); i++) {
        if (((From) sent.get(i)).body() instanceof Resolve resolve
            && !receivers.get(i).equals("n3")) {
          told.add(receivers.get(i) + " " + resolve.note().txn().id());
        }
      }
      for (String each : told) {
        String[] words = each.split(" ", 2);
        deliver(manager, words[0], FIRST, new Resolved(words[1]));
      }
    }
    assertThat(told).as("whatever n3 does").hasSize(2 * many);
  }
}
