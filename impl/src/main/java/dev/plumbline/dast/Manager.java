package dev.plumbline.dast;

import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.Ping;
import dev.plumbline.dast.DastMessage.Pong;
import dev.plumbline.dast.DastMessage.PrepCrt;
import dev.plumbline.dast.DastMessage.PrepRemote;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.SpecAction;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A region's manager: anticipates when a CRT will be ready in its region (section 4.3). */
public final class Manager implements Machine {
  private final Layout layout;
  private final String self;
  private final String region;
  private final DastConfig config;
  private final StretchableClock clock;
  private final TreeMap<String, Timestamp> anticipated = new TreeMap<>();
  private final TreeMap<String, Long> rtt = new TreeMap<>();
  private Timestamp highest = Timestamp.ZERO;
  private long started;

  /**
   * @param self its role
   */
  public Manager(Layout layout, String self, DastConfig config) {
    this.layout = layout;
    this.self = self;
    this.config = config;
    region = layout.region(self);
    clock = new StretchableClock(layout.nid(self), true);
  }

  /** Its clock. */
  public StretchableClock clock() {
    return clock;
  }

  /** The newest timestamp that it anticipated, or a manager before it; ZERO if none. */
  Timestamp anticipated() {
    return highest;
  }

  /** What it anticipates stays above this (repair KeepAnticipated). */
  void anticipateAbove(Timestamp at) {
    highest = highest.max(at);
  }

  /** A new manager: its clock and what it anticipates stay above (repair KeepAnticipated). */
  void succeed(Timestamp told, Timestamp lastAnticipated, long wall) {
    clock.startAbove(told.max(lastAnticipated), wall);
    anticipateAbove(lastAnticipated);
  }

  @Override
  public void handle(Input input, ClockReading reading, Effects effects) {
    long wall = reading.localMicros();
    if (input instanceof Input.Start) {
      started = wall;
      effects.setTimer(new DastTimer.Tell(), config.tellMicros());
      effects.setTimer(new DastTimer.Resend(), 1);
    } else if (input instanceof Input.TimerFired fired
        && fired.timer() instanceof DastTimer.Tell tell) {
      effects.setTimer(tell, config.tellMicros());
      announce(now(wall, effects), effects);
    } else if (input instanceof Input.TimerFired fired
        && fired.timer() instanceof DastTimer.Resend resend) {
      effects.setTimer(resend, config.resendMicros());
      Timestamp now = now(wall, effects);
      layout.managers().stream()
          .filter(manager -> !manager.equals(self))
          .forEach(manager -> effects.send(manager, new Ping(wall, now)));
    } else if (input instanceof Input.Deliver deliver) {
      deliver(deliver.from(), deliver.message(), wall, effects);
    }
  }

  private void deliver(String from, Object message, long wall, Effects effects) {
    if (message instanceof Clock told) {
      boolean follows = config.repaired(DastConfig.STRETCHED_STAYS);
      clock.hear(self, wall, told.ts(), follows, StretchableClock.FREE, effects);
      if (effects.tracing()) {
        effects.trace(
            "TwoPhaseAnticipation.Hear",
            Map.of("x", from, "n", self, "now", told.ts().parts()),
            Map.of());
      }
    } else if (message instanceof PrepRemote prepare) {
      anticipate(from, prepare, wall, effects);
    } else if (message instanceof Ping ping) {
      clock.hearRemote(self, wall, ping.ts().time(), effects);
      effects.send(from, new Pong(ping.sent(), now(wall, effects)));
    } else if (message instanceof Pong pong && started <= pong.sent() && pong.sent() <= wall) {
      clock.hearRemote(self, wall, pong.ts().time(), effects);
      measured(layout.region(from), wall - pong.sent());
    }
  }

  /**
   * The average of recent round trips (section 4.3). A clock that jumps ahead while a ping is under
   * way makes a round trip of the jump, and what is anticipated never goes back: none counts as
   * more than twice the average, or a resend interval.
   */
  private void measured(String other, long micros) {
    long counted = Math.min(micros, Math.max(2 * trip(other), config.resendMicros()));
    rtt.merge(other, counted, (old, now) -> (7 * old + now) / 8);
  }

  private Timestamp now(long wall, Effects effects) {
    return clock.create(self, wall, StretchableClock.FREE, effects);
  }

  private void announce(Timestamp now, Effects effects) {
    layout.nodes(region).forEach(n -> effects.send(n, new Clock(now, Map.of(), List.of())));
    if (effects.tracing()) {
      effects.trace("TwoPhaseAnticipation.Tell", Map.of("x", self, "now", now.parts()), Map.of());
    }
  }

  /** Algorithm 2, lines 10 to 16. A repeated request gets the same timestamp. */
  @SpecAction("TwoPhaseAnticipation.Anticipate")
  private void anticipate(String from, PrepRemote prepare, long wall, Effects effects) {
    Txn txn = prepare.txn();
    clock.hearRemote(self, wall, prepare.srcTs().time(), effects);
    Timestamp at = anticipated.get(txn.id());
    if (at == null) {
      Timestamp now = now(wall, effects);
      long ahead = layout.region(from).equals(region) ? farthest(txn) : trip(layout.region(from));
      at = new Timestamp(now.time() + ahead, now.frac(), now.nid());
      if (config.failover() && !highest.before(at)) {
        at = new Timestamp(highest.time() + 1, now.frac(), now.nid());
      }
      highest = highest.max(at);
      anticipated.put(txn.id(), at);
      if (effects.tracing()) {
        effects.trace(
            "TwoPhaseAnticipation.Anticipate",
            Map.of("m", self, "t", txn.id(), "now", now.parts(), "rtt", at.time() - now.time()),
            Map.of());
      }
    }
    for (String node : txn.participants(layout)) {
      if (layout.region(node).equals(region)) {
        effects.send(node, new PrepCrt(txn, at, from));
      }
    }
  }

  private long farthest(Txn txn) {
    return txn.regions(layout).stream()
        .filter(other -> !other.equals(region))
        .mapToLong(this::trip)
        .max()
        .orElse(0);
  }

  private long trip(String other) {
    return rtt.getOrDefault(other, config.rttMicros());
  }
}
