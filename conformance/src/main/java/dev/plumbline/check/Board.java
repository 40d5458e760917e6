package dev.plumbline.check;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Live progress: rewritten lines at the bottom of a terminal, or a plain line now and then. */
public final class Board {
  private static final long PLAIN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final PrintStream out;
  private final boolean terminal;
  private final Map<String, Running> running = new LinkedHashMap<>();
  private int drawn;
  private int open;
  private int done;

  private static final class Running {
    private final long start = System.nanoTime();
    private final long expected;
    private long printed = System.nanoTime();
    private long distinct;
    private long queue;

    Running(long expected) {
      this.expected = expected;
    }
  }

  public Board(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  synchronized void begin(int checks) {
    open = checks;
    done = 0;
  }

  synchronized void started(String check, long expected) {
    running.put(check, new Running(expected));
    if (!terminal) {
      out.println("  running " + check);
    }
    draw();
  }

  synchronized void progress(String check, ObjectNode figures) {
    Running r = running.get(check);
    if (r == null) {
      return;
    }
    r.distinct = figures.path("distinct").asLong();
    r.queue = figures.path("queue").asLong();
    if (terminal) {
      draw();
    } else if (System.nanoTime() - r.printed > PLAIN_EVERY_NANOS) {
      r.printed = System.nanoTime();
      out.println("  " + line(check, r));
    }
  }

  synchronized void finished(Result r) {
    boolean ran = running.remove(r.protocol() + "/" + r.check()) != null;
    if (ran) {
      done++;
    }
    erase();
    if (ran || r.failed()) {
      out.println(
          "  %-9s %s/%s  %s%s"
              .formatted(
                  r.verdict(),
                  r.protocol(),
                  r.check(),
                  seconds(r.millis()),
                  r.message().isEmpty() ? "" : "  " + r.message()));
    }
    draw();
  }

  synchronized void end() {
    erase();
    out.flush();
  }

  private void erase() {
    if (drawn > 0) {
      out.print("\033[" + drawn + "A\033[J");
      drawn = 0;
    }
  }

  private void draw() {
    if (!terminal) {
      return;
    }
    erase();
    for (Map.Entry<String, Running> e : running.entrySet()) {
      String s = line(e.getKey(), e.getValue());
      out.println("  " + (s.length() > 110 ? s.substring(0, 110) : s));
      drawn++;
    }
    if (open > 0 && drawn > 0) {
      out.println("  " + done + " of " + open + " run");
      drawn++;
    }
    out.flush();
  }

  private static String line(String check, Running r) {
    double seconds = (System.nanoTime() - r.start) / 1e9;
    double rate = r.distinct / Math.max(seconds, 0.1);
    String left = "";
    if (r.expected > 0 && r.distinct > 0) {
      left =
          r.distinct > r.expected
              ? "past the expected %,d".formatted(r.expected)
              : "%s left of %,d"
                  .formatted(seconds((long) (1000 * (r.expected - r.distinct) / rate)), r.expected);
    }
    return "%s  %s  %,d distinct  %,d/s  queue %,d  %s"
        .formatted(check, seconds((long) (1000 * seconds)), r.distinct, (long) rate, r.queue, left);
  }

  /** Milliseconds as people say them. */
  static String seconds(long millis) {
    return millis < 0
        ? "-"
        : millis < 60_000
            ? String.format(Locale.ROOT, "%.1fs", millis / 1000.0)
            : "%dm%02ds".formatted(millis / 60_000, millis / 1000 % 60);
  }
}
