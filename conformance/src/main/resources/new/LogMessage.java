package ${package};

import dev.plumbline.machine.Message;
import java.util.List;
import java.util.Map;

/** A message, and how the specification writes it. */
public sealed interface LogMessage extends Message {

  /** The message's fields in the specification. */
  Map<String, Object> words();

  /** The primary has started. */
  record Ask(long epoch) implements LogMessage {
    @Override
    public Map<String, Object> words() {
      return Map.of("type", "ask", "epoch", epoch);
    }
  }

  /** The backup's log. */
  record State(long epoch, List<Transactions.Ask> log) implements LogMessage {
    @Override
    public Map<String, Object> words() {
      List<String> names = log.stream().map(Transactions.Ask::t).toList();
      return Map.of("type", "state", "epoch", epoch, "log", names);
    }
  }

  /** The transaction at a place of the log. */
  record Entry(long epoch, long n, Transactions.Ask transaction) implements LogMessage {
    @Override
    public Map<String, Object> words() {
      return Map.of("type", "entry", "epoch", epoch, "n", n, "t", transaction.t());
    }
  }

  /** The backup has logged all up to this place. */
  record Held(long epoch, long n) implements LogMessage {
    @Override
    public Map<String, Object> words() {
      return Map.of("type", "held", "epoch", epoch, "n", n);
    }
  }
}
