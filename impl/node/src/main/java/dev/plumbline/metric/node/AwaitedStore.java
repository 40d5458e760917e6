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
      LOG.warn("{}: the store does not answer, and is asked again: {}", node, awaited.why);
      awaited.opened.whenComplete((there, wrong) -> awaited.said(wrong));
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
    } catch (IOException | RuntimeException e) {
      opened.completeExceptionally(e);
    }
  }

  private void said(Throwable wrong) {
    if (wrong == null) {
      LOG.info("{}: the store answers", node);
    } else {
      LOG.error("{}: the store cannot be used", node, wrong);
    }
  }

  private boolean reached() throws IOException {
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
