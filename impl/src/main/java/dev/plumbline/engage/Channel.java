package dev.plumbline.engage;

import dev.plumbline.machine.Effects;
import java.util.ArrayDeque;
import java.util.TreeMap;

/**
 * One end of a link, which delivers in order. Repaired ({@code resend}) it keeps what it sent until
 * that is acknowledged, and takes every message once. As published a message that is lost is lost.
 */
final class Channel {
  /** The most that is sent again at once. */
  private static final int WINDOW = 64;

  private static final int MOST_EARLY = 1_000;

  private final EngageConfig config;
  private final String peer;
  private final ArrayDeque<EngageMessage.Numbered> kept = new ArrayDeque<>();
  private final TreeMap<Long, EngageMessage.Numbered> early = new TreeMap<>();
  private long sent;
  private long taken;
  private long again;
  private long shown;

  /**
   * How much is sent again at once. What the network cannot hold it drops, the oldest first, which
   * is what the peer needs: so it is halved where nothing of a window was acknowledged in time.
   */
  private int width = WINDOW;

  private boolean progressed = true;
  private boolean armed;

  /** The tree to tell the peer of until something of it comes back; 0 if there is none. */
  private long untold;

  Channel(EngageConfig config, String peer) {
    this.config = config;
    this.peer = peer;
  }

  private boolean resends() {
    return config.repaired(EngageConfig.RESEND);
  }

  /** The number of the next message to send. */
  long next() {
    return sent + 1;
  }

  void send(EngageMessage.Numbered message, Effects effects) {
    recall(message);
    effects.send(peer, message);
    arm(effects);
  }

  /** The same, for a message that was sent before the node started. */
  void recall(EngageMessage.Numbered message) {
    sent = message.number();
    if (resends()) {
      kept.add(message);
    }
  }

  private void arm(Effects effects) {
    if (!armed && (untold > 0 || !kept.isEmpty())) {
      armed = true;
      effects.setTimer(new EngageTimer.Resend(peer), config.resendMicros());
    }
  }

  /** Sends again what may be lost, the oldest first. */
  void resend(Effects effects) {
    armed = false;
    again = sent;
    width = progressed ? width : Math.max(1, width / 2);
    progressed = kept.isEmpty();
    if (untold > 0) {
      effects.send(peer, new EngageMessage.NewTree(untold));
    }
    window(effects);
    arm(effects);
  }

  private void window(Effects effects) {
    int count = 0;
    for (EngageMessage.Numbered message : kept) {
      if (count == width || message.number() > again) {
        return;
      }
      effects.send(peer, message);
      shown = message.number();
      count++;
    }
  }

  void acknowledged(long number, Effects effects) {
    boolean progress = false;
    while (!kept.isEmpty() && kept.peek().number() <= number) {
      kept.remove();
      progress = true;
    }
    if (progress && kept.isEmpty()) {
      width = WINDOW;
      disarm(effects);
    } else if (progress && number >= shown && shown < again) {
      width = Math.min(WINDOW, 2 * width);
      window(effects);
    }
    progressed |= progress;
  }

  /** A message came; returns it if it is its turn, else null. */
  EngageMessage.Numbered arrived(EngageMessage.Numbered message, Effects effects) {
    if (message.number() == taken + 1) {
      return message;
    }
    if (message.number() <= taken) {
      acknowledge(message.tree(), effects);
    } else if (early.size() < MOST_EARLY) {
      early.put(message.number(), message);
      if (!resends()) {
        effects.setTimer(new EngageTimer.Skip(peer), config.resendMicros());
      }
    }
    return null;
  }

  /** The message whose turn it is, if it came early; else null. */
  EngageMessage.Numbered waiting() {
    return early.get(taken + 1);
  }

  /** A message was handled. */
  void took(EngageMessage.Numbered message, Effects effects) {
    recallTaken(message);
    early.headMap(taken, true).clear();
    acknowledge(message.tree(), effects);
    if (early.containsKey(taken + 1)) {
      effects.setTimer(new EngageTimer.Next(peer), 0);
    }
  }

  /** The same, for a message that was handled before the node started. */
  void recallTaken(EngageMessage.Numbered message) {
    taken = message.number();
  }

  /** Goes on with what is there. */
  void skip(Effects effects) {
    if (!early.isEmpty() && !resends()) {
      taken = early.firstKey() - 1;
      effects.setTimer(new EngageTimer.Next(peer), 0);
    }
  }

  private void acknowledge(long tree, Effects effects) {
    if (resends()) {
      effects.send(peer, new EngageMessage.Ack(tree, taken));
    }
  }

  /** A new tree: nothing was sent or taken yet. */
  void clear(Effects effects) {
    recallClear();
    disarm(effects);
  }

  private void disarm(Effects effects) {
    if (armed) {
      armed = false;
      effects.cancelTimer(new EngageTimer.Resend(peer));
    }
  }

  /**
   * Tells the peer of a tree, again and again until {@link #heard}, for it may have nothing to
   * send; and begins to send what is kept.
   */
  void announce(long tree, Effects effects) {
    untold = tree;
    resend(effects);
  }

  /** A message of this tree came. */
  void heard(EngageMessage message, Effects effects) {
    if (untold > 0) {
      untold = 0;
      if (kept.isEmpty()) {
        disarm(effects);
      }
    }
    if (message instanceof EngageMessage.NewTree) {
      effects.send(peer, new EngageMessage.Ack(message.tree(), taken));
    }
  }

  /** The same, before the node started. */
  void recallClear() {
    kept.clear();
    early.clear();
    untold = 0;
    sent = 0;
    taken = 0;
    again = 0;
    shown = 0;
    width = WINDOW;
    progressed = true;
  }

  /** How much was sent and is not acknowledged. */
  int unacknowledged() {
    return kept.size();
  }
}
