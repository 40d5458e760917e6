package dev.plumbline.metric.sql.log;

import dev.plumbline.metric.MetricRequest;
import dev.plumbline.metric.MetricResponse;
import dev.plumbline.metric.Position;
import dev.plumbline.metric.sql.log.Nack.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The Metric process that a node runs, or another runtime of its machine. A transaction has a
 * connection of its own from its first word to its last, since the process tells leaders apart by
 * their connections.
 */
public final class NodeProcess implements MetricProcess {
  /** What fits a request beside its other parts. */
  private static final int PIECE = 180_000;

  /** A process that fails at once is not to be asked as fast as it answers. */
  private static final long PAUSE_MILLIS = 50;

  private static final String NO_TRANSACTION = "";

  private final Links links;
  private final Duration patience;
  private final Duration lease;
  private final Map<String, Talk> talks = new ConcurrentHashMap<>();
  private final Deque<Link> idle = new ArrayDeque<>();
  private boolean closed;

  /** A connection to the process. */
  public interface Link extends AutoCloseable {

    /**
     * Asks for something and waits for the answer. Called by one thread at a time.
     *
     * @throws IOException if there is no answer in time
     */
    Record ask(Record request, Duration patience) throws IOException;

    /** Whether more may be asked. */
    boolean isOpen();

    @Override
    void close();
  }

  /** Makes connections. */
  @FunctionalInterface
  public interface Links {
    Link open() throws IOException;
  }

  /** What one transaction says and hears. */
  private static final class Talk {
    private final Link link;
    private final ReentrantLock busy = new ReentrantLock();
    private boolean owns;
    private volatile boolean stopped;

    private Talk(Link link) {
      this.link = link;
    }
  }

  /**
   * @param patience how long an answer is waited for
   * @param lease after how long without a word of it the process gives a transaction up
   */
  public NodeProcess(Links links, Duration patience, Duration lease) {
    this.links = links;
    this.patience = patience;
    this.lease = lease;
  }

  private Link take() throws Nack {
    synchronized (idle) {
      while (!idle.isEmpty()) {
        Link link = idle.pop();
        if (link.isOpen()) {
          return link;
        }
        link.close();
      }
    }
    try {
      return links.open();
    } catch (IOException e) {
      throw away(e);
    }
  }

  private void putBack(Link link) {
    synchronized (idle) {
      if (closed) {
        link.close();
      } else {
        idle.push(link);
      }
    }
  }

  private static Nack away(IOException e) {
    return new Nack(
        Kind.AWAY, "the Metric process of this site does not answer: " + e.getMessage());
  }

  private static Nack refused(Record answer) {
    if (answer instanceof MetricResponse.Failed failed) {
      return new Nack(Kind.LOST, failed.why());
    } else if (answer instanceof MetricResponse.Unknown unknown) {
      return new Nack(Kind.UNKNOWN, unknown.why());
    } else if (answer instanceof MetricResponse.Refused refused) {
      return new Nack(Kind.REFUSED, refused.why());
    }
    return new Nack(Kind.REFUSED, "the Metric process has answered " + answer);
  }

  private Record ask(Talk talk, MetricRequest request) throws Nack {
    talk.busy.lock();
    try {
      return talk.link.ask((Record) request, patience);
    } catch (IOException e) {
      throw away(e);
    } finally {
      talk.busy.unlock();
    }
  }

  private Talk talk(String transaction) throws Nack {
    Talk talk = talks.get(transaction);
    if (talk == null) {
      throw new Nack(Kind.LOST, "the transaction owns nothing");
    }
    return talk;
  }

  @Override
  public void own(String transaction, Set<String> tables) throws Nack {
    Talk talk = talks.get(transaction);
    if (talk == null) {
      talk = new Talk(take());
      talks.put(transaction, talk);
    }
    MetricRequest own =
        new MetricRequest.Own(
            transaction, !talk.owns, lease.toNanos() / 1_000, new TreeSet<>(tables));
    long end = System.nanoTime() + patience.toNanos();
    Record answer = ask(talk, own);
    // Who has nothing yet loses nothing by asking again.
    while (!talk.owns
        && !talk.stopped
        && answer instanceof MetricResponse.Failed
        && System.nanoTime() + PAUSE_MILLIS * 1_000_000 < end) {
      pause();
      answer = ask(talk, own);
    }
    if (!(answer instanceof MetricResponse.Ok)) {
      throw refused(answer);
    }
    talk.owns = true;
  }

  private static void pause() throws Nack {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Nack(Kind.LOST, "interrupted while waiting for tables");
    }
  }

  @Override
  public Lacking since(String transaction, Map<String, Position> positions) throws Nack {
    return lacking(
        ask(talk(transaction), new MetricRequest.Since(transaction, new TreeMap<>(positions))));
  }

  @Override
  public Lacking since(Map<String, Position> positions) throws Nack {
    Link link = take();
    Record answer;
    try {
      answer =
          ask(new Talk(link), new MetricRequest.Since(NO_TRANSACTION, new TreeMap<>(positions)));
    } catch (Nack e) {
      link.close();
      throw e;
    }
    putBack(link);
    return lacking(answer);
  }

  private static Lacking lacking(Record answer) throws Nack {
    if (!(answer instanceof MetricResponse.Lacking lacking)) {
      throw refused(answer);
    }
    List<Logged> records = new ArrayList<>();
    try {
      for (MetricResponse.Missing missing : lacking.records()) {
        records.add(new Logged(missing.tables(), Base64.getDecoder().decode(missing.redo())));
      }
    } catch (IllegalArgumentException e) {
      throw new Nack(Kind.REFUSED, "a record of the redo log is no text of ours");
    }
    return new Lacking(records, lacking.more());
  }

  @Override
  public Position append(String transaction, Set<String> changed, byte[] entry) throws Nack {
    Talk talk = talk(transaction);
    String text = Base64.getEncoder().encodeToString(entry);
    for (int i = 0; ; i += PIECE) {
      boolean last = i + PIECE >= text.length();
      String piece = text.substring(i, last ? text.length() : i + PIECE);
      Record answer;
      try {
        answer =
            ask(talk, new MetricRequest.Append(transaction, new TreeSet<>(changed), piece, last));
      } catch (Nack e) {
        throw last ? new Nack(Kind.UNKNOWN, e.getMessage()) : e;
      }
      if (answer instanceof MetricResponse.Appended appended) {
        return appended.at();
      } else if (last || !(answer instanceof MetricResponse.Ok)) {
        throw refused(answer);
      }
    }
  }

  @Override
  public void confirm(String transaction) throws Nack {
    Record answer = ask(talk(transaction), new MetricRequest.Confirm(transaction));
    if (!(answer instanceof MetricResponse.Ok)) {
      throw refused(answer);
    }
  }

  @Override
  public void stop(String transaction) {
    Talk talk = talks.get(transaction);
    if (talk != null) {
      talk.stopped = true;
    }
  }

  @Override
  public void keep(String transaction) {
    Talk talk = talks.get(transaction);
    if (talk == null || !talk.busy.tryLock()) {
      return;
    }
    try {
      // What the transaction asks next will tell whether it has been given up.
      Record answer = ask(talk, new MetricRequest.Keep(transaction));
      assert answer != null;
    } catch (Nack e) {
      // What the transaction asks next will tell.
    } finally {
      talk.busy.unlock();
    }
  }

  @Override
  public void release(String transaction) {
    Talk talk = talks.remove(transaction);
    if (talk != null) {
      try {
        Record answer = ask(talk, new MetricRequest.Release(transaction));
        if (answer instanceof MetricResponse.Ok) {
          putBack(talk.link);
          return;
        }
      } catch (Nack e) {
        // The process gives the transaction up when its lease is over.
      }
      talk.link.close();
    }
  }

  @Override
  public void close() {
    synchronized (idle) {
      closed = true;
      idle.forEach(Link::close);
      idle.clear();
    }
    talks.values().forEach(talk -> talk.link.close());
  }
}
