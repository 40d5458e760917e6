package dev.plumbline.sim.toy;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs transactions one after the other, logs their writes, and answers once the backup has them.
 * Every transaction is logged, so an owner that was replaced without knowing is always found out.
 */
final class ToyPrimary implements Machine {
  static final long RETRY_MICROS = 50_000;

  /** The new value of a key. */
  record Write(long key, Object value) {}

  /** A transaction's writes; its number is its place in the serial order. */
  record Applied(long number, List<Write> writes) {}

  /** Asks the backup to hold a transaction. */
  record Replicate(long number, List<Write> writes) implements Message {}

  /** The backup holds all transactions up to a number. */
  record Held(long number) implements Message {}

  record Run(List<ToyOp> ops) {}

  record ToyOp(String kind, long key, Long value) {}

  record Done(List<Object> results, long number) {}

  record Retry(long number) implements Timer {}

  private record Waiting(long requestId, Done done, Replicate message) {}

  private final boolean halfDurable;
  private final TreeMap<Long, Object> values = new TreeMap<>();
  private final TreeMap<Long, Waiting> waiting = new TreeMap<>();
  private long last;

  ToyPrimary(boolean halfDurable) {
    this.halfDurable = halfDurable;
  }

  @Override
  public void handle(Input input, ClockReading clock, Effects effects) {
    if (input instanceof Input.Start start) {
      recover(start, effects);
    } else if (input instanceof Input.ClientRequest request) {
      run(request.requestId(), (Run) request.request(), effects);
    } else if (input instanceof Input.Deliver deliver) {
      held((Held) deliver.message(), effects);
    } else if (input instanceof Input.TimerFired fired) {
      retry((Retry) fired.timer(), effects);
    }
  }

  private void recover(Input.Start start, Effects effects) {
    for (Record record : start.durable()) {
      Applied applied = (Applied) record;
      applied.writes().forEach(write -> values.put(write.key(), write.value()));
      last = applied.number();
      effects.send("backup", new Replicate(applied.number(), applied.writes()));
    }
  }

  private void run(long requestId, Run run, Effects effects) {
    last++;
    List<Object> results = new ArrayList<>();
    List<Write> writes = new ArrayList<>();
    for (ToyOp op : run.ops()) {
      Object old = values.get(op.key());
      Object value =
          switch (op.kind()) {
            case "WRITE" -> op.value();
            case "ADD" -> (Long) old + op.value();
            case "APPEND" -> {
              List<Object> list = old == null ? new ArrayList<>() : new ArrayList<>((List<?>) old);
              list.add(op.value());
              yield list;
            }
            default -> old;
          };
      if (!op.kind().equals("READ")) {
        writes.add(new Write(op.key(), value));
        values.put(op.key(), value);
      }
      results.add(value);
    }
    List<Write> logged = halfDurable && writes.size() > 1 ? writes.subList(0, 1) : writes;
    effects.persist(new Applied(last, List.copyOf(logged)));
    Replicate message = new Replicate(last, List.copyOf(writes));
    waiting.put(last, new Waiting(requestId, new Done(results, last), message));
    effects.send("backup", message);
    effects.setTimer(new Retry(last), RETRY_MICROS);
    effects.trace("Run", Map.of("number", last, "size", writes.size()), Map.of("last", last));
  }

  private void held(Held held, Effects effects) {
    Waiting answered = waiting.remove(held.number());
    if (answered == null) {
      return;
    }
    effects.cancelTimer(new Retry(held.number()));
    effects.reply(answered.requestId(), answered.done());
    effects.trace("Answer", Map.of("number", held.number()));
  }

  private void retry(Retry retry, Effects effects) {
    effects.send("backup", waiting.get(retry.number()).message());
    effects.setTimer(retry, RETRY_MICROS);
    effects.trace("Resend", Map.of("number", retry.number()));
  }
}
