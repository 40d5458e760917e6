package dev.plumbline.metric.node;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.plumbline.machine.Message;
import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.MetricMessage;
import dev.plumbline.metric.Stamp;
import dev.plumbline.metric.StoreClient;
import dev.plumbline.metric.Value;
import dev.plumbline.metric.node.EntryLock.Asked;
import dev.plumbline.node.CassandraSession;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.node.Outside;
import dev.plumbline.node.RefusedFrame;
import dev.plumbline.node.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entry-consistent store on Cassandra: what the lock service and the replicas are elsewhere, as
 * one Metric process reaches it. To the process's client of the store it is one replica, whose
 * answers are a quorum's.
 *
 * <p>A lock is a row, and each change of it a lightweight transaction. Nobody watches over leases
 * but those who wait. A process writes that it lives, and a beat for each lock that it holds. Who
 * sees one of the two stand still for a lease takes the lock away, and who sees that the holder
 * began another life since, at once.
 *
 * <p>Gets and puts are quorum reads and writes. Cassandra orders writes by one number, and its
 * replicas refuse nobody. So a write's number is its lock reference with a count (repair {@code
 * refStamp}), and whatever had its quorum looks at the lock once more, by a serial read, before it
 * is answered (repair {@code look} of {@code EntryConsistency}; switched off with {@code fence},
 * which it stands for).
 */
class CassandraEntries implements Outside {
  private static final Logger LOG = LoggerFactory.getLogger(CassandraEntries.class);

  /** A reference has so many writes, as bits. */
  private static final int COUNT_BITS = 20;

  private static final long MOST_COUNT = (1L << COUNT_BITS) - 1;
  private static final long MOST_REFERENCE = Long.MAX_VALUE >> COUNT_BITS;

  /** Beats go when nobody can be waiting for them any more; seconds. */
  private static final int BEATS_LAST = 86_400;

  private static final long CLOSE_MILLIS = 1_000;

  private final MetricConfig config;
  private final String client;
  private final Answers answers;
  private final CassandraSession place;
  private final CqlSession cql;
  private final ExecutorService locks = daemon(1);
  private final ExecutorService entries = daemon(2);
  private final ExecutorService beats = daemon(1);
  private final Set<Object> running = ConcurrentHashMap.newKeySet();

  /** Of locks, by key and reference. */
  private final Beats seen;

  /** Of processes, by name and epoch. */
  private final Beats lives;

  private final AtomicLong lived = new AtomicLong();
  private volatile boolean closed;
  private final PreparedStatement readLock;
  private final PreparedStatement replaceLock;
  private final PreparedStatement readEntry;
  private final PreparedStatement writeEntry;
  private final PreparedStatement readBeat;
  private final PreparedStatement writeBeat;
  private final PreparedStatement readLife;
  private final PreparedStatement writeLife;

  /** The node's; connects and makes the tables. */
  static CassandraEntries open(
      NodeConfig.Cassandra at, String client, MetricConfig config, Answers answers)
      throws IOException {
    return new CassandraEntries(CassandraSession.open(at), client, config, answers);
  }

  CassandraEntries(CassandraSession place, String client, MetricConfig config, Answers answers)
      throws IOException {
    this.place = place;
    this.client = client;
    this.config = config;
    this.answers = answers;
    seen = new Beats(TimeUnit.MICROSECONDS.toNanos(config.leaseMicros()));
    lives = new Beats(TimeUnit.MICROSECONDS.toNanos(config.leaseMicros()));
    lived.set(System.nanoTime() - heartbeat());
    cql = place.cql();
    try {
      place.createTable(
          "locks",
          "(key text PRIMARY KEY, version bigint, last bigint, holder text, request bigint,"
              + " forced boolean, waiting frozen<list<text>>, requests frozen<list<bigint>>)");
      place.createTable("kept", "(key text PRIMARY KEY, value blob)");
      place.createTable(
          "beats", "(key text, reference bigint, beat bigint, PRIMARY KEY ((key, reference)))");
      place.createTable(
          "lives", "(client text, epoch bigint, beat bigint, PRIMARY KEY (client, epoch))");
      place.warnOfLateSyncs(client);
      readLock =
          cql.prepare(
              "SELECT version, last, holder, request, forced, waiting, requests FROM "
                  + place.table("locks")
                  + " WHERE key = ?");
      replaceLock = cql.prepare(replaceLock(place.table("locks")));
      readEntry =
          cql.prepare(
              "SELECT value, writetime(value) FROM " + place.table("kept") + " WHERE key = ?");
      writeEntry = cql.prepare(writeEntry(place.table("kept")));
      readBeat =
          cql.prepare(
              "SELECT beat FROM " + place.table("beats") + " WHERE key = ? AND reference = ?");
      writeBeat =
          cql.prepare(
              "UPDATE "
                  + place.table("beats")
                  + " USING TTL "
                  + BEATS_LAST
                  + " AND TIMESTAMP ? SET beat = ? WHERE key = ? AND reference = ?");
      readLife =
          cql.prepare(
              "SELECT epoch, beat FROM "
                  + place.table("lives")
                  + " WHERE client = ? ORDER BY epoch DESC LIMIT 1");
      writeLife =
          cql.prepare(
              "UPDATE "
                  + place.table("lives")
                  + " USING TTL "
                  + BEATS_LAST
                  + " AND TIMESTAMP ? SET beat = ? WHERE client = ? AND epoch = ?");
    } catch (DriverException e) {
      place.close();
      throw place.unusable(e);
    } catch (RuntimeException e) {
      place.close();
      throw e;
    }
  }

  /** Takes effect if nobody has replaced the lock since it was read. */
  protected String replaceLock(String table) {
    return "UPDATE "
        + table
        + " SET version = :next, last = :last, holder = :holder, request = :request,"
        + " forced = :forced, waiting = :waiting, requests = :requests"
        + " WHERE key = :key IF version = :version";
  }

  protected String writeEntry(String table) {
    return "UPDATE " + table + " USING TIMESTAMP :stamp SET value = :value WHERE key = :key";
  }

  private static ExecutorService daemon(int threads) {
    return Executors.newFixedThreadPool(
        threads,
        task -> {
          Thread thread = new Thread(task, "store");
          thread.setDaemon(true);
          return thread;
        });
  }

  @Override
  public void take(String role, Message message) {
    if (message instanceof MetricMessage.Acquire acquire) {
      run(locks, message, () -> acquire(role, acquire));
    } else if (message instanceof MetricMessage.Release release) {
      run(locks, message, () -> release(role, release));
    } else if (message instanceof MetricMessage.Renew renew) {
      run(beats, message, () -> renew(role, renew));
    } else if (message instanceof MetricMessage.Put put) {
      run(entries, put.operation(), () -> put(role, put));
    } else if (message instanceof MetricMessage.Get get) {
      run(entries, get.operation(), () -> get(role, get));
    } else {
      throw new IllegalArgumentException("nobody sends a store " + message);
    }
  }

  /** Does it, unless it is being done already; what fails is asked for again. */
  private void run(ExecutorService thread, Object what, Runnable task) {
    if (!running.add(what)) {
      return;
    }
    try {
      thread.execute(
          () -> {
            try {
              task.run();
            } catch (DriverException e) {
              LOG.debug("{}: {} came to nothing", client, what, place.unusable(e));
            } catch (RuntimeException e) {
              if (!closed) {
                LOG.error("{}: a bug at {}", client, what, e);
              }
            } finally {
              running.remove(what);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("{}: closed", client);
    }
  }

  // ---- locks -----------------------------------------------------------------------------------

  private void acquire(String role, MetricMessage.Acquire acquire) {
    live(acquire.request());
    Asked me = new Asked(client, acquire.request());
    EntryLock lock = replaced(acquire.key(), l -> l.askedBy(me));
    if (!me.equals(lock.holder()) && lapsed(acquire.key(), lock)) {
      long reference = lock.last();
      lock = replaced(acquire.key(), l -> l.held() == reference ? l.freed(true) : l);
    }
    if (me.equals(lock.holder())) {
      seen.forget(acquire.key());
      answers.answer(
          role,
          new MetricMessage.Granted(acquire.key(), acquire.request(), lock.last(), lock.forced()));
    }
  }

  private void release(String role, MetricMessage.Release release) {
    Asked me = new Asked(client, release.request());
    replaced(release.key(), l -> l.leftBy(me, release.clean()));
    answers.answer(role, new MetricMessage.Released(release.key(), release.request()));
  }

  /** Whether another's lock may be taken away: it is not renewed, or its holder lives no more. */
  private boolean lapsed(String key, EntryLock lock) {
    long begun = System.nanoTime();
    Row row = cql.execute(readBeat.bind(key, lock.last())).one();
    boolean left = seen.lapsed(key, lock.last(), beat(row), begun, System.nanoTime());
    String holder = lock.holder().client();
    long epoch = StoreClient.epoch(lock.holder().request());
    begun = System.nanoTime();
    row = cql.execute(readLife.bind(holder)).one();
    boolean silent = lives.lapsed(holder, epoch, beat(row), begun, System.nanoTime());
    return left || silent || row != null && row.getLong("epoch") > epoch;
  }

  private static Long beat(Row row) {
    return row == null || row.isNull("beat") ? null : (Long) row.getLong("beat");
  }

  /** The number that orders signs of life: of a clock that nobody sets. */
  private static long ordered(long nanos) {
    return TimeUnit.NANOSECONDS.toMicros(nanos);
  }

  private long heartbeat() {
    return TimeUnit.MICROSECONDS.toNanos(config.heartbeatMicros());
  }

  /** Says, once a heartbeat, that the life lasts in which something is asked for. */
  private void live(long request) {
    long now = System.nanoTime();
    if (now - lived.get() >= heartbeat()) {
      cql.execute(writeLife.bind(ordered(now), now, client, StoreClient.epoch(request)));
      lived.set(now);
    }
  }

  private void renew(String role, MetricMessage.Renew renew) {
    live(renew.request());
    EntryLock lock = read(renew.key(), ConsistencyLevel.QUORUM);
    Asked me = new Asked(client, renew.request());
    if (!me.equals(lock.holder())) {
      answers.answer(role, new MetricMessage.Released(renew.key(), renew.request()));
      return;
    }
    long beat = System.nanoTime();
    cql.execute(writeBeat.bind(ordered(beat), beat, renew.key(), lock.last()));
    if (!lock.waiting().isEmpty()) {
      answers.answer(role, new MetricMessage.Wanted(renew.key(), renew.request()));
    }
  }

  private interface Change {
    EntryLock of(EntryLock lock);
  }

  /** The lock once it is what this makes of it, whatever others do meanwhile. */
  private EntryLock replaced(String key, Change change) {
    while (true) {
      EntryLock before = read(key, ConsistencyLevel.SERIAL);
      EntryLock after = change.of(before);
      if (after.equals(before)) {
        return before;
      }
      EntryLock next = after.next();
      if (replace(key, before, next)) {
        return next;
      }
    }
  }

  /** Whether the lock is the next one now. */
  boolean replace(String key, EntryLock before, EntryLock next) {
    List<String> waiting = new ArrayList<>();
    List<Long> requests = new ArrayList<>();
    next.waiting()
        .forEach(
            w -> {
              waiting.add(w.client());
              requests.add(w.request());
            });
    var bound =
        replaceLock
            .boundStatementBuilder()
            .setLong("next", next.version())
            .setLong("last", next.last())
            .setBoolean("forced", next.forced())
            .setList("waiting", waiting, String.class)
            .setList("requests", requests, Long.class)
            .setString("key", key);
    if (next.holder() == null) {
      bound = bound.setToNull("holder").setToNull("request");
    } else {
      bound =
          bound
              .setString("holder", next.holder().client())
              .setLong("request", next.holder().request());
    }
    if (replaceLock.getVariableDefinitions().contains("version")) {
      bound =
          before.version() == 0
              ? bound.setToNull("version")
              : bound.setLong("version", before.version());
    }
    return cql.execute(bound.build()).wasApplied();
  }

  private EntryLock read(String key, ConsistencyLevel level) {
    Row row = cql.execute(readLock.bind(key).setConsistencyLevel(level)).one();
    if (row == null) {
      return EntryLock.FREE;
    }
    List<Asked> waiting = new ArrayList<>();
    List<String> clients = row.getList("waiting", String.class);
    List<Long> requests = row.getList("requests", Long.class);
    for (int i = 0; i < clients.size(); i++) {
      waiting.add(new Asked(clients.get(i), requests.get(i)));
    }
    return new EntryLock(
        row.getLong("version"),
        row.getLong("last"),
        row.isNull("holder") ? null : new Asked(row.getString("holder"), row.getLong("request")),
        row.getBoolean("forced"),
        waiting);
  }

  // ---- entries ---------------------------------------------------------------------------------

  private void put(String role, MetricMessage.Put put) {
    if (!hasRoom(put.stamp())) {
      refuse(role, put.key(), put.operation());
      return;
    }
    cql.execute(bound(put));
    answer(
        role,
        put.reference(),
        new MetricMessage.Stored(put.key(), put.operation()),
        put.operation());
  }

  private BoundStatement bound(MetricMessage.Put put) {
    var bound =
        writeEntry
            .boundStatementBuilder()
            .setByteBuffer("value", ByteBuffer.wrap(Wire.record(put.value())))
            .setString("key", put.key());
    return (writeEntry.getVariableDefinitions().contains("stamp")
            ? bound.setLong("stamp", number(put.stamp()))
            : bound)
        .build();
  }

  private void get(String role, MetricMessage.Get get) {
    Row row = cql.execute(readEntry.bind(get.key())).one();
    MetricMessage.Newest newest =
        row == null || row.isNull(0)
            ? new MetricMessage.Newest(get.key(), get.operation(), Stamp.ZERO, Value.NONE)
            : new MetricMessage.Newest(
                get.key(), get.operation(), stamp(row.getLong(1)), value(row));
    answer(role, get.reference(), newest, get.operation());
  }

  private Value value(Row row) {
    try {
      return (Value) Wire.record(CassandraSession.bytes(row.getByteBuffer(0)));
    } catch (RefusedFrame e) {
      throw new IllegalStateException("an entry that is none of this program's", e);
    }
  }

  /** What had its quorum is answered if the lock still is the operation's. */
  private void answer(String role, long reference, MetricMessage done, long operation) {
    boolean looks = reference != 0 && config.repaired(MetricConfig.FENCE);
    if (looks && read(done.key(), ConsistencyLevel.SERIAL).held() != reference) {
      refuse(role, done.key(), operation);
    } else {
      answers.answer(role, done);
    }
  }

  private void refuse(String role, String key, long operation) {
    answers.answer(role, new MetricMessage.Refused(key, operation, Long.MAX_VALUE));
  }

  private boolean counts() {
    return config.repaired(MetricConfig.REF_STAMP);
  }

  /** Whether a write's number stays in its reference's place (METRIC-F16). */
  private boolean hasRoom(Stamp stamp) {
    return !counts() || stamp.second() <= MOST_COUNT && stamp.first() <= MOST_REFERENCE;
  }

  /** The one number that Cassandra orders a write by. */
  protected long number(Stamp stamp) {
    return counts() ? (stamp.first() << COUNT_BITS) + stamp.second() : stamp.first();
  }

  private Stamp stamp(long number) {
    return counts() ? new Stamp(number >> COUNT_BITS, number & MOST_COUNT) : new Stamp(number, 0);
  }

  @Override
  public void close() {
    closed = true;
    List<ExecutorService> all = List.of(locks, entries, beats);
    all.forEach(ExecutorService::shutdown);
    try {
      for (ExecutorService each : all) {
        each.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    place.close();
  }
}
