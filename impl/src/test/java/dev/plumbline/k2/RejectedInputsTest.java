package dev.plumbline.k2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Stale and repeated messages leave every machine as it was. */
class RejectedInputsTest {
  private static final K2Request BEGIN = new K2Request.Begin(K2Request.Mode.PRIMARY, null);

  private record Letter(String from, Recording.Sent sent) {}

  /** An oracle, a coordinator, two data nodes and a replica, and everything they sent. */
  private static final class Cluster {
    private final K2Config config = Fixtures.CONFIG;
    private final Oracle oracle = new Oracle(1);
    private final Coordinator coordinator = Fixtures.coordinator(config);
    private final Map<String, Recording> nodes = new TreeMap<>();
    private final Map<String, Machine> machines = new TreeMap<>();
    private final List<Letter> post = new ArrayList<>();
    private final List<Letter> delivered = new ArrayList<>();

    Cluster() {
      machines.put("o", oracle);
      machines.put("c", coordinator);
      for (String role : List.of("a", "b")) {
        machines.put(
            role,
            new DataNode(
                config,
                Fixtures.PLACEMENT,
                role,
                Fixtures.source(config, role),
                new Recorder(config, role)));
      }
      machines.put("r", new Replica(config, Fixtures.PLACEMENT, "a"));
      machines.forEach(
          (role, machine) -> {
            Recording node = Recording.started(machine);
            nodes.put(role, node);
            collect(role, node);
          });
      nodes.get("o").upTo(1_000);
    }

    private void collect(String role, Recording node) {
      node.sent.forEach(sent -> post.add(new Letter(role, sent)));
    }

    private void deliverAll(Random random) {
      while (!post.isEmpty()) {
        Letter letter = post.remove(random.nextInt(post.size()));
        deliver(letter);
        delivered.add(letter);
      }
    }

    private void deliver(Letter letter) {
      String to = letter.sent().to();
      nodes.get(to).deliver(letter.from(), letter.sent().message());
      collect(to, nodes.get(to));
    }

    private void ask(K2Request request, Random random) {
      nodes.get("c").ask(request);
      collect("c", nodes.get("c"));
      deliverAll(random);
    }

    private void fire(Timer timer, Random random) {
      nodes.get("c").fire(timer);
      collect("c", nodes.get("c"));
      deliverAll(random);
    }

    /** Two transactions that read and write two keys, one after the other. */
    private void run(Random random) {
      for (int n = 1; n <= 2; n++) {
        String id = "c-1." + n;
        ask(BEGIN, random);
        fire(new K2Timer.NextTimestamp(), random);
        if (coordinator.transactions().get(id).txn() == null) {
          fire(new K2Timer.NextTimestamp(), random);
        }
        for (long key = 2; key <= 3; key++) {
          ask(new K2Request.Get(id, key), random);
          ask(new K2Request.Put(id, key, List.of((long) n)), random);
        }
        nodes.get("c").after(config.commitWait());
        ask(new K2Request.Commit(id), random);
        assertThat(coordinator.transactions()).isEmpty();
      }
    }

    private Map<String, Object> projection() {
      Map<String, Object> all = new TreeMap<>();
      all.put("c", List.copyOf(coordinator.transactions().keySet()));
      all.put("batch", coordinator.timestamps().state());
      all.put("sent", coordinator.timestamps().sent());
      machines.forEach(
          (role, machine) -> {
            if (machine instanceof DataNode node) {
              all.put(
                  role,
                  List.of(
                      node.versions().all(),
                      new TreeMap<>(node.trackers()),
                      List.copyOf(node.waiting()),
                      new TreeMap<>(node.recorder().records()),
                      List.copyOf(node.recorder().held()),
                      node.epoch(),
                      node.log().entries()));
            } else if (machine instanceof Replica replica) {
              all.put(
                  role,
                  List.of(
                      replica.versions().all(),
                      replica.replayed(),
                      replica.next(),
                      new TreeMap<>(replica.decisions())));
            }
          });
      return all;
    }
  }

  @Property(tries = 60)
  void aRepeatedMessageChangesNothing(@ForAll long seed) {
    Random random = new Random(seed);
    Cluster cluster = new Cluster();
    cluster.run(random);
    Map<String, Object> before = cluster.projection();
    List<Letter> all = new ArrayList<>(cluster.delivered);
    for (int i = 0; i < 200; i++) {
      Letter letter = all.get(random.nextInt(all.size()));
      cluster.deliver(letter);
      assertThat(cluster.nodes.get(letter.sent().to()).persisted).as("%s", letter).isEmpty();
      assertThat(cluster.projection()).as("%s", letter).isEqualTo(before);
      if (!cluster.post.isEmpty()) {
        all.add(cluster.post.remove(random.nextInt(cluster.post.size())));
      }
    }
  }

  @Property(tries = 60)
  void aCoordinatorIgnoresWhatItDoesNotWaitFor(@ForAll long seed) {
    Random random = new Random(seed);
    Cluster cluster = new Cluster();
    Recording c = cluster.nodes.get("c");
    cluster.ask(BEGIN, random);
    cluster.fire(new K2Timer.NextTimestamp(), random);
    cluster.fire(new K2Timer.NextTimestamp(), random);
    cluster.ask(new K2Request.Put("c-1.1", 2, List.of(1L)), random);
    Transaction open = cluster.coordinator.transactions().get("c-1.1");
    Map<String, Object> before = open.state();
    String id = random.nextBoolean() ? "c-1.1" : "c-1.9";
    List<K2Message> stale =
        List.of(
            new K2Message.ReadReply(id, random.nextInt(4), "t0", List.of()),
            new K2Message.ReplicaReadReply(id, random.nextInt(4), "t0", List.of()),
            new K2Message.WriteReply(id, 2, random.nextBoolean(), 9),
            new K2Message.WriteReply(id, 3, random.nextBoolean(), 9),
            new K2Message.Decision(id, random.nextBoolean(), 9),
            new K2Message.FinalizeAck(id, 2),
            new K2Message.BatchReply(random.nextInt(5), 1, 1));
    c.deliver("x", stale.get(random.nextInt(stale.size())));
    assertThat(open.state()).isEqualTo(before);
    assertThat(c.sent).isEmpty();
    assertThat(c.replies).isEmpty();
    assertThat(c.traced).isEmpty();
  }
}
