package dev.plumbline.k2;

import java.util.List;

/** Two data nodes, a and b, with even and odd keys; a replica, r, of a; a coordinator, c. */
final class Fixtures {
  static final K2Config CONFIG = K2Config.standard();
  static final List<Long> VALUE = List.of(7L);

  static final Placement PLACEMENT =
      new Placement() {
        @Override
        public String home(long key) {
          return key % 2 == 0 ? "a" : "b";
        }

        @Override
        public String replica(long key) {
          return "r";
        }

        @Override
        public List<String> replicasOf(String home) {
          return home.equals("a") ? List.of("r") : List.of();
        }
      };

  private Fixtures() {}

  static K2Config published(String behaviour) {
    return CONFIG.asPublished(List.of(behaviour));
  }

  static Timestamp ts(long micros) {
    return new Timestamp(micros, 1, 1, 1);
  }

  /** A transaction named after its timestamp. */
  static Txn txn(long micros) {
    return new Txn("t" + micros, "c", 1, ts(micros));
  }

  static TimestampSource source(K2Config config, String owner) {
    return new TimestampSource(config, owner, 1, "o");
  }

  static Coordinator coordinator(K2Config config) {
    return new Coordinator(config, PLACEMENT, "c", source(config, "c"));
  }

  static DataNode dataNode(K2Config config) {
    return new DataNode(config, PLACEMENT, "a", source(config, "a"), new Recorder(config, "a"));
  }

  static K2Message.Read read(long micros, long key) {
    return new K2Message.Read(txn(micros), key);
  }

  /** A write of a transaction that wrote this key first. */
  static K2Message.Write write(long micros, long key) {
    return new K2Message.Write(txn(micros), key, key, VALUE);
  }

  static K2Message.Commit commit(long micros, long first) {
    return new K2Message.Commit(txn(micros), first, 1);
  }
}
