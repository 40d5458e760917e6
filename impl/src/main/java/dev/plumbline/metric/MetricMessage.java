package dev.plumbline.metric;

import dev.plumbline.machine.Message;

/** What Metric processes, the lock service and replicas send each other. */
public sealed interface MetricMessage extends Message {
  String key();

  /**
   * acquireLock; sent again until it is answered.
   *
   * @param request names the critical section among all of this client's, and grows
   * @param atStake whether a transaction that has used tables is lost if the wait comes to nothing
   */
  record Acquire(String key, long request, boolean atStake) implements MetricMessage {}

  /**
   * releaseLock; sent again until it is answered. It ends a wait for the lock, too.
   *
   * @param reference under which the client had the lock, 0 if it was never told one
   * @param clean whether nothing was in progress, and the key is synchronized
   */
  record Release(String key, long request, long reference, boolean clean)
      implements MetricMessage {}

  /** A heartbeat of a lock's holder. */
  record Renew(String key, long request) implements MetricMessage {}

  /**
   * The lock is the client's.
   *
   * @param reference what no other critical section of the key has
   * @param forced whether the lock was taken from somebody, and nobody let go of it in peace since
   */
  record Granted(String key, long request, long reference, boolean forced)
      implements MetricMessage {}

  /** The lock is not the client's (any more). */
  record Released(String key, long request) implements MetricMessage {}

  /** Somebody waits for the lock that the client holds. */
  record Wanted(String key, long request) implements MetricMessage {}

  /** Who waits so for the lock waits for itself, around a circle: it is to give up. */
  record Deadlock(String key, long request) implements MetricMessage {}

  /** A write. */
  record Put(String key, long operation, long reference, Stamp stamp, Value value)
      implements MetricMessage {}

  /** It is stored. */
  record Stored(String key, long operation) implements MetricMessage {}

  /**
   * A read.
   *
   * @param reference the lock reference, 0 for a read without a lock (getQuorum)
   * @param promise whether smaller references shall be refused from now on (repair {@code fence})
   */
  record Get(String key, long operation, long reference, boolean promise)
      implements MetricMessage {}

  /** The newest write that a replica has. */
  record Newest(String key, long operation, Stamp stamp, Value value) implements MetricMessage {}

  /** A higher reference was promised. */
  record Refused(String key, long operation, long promised) implements MetricMessage {}
}
