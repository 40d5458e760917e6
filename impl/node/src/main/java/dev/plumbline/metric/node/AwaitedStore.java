package dev.plumbline.metric.node;

import dev.plumbline.machine.Message;
import dev.plumbline.node.CassandraSession;
import dev.plumbline.node.Outside;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store that may not answer when a process starts: too few of its nodes are there. What is sent
 * to it until then is lost, as messages may be.
 */
final class AwaitedStore implements Outside {
  private static final Logger LOG = LoggerFactory.getLogger(AwaitedStore.class);

  /** For so long a process that starts waits. */
  private static final long FIRST_MILLIS = 3_000;

  private static final long PAUSE_MILLIS = 500;

  private final String node;
  private final Opening opening;
  private final CompletableFuture<Outside> opened = new CompletableFuture<>();
  private volatile Outside store;
  private volatile String why = "it takes its time";
  private volatile boolean closed;
  private boolean started;
  private Exception wrong;

  /** How the store is reached. */
  interface Opening {
    /**
     * Reaches it.
     *
     * @throws CassandraSession.Silent if it does not answer
     */
    Outside open() throws IOException;
  }

  private AwaitedStore(String node, Opening opening) {
    this.node = node;
    this.opening = opening;
  }

  /**
   * The store, or what waits for it.
   *
   * @throws IOException if what is there is not the store
   */
  static Outside of(String node, Opening opening) throws IOException {
    AwaitedStore awaited = new AwaitedStore(node, opening);
    Thread thread = new Thread(awaited::reach, "store");
    thread.setDaemon(true);
    thread.start();
    try {
      awaited.opened.get(FIRST_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      awaited.goOn();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      awaited.close();
      throw new IOException("interrupted", e);
    }
    return awaited;
  }

  private void reach() {
    try {
      while (!closed && !reached()) {
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The process starts without the store, which is asked again from now on, whatever is wrong. */
  private synchronized void goOn() throws IOException {
    if (wrong != null) {
      throw new IOException(wrong.getMessage(), wrong);
    }
    started = true;
    LOG.warn("{}: the store does not answer, and is asked again: {}", node, why);
    opened.thenRun(() -> LOG.info("{}: the store answers", node));
  }

  /** Whether that is the end of it. */
  private synchronized boolean failed(Exception e) {
    if (!started) {
      wrong = e;
      opened.completeExceptionally(e);
    } else if (!String.valueOf(e.getMessage()).equals(why)) {
      why = String.valueOf(e.getMessage());
      LOG.error("{}: the store cannot be used, and is asked again", node, e);
    }
    return !started;
  }

  private boolean reached() {
    try {
      Outside there = opening.open();
      synchronized (this) {
        store = there;
        if (closed) {
          there.close();
        }
      }
      opened.complete(there);
      return true;
    } catch (CassandraSession.Silent e) {
      why = e.getMessage();
      return false;
    } catch (IOException | RuntimeException e) {
      return failed(e);
    }
  }

  @Override
  public void take(String role, Message message) {
    Outside there = store;
    if (there != null) {
      there.take(role, message);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (store != null) {
      store.close();
    }
  }
}
