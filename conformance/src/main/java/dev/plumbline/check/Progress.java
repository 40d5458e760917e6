package dev.plumbline.check;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/** One line that says how far the run is and how long it will take; on a terminal rewritten. */
public final class Progress {
  private static final long PLAIN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final PrintStream out;
  private final boolean terminal;
  private String what = "";
  private int all;
  private int done;
  private long start = System.nanoTime();
  private long printed = start;

  public Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** A line that stays. */
  public synchronized void say(String line) {
    erase();
    out.println("  " + line);
  }

  /** A line that the next one replaces; not on a terminal, one in a while. */
  public synchronized void show(String line) {
    long now = System.nanoTime();
    if (terminal) {
      erase();
      out.print("  " + line);
      out.flush();
    } else if (now - printed > PLAIN_EVERY_NANOS) {
      printed = now;
      out.println("  " + line);
    }
  }

  /** From here on so many are to be done. */
  public synchronized void begin(String name, int count, String unit) {
    what = name;
    all = count;
    done = 0;
    start = System.nanoTime();
    printed = start;
    if (count > 0) {
      say(name + ": " + count + " " + unit);
    }
  }

  public synchronized void one() {
    upTo(done + 1);
  }

  /** So many are done by now. */
  public synchronized void upTo(int count) {
    if (count > done) {
      done = count;
      if (all < done) {
        return;
      }
      long left = TimeUnit.NANOSECONDS.toSeconds((System.nanoTime() - start) / done * (all - done));
      show("%s: %d of %d, about %dm%02ds left".formatted(what, done, all, left / 60, left % 60));
    }
  }

  public synchronized void end() {
    erase();
    out.flush();
  }

  private void erase() {
    if (terminal) {
      out.print("\r\033[K");
    }
  }
}
