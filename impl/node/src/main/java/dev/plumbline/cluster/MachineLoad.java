package dev.plumbline.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * What processor time the machine had to give, sampled: how long the run queue was, and how much of
 * the processors was idle. By it a limit of patience is stretched, and a run that got nowhere on a
 * starved machine is told from a protocol that is blocked.
 */
public final class MachineLoad implements AutoCloseable {
  private static final Path PROC = Path.of("/proc");
  private static final long SAMPLE_MILLIS = 250;
  private static final long PAUSE_MILLIS = 20;
  private static final long LONGEST_SECONDS = 300;

  /** More runnable threads than this for each processor, and hardly any of it idle: starved. */
  private static final double STARVED_QUEUE = 3;

  private static final double STARVED_IDLE = 0.05;

  /**
   * A stretch of time.
   *
   * @param seconds how long it was
   * @param processors of the machine
   * @param runnable threads that wanted a processor, on average
   * @param idle share of the processors' time in which nobody did
   */
  public record Load(double seconds, int processors, double runnable, double idle) {

    /** Whether whoever wanted a processor got only a small share of one. */
    public boolean starved() {
      return runnable > STARVED_QUEUE * processors && idle < STARVED_IDLE;
    }

    /** In words. */
    public String text() {
      return String.format(
          Locale.ROOT,
          "%d processors, %.1f threads wanted one on average, %.0f%% idle",
          processors,
          runnable,
          100 * idle);
    }
  }

  /** What is waited for. */
  @FunctionalInterface
  public interface Condition {
    /** Whether it has come about. */
    boolean met() throws IOException;
  }

  /** Processor time since the machine's start, in ticks. */
  record Ticks(long all, long idle) {}

  private final int processors = Runtime.getRuntime().availableProcessors();
  private final Thread sampler = new Thread(this::sample, "load");
  private final long begin = System.nanoTime();
  private final Ticks atBegin = ticks();
  private double waiting;
  private double patience;
  private double runnable = 1;
  private long samples;
  private boolean closed;

  private MachineLoad() {
    sampler.setDaemon(true);
  }

  /**
   * Waits, as long as a share of a processor is worth that patience, and {@value #LONGEST_SECONDS}
   * s at most; whether it came about.
   */
  public static boolean within(double patience, Condition condition)
      throws IOException, InterruptedException {
    if (condition.met()) {
      return true;
    }
    try (MachineLoad load = sampled()) {
      while (load.patience() <= patience
          && System.nanoTime() - load.begin <= LONGEST_SECONDS * 1_000_000_000) {
        Thread.sleep(PAUSE_MILLIS);
        if (condition.met()) {
          return true;
        }
      }
      return false;
    }
  }

  /** Starts to sample. */
  public static MachineLoad sampled() {
    MachineLoad load = new MachineLoad();
    load.sampler.start();
    return load;
  }

  private void sample() {
    long last = System.nanoTime();
    while (true) {
      try {
        Thread.sleep(SAMPLE_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
      long now = System.nanoTime();
      synchronized (this) {
        if (closed) {
          return;
        }
        // This thread runs as it looks.
        runnable = Math.max(1, runnable(read("loadavg")) - 1);
        waiting += runnable;
        samples++;
        patience += (now - last) / 1e9 * Math.min(1, processors / runnable);
      }
      last = now;
    }
  }

  /** Seconds so far, each counted by the share of a processor that a thread gets. */
  public synchronized double patience() {
    return patience;
  }

  /** The time since the start. */
  public synchronized Load soFar() {
    Ticks now = ticks();
    long all = now.all() - atBegin.all();
    return new Load(
        (System.nanoTime() - begin) / 1e9,
        processors,
        samples == 0 ? runnable : waiting / samples,
        all <= 0 ? 0 : (double) (now.idle() - atBegin.idle()) / all);
  }

  @Override
  public synchronized void close() {
    closed = true;
    sampler.interrupt();
  }

  private static Ticks ticks() {
    return ticks(read("stat"));
  }

  private static String read(String file) {
    try {
      return Files.readString(PROC.resolve(file));
    } catch (IOException e) {
      return "";
    }
  }

  /** Of the first line of {@code /proc/stat}; guests' time is in the user's. */
  static Ticks ticks(String stat) {
    String[] fields = stat.lines().findFirst().orElse("").trim().split("\\s+", -1);
    long all = 0;
    for (int i = 1; i < Math.min(fields.length, 9); i++) {
      all += Long.parseLong(fields[i]);
    }
    return new Ticks(
        all, fields.length < 6 ? 0 : Long.parseLong(fields[4]) + Long.parseLong(fields[5]));
  }

  /** How many threads run or wait for a processor, by {@code /proc/loadavg}. */
  static double runnable(String loadavg) {
    String[] fields = loadavg.trim().split("\\s+", -1);
    return fields.length < 4 ? 1 : Double.parseDouble(fields[3].split("/", -1)[0]);
  }
}
