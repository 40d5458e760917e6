package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.DastMessage.Install;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.ViewCommit;
import dev.plumbline.dast.DastResponse.Refused;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.NoEffects;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a client is told that asks for a transaction whose coordinator was lost. */
class FatesTest extends OneShardNodes {
  private final List<Object> told = new ArrayList<>();

  private void ask(ReplaceableNode node, Txn txn) {
    node.handle(
        new Input.ClientRequest(1, new DastRequest(txn)),
        ClockReading.local(200),
        new NoEffects() {
          @Override
          public void reply(long request, Record response) {
            told.add(response);
          }
        });
  }

  private static Note crt(boolean committed) {
    return new Note(txn("1", 0), committed, at(20), "n1");
  }

  private ReplaceableNode afterTheRemovalOfItsCoordinator(Note crt) {
    ReplaceableNode n2 = member("n2", config(List.of()));
    View view = new View(1, new TreeMap<>(Map.of("n2", FIRST, "n3", FIRST)), 1);
    Change removal =
        new Change(view, List.of("n1"), "", at(0), at(0), List.of(), List.of(crt), List.of());
    deliver(n2, "m", 1, new ViewCommit(List.of(removal)));
    return n2;
  }

  @Test
  void whatWasAbortedNeverHappens() {
    ReplaceableNode n2 = afterTheRemovalOfItsCoordinator(crt(false));
    ask(n2, txn("1", 0));
    assertThat(told).hasSize(1);
    assertThat(((Refused) told.get(0)).why()).contains("its node failed");
    assertThat(n2.node().coordinated("1")).isNull();
  }

  @Test
  void anotherTransactionOfThatIdIsRefused() {
    ReplaceableNode n2 = afterTheRemovalOfItsCoordinator(crt(true));
    ask(n2, txn("1", 1));
    assertThat(told).hasSize(1);
    assertThat(((Refused) told.get(0)).why()).contains("another transaction has the id 1");
  }

  /** Not even where who asks has begun anew since. */
  @Test
  void aNewReplicaKnowsItFromItsCheckpoint() {
    ReplaceableNode n1 =
        new ReplaceableNode(LAYOUT, Procedures.standard(), "n1", config(List.of()));
    n1.handle(new Input.Start(2, List.of()), ClockReading.local(1), out);
    View before = new View(1, new TreeMap<>(Map.of("n2", FIRST, "n3", FIRST)), 1);
    Checkpoint checkpoint =
        new Checkpoint(
            before,
            Map.of(),
            List.of(),
            List.of(),
            at(10),
            List.of(crt(false)),
            List.of(),
            List.of("1"));
    deliver(n1, "n2", FIRST, new Install(2 * FIRST, 1, 0, 1, checkpoint));
    View with = new View(2, new TreeMap<>(Map.of("n1", 2 * FIRST, "n2", FIRST, "n3", FIRST)), 1);
    Change added =
        new Change(with, List.of(), "n1", at(50), at(10), List.of(), List.of(), List.of());
    deliver(n1, "m", 1, new ViewCommit(List.of(added)));
    assertThat(n1.member()).isTrue();
    ask(n1, txn("1", 0));
    assertThat(told).hasSize(1);
    assertThat(((Refused) told.get(0)).why()).contains("its node failed");
  }
}
