package dev.plumbline.engage;

import dev.plumbline.machine.Effects;
import dev.plumbline.machine.SpecAction;
import java.util.Map;

/** A cloudlet with its broker (section III-F; module {@code BrokerCausality}). */
public class TreeCloudlet extends Cloudlet {
  private final String broker;
  private final Channel link;
  private long tree;

  public TreeCloudlet(EngageConfig config, Layout layout, String name) {
    super(config, layout, name);
    broker = layout.uplink(name);
    link = new Channel(config, broker);
    tree = 1;
  }

  @Override
  protected final String module() {
    return "BrokerCausality";
  }

  @Override
  protected final void publish(Update update, Effects effects) {
    link.send(notification(update), effects);
  }

  @Override
  protected final void recallPublished(Update update) {
    link.recall(notification(update));
  }

  /** The number of an update is also that of its message: the link carries nothing else. */
  private EngageMessage.Notification notification(Update update) {
    return new EngageMessage.Notification(tree, link.next(), update, layout.zero());
  }

  @Override
  protected final void recall(Record record) {
    if (record instanceof EngageRecord.Took took) {
      EngageMessage.Numbered message = (EngageMessage.Numbered) took.message();
      link.recallTaken(message);
      learn(message);
    } else if (record instanceof EngageRecord.Planted planted) {
      tree = planted.tree();
      link.recallClear();
      own().forEach(this::recallPublished);
    }
  }

  @Override
  protected final void started(Effects effects) {
    if (config.tree() > tree) {
      plant(config.tree(), effects);
    } else if (tree > 1) {
      link.announce(tree, effects);
    } else {
      link.resend(effects);
    }
  }

  @Override
  protected final void deliver(String from, EngageMessage message, Effects effects) {
    if (!from.equals(broker)) {
      return;
    }
    if (message.tree() > tree) {
      plant(message.tree(), effects);
    } else if (message.tree() < tree) {
      effects.send(broker, new EngageMessage.NewTree(tree));
      return;
    }
    link.heard(message, effects);
    if (message instanceof EngageMessage.Ack ack) {
      link.acknowledged(ack.number(), effects);
    } else if (message instanceof EngageMessage.Numbered numbered && sound(numbered, layout)) {
      receive(link.arrived(numbered, effects), effects);
    }
  }

  /** Whether a message has clocks of this layout. */
  static boolean sound(EngageMessage.Numbered message, Layout layout) {
    if (message instanceof EngageMessage.Flush flush) {
      return layout.fits(flush.clock());
    }
    EngageMessage.Notification n = (EngageMessage.Notification) message;
    return layout.fits(n.flush())
        && layout.fits(n.update().clock())
        && layout.index(n.update().source()) >= 0;
  }

  @Override
  protected final void fired(EngageTimer timer, Effects effects) {
    if (timer instanceof EngageTimer.Resend) {
      link.resend(effects);
    } else if (timer instanceof EngageTimer.Next) {
      receive(link.waiting(), effects);
    } else if (timer instanceof EngageTimer.Skip) {
      link.skip(effects);
    }
  }

  @SpecAction({
    "BrokerCausality.CloudletReceive",
    "FlushClock.ReceiveUpdate",
    "FlushClock.ReceiveFlush"
  })
  private void receive(EngageMessage.Numbered message, Effects effects) {
    if (message == null) {
      return;
    }
    learn(message);
    effects.persist(new EngageRecord.Took(broker, message));
    link.took(message, effects);
    arm(effects);
    if (effects.tracing()) {
      Map<String, Object> shown =
          message instanceof EngageMessage.Notification n
              ? state(n.update().object(), effects)
              : state();
      trace("CloudletReceive", Map.of("i", name, "m", message.words(layout)), shown, effects);
    }
  }

  private void learn(EngageMessage.Numbered message) {
    if (message instanceof EngageMessage.Flush flush) {
      learnClock(flush.clock());
    } else if (message instanceof EngageMessage.Notification n) {
      if (known(n.update())) {
        learnClock(n.flush());
      } else {
        learnUpdate(n.update(), n.flush());
      }
    }
  }

  /** The tree begins anew: all updates of this cloudlet are sent again (repair newTree). */
  private void plant(long number, Effects effects) {
    tree = number;
    link.clear(effects);
    effects.persist(new EngageRecord.Planted(tree));
    own().forEach(this::recallPublished);
    link.announce(tree, effects);
  }

  /** How much was sent to the broker and is not acknowledged. */
  public final int unacknowledged() {
    return link.unacknowledged();
  }
}
