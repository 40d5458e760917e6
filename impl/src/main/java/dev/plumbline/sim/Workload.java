package dev.plumbline.sim;

import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Near;
import dev.plumbline.protocol.Transaction;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/** What clients do. Made afresh for every run, since it remembers what was handed out. */
public interface Workload {
  /** Their names. */
  List<String> NAMES = List.of("list-append", "rw-register", "bank", "sessions");

  /** The transaction that runs alone before all others. */
  Optional<Transaction> setup();

  /** The next transaction of a client, of one of the kinds. */
  Transaction next(Set<Transaction.Kind> kinds, SplittableRandom random);

  /** All keys that were handed out, ascending: read at the end. */
  List<Long> keys();

  /** What the checkers of histories call it. */
  dev.plumbline.history.DataModel model();

  /** The workloads by name. */
  static Workload named(String name) {
    return switch (name) {
      case "list-append" -> new KeyValueWorkload(MicroOp.Kind.APPEND);
      case "rw-register" -> new KeyValueWorkload(MicroOp.Kind.WRITE);
      case "bank" -> new BankWorkload();
      case "sessions" -> new SessionWorkload();
      default ->
          throw new IllegalArgumentException(
              "no workload \""
                  + name
                  + "\""
                  + Near.hint(name, NAMES)
                  + " there are "
                  + String.join(", ", NAMES));
    };
  }

  /** Draws a kind: mostly read-write, the kinds of read about equally. */
  static Transaction.Kind kind(Set<Transaction.Kind> kinds, SplittableRandom random) {
    int draw = random.nextInt(100);
    Transaction.Kind kind =
        draw < 60
            ? Transaction.Kind.READ_WRITE
            : draw < 74
                ? Transaction.Kind.READ_ONLY
                : draw < 87
                    ? Transaction.Kind.REPLICA_LINEARIZABLE
                    : Transaction.Kind.REPLICA_SNAPSHOT;
    return kinds.contains(kind)
        ? kind
        : kinds.contains(Transaction.Kind.READ_ONLY) && kind != Transaction.Kind.READ_WRITE
            ? Transaction.Kind.READ_ONLY
            : Transaction.Kind.READ_WRITE;
  }

  /** How stale a snapshot read shall be, microseconds. */
  static long staleness(Transaction.Kind kind, SplittableRandom random) {
    return kind == Transaction.Kind.REPLICA_SNAPSHOT ? random.nextLong(400_000) : 0;
  }
}
