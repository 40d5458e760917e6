package ${package};

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.SpecAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Logs transactions on disk. */
public final class Backup implements Machine {
  /** The newest start of the primary, on disk. */
  public record Promised(long epoch) {}

  private final List<Transactions.Ask> stored = new ArrayList<>();
  private long promised;

  @Override
  public void handle(Input input, ClockReading clock, Effects effects) {
    if (input instanceof Input.Start start) {
      start.durable().forEach(this::recover);
    } else if (input instanceof Input.Deliver delivered) {
      if (delivered.message() instanceof LogMessage.Ask m) {
        handleAsk(delivered.from(), m, effects);
      } else if (delivered.message() instanceof LogMessage.Entry m) {
        handleEntry(delivered.from(), m, effects);
      }
    }
  }

  private void recover(Record record) {
    if (record instanceof Promised p) {
      promised = p.epoch();
    } else {
      stored.add((Transactions.Ask) record);
    }
  }

  @SpecAction("RemoteLog.HandleAsk")
  private void handleAsk(String from, LogMessage.Ask m, Effects effects) {
    if (m.epoch() < promised) {
      return;
    }
    if (m.epoch() > promised) {
      promised = m.epoch();
      effects.persist(new Promised(promised));
    }
    effects.send(from, new LogMessage.State(promised, List.copyOf(stored)));
    effects.trace("RemoteLog.HandleAsk", Map.of("m", m.words()));
  }

  @SpecAction("RemoteLog.HandleEntry")
  private void handleEntry(String from, LogMessage.Entry m, Effects effects) {
    if (m.epoch() != promised || m.n() > stored.size() + 1) {
      return;
    }
    if (m.n() > stored.size()) {
      stored.add(m.transaction());
      effects.persist(m.transaction());
    }
    effects.send(from, new LogMessage.Held(m.epoch(), m.n()));
    effects.trace(
        "RemoteLog.HandleEntry", Map.of("m", m.words()), Map.of("length", stored.size()));
  }

  public long promised() {
    return promised;
  }

  /** The transactions that are stored, in their order. */
  public List<String> stored() {
    return stored.stream().map(Transactions.Ask::t).toList();
  }
}
