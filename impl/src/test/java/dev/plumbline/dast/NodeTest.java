package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dast.DastMessage.Pong;
import dev.plumbline.dast.DastMessage.PrepCrt;
import dev.plumbline.dast.DastMessage.PrepRemote;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** One node of a region with one shard of one replica, and another region. */
class NodeTest {
  private static final Layout LAYOUT = new TwoRegions();
  private static final DastConfig CONFIG = new DastConfig(1_000, 10_000, 100, List.of());

  private final Node node = new Node(LAYOUT, Procedures.standard(), "n-a", CONFIG);
  private final List<Record> replies = new ArrayList<>();
  private final Map<String, Message> sent = new LinkedHashMap<>();
  private long wall = 1_000;

  @Test
  void aClientThatAsksAgainGetsTheSameAnswerAndItsEffectsHappenOnce() {
    Txn txn = txn("1", Procedures.ACCESS, Map.of("a", append(0)));
    give(new Input.ClientRequest(1, new DastRequest(txn)));
    give(new Input.ClientRequest(2, new DastRequest(txn)));
    managerIsAt(5_000);
    executed();
    assertThat(replies).hasSize(2).containsOnly(replies.get(0));
    give(new Input.ClientRequest(3, new DastRequest(txn)));
    assertThat(replies).hasSize(3).containsOnly(replies.get(0));
    assertThat(node.store()).containsEntry(0L, List.of(1L, 7L));
  }

  @Test
  void nothingIsExecutedBeforeEveryClockOfTheRegionHasPassed() {
    give(
        new Input.ClientRequest(
            1, new DastRequest(txn("1", Procedures.ACCESS, Map.of("a", append(0))))));
    managerIsAt(999);
    assertThat(node.store()).isEmpty();
    managerIsAt(5_000);
    assertThat(node.store()).isNotEmpty();
  }

  /** Another machine's clock says nothing of this one's round trips; a guess too high lasts. */
  @Test
  void anAnswerToWhatAnEarlierManagerAskedIsNoMeasurement() {
    Manager manager = new Manager(LAYOUT, "m-A", CONFIG);
    manager.handle(new Input.Start(2, List.of()), ClockReading.local(5_000_000), new Quiet());
    for (long sent : List.of(1L, 5_000_000L)) {
      Input pong = new Input.Deliver("m-B", new Pong(sent, new Timestamp(1, 0, 0)));
      manager.handle(pong, ClockReading.local(5_000_200), new Quiet());
    }
    Txn txn = txn("1", Procedures.ACCESS, Map.of("a", append(0), "b", append(1)));
    manager.handle(
        new Input.Deliver("n-a", new PrepRemote(txn, new Timestamp(1, 0, 0))),
        ClockReading.local(5_000_300),
        new Quiet());
    assertThat(((PrepCrt) sent.get("n-a")).at().time()).isEqualTo(5_000_500);
  }

  /** What is anticipated never goes back: cross-region transactions would wait out the jump. */
  @Test
  void aClockThatJumpsWhileAPingIsUnderWayIsNoRoundTrip() {
    Manager manager = new Manager(LAYOUT, "m-A", CONFIG);
    manager.handle(new Input.Start(1, List.of()), ClockReading.local(0), new Quiet());
    Input pong = new Input.Deliver("m-B", new Pong(5_000, new Timestamp(1, 0, 0)));
    long jumped = 3_600_000_000L;
    manager.handle(pong, ClockReading.local(jumped), new Quiet());
    Txn txn = txn("1", Procedures.ACCESS, Map.of("a", append(0), "b", append(1)));
    manager.handle(
        new Input.Deliver("n-a", new PrepRemote(txn, new Timestamp(1, 0, 0))),
        ClockReading.local(jumped),
        new Quiet());
    assertThat(((PrepCrt) sent.get("n-a")).at().time()).isLessThan(jumped + 1_000_000);
  }

  @Test
  void valuesInACircleOfRegionsAreRefused() {
    Procedures procedures = Procedures.standard();
    Node other = new Node(LAYOUT, procedures, "n-b", CONFIG);
    Txn inside =
        txn(
            "1",
            Procedures.TRANSFER,
            Map.of(
                "a", part(Procedures.DEBIT, Step.Kind.ADD, 0, -1),
                "c", part(Procedures.CREDIT, Step.Kind.ADD, 2, 1)));
    other.handle(
        new Input.ClientRequest(1, new DastRequest(inside)), ClockReading.local(1), new Quiet());
    assertThat(replies)
        .containsExactly(
            new DastResponse.Refused(
                "values of a cross-region transaction flow in a circle of regions: A <- A"));
  }

  @Test
  void aKeyOnAnotherShardIsRefused() {
    give(
        new Input.ClientRequest(
            1, new DastRequest(txn("1", Procedures.ACCESS, Map.of("a", append(1))))));
    assertThat(replies).containsExactly(new DastResponse.Refused("key 1 is not on shard a"));
  }

  @Test
  void whatCannotBeRunIsRefusedAndChangesNothing() {
    Map<Txn, String> wrong = new LinkedHashMap<>();
    wrong.put(txn("1", Procedures.ACCESS, Map.of()), "nothing is asked of any shard");
    wrong.put(txn("2", "nonsense", Map.of("a", append(0))), "no procedure nonsense is registered");
    wrong.put(
        txn("3", Procedures.ACCESS, Map.of("a", new Txn.Part(Procedures.DEBIT, List.of()))),
        "access has no piece debit");
    wrong.put(
        txn("4", Procedures.ACCESS, Map.of("a", new Txn.Part(Procedures.ACCESS, List.of()))),
        "nothing is asked of shard a");
    Txn.Part endless =
        new Txn.Part(
            Procedures.ACCESS, Collections.nCopies(1_001, new Step(0, Step.Kind.READ, 0, 0)));
    wrong.put(
        txn("5", Procedures.ACCESS, Map.of("a", endless)),
        "there are 1001 steps, and 1000 at most may be asked for");
    Txn.Part debit = part(Procedures.DEBIT, Step.Kind.ADD, 0, -1);
    wrong.put(
        txn(
            "6",
            Procedures.TRANSFER,
            Map.of("a", debit, "c", part(Procedures.DEBIT, Step.Kind.ADD, 2, -1))),
        "two shards are asked for piece debit, whose values others may need");
    Txn.Part mixed =
        new Txn.Part(
            Procedures.ACCESS,
            List.of(new Step(0, Step.Kind.APPEND, 0, 8), new Step(1, Step.Kind.ADD, 0, 5)));
    wrong.put(
        txn("7", Procedures.ACCESS, Map.of("a", mixed)),
        "piece access is asked to treat key 0 as a number and as a list");
    for (String id : List.of("", "x", "-1", "007", "1.5", "9".repeat(20))) {
      wrong.put(
          txn(id, Procedures.ACCESS, Map.of("a", append(0))),
          "a transaction's id is a decimal number of at most 19 digits");
    }
    wrong.forEach(
        (txn, why) -> {
          give(new Input.ClientRequest(1, new DastRequest(txn)));
          assertThat(replies.get(replies.size() - 1)).isEqualTo(new DastResponse.Refused(why));
        });
    assertThat(sent).doesNotContainKey("m-A");
  }

  @Test
  void aStepThatDoesNotSuitLeavesTheListAsItWas() {
    run("1", part(Procedures.ACCESS, Step.Kind.APPEND, 0, 7));
    for (Step.Kind kind : List.of(Step.Kind.ADD, Step.Kind.WRITE)) {
      run(
          "2" + kind.ordinal(),
          new Txn.Part(
              Procedures.ACCESS, List.of(new Step(0, kind, 3, 8), new Step(1, kind, 0, 5))));
      DastResponse.Executed answer = (DastResponse.Executed) replies.get(replies.size() - 1);
      assertThat(answer.applied()).isTrue();
      assertThat(answer.seen()).containsEntry(1, List.of(1L, 7L));
    }
    assertThat(replies).hasSize(3);
    assertThat(node.store()).containsEntry(0L, List.of(1L, 7L));
  }

  @Test
  void anIdThatAnotherTransactionHasIsRefused() {
    Txn first = txn("1", Procedures.ACCESS, Map.of("a", append(0)));
    Txn other =
        txn("1", Procedures.ACCESS, Map.of("a", part(Procedures.ACCESS, Step.Kind.WRITE, 3, 8)));
    Record taken = new DastResponse.Refused("another transaction has the id 1");
    give(new Input.ClientRequest(1, new DastRequest(first)));
    give(new Input.ClientRequest(2, new DastRequest(other)));
    assertThat(replies).as("while it runs").containsExactly(taken);
    managerIsAt(wall + 5_000);
    executed();
    give(new Input.ClientRequest(3, new DastRequest(other)));
    give(new Input.ClientRequest(4, new DastRequest(first)));
    assertThat(replies).as("when it is done").hasSize(4).endsWith(taken, replies.get(1));
    assertThat(node.store()).isEqualTo(Map.of(0L, List.of(1L, 7L)));
  }

  private void run(String id, Txn.Part part) {
    give(
        new Input.ClientRequest(1, new DastRequest(txn(id, Procedures.ACCESS, Map.of("a", part)))));
    managerIsAt(wall + 5_000);
    executed();
  }

  private void executed() {
    Message result = sent.get("n-a");
    assertThat(result).isInstanceOf(DastMessage.Result.class);
    give(new Input.Deliver("n-a", result));
  }

  private void managerIsAt(long time) {
    wall = Math.max(wall, time);
    give(
        new Input.Deliver(
            "m-A", new DastMessage.Clock(new Timestamp(time, 0, 3), Map.of(), List.of())));
  }

  private void give(Input input) {
    node.handle(input, ClockReading.local(wall), new Quiet());
  }

  private static Txn.Part append(long key) {
    return new Txn.Part(Procedures.ACCESS, List.of(new Step(0, Step.Kind.APPEND, key, 7)));
  }

  private static Txn.Part part(String piece, Step.Kind kind, long key, long value) {
    return new Txn.Part(piece, List.of(new Step(0, kind, key, value)));
  }

  private static Txn txn(String id, String procedure, Map<String, Txn.Part> parts) {
    return new Txn(id, procedure, parts);
  }

  /** Keeps replies and the newest message to each role. */
  private final class Quiet extends NoEffects {
    @Override
    public void send(String to, Message message) {
      sent.put(to, message);
    }

    @Override
    public void reply(long requestId, Record response) {
      replies.add(response);
    }
  }

  /** Region A has shards a and c on one node each; B has b. */
  private static final class TwoRegions implements Layout {
    @Override
    public String shard(long key) {
      return List.of("a", "b", "c").get((int) (key % 3));
    }

    @Override
    public String shardOf(String node) {
      return node.substring(2);
    }

    @Override
    public List<String> replicas(String shard) {
      return List.of("n-" + shard);
    }

    @Override
    public String region(String process) {
      return process.equals("n-b") || process.equals("m-B") ? "B" : "A";
    }

    @Override
    public String shardRegion(String shard) {
      return shard.equals("b") ? "B" : "A";
    }

    @Override
    public List<String> nodes(String region) {
      return region.equals("A") ? List.of("n-a") : List.of("n-b");
    }

    @Override
    public String manager(String region) {
      return "m-" + region;
    }

    @Override
    public List<String> managers() {
      return List.of("m-A", "m-B");
    }

    @Override
    public int processes() {
      return 5;
    }

    @Override
    public long nid(String process) {
      return List.of("n-a", "n-b", "m-A", "m-B", "n-c").indexOf(process) + 1L;
    }
  }
}
