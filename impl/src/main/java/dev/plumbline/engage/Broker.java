package dev.plumbline.engage;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.SpecAction;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * An extended metadata broker (section III-F): sends update notifications on towards replicas at
 * once, and turns them into metadata flushes elsewhere, which it holds, merges, lets ride on
 * notifications, or sends when their timer expires.
 */
public class Broker implements Machine {
  protected final EngageConfig config;
  protected final Layout layout;
  protected final String name;
  private final SortedMap<String, Edge> edges = new TreeMap<>();
  private long tree = 1;

  /** A link to a neighbour, and the flush that is pending for it. */
  private static final class Edge {
    final Channel link;
    final SortedSet<String> beyond;
    VectorClock pending;

    Edge(Channel link, SortedSet<String> beyond, VectorClock none) {
      this.link = link;
      this.beyond = beyond;
      this.pending = none;
    }
  }

  public Broker(EngageConfig config, Layout layout, String name) {
    this.config = config;
    this.layout = layout;
    this.name = name;
    List<String> neighbours = layout.neighbours().get(name);
    if (neighbours == null) {
      throw new IllegalArgumentException(
          "there is no broker " + name + "; there are " + String.join(", ", layout.brokers()));
    }
    for (String neighbour : neighbours) {
      edges.put(
          neighbour,
          new Edge(new Channel(config, neighbour), layout.beyond(name, neighbour), layout.zero()));
    }
  }

  @Override
  public final void handle(Input input, ClockReading clock, Effects effects) {
    if (input instanceof Input.Start start) {
      start(start, effects);
    } else if (input instanceof Input.Deliver deliver) {
      deliver(deliver.from(), (EngageMessage) deliver.message(), effects);
    } else if (input instanceof Input.TimerFired fired) {
      if (fired.timer() instanceof EngageTimer.FlushDue due) {
        flush(due.neighbour(), effects);
      } else if (fired.timer() instanceof EngageTimer.Resend resend) {
        edges.get(resend.neighbour()).link.resend(effects);
      } else if (fired.timer() instanceof EngageTimer.Next next) {
        receive(next.neighbour(), edges.get(next.neighbour()).link.waiting(), effects);
      } else if (fired.timer() instanceof EngageTimer.Skip skip) {
        edges.get(skip.neighbour()).link.skip(effects);
      }
    }
  }

  private void start(Input.Start start, Effects effects) {
    for (Record record : start.durable()) {
      if (record instanceof EngageRecord.Took took) {
        EngageMessage.Numbered message = (EngageMessage.Numbered) took.message();
        edges.get(took.from()).link.recallTaken(message);
        pass(took.from(), message, null);
      } else if (record instanceof EngageRecord.Flushed flushed) {
        send(edges.get(flushed.to()), null);
      } else if (record instanceof EngageRecord.Forgot) {
        forget();
      } else if (record instanceof EngageRecord.Planted planted) {
        tree = planted.tree();
        forget();
        edges.values().forEach(edge -> edge.link.recallClear());
      }
    }
    if (start.epoch() > 1 && !config.repaired(EngageConfig.DURABLE_BROKER)) {
      forget();
      effects.persist(new EngageRecord.Forgot(start.epoch()));
    }
    if (config.tree() > tree) {
      plant(config.tree(), effects);
      return;
    }
    edges.forEach(
        (neighbour, edge) -> {
          if (tree > 1) {
            edge.link.announce(tree, effects);
          } else {
            edge.link.resend(effects);
          }
          if (!edge.pending.isZero()) {
            effects.setTimer(new EngageTimer.FlushDue(neighbour), config.flushMicros());
          }
        });
  }

  /** As published pending flushes are in memory. */
  private void forget() {
    edges.values().forEach(edge -> edge.pending = layout.zero());
  }

  private void deliver(String from, EngageMessage message, Effects effects) {
    Edge edge = edges.get(from);
    if (edge == null) {
      return;
    }
    if (message.tree() > tree) {
      plant(message.tree(), effects);
    } else if (message.tree() < tree) {
      effects.send(from, new EngageMessage.NewTree(tree));
      return;
    }
    edge.link.heard(message, effects);
    if (message instanceof EngageMessage.Ack ack) {
      edge.link.acknowledged(ack.number(), effects);
    } else if (message instanceof EngageMessage.Numbered numbered
        && TreeCloudlet.sound(numbered, layout)) {
      receive(from, edge.link.arrived(numbered, effects), effects);
    }
  }

  @SpecAction("BrokerCausality.BrokerReceive")
  private void receive(String from, EngageMessage.Numbered message, Effects effects) {
    if (message == null) {
      return;
    }
    effects.persist(new EngageRecord.Took(from, message));
    pass(from, message, effects);
    edges.get(from).link.took(message, effects);
    if (effects.tracing()) {
      effects.trace(
          "BrokerCausality.BrokerReceive",
          Map.of("a", from, "b", name, "m", message.words(layout)),
          state());
    }
  }

  /** Passes a message on; {@code effects} is null for one of before the node started. */
  private void pass(String from, EngageMessage.Numbered message, Effects effects) {
    edges.forEach(
        (neighbour, edge) -> {
          if (neighbour.equals(from)) {
            return;
          }
          boolean idle = edge.pending.isZero();
          if (message instanceof EngageMessage.Flush flush) {
            edge.pending = edge.pending.max(flush.clock());
          } else if (message instanceof EngageMessage.Notification n) {
            VectorClock older = edge.pending.max(n.flush());
            if (onPath(edge.beyond, n.update())) {
              edge.pending = layout.zero();
              put(
                  edge,
                  new EngageMessage.Notification(tree, edge.link.next(), n.update(), rides(older)),
                  effects);
            } else {
              edge.pending = older.max(Cloudlet.covers(n.update(), config, layout));
            }
          }
          if (effects != null && idle && !edge.pending.isZero()) {
            effects.setTimer(new EngageTimer.FlushDue(neighbour), config.flushMicros());
          } else if (effects != null && !idle && edge.pending.isZero()) {
            effects.cancelTimer(new EngageTimer.FlushDue(neighbour));
          }
        });
  }

  /** What rides on a notification of a link where this is pending. */
  protected VectorClock rides(VectorClock pending) {
    return pending;
  }

  /** Whether a link is on the path from an update's source to another of its replicas. */
  protected boolean onPath(SortedSet<String> beyond, Update update) {
    return layout.replicas(update.object()).stream()
        .anyMatch(replica -> !replica.equals(update.source()) && beyond.contains(replica));
  }

  private static void put(Edge edge, EngageMessage.Numbered message, Effects effects) {
    if (effects == null) {
      edge.link.recall(message);
    } else {
      edge.link.send(message, effects);
    }
  }

  private void send(Edge edge, Effects effects) {
    EngageMessage.Flush flush = new EngageMessage.Flush(tree, edge.link.next(), edge.pending);
    edge.pending = layout.zero();
    put(edge, flush, effects);
  }

  @SpecAction("BrokerCausality.FlushTimer")
  private void flush(String neighbour, Effects effects) {
    Edge edge = edges.get(neighbour);
    if (edge.pending.isZero()) {
      return;
    }
    send(edge, effects);
    effects.persist(new EngageRecord.Flushed(neighbour));
    if (effects.tracing()) {
      effects.trace("BrokerCausality.FlushTimer", Map.of("b", name, "n", neighbour), state());
    }
  }

  /** A new tree: nothing is pending or under way (repair newTree). */
  private void plant(long number, Effects effects) {
    tree = number;
    forget();
    effects.persist(new EngageRecord.Planted(tree));
    edges.forEach(
        (neighbour, edge) -> {
          edge.link.clear(effects);
          effects.cancelTimer(new EngageTimer.FlushDue(neighbour));
          edge.link.announce(tree, effects);
        });
  }

  private Map<String, Object> state() {
    return Map.of("pending", pending());
  }

  public final String name() {
    return name;
  }

  public final EngageConfig config() {
    return config;
  }

  public final Layout layout() {
    return layout;
  }

  /** What is pending for each neighbour, as the specification has it. */
  public final Map<String, Map<String, Long>> pending() {
    Map<String, Map<String, Long>> pending = new TreeMap<>();
    edges.forEach((neighbour, edge) -> pending.put(neighbour, layout.words(edge.pending)));
    return pending;
  }

  /** How much was sent on all links and is not acknowledged. */
  public final int unacknowledged() {
    return edges.values().stream().mapToInt(edge -> edge.link.unacknowledged()).sum();
  }

  /** Whether metadata waits for a flush. */
  public final boolean flushes() {
    return edges.values().stream().anyMatch(edge -> !edge.pending.isZero());
  }
}
