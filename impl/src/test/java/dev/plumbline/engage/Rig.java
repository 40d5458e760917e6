package dev.plumbline.engage;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.machine.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Machines of a layout, with the network, the timers and the disks in a test's hands. */
final class Rig {
  private static final ClockReading NOW = ClockReading.local(0);

  /** Everybody could make them; tests look at whether they are asked for. */
  private static final Seals SEALS =
      new Seals() {
        @Override
        public String of(String cloudlet, long number) {
          return cloudlet + "/" + number;
        }

        @Override
        public boolean genuine(String cloudlet, long number, String seal) {
          return of(cloudlet, number).equals(seal);
        }
      };

  final EngageConfig config;
  final Layout layout;
  final Map<String, Node> nodes = new TreeMap<>();
  final ArrayDeque<Sent> network = new ArrayDeque<>();
  Predicate<Sent> loses = sent -> false;

  record Sent(String from, String to, Message message) {}

  /** A machine with its disk. */
  final class Node extends NoEffects {
    final String name;
    final List<Record> disk = new ArrayList<>();
    final Set<Timer> timers = new LinkedHashSet<>();
    final Map<Long, Record> replies = new LinkedHashMap<>();
    Machine machine;
    long epoch;
    int sent;

    Node(String name) {
      this.name = name;
    }

    void start(Machine started) {
      machine = started;
      timers.clear();
      machine.handle(new Input.Start(++epoch, List.copyOf(disk)), NOW, this);
    }

    @Override
    public void send(String to, Message message) {
      sent++;
      network.add(new Sent(name, to, message));
    }

    @Override
    public void setTimer(Timer timer, long delayMicros) {
      timers.add(timer);
    }

    @Override
    public void cancelTimer(Timer timer) {
      timers.remove(timer);
    }

    @Override
    public void persist(Record record) {
      disk.add(record);
    }

    @Override
    public void reply(long requestId, Record response) {
      replies.put(requestId, response);
    }

    void fire(Timer timer) {
      timers.remove(timer);
      machine.handle(new Input.TimerFired(timer), NOW, this);
    }
  }

  Rig(EngageConfig config, Layout layout) {
    this.config = config;
    this.layout = layout;
    layout.neighbours().keySet().forEach(name -> nodes.put(name, new Node(name)));
    nodes.values().forEach(node -> node.start(machine(node.name, config)));
  }

  /** Two cloudlets and two brokers in a row, with an object at these. */
  static Layout chain(String... places) {
    return Layout.of(
        List.of("c1", "c2"),
        List.of("b1", "b2"),
        List.of(List.of("c1", "b1"), List.of("b1", "b2"), List.of("b2", "c2")),
        Map.of("x", List.of(places)));
  }

  /** Three cloudlets at one broker: x at c1 and c3, y at c1 and c2. */
  static Layout ring() {
    return Layout.of(
        List.of("c1", "c2", "c3"),
        List.of("b1"),
        List.of(List.of("c1", "b1"), List.of("c2", "b1"), List.of("c3", "b1")),
        Map.of("x", List.of("c1", "c3"), "y", List.of("c1", "c2")));
  }

  static EngageConfig config(String... asPublished) {
    return config(1, List.of(asPublished));
  }

  static EngageConfig config(long cluster, List<String> asPublished) {
    return new EngageConfig(cluster, 1, 100, 1_000, 100, 8, asPublished, SEALS);
  }

  Machine machine(String name, EngageConfig as) {
    return layout.index(name) >= 0
        ? new TreeCloudlet(as, layout, name)
        : new Broker(as, layout, name);
  }

  Cloudlet cloudlet(String name) {
    return (Cloudlet) nodes.get(name).machine;
  }

  /** A node ends and starts again with what is on its disk. */
  void restart(String name) {
    nodes.get(name).start(machine(name, config));
  }

  /** A node is lost with its disk, and another one takes its place in a new tree. */
  void replace(String name, long tree) {
    Node node = nodes.get(name);
    node.disk.clear();
    node.epoch = 0;
    node.start(machine(name, config.inTree(tree)));
  }

  /** Delivers everything that is under way, and fires what is due at once. */
  void settle() {
    boolean busy = true;
    while (busy) {
      busy = false;
      while (!network.isEmpty()) {
        Sent sent = network.remove();
        if (!loses.test(sent)) {
          Node to = nodes.get(sent.to());
          to.machine.handle(new Input.Deliver(sent.from(), sent.message()), NOW, to);
        }
        busy = true;
      }
      for (Node node : nodes.values()) {
        for (Timer timer : List.copyOf(node.timers)) {
          if (!(timer instanceof EngageTimer.FlushDue || timer instanceof EngageTimer.Resend)) {
            node.fire(timer);
            busy = true;
          }
        }
      }
    }
  }

  /** Fires the timers of this kind, then settles. */
  void fire(Class<? extends Timer> kind) {
    for (Node node : nodes.values()) {
      for (Timer timer : List.copyOf(node.timers)) {
        if (kind.isInstance(timer)) {
          node.fire(timer);
        }
      }
    }
    settle();
  }

  /** A cloudlet's answer to a request; null if it holds it. */
  Record ask(String cloudlet, long id, EngageRequest request) {
    Node node = nodes.get(cloudlet);
    node.machine.handle(new Input.ClientRequest(id, (Record) request), NOW, node);
    return node.replies.get(id);
  }
}
