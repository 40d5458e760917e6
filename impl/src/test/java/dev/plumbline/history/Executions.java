package dev.plumbline.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** Random histories of a store that really is strictly serializable, and ways to spoil them. */
final class Executions {
  private final Random random;
  private final DataModel workload;
  private final int keys;
  private final boolean indeterminate;
  private final boolean replicas;
  private final List<Op> ops = new ArrayList<>();
  private final Map<Long, TreeMap<Long, Object>> versions = new HashMap<>();
  private long clock;
  private long nextValue = 1;
  private long nextProcess = 4;

  private Executions(
      Random random, DataModel workload, int keys, boolean indeterminate, boolean replicas) {
    this.random = random;
    this.workload = workload;
    this.keys = keys;
    this.indeterminate = indeterminate;
    this.replicas = replicas;
  }

  private static final class Client {
    long process;
    List<ObservedMicroOp> asked;
    List<ObservedMicroOp> done;
    ReadMode read;
    long at;
    long ts;
    boolean executed;
  }

  /** Transactions of four clients, each taking effect at one moment between start and end. */
  static History strictlySerializable(
      Random random,
      DataModel workload,
      int transactions,
      int keys,
      boolean indeterminate,
      boolean replicas) {
    return new Executions(random, workload, keys, indeterminate, replicas).run(transactions);
  }

  private History run(int transactions) {
    var clients = new ArrayList<Client>();
    for (int i = 0; i < 4; i++) {
      var client = new Client();
      client.process = i;
      clients.add(client);
    }
    if (workload == DataModel.BANK) {
      open(clients.get(0));
      transactions--;
    }
    int begun = 0;
    while (begun < transactions || clients.stream().anyMatch(c -> c.asked != null)) {
      Client client = clients.get(random.nextInt(clients.size()));
      if (client.asked == null && begun < transactions) {
        begin(client);
        begun++;
      } else if (client.asked != null && !client.executed) {
        if (indeterminate && client.read == null && random.nextInt(5) == 0) {
          endWithoutEffect(client);
        } else {
          execute(client);
        }
      } else if (client.asked != null) {
        end(client);
      }
    }
    return History.of(ops);
  }

  private void open(Client client) {
    var writes = new ArrayList<ObservedMicroOp>();
    for (long key = 0; key < keys; key++) {
      writes.add(new ObservedMicroOp.Write(key, 10L));
    }
    client.asked = writes;
    add(client, Op.Type.INVOKE, writes, null);
    execute(client);
    add(client, Op.Type.OK, client.done, client.ts);
    client.asked = null;
    client.executed = false;
  }

  private void begin(Client client) {
    client.executed = false;
    client.read = null;
    client.asked = workload == DataModel.BANK ? transfer() : mixed();
    if (replicas && client.asked.stream().allMatch(ObservedMicroOp.Read.class::isInstance)) {
      client.read = ReadMode.values()[random.nextInt(2)];
      client.at = random.nextInt((int) clock + 1);
    }
    add(client, Op.Type.INVOKE, client.asked, null);
  }

  private List<ObservedMicroOp> mixed() {
    var asked = new ArrayList<ObservedMicroOp>();
    boolean readOnly = random.nextInt(3) == 0;
    var written = new HashSet<Long>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      long key = random.nextInt(keys);
      if (readOnly || random.nextBoolean() || !written.add(key)) {
        asked.add(new ObservedMicroOp.Read(key, null));
      } else if (workload == DataModel.LIST_APPEND) {
        asked.add(new ObservedMicroOp.Append(key, nextValue++));
      } else {
        asked.add(new ObservedMicroOp.Write(key, nextValue++));
      }
    }
    return asked;
  }

  private List<ObservedMicroOp> transfer() {
    var asked = new ArrayList<ObservedMicroOp>();
    for (long key = 0; key < keys; key++) {
      asked.add(new ObservedMicroOp.Read(key, null));
    }
    if (random.nextInt(3) != 0) {
      asked.add(new ObservedMicroOp.Write(0L, null));
      asked.add(new ObservedMicroOp.Write(1L, null));
    }
    return asked;
  }

  private void execute(Client client) {
    long ts = ++clock;
    boolean snapshot = client.read == ReadMode.SNAPSHOT;
    client.ts = ts;
    client.done = new ArrayList<>();
    var balances = new HashMap<Object, Long>();
    long amount = random.nextInt(3);
    for (ObservedMicroOp op : client.asked) {
      TreeMap<Long, Object> history =
          versions.computeIfAbsent((Long) op.key(), key -> new TreeMap<>());
      Map.Entry<Long, Object> entry = history.floorEntry(snapshot ? client.at : ts);
      Object now = entry == null ? null : entry.getValue();
      if (op instanceof ObservedMicroOp.Read) {
        Object shown = now == null && workload == DataModel.LIST_APPEND ? List.of() : now;
        client.done.add(new ObservedMicroOp.Read(op.key(), shown));
        balances.put(op.key(), now instanceof Long balance ? balance : null);
      } else if (op instanceof ObservedMicroOp.Append append) {
        var list = new ArrayList<Object>(now == null ? List.of() : (List<?>) now);
        list.add(append.value());
        history.put(ts, List.copyOf(list));
        client.done.add(op);
      } else if (op instanceof ObservedMicroOp.Write write) {
        Long value = write.value();
        if (value == null) {
          value = balances.get(op.key()) + ((Long) op.key() == 0 ? -amount : amount);
        }
        history.put(ts, value);
        client.done.add(new ObservedMicroOp.Write(op.key(), value));
      }
    }
    client.executed = true;
  }

  private void endWithoutEffect(Client client) {
    if (random.nextBoolean()) {
      add(client, Op.Type.FAIL, client.asked, null);
    } else {
      List<ObservedMicroOp> value = client.asked;
      if (workload == DataModel.BANK) {
        value = made(client.asked);
      }
      add(client, Op.Type.INFO, value, random.nextBoolean() ? ++clock : null);
      client.process = nextProcess++;
    }
    client.asked = null;
  }

  /** A transfer that was computed, on whatever was read, and then came to nothing. */
  private List<ObservedMicroOp> made(List<ObservedMicroOp> asked) {
    var value = new ArrayList<ObservedMicroOp>();
    for (ObservedMicroOp op : asked) {
      value.add(
          op instanceof ObservedMicroOp.Write
              ? new ObservedMicroOp.Write(op.key(), (long) random.nextInt(20))
              : op);
    }
    return value;
  }

  private void end(Client client) {
    boolean writes = !client.asked.stream().allMatch(ObservedMicroOp.Read.class::isInstance);
    if (indeterminate && writes && random.nextInt(4) == 0) {
      var value = new ArrayList<ObservedMicroOp>();
      for (ObservedMicroOp op : client.done) {
        value.add(
            op instanceof ObservedMicroOp.Read ? new ObservedMicroOp.Read(op.key(), null) : op);
      }
      add(client, Op.Type.INFO, value, random.nextBoolean() ? client.ts : null);
      client.process = nextProcess++;
    } else {
      add(client, Op.Type.OK, client.done, client.read == ReadMode.SNAPSHOT ? null : client.ts);
    }
    client.asked = null;
    client.executed = false;
  }

  private void add(Client client, Op.Type type, List<ObservedMicroOp> value, Long ts) {
    ClaimedTimestamp at = client.read == ReadMode.SNAPSHOT ? ClaimedTimestamp.of(client.at) : null;
    ops.add(
        new Op(
            ops.size(),
            type,
            client.process,
            ops.size() * 1000L,
            "txn",
            value,
            ts == null ? null : ClaimedTimestamp.of(ts),
            client.read,
            at,
            null));
  }

  /** The ways to spoil a history. */
  enum Fault {
    STALE_READ,
    FUTURE_READ,
    SWAPPED_ELEMENTS,
    LOST_UPDATE,
    SWAPPED_TIMESTAMPS,
    REAL_TIME_INVERSION,
    ABORTED_WRITE,
    SNAPSHOT_AT_ANOTHER_TIME
  }

  /** A history with one fault put in, or null where this history offers no place for it. */
  static History spoil(History history, Fault fault, Random random) {
    var ops = new ArrayList<>(history.ops());
    boolean spoilt =
        switch (fault) {
          case STALE_READ, FUTURE_READ, SWAPPED_ELEMENTS -> changeRead(ops, fault, random);
          case LOST_UPDATE -> loseUpdate(ops, random);
          case SWAPPED_TIMESTAMPS -> swapTimestamps(ops, random);
          case REAL_TIME_INVERSION -> invertRealTime(ops, random);
          case ABORTED_WRITE -> abort(ops, random);
          case SNAPSHOT_AT_ANOTHER_TIME -> moveSnapshot(ops, random);
        };
    return spoilt ? History.of(ops) : null;
  }

  private static boolean changeRead(List<Op> ops, Fault fault, Random random) {
    int i = pick(ops, random, op -> op.type() == Op.Type.OK);
    if (i < 0) {
      return false;
    }
    var value = new ArrayList<>(ops.get(i).value());
    int m = random.nextInt(value.size());
    if (!(value.get(m) instanceof ObservedMicroOp.Read read)) {
      return false;
    }
    Set<Long> others = new HashSet<>();
    for (Op op : ops) {
      for (ObservedMicroOp micro : op.value()) {
        if (micro.key().equals(read.key()) && WitnessChecker.written(micro) != null) {
          others.add(WitnessChecker.written(micro));
        }
      }
    }
    Object result;
    if (read.result() instanceof List<?>) {
      var list = new ArrayList<>(read.list());
      others.removeAll(list);
      if (fault == Fault.FUTURE_READ && !others.isEmpty()) {
        list.add(others.iterator().next());
      } else if (fault == Fault.STALE_READ && !list.isEmpty()) {
        list.remove(list.size() - 1);
      } else if (fault == Fault.SWAPPED_ELEMENTS && list.size() > 1) {
        list.add(list.remove(0));
      } else {
        return false;
      }
      result = List.copyOf(list);
    } else {
      if (read.result() != null) {
        others.remove((Long) read.result());
      }
      if (fault == Fault.SWAPPED_ELEMENTS || others.isEmpty()) {
        return false;
      }
      var choice = new ArrayList<>(others);
      result = choice.get(random.nextInt(choice.size()));
    }
    value.set(m, new ObservedMicroOp.Read(read.key(), result));
    ops.set(i, withValue(ops.get(i), value));
    return true;
  }

  private static boolean loseUpdate(List<Op> ops, Random random) {
    int i =
        pick(
            ops,
            random,
            op -> op.type() == Op.Type.OK && op.value().get(0) instanceof ObservedMicroOp.Append);
    if (i < 0) {
      return false;
    }
    var lost = (ObservedMicroOp.Append) ops.get(i).value().get(0);
    boolean changed = false;
    for (int j = 0; j < ops.size(); j++) {
      var value = new ArrayList<>(ops.get(j).value());
      for (int m = 0; m < value.size(); m++) {
        if (value.get(m) instanceof ObservedMicroOp.Read read
            && read.key().equals(lost.key())
            && read.list().contains(lost.value())) {
          var list = new ArrayList<>(read.list());
          list.remove(lost.value());
          value.set(m, new ObservedMicroOp.Read(read.key(), List.copyOf(list)));
          changed = true;
        }
      }
      ops.set(j, withValue(ops.get(j), value));
    }
    return changed;
  }

  private static boolean swapTimestamps(List<Op> ops, Random random) {
    int i = pick(ops, random, op -> op.ts() != null);
    int j = pick(ops, random, op -> op.ts() != null);
    if (i < 0 || i == j) {
      return false;
    }
    ClaimedTimestamp ts = ops.get(i).ts();
    ops.set(i, withTs(ops.get(i), ops.get(j).ts()));
    ops.set(j, withTs(ops.get(j), ts));
    return true;
  }

  /** Moves a transaction behind the end of one that its timestamp precedes. */
  private static boolean invertRealTime(List<Op> ops, Random random) {
    int u = pick(ops, random, op -> op.type() == Op.Type.OK && op.ts() != null);
    if (u < 0) {
      return false;
    }
    Op end = ops.get(u);
    int t =
        pick(
            ops,
            random,
            op ->
                op.type() == Op.Type.OK
                    && op.ts() != null
                    && op.process() != end.process()
                    && op.ts().compareTo(end.ts()) < 0);
    if (t < 0
        || ops.subList(t + 1, Math.max(t + 1, u)).stream()
            .anyMatch(op -> op.process() == ops.get(t).process())) {
      return false;
    }
    Op completion = ops.get(t);
    int i = t - 1;
    while (ops.get(i).process() != completion.process()) {
      i--;
    }
    Op invoke = ops.get(i);
    ops.remove(completion);
    ops.remove(invoke);
    ops.addAll(ops.indexOf(end) + 1, List.of(invoke, completion));
    for (int j = 0; j < ops.size(); j++) {
      ops.set(j, at(ops.get(j), j, j * 1000L));
    }
    return t < u;
  }

  private static boolean abort(List<Op> ops, Random random) {
    int i = pick(ops, random, op -> op.type() == Op.Type.OK && op.read() == null);
    if (i < 0) {
      return false;
    }
    Op op = ops.get(i);
    ops.set(
        i,
        new Op(
            op.index(),
            Op.Type.FAIL,
            op.process(),
            op.time(),
            "txn",
            op.value(),
            null,
            null,
            null,
            null));
    return true;
  }

  private static boolean moveSnapshot(List<Op> ops, Random random) {
    int i = pick(ops, random, op -> op.type() == Op.Type.OK && op.at() != null);
    if (i < 0) {
      return false;
    }
    ClaimedTimestamp at = ClaimedTimestamp.of(random.nextInt(ops.size()));
    boolean changed = !at.equals(ops.get(i).at());
    for (int j = i; j >= 0; j--) {
      Op op = ops.get(j);
      if (op.process() == ops.get(i).process() && (j == i || op.type() == Op.Type.INVOKE)) {
        ops.set(
            j,
            new Op(
                op.index(),
                op.type(),
                op.process(),
                op.time(),
                "txn",
                op.value(),
                op.ts(),
                op.read(),
                at,
                null));
        if (j < i) {
          break;
        }
      }
    }
    return changed;
  }

  private static int pick(List<Op> ops, Random random, java.util.function.Predicate<Op> wanted) {
    int[] fitting =
        java.util.stream.IntStream.range(0, ops.size())
            .filter(i -> wanted.test(ops.get(i)))
            .toArray();
    return fitting.length == 0 ? -1 : fitting[random.nextInt(fitting.length)];
  }

  private static Op withValue(Op op, List<ObservedMicroOp> value) {
    return new Op(
        op.index(),
        op.type(),
        op.process(),
        op.time(),
        op.f(),
        value,
        op.ts(),
        op.read(),
        op.at(),
        op.error());
  }

  private static Op withTs(Op op, ClaimedTimestamp ts) {
    return new Op(
        op.index(),
        op.type(),
        op.process(),
        op.time(),
        op.f(),
        op.value(),
        ts,
        op.read(),
        op.at(),
        op.error());
  }

  private static Op at(Op op, long index, long time) {
    return new Op(
        index,
        op.type(),
        op.process(),
        time,
        op.f(),
        op.value(),
        op.ts(),
        op.read(),
        op.at(),
        op.error());
  }
}
