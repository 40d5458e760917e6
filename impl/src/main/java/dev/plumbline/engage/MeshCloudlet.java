package dev.plumbline.engage;

import dev.plumbline.machine.Effects;
import dev.plumbline.machine.SpecAction;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A cloudlet without brokers (section III-E; module {@code SessionGuarantees}): it sends updates to
 * the other replicas, and metadata flushes to all other cloudlets from time to time.
 */
public class MeshCloudlet extends Cloudlet {
  private final SortedMap<String, Channel> channels = new TreeMap<>();
  private VectorClock flushed;
  private static final EngageTimer DUE = new EngageTimer.FlushDue("");

  public MeshCloudlet(EngageConfig config, Layout layout, String name) {
    super(config, layout, name);
    for (String other : layout.cloudlets()) {
      if (!other.equals(name)) {
        channels.put(other, new Channel(config, other));
      }
    }
    flushed = layout.zero();
  }

  @Override
  protected final String module() {
    return "SessionGuarantees";
  }

  @Override
  protected final void publish(Update update, Effects effects) {
    for (String replica : layout.replicas(update.object())) {
      if (!replica.equals(name)) {
        Channel channel = channels.get(replica);
        channel.send(
            new EngageMessage.Notification(1, channel.next(), update, layout.zero()), effects);
      }
    }
  }

  @Override
  protected final void recallPublished(Update update) {
    for (String replica : layout.replicas(update.object())) {
      if (!replica.equals(name)) {
        Channel channel = channels.get(replica);
        channel.recall(new EngageMessage.Notification(1, channel.next(), update, layout.zero()));
      }
    }
  }

  @Override
  protected final void recall(Record record) {
    if (record instanceof EngageRecord.Took took) {
      EngageMessage.Numbered message = (EngageMessage.Numbered) took.message();
      channels.get(took.from()).recallTaken(message);
      learn(message);
    } else if (record instanceof EngageRecord.Flushed) {
      flushed = news();
      channels.values().forEach(channel -> channel.recall(flush(channel)));
    }
  }

  @Override
  protected final void started(Effects effects) {
    channels.values().forEach(channel -> channel.resend(effects));
    effects.setTimer(DUE, config.flushMicros());
  }

  @Override
  protected final void deliver(String from, EngageMessage message, Effects effects) {
    Channel channel = channels.get(from);
    if (channel == null) {
      return;
    }
    if (message instanceof EngageMessage.Ack ack) {
      channel.acknowledged(ack.number(), effects);
    } else if (message instanceof EngageMessage.Numbered numbered
        && TreeCloudlet.sound(numbered, layout)) {
      receive(from, channel.arrived(numbered, effects), effects);
    }
  }

  @Override
  protected final void fired(EngageTimer timer, Effects effects) {
    if (timer instanceof EngageTimer.FlushDue) {
      flush(effects);
      effects.setTimer(DUE, config.flushMicros());
    } else if (timer instanceof EngageTimer.Resend resend) {
      channels.get(resend.neighbour()).resend(effects);
    } else if (timer instanceof EngageTimer.Next next) {
      receive(next.neighbour(), channels.get(next.neighbour()).waiting(), effects);
    } else if (timer instanceof EngageTimer.Skip skip) {
      channels.get(skip.neighbour()).skip(effects);
    }
  }

  @SpecAction("SessionGuarantees.Receive")
  private void receive(String from, EngageMessage.Numbered message, Effects effects) {
    if (message == null) {
      return;
    }
    learn(message);
    effects.persist(new EngageRecord.Took(from, message));
    channels.get(from).took(message, effects);
    arm(effects);
    if (effects.tracing()) {
      Map<String, Object> shown =
          message instanceof EngageMessage.Notification n
              ? state(n.update().object(), effects)
              : state();
      trace("Receive", Map.of("j", from, "i", name, "m", message.words(layout)), shown, effects);
    }
  }

  private void learn(EngageMessage.Numbered message) {
    if (message instanceof EngageMessage.Flush flush) {
      learnClock(flush.clock());
    } else if (message instanceof EngageMessage.Notification n) {
      learnUpdate(n.update(), n.flush());
    }
  }

  /** What a flush would carry now: this cloudlet's entry (IV-B), or its whole clock (III-E). */
  private VectorClock news() {
    int index = layout.index(name);
    return config.reads(EngageConfig.FLUSH_STATE)
        ? clock()
        : layout.zero().with(index, clock().at(index));
  }

  private EngageMessage.Flush flush(Channel channel) {
    return new EngageMessage.Flush(1, channel.next(), flushed);
  }

  @SpecAction("SessionGuarantees.FlushTimer")
  private void flush(Effects effects) {
    if (news().equals(flushed)) {
      return;
    }
    flushed = news();
    channels.values().forEach(channel -> channel.send(flush(channel), effects));
    effects.persist(new EngageRecord.Flushed(""));
    if (effects.tracing()) {
      trace("FlushTimer", Map.of("i", name), state(), effects);
    }
  }

  /** How much was sent to others and is not acknowledged. */
  public final int unacknowledged() {
    return channels.values().stream().mapToInt(Channel::unacknowledged).sum();
  }

  /** What was flushed last. */
  public final VectorClock flushed() {
    return flushed;
  }
}
