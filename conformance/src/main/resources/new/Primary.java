package ${package};

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.SpecAction;
import dev.plumbline.machine.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs transactions one after the other, and keeps nothing on disk. */
public class Primary implements Machine {
  private static final long RETRY_MICROS = 100_000;

  /** Sends again what the backup has not answered. */
  public record Retry() implements Timer {}

  private final List<Transactions.Ask> log = new ArrayList<>();
  private final TreeMap<String, Transactions.Answer> answers = new TreeMap<>();
  private final TreeMap<String, Long> waiting = new TreeMap<>();
  private final TreeMap<Long, Transactions.Value> values = new TreeMap<>();
  private long epoch;
  private boolean ready;
  private int known;

  @Override
  public void handle(Input input, ClockReading clock, Effects effects) {
    if (input instanceof Input.Start start) {
      restart(start.epoch(), effects);
    } else if (input instanceof Input.ClientRequest asked
        && asked.request() instanceof Transactions.Ask transaction) {
      run(asked.requestId(), transaction, effects);
    } else if (input instanceof Input.Deliver delivered) {
      if (delivered.message() instanceof LogMessage.State m) {
        handleState(m, effects);
      } else if (delivered.message() instanceof LogMessage.Held m) {
        handleHeld(m, effects);
      }
    } else if (input instanceof Input.TimerFired) {
      sendAgain(effects);
    }
  }

  @SpecAction("RemoteLog.Restart")
  private void restart(long started, Effects effects) {
    epoch = started;
    sendAgain(effects);
    effects.trace("RemoteLog.Restart", Map.of("e", epoch));
  }

  private void sendAgain(Effects effects) {
    if (!ready) {
      effects.send("backup", new LogMessage.Ask(epoch));
    }
    for (int n = known + 1; n <= log.size(); n++) {
      effects.send("backup", new LogMessage.Entry(epoch, n, log.get(n - 1)));
    }
    effects.setTimer(new Retry(), RETRY_MICROS);
  }

  @SpecAction("RemoteLog.HandleState")
  private void handleState(LogMessage.State m, Effects effects) {
    if (m.epoch() != epoch || ready) {
      return;
    }
    ready = true;
    m.log().forEach(this::execute);
    known = log.size();
    effects.trace("RemoteLog.HandleState", Map.of("m", m.words()), shown());
  }

  @SpecAction("RemoteLog.Run")
  private void run(long requestId, Transactions.Ask transaction, Effects effects) {
    if (!ready) {
      return; // the client asks again
    }
    waiting.put(transaction.t(), requestId);
    if (!answers.containsKey(transaction.t())) {
      execute(transaction);
      known = stored(log.size(), known);
      effects.send("backup", new LogMessage.Entry(epoch, log.size(), transaction));
      effects.trace("RemoteLog.Run", Map.of("t", transaction.t()), shown());
    }
    answer(effects);
  }

  /** How many of the transactions that were run are known to be stored, after one more was run. */
  protected int stored(int run, int before) {
    return before;
  }

  @SpecAction("RemoteLog.HandleHeld")
  private void handleHeld(LogMessage.Held m, Effects effects) {
    if (m.epoch() != epoch || !ready || m.n() <= known) {
      return;
    }
    known = (int) m.n();
    effects.trace("RemoteLog.HandleHeld", Map.of("m", m.words()), shown());
    answer(effects);
  }

  /** Answers the clients whose transactions are known to be stored. */
  private void answer(Effects effects) {
    for (String t : List.copyOf(waiting.keySet())) {
      if (answers.get(t).place() <= known) {
        effects.reply(waiting.remove(t), answers.get(t));
      }
    }
  }

  private void execute(Transactions.Ask transaction) {
    List<Transactions.Value> results = new ArrayList<>();
    for (Transactions.Operation o : transaction.operations()) {
      Transactions.Value before = values.getOrDefault(o.key(), Transactions.Value.NONE);
      Transactions.Value after = after(o, before);
      values.put(o.key(), after);
      results.add(after);
    }
    log.add(transaction);
    answers.put(transaction.t(), new Transactions.Answer(log.size(), List.copyOf(results)));
  }

  private static Transactions.Value after(Transactions.Operation o, Transactions.Value before) {
    return switch (o.kind()) {
      case READ -> before;
      case WRITE -> new Transactions.Value(false, List.of(o.value()));
      case ADD -> {
        long number = before.content().isEmpty() ? 0 : before.content().get(0);
        yield new Transactions.Value(false, List.of(number + o.value()));
      }
      case APPEND -> {
        List<Long> list = new ArrayList<>(before.content());
        list.add(o.value());
        yield new Transactions.Value(true, List.copyOf(list));
      }
    };
  }

  private Map<String, Integer> shown() {
    return Map.of("length", log.size(), "known", known);
  }

  public long epoch() {
    return epoch;
  }

  public boolean ready() {
    return ready;
  }

  public int known() {
    return known;
  }

  /** The transactions that were run, in their order. */
  public List<String> log() {
    return log.stream().map(Transactions.Ask::t).toList();
  }
}
