package dev.plumbline.scratch;

import java.util.concurrent.CountDownLatch;

/** A started process that ends with this one. */
public final class Companion implements AutoCloseable {
  /** A process that a signal ended has its number and this for an exit code. */
  private static final int SIGNALS = 128;

  /** The last signal that ends programs in practice. */
  private static final int SIGTERM = 15;

  /** Within it a signal to a group of processes has reached all of them. */
  private static final long MOMENT_MILLIS = 300;

  private final Process process;
  private final Thread hook;

  public Companion(Process process) {
    this.process = process;
    hook = new Thread(process::destroyForcibly);
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException e) {
      process.destroyForcibly();
    }
  }

  /**
   * Ends the process, if it still runs. Who ends this process may end that one a moment before it:
   * what it did not say is no outcome then, and this does not return.
   */
  @Override
  public void close() {
    try {
      if (!process.isAlive() && killed(process.exitValue())) {
        Thread.sleep(MOMENT_MILLIS);
      }
      process.destroyForcibly();
      if (!going()) {
        new CountDownLatch(1).await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean going() {
    try {
      return Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return false;
    }
  }

  private static boolean killed(int code) {
    return code > SIGNALS && code <= SIGNALS + SIGTERM;
  }
}
