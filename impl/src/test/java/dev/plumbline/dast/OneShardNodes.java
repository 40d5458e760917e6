package dev.plumbline.dast;

import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Machines of one region of one shard with three replicas, n1 to n3, one at a time, and what they
 * do. A second region is only a sender.
 */
abstract class OneShardNodes {
  static final Layout LAYOUT = new OneShard();
  static final long FIRST = View.FIRST;

  final List<Message> sent = new ArrayList<>();
  final List<String> receivers = new ArrayList<>();

  /** What a manager persisted. */
  final List<Change> decided = new ArrayList<>();

  final Effects out =
      new NoEffects() {
        @Override
        public void send(String to, Message message) {
          sent.add(message);
          receivers.add(to);
        }

        @Override
        public void persist(Record record) {
          decided.add((Change) record);
        }
      };

  static DastConfig config(List<String> asPublished) {
    return new DastConfig(1_000, 10_000, 100, 1_000_000, DastConfig.PART_BYTES, asPublished);
  }

  final void deliver(Machine machine, String from, long incarnation, DastMessage body) {
    machine.handle(
        new Input.Deliver(from, new From(incarnation, body)), ClockReading.local(100), out);
  }

  /** The messages of a kind that were sent, in their order. */
  final <M> List<M> of(Class<M> kind) {
    return sent.stream()
        .map(m -> m instanceof From from ? from.body() : m)
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }

  static Timestamp at(long time) {
    return new Timestamp(time, 0, 0);
  }

  /** A transaction that appends to a key. */
  static Txn txn(String id, long key) {
    Step step = new Step(0, Step.Kind.APPEND, key, 7);
    return new Txn(
        id,
        Procedures.ACCESS,
        Map.of(LAYOUT.shard(key), new Txn.Part(Procedures.ACCESS, List.of(step))));
  }
}
