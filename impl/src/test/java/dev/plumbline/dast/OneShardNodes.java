package dev.plumbline.dast;

import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.ViewAck;
import dev.plumbline.dast.DastMessage.ViewPrep;
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
  static final Layout LAYOUT = new OneShard(3);
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

  /** A member from the start. */
  final ReplaceableNode member(String self, DastConfig config) {
    ReplaceableNode node = new ReplaceableNode(LAYOUT, Procedures.standard(), self, config);
    node.handle(new Input.Start(1, List.of()), ClockReading.local(1), out);
    return node;
  }

  /** A member answers the newest round, at time 1. */
  final void answer(
      ReplaceableManager manager,
      String member,
      List<Note> irts,
      List<Note> crts,
      List<Note> parts) {
    answer(manager, member, irts, crts, parts, at(1), at(0));
  }

  /** The same, at another time, after an anticipated one. */
  final void answer(
      ReplaceableManager manager,
      String member,
      List<Note> irts,
      List<Note> crts,
      List<Note> parts,
      Timestamp clock,
      Timestamp anticipated) {
    ViewPrep prep = of(ViewPrep.class).get(of(ViewPrep.class).size() - 1);
    ViewAck ack =
        new ViewAck(
            prep.number(),
            prep.round(),
            prep.remove(),
            irts,
            crts,
            parts,
            clock,
            at(0),
            anticipated);
    deliver(manager, member, FIRST, ack);
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

  /** A CRT of this region and the other one. */
  static Txn both(String id) {
    Step here = new Step(0, Step.Kind.APPEND, 0, 7);
    Step there = new Step(1, Step.Kind.APPEND, OneShard.REMOTE_KEY, 7);
    return new Txn(
        id,
        Procedures.ACCESS,
        Map.of(
            "s", new Txn.Part(Procedures.ACCESS, List.of(here)),
            "t", new Txn.Part(Procedures.ACCESS, List.of(there))));
  }
}
