package dev.plumbline.mutate;

import dev.plumbline.engage.Broker;
import dev.plumbline.engage.Cloudlet;
import dev.plumbline.engage.EngageMessage;
import dev.plumbline.engage.EngageRecord;
import dev.plumbline.engage.EngageTimer;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.TreeCloudlet;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.machine.Timer;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Looks over the shoulders of a run's machines: what their links send, send again and acknowledge,
 * which timers are armed, and what a node that started again at that moment would take back from
 * its disk.
 */
final class EngageWatch extends Watch {
  /** How many messages a link sends again at a time, at most. */
  private static final int WINDOW = 64;

  /** After how many steps a restart is tried. */
  private static final int STEPS = 20;

  private static final long NEWER = 1_000_000;

  private final ProtocolSystem system;

  EngageWatch(ProtocolSystem system) {
    super("engage");
    this.system = system;
  }

  @Override
  public Machine machine(NodeSpec node, Topology topology, Settings settings, Machine correct) {
    return correct instanceof Broker || correct instanceof TreeCloudlet
        ? new Watched(node, topology, settings, correct)
        : correct;
  }

  private static Layout layout(Machine machine) {
    return machine instanceof Broker b ? b.layout() : ((Cloudlet) machine).layout();
  }

  private static List<String> neighbours(Machine machine) {
    return machine instanceof Broker b
        ? b.layout().neighbours().get(b.name())
        : List.of(layout(machine).uplink(((Cloudlet) machine).name()));
  }

  /** For whom a flush is pending. */
  private static TreeSet<String> pending(Machine machine) {
    TreeSet<String> some = new TreeSet<>();
    if (machine instanceof Broker broker) {
      broker
          .pending()
          .forEach(
              (neighbour, clock) -> {
                if (clock.values().stream().anyMatch(entry -> entry > 0)) {
                  some.add(neighbour);
                }
              });
    }
    return some;
  }

  /** What a machine has on disk, seen from outside. */
  private static List<Object> durable(Machine machine) {
    if (machine instanceof Broker broker) {
      return List.of(broker.pending());
    }
    Cloudlet c = (Cloudlet) machine;
    return List.of(
        c.clock(),
        c.heard(),
        c.waiting(),
        c.objects(),
        c.objects().stream().map(c::object).toList());
  }

  private static int unacknowledged(Machine machine) {
    return machine instanceof Broker b
        ? b.unacknowledged()
        : ((TreeCloudlet) machine).unacknowledged();
  }

  /** What one step sends, keeps and arms. */
  private static class Step extends NoEffects {
    final Map<String, List<EngageMessage>> sent = new HashMap<>();
    final Map<Timer, Long> armed;

    Step(Map<Timer, Long> armed) {
      this.armed = armed;
    }

    @Override
    public void send(String to, Message message) {
      sent.computeIfAbsent(to, t -> new ArrayList<>()).add((EngageMessage) message);
    }

    @Override
    public void setTimer(Timer timer, long delayMicros) {
      armed.put(timer, delayMicros);
    }

    @Override
    public void cancelTimer(Timer timer) {
      armed.remove(timer);
    }

    List<EngageMessage> to(String peer) {
      return sent.getOrDefault(peer, List.of());
    }

    List<EngageMessage.Numbered> numbered(String peer) {
      return to(peer).stream()
          .filter(m -> m instanceof EngageMessage.Numbered)
          .map(m -> (EngageMessage.Numbered) m)
          .toList();
    }
  }

  /** One end of a link, as it ought to be. */
  private static final class Link {
    final TreeMap<Long, EngageMessage.Numbered> sent = new TreeMap<>();
    final TreeMap<Long, EngageMessage.Numbered> kept = new TreeMap<>();
    final TreeSet<Long> early = new TreeSet<>();
    long taken;
    long again;
    long shown;

    /** How many are sent again at a time. */
    int width = WINDOW;

    /** Whether something was acknowledged since messages were sent again. */
    boolean progressed = true;

    /** Whether the neighbour is to be told of the tree. */
    boolean untold;
  }

  private final class Watched implements Machine {
    private final NodeSpec node;
    private final Topology topology;
    private final Settings settings;
    private final Machine machine;
    private final Map<String, Link> links = new TreeMap<>();
    private final Map<Timer, Long> armed = new HashMap<>();
    private final List<Record> disk = new ArrayList<>();
    private long epoch;
    private long tree = 1;
    private int steps;

    Watched(NodeSpec node, Topology topology, Settings settings, Machine machine) {
      this.node = node;
      this.topology = topology;
      this.settings = settings;
      this.machine = machine;
      neighbours(machine).forEach(n -> links.put(n, new Link()));
    }

    /** What a node sends, keeps and arms goes on to the run. */
    private final class Passed extends Step {
      private final Effects effects;
      final List<Record> kept = new ArrayList<>();

      Passed(Effects effects) {
        super(Watched.this.armed);
        this.effects = effects;
      }

      @Override
      public void send(String to, Message message) {
        super.send(to, message);
        effects.send(to, message);
      }

      @Override
      public void setTimer(Timer timer, long delayMicros) {
        if (timer instanceof EngageTimer.Resend || timer instanceof EngageTimer.FlushDue) {
          expect(!armed.containsKey(timer), "a timer that runs is not put off", timer);
        }
        super.setTimer(timer, delayMicros);
        effects.setTimer(timer, delayMicros);
      }

      @Override
      public void cancelTimer(Timer timer) {
        super.cancelTimer(timer);
        effects.cancelTimer(timer);
      }

      @Override
      public void reply(long requestId, Record response) {
        effects.reply(requestId, response);
      }

      @Override
      public void persist(Record record) {
        kept.add(record);
        effects.persist(record);
      }

      @Override
      public boolean tracing() {
        return effects.tracing();
      }

      @Override
      public void trace(String action, Map<String, ?> args, Map<String, ?> state) {
        effects.trace(action, args, state);
      }
    }

    @Override
    public void handle(Input input, ClockReading clock, Effects effects) {
      if (input instanceof Input.TimerFired fired) {
        armed.remove(fired.timer());
      }
      if (input instanceof Input.Start start) {
        epoch = start.epoch();
        disk.addAll(start.durable());
        start.durable().forEach(this::remember);
        restart(settings, clock);
      }
      Passed step = new Passed(effects);
      machine.handle(input, clock, step);
      long before = tree;
      disk.addAll(step.kept);
      boolean planted = step.kept.stream().anyMatch(r -> r instanceof EngageRecord.Planted);
      step.kept.stream().filter(r -> r instanceof EngageRecord.Planted).forEach(this::remember);
      links.forEach((peer, link) -> sends(peer, link, input, step, planted));
      step.kept.stream().filter(r -> r instanceof EngageRecord.Took).forEach(this::remember);
      links.forEach((peer, link) -> takes(peer, link, input, step, planted, before));
      timers();
      if (++steps % STEPS == 0) {
        restart(settings, clock);
        newTree(clock);
      }
    }

    private void remember(Record record) {
      if (record instanceof EngageRecord.Planted planted) {
        tree = planted.tree();
        links.replaceAll((peer, link) -> new Link());
      } else if (record instanceof EngageRecord.Took took) {
        Link link = links.get(took.from());
        long number = ((EngageMessage.Numbered) took.message()).number();
        expect(number == link.taken + 1, "every message is taken once, in order", number);
        link.taken = number;
        link.early.headSet(number, true).clear();
      }
    }

    /** What goes to a neighbour in a step. */
    private void sends(String peer, Link link, Input input, Step step, boolean planted) {
      List<EngageMessage.Numbered> messages = step.numbered(peer);
      List<EngageMessage.Numbered> again = new ArrayList<>();
      boolean progress = false;
      long acknowledged = 0;
      boolean wasUntold = link.untold;
      boolean empty = link.kept.isEmpty();
      if (input instanceof Input.Start || planted) {
        // All that was ever sent on this tree, or is to be: nobody knows any more what arrived.
        link.untold = tree > 1;
        link.sent.putAll(all(settings, peer));
        link.kept.putAll(link.sent);
        empty = machine instanceof Broker && planted || link.kept.isEmpty();
      } else if (input instanceof Input.Deliver d
          && d.from().equals(peer)
          && d.message() instanceof EngageMessage.Ack ack
          && ack.tree() == tree) {
        acknowledged = ack.number();
        progress = !link.kept.isEmpty() && link.kept.firstKey() <= acknowledged;
        link.kept.headMap(acknowledged, true).clear();
      }
      if (input instanceof Input.Deliver d
          && d.from().equals(peer)
          && ((EngageMessage) d.message()).tree() == tree) {
        link.untold = false;
      }
      long last = link.sent.isEmpty() ? 0 : link.sent.lastKey();
      boolean due =
          input instanceof Input.Start
              || planted
              || input instanceof Input.TimerFired f
                  && f.timer().equals(new EngageTimer.Resend(peer));
      if (due) {
        link.again = last;
        link.width = link.progressed ? link.width : Math.max(1, link.width / 2);
        link.progressed = empty;
        expect(
            !wasUntold || step.to(peer).contains(new EngageMessage.NewTree(tree)),
            "a new tree is told again",
            peer);
      }
      boolean next = progress && acknowledged >= link.shown && link.shown < link.again;
      boolean window = due || next && !link.kept.isEmpty();
      if (progress) {
        link.width =
            link.kept.isEmpty() ? WINDOW : next ? Math.min(WINDOW, 2 * link.width) : link.width;
        link.progressed = true;
      }
      List<EngageMessage.Numbered> expected =
          window
              ? link.kept.headMap(link.again, true).values().stream().limit(link.width).toList()
              : List.of();
      for (EngageMessage.Numbered message : messages) {
        expect(message.tree() == tree, "messages name the tree", message);
        if (message.number() > last) {
          expect(message.number() == last + 1, "messages are numbered", message);
          last = message.number();
          link.sent.put(last, message);
          link.kept.put(last, message);
        } else {
          again.add(message);
        }
      }
      if (!expected.isEmpty()) {
        link.shown = expected.get(expected.size() - 1).number();
      }
      if (window) {
        expect(again.equals(expected), "what may be lost is sent again", again + "/" + expected);
      } else {
        expect(again.isEmpty(), "nothing else is sent again", again);
      }
      if (planted) {
        expect(step.to(peer).contains(new EngageMessage.NewTree(tree)), "a new tree is told", peer);
      }
    }

    /** What came from a neighbour is acknowledged, and nothing else. */
    private void takes(
        String peer, Link link, Input input, Step step, boolean planted, long before) {
      List<EngageMessage> acks =
          step.to(peer).stream().filter(m -> m instanceof EngageMessage.Ack).toList();
      boolean answer = false;
      if (input instanceof Input.Deliver d && d.from().equals(peer)) {
        EngageMessage message = (EngageMessage) d.message();
        if (message.tree() < before) {
          expect(
              step.to(peer).equals(List.of(new EngageMessage.NewTree(before))),
              "who is in an older tree is told",
              step.to(peer));
        } else if (message instanceof EngageMessage.NewTree) {
          answer = true;
        } else if (message instanceof EngageMessage.Numbered numbered) {
          answer = numbered.number() <= link.taken;
          if (!answer) {
            expect(numbered.number() > link.taken + 1, "what is due is taken", numbered);
            link.early.add(numbered.number());
          }
        }
      } else if (input instanceof Input.TimerFired f
          && f.timer().equals(new EngageTimer.Next(peer))) {
        answer = step.sent.containsKey(peer) || !acks.isEmpty();
      }
      expect(
          acks.equals(answer ? List.of(new EngageMessage.Ack(tree, link.taken)) : List.of()),
          "what is taken is acknowledged, once",
          acks + " at " + link.taken);
      // The timer may stay behind when a copy came first; then there is nothing to take.
      expect(
          !link.early.contains(link.taken + 1) || armed.containsKey(new EngageTimer.Next(peer)),
          "what came early is taken next",
          link.early);
    }

    private void timers() {
      int open = 0;
      for (Map.Entry<String, Link> e : links.entrySet()) {
        open += e.getValue().kept.size();
        Long resend = armed.get(new EngageTimer.Resend(e.getKey()));
        expect(
            e.getValue().kept.isEmpty() && !e.getValue().untold ? resend == null : resend != null,
            "a link sends again while something is under way",
            e.getKey() + resend);
      }
      expect(unacknowledged(machine) == open, "a link keeps what is under way", open);
      flushes(machine, armed);
      if (machine instanceof Broker broker) {
        expect(broker.flushes() != pending(broker).isEmpty(), "a broker knows what waits", node);
      }
    }

    private void flushes(Machine some, Map<Timer, Long> timers) {
      TreeSet<String> due = new TreeSet<>();
      timers
          .keySet()
          .forEach(
              timer -> {
                if (timer instanceof EngageTimer.FlushDue flush) {
                  due.add(flush.neighbour());
                }
              });
      expect(due.equals(pending(some)), "a flush is due where metadata waits", due);
    }

    /** A node that starts now has what this one has, and sends all again that it ever sent. */
    private void restart(Settings like, ClockReading clock) {
      Map<Timer, Long> timers = new HashMap<>();
      Machine twin = system.machine(node, topology, like);
      Step step = new Step(timers);
      twin.handle(new Input.Start(epoch + 1, List.copyOf(disk)), clock, step);
      if (steps == 0) {
        return;
      }
      expect(durable(twin).equals(durable(machine)), "a restart takes back the state", node.id());
      flushes(twin, timers);
      links.forEach(
          (peer, link) -> {
            expect(
                drained(twin, peer, step, tree, clock).equals(link.sent),
                "a restart sends all again",
                peer);
            expect(!timers.containsKey(new EngageTimer.Resend(peer)), "then it is done", peer);
          });
      if (machine instanceof Cloudlet) {
        timers.keySet().removeIf(t -> !(t instanceof EngageTimer.Execute));
        TreeSet<String> mine = new TreeSet<>();
        armed.keySet().stream()
            .filter(t -> t instanceof EngageTimer.Execute)
            .forEach(t -> mine.add(t.toString()));
        TreeSet<String> its = new TreeSet<>();
        timers.keySet().forEach(t -> its.add(t.toString()));
        expect(its.equals(mine), "a restart executes what is ready", its);
      }
    }

    /** A node that starts now with the number of a newer tree begins it. */
    private void newTree(ClockReading clock) {
      TreeMap<String, Long> parameters = new TreeMap<>(settings.parameters());
      parameters.put("tree", NEWER);
      Settings newer =
          new Settings(
              settings.clocks(), settings.asPublished(), parameters, settings.deployment());
      Map<Timer, Long> timers = new HashMap<>();
      Machine twin = system.machine(node, topology, newer);
      Step step = new Step(timers);
      twin.handle(new Input.Start(epoch + 1, List.copyOf(disk)), clock, step);
      flushes(twin, timers);
      expect(pending(twin).isEmpty(), "nothing waits in a new tree", node.id());
      links
          .keySet()
          .forEach(
              peer -> {
                expect(
                    step.to(peer).contains(new EngageMessage.NewTree(NEWER)),
                    "a new tree is told",
                    peer);
                long count = disk.stream().filter(r -> r instanceof EngageRecord.Wrote).count();
                List<Long> numbers =
                    step.numbered(peer).stream()
                        .filter(m -> m.tree() == NEWER)
                        .map(EngageMessage.Numbered::number)
                        .toList();
                expect(
                    numbers.size() == Math.min(count, WINDOW)
                        && (count == 0 || numbers.get(0) == 1),
                    "a new tree begins with the first updates",
                    numbers);
                expect(
                    timers.containsKey(new EngageTimer.Resend(peer)),
                    "a new tree is told and sends again what may be lost",
                    peer);
                expect(
                    drained(twin, peer, step, NEWER, clock).size() == count,
                    "a new tree begins with all updates",
                    peer);
                expect(!timers.containsKey(new EngageTimer.Resend(peer)), "then it is done", peer);
              });
    }

    private TreeMap<Long, EngageMessage.Numbered> all(Settings like, String peer) {
      Machine twin = system.machine(node, topology, like);
      Step step = new Step(new HashMap<>());
      ClockReading zero = ClockReading.local(0);
      twin.handle(new Input.Start(epoch, List.copyOf(disk)), zero, step);
      return drained(twin, peer, step, tree, zero);
    }

    /** All that a machine that started sends a neighbour, who acknowledges it. */
    private TreeMap<Long, EngageMessage.Numbered> drained(
        Machine twin, String peer, Step first, long tree, ClockReading clock) {
      TreeMap<Long, EngageMessage.Numbered> all = new TreeMap<>();
      List<EngageMessage.Numbered> some = first.numbered(peer);
      if (some.isEmpty() && tree > 1) {
        twin.handle(
            new Input.Deliver(peer, new EngageMessage.Ack(tree, 0)), clock, new Step(first.armed));
      }
      while (!some.isEmpty()) {
        int before = all.size();
        some.forEach(m -> all.put(m.number(), m));
        if (all.size() == before) {
          expect(false, "what is acknowledged is not sent again", peer);
          break;
        }
        Step step = new Step(first.armed);
        twin.handle(
            new Input.Deliver(peer, new EngageMessage.Ack(tree, all.lastKey())), clock, step);
        some = step.numbered(peer);
      }
      return all;
    }
  }
}
