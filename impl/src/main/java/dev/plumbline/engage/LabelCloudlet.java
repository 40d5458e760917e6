package dev.plumbline.engage;

import dev.plumbline.machine.Effects;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A cloudlet of a metadata service of labels alone, as the paper describes Saturn (II-A, IV-A), to
 * compare with: the brokers carry labels, updates go straight to the other replicas and are applied
 * in the order of their labels, and a client that moves sends a label of its own ahead. For
 * networks that lose nothing and nodes that do not crash.
 */
public final class LabelCloudlet extends Cloudlet {
  private static final String BETWEEN = "-to-";

  private final String broker;
  private final VectorClock none;
  private final ArrayDeque<Update> labels = new ArrayDeque<>();
  private final Map<Update.Id, Update> payloads = new LinkedHashMap<>();
  private final TreeMap<Long, Update> early = new TreeMap<>();
  private long sent;
  private long taken;

  public LabelCloudlet(EngageConfig config, Layout layout, String name) {
    super(config, layout, name);
    broker = layout.uplink(name);
    none = new VectorClock(Collections.nCopies(layout.cloudlets().size(), 0L));
  }

  /** The object that a client writes which moves: its replicas are where it leaves and arrives. */
  public static String migration(String from, String to) {
    return from + BETWEEN + to + "/client";
  }

  /** A layout with a partition for every move. */
  public static Layout withMoves(Layout layout) {
    TreeMap<String, List<String>> partitions = new TreeMap<>(layout.partitions());
    for (String from : layout.cloudlets()) {
      for (String to : layout.cloudlets()) {
        if (!from.equals(to)) {
          partitions.put(from + BETWEEN + to, List.of(from, to));
        }
      }
    }
    return new Layout(layout.cloudlets(), layout.brokers(), layout.neighbours(), partitions);
  }

  public static boolean moves(Update update) {
    return update.object().contains(BETWEEN);
  }

  @Override
  protected String module() {
    return "Labels";
  }

  @Override
  protected void publish(Update update, Effects effects) {
    if (!moves(update)) {
      for (String replica : layout.replicas(update.object())) {
        if (!replica.equals(name)) {
          effects.send(replica, new EngageMessage.Notification(1, update.number(), update, none));
        }
      }
    }
    Update label = new Update(update.source(), update.number(), update.object(), "", none);
    effects.send(broker, new EngageMessage.Notification(1, ++sent, label, none));
  }

  @Override
  protected void deliver(String from, EngageMessage message, Effects effects) {
    EngageMessage.Notification notification = (EngageMessage.Notification) message;
    Update update = notification.update();
    if (from.equals(broker)) {
      early.put(notification.number(), update);
      while (early.containsKey(taken + 1)) {
        taken++;
        labels.add(early.remove(taken));
      }
    } else {
      payloads.put(new Update.Id(update.source(), update.number()), update);
    }
    apply(effects);
  }

  /** Applies updates as far as the labels' order and the payloads allow. */
  private void apply(Effects effects) {
    while (!labels.isEmpty()) {
      Update label = labels.peek();
      Update update =
          moves(label) ? label : payloads.remove(new Update.Id(label.source(), label.number()));
      if (update == null) {
        break;
      }
      labels.remove();
      learnUpdate(update, none);
      if (!moves(label)) {
        effects.persist(new EngageRecord.Executed(update.source(), update.number()));
      }
    }
    arm(effects);
  }

  @Override
  protected void fired(EngageTimer timer, Effects effects) {
    throw new IllegalStateException("no timer is set here: " + timer);
  }

  @Override
  protected void recallPublished(Update update) {
    throw new IllegalStateException("these cloudlets do not start again");
  }

  @Override
  protected void recall(Record record) {
    throw new IllegalStateException("these cloudlets do not start again");
  }

  @Override
  protected void started(Effects effects) {}
}
