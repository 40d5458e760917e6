package dev.plumbline.mutate;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/** One line that says how far the run is and how long it will take; on a terminal rewritten. */
final class Progress {
  private static final long PLAIN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final PrintStream out;
  private final boolean terminal;
  private String what = "";
  private int all;
  private int done;
  private long start;
  private long printed;

  Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  synchronized void say(String line) {
    erase();
    out.println("  " + line);
  }

  synchronized void begin(String name, int count, String unit) {
    what = name;
    all = count;
    done = 0;
    start = System.nanoTime();
    printed = start;
    if (count > 0) {
      say(name + ": " + count + " " + unit);
    }
  }

  synchronized void one() {
    upTo(done + 1);
  }

  /** So many are done by now. */
  synchronized void upTo(int count) {
    if (count <= done) {
      return;
    }
    done = count;
    long now = System.nanoTime();
    if (terminal || now - printed > PLAIN_EVERY_NANOS) {
      printed = now;
      long left = TimeUnit.NANOSECONDS.toSeconds((now - start) / done * (all - done));
      String line =
          "  %s: %d of %d, about %dm%02ds left".formatted(what, done, all, left / 60, left % 60);
      if (terminal) {
        erase();
        out.print(line);
        out.flush();
      } else {
        out.println(line);
      }
    }
  }

  synchronized void end() {
    erase();
    out.flush();
  }

  private void erase() {
    if (terminal) {
      out.print("\r\033[K");
    }
  }
}
