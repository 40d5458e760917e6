package dev.plumbline.check;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Live progress: on a terminal one line that is drawn again, or with {@code --verbose} a line for
 * each check that runs; elsewhere a plain line now and then.
 */
public final class Board {
  private static final long PLAIN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final int WIDTH = 110;

  /** What a check costs besides its states, in states. */
  private static final long START = 20_000;

  /** Before this part of the work is done nobody says how long the rest takes. */
  private static final int LEAST_SHARE = 20;

  /** Before a check has run that long its rate says nothing. */
  private static final double LEAST_SECONDS = 5;

  private final PrintStream out;
  private final boolean terminal;
  private final boolean verbose;
  private final Map<String, Running> running = new LinkedHashMap<>();
  private int drawn;
  private String lane = "";
  private int open;
  private int done;
  private int failed;
  private long weight;
  private long weighed;
  private long begun;

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
    this(out, terminal, false);
  }

  /**
   * A board.
   *
   * @param verbose a line for each check, on a terminal too
   */
  public Board(PrintStream out, boolean terminal, boolean verbose) {
    this.out = out;
    this.terminal = terminal;
    this.verbose = verbose || !terminal;
  }

  /**
   * Checks are about to run.
   *
   * @param expected how many states each is expected to have, 0 where nobody knows
   */
  synchronized void begin(String of, List<Long> expected) {
    lane = of;
    open = expected.size();
    done = 0;
    failed = 0;
    weighed = 0;
    weight = expected.stream().mapToLong(Board::weight).sum();
    begun = System.nanoTime();
  }

  /** What a check costs, in states: its start costs as much as some thousand of them. */
  private static long weight(long expected) {
    return START + Math.max(0, expected);
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
    Running before = running.remove(r.protocol() + "/" + r.check());
    boolean ran = before != null;
    if (ran) {
      done++;
      weighed += weight(before.expected);
    }
    failed += r.failed() ? 1 : 0;
    erase();
    if ((ran && verbose) || r.failed()) {
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
    if (!verbose) {
      if (!running.isEmpty()) {
        out.println(cut(whole()));
        drawn = 1;
      }
      out.flush();
      return;
    }
    for (Map.Entry<String, Running> e : running.entrySet()) {
      out.println(cut("  " + line(e.getKey(), e.getValue())));
      drawn++;
    }
    if (open > 0 && drawn > 0) {
      out.println("  " + done + " of " + open + " run");
      drawn++;
    }
    out.flush();
  }

  private static String cut(String s) {
    return s.length() > WIDTH ? s.substring(0, WIDTH) : s;
  }

  /** All checks of the lane in one line. */
  private String whole() {
    double so = weighed;
    Map.Entry<String, Running> longest = null;
    for (Map.Entry<String, Running> e : running.entrySet()) {
      Running r = e.getValue();
      so += Math.min(weight(r.expected), r.distinct);
      longest = longest == null || r.start < longest.getValue().start ? e : longest;
    }
    long millis = (System.nanoTime() - begun) / 1_000_000;
    String left =
        so * LEAST_SHARE < weight
            ? ""
            : ", about " + seconds((long) (millis * (weight - so) / so)) + " left";
    return "  %s lane: %d of %d%s, %s%s; %s %,d distinct"
        .formatted(
            lane,
            done,
            open,
            failed > 0 ? ", " + failed + " FAILED" : "",
            seconds(millis),
            left,
            longest.getKey(),
            longest.getValue().distinct);
  }

  private static String line(String check, Running r) {
    double seconds = (System.nanoTime() - r.start) / 1e9;
    return line(check, seconds, r.distinct, r.queue, r.expected);
  }

  /** What is said of a check after some seconds. */
  static String line(String check, double seconds, long distinct, long queue, long expected) {
    double rate = distinct / Math.max(seconds, 0.1);
    String left = "";
    if (expected > 0 && rate >= 1 && seconds >= LEAST_SECONDS) {
      left =
          distinct > expected
              ? "past the expected %,d".formatted(expected)
              : "%s left of %,d"
                  .formatted(seconds((long) (1000 * (expected - distinct) / rate)), expected);
    }
    return "%s  %s  %,d distinct  %,d/s  queue %,d  %s"
        .formatted(check, seconds((long) (1000 * seconds)), distinct, (long) rate, queue, left);
  }

  /** Milliseconds as people say them. */
  public static String seconds(long millis) {
    return millis < 0
        ? "-"
        : millis < 60_000
            ? String.format(Locale.ROOT, "%.1fs", millis / 1000.0)
            : "%dm%02ds".formatted(millis / 60_000, millis / 1000 % 60);
  }
}
