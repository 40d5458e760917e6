package dev.plumbline.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Board;
import dev.plumbline.check.Memory;
import dev.plumbline.check.Terminal;
import dev.plumbline.check.ToolCommand;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * A lane on a terminal: one line, drawn again, with how far it is and how long it will take. What
 * its stages print goes to files, and is shown of those that fail.
 */
final class LaneLine implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int WIDTH = 110;
  private static final int PERIOD_MILLIS = 500;

  private final PrintStream terminal;
  private final String lane;
  private final List<String> commands;
  private final Path times;
  private final ObjectNode known;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final long start = System.nanoTime();
  private int at = -1;
  private long begun;

  LaneLine(PrintStream terminal, String lane, List<String> commands, Path cache) {
    this.terminal = terminal;
    this.lane = lane;
    this.commands = List.copyOf(commands);
    this.times = cache.resolve("times.json");
    this.known = known(times);
    clock.scheduleAtFixedRate(this::draw, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static ObjectNode known(Path file) {
    String text = Memory.read(file);
    try {
      return text != null && JSON.readTree(text) instanceof ObjectNode o
          ? o
          : JSON.createObjectNode();
    } catch (JsonProcessingException e) {
      return JSON.createObjectNode();
    }
  }

  /** Runs the next stage; what it prints goes to a file, which is shown if it does not hold. */
  int run(Path log, IntSupplier stage) throws IOException {
    next();
    PrintStream out = System.out;
    PrintStream err = System.err;
    Files.createDirectories(log.getParent());
    int exit;
    try (OutputStream file = Files.newOutputStream(log);
        PrintStream kept = new PrintStream(file, true, StandardCharsets.UTF_8)) {
      System.setOut(kept);
      System.setErr(kept);
      Terminal.take(true);
      exit = stage.getAsInt();
    } finally {
      Terminal.take(false);
      System.setOut(out);
      System.setErr(err);
    }
    if (exit != 0) {
      synchronized (this) {
        erase();
        out.println("== " + ToolCommand.line(commands.get(at)) + ": exit code " + exit);
        out.print(Files.readString(log, StandardCharsets.UTF_8));
        out.flush();
      }
    }
    return exit;
  }

  /** What the stage took that was just run, for the next time. */
  void took(long millis) {
    // What was remembered takes no time; what is known of a real run fades only.
    long before = known.path(commands.get(at)).asLong(0);
    known.put(commands.get(at), Math.max(millis, before / 2));
  }

  private synchronized void next() {
    at++;
    begun = System.nanoTime();
  }

  private synchronized void draw() {
    if (at >= 0) {
      String line = line(lane, commands, at, millis(begun), millis(start), known);
      erase();
      terminal.print(line.length() > WIDTH ? line.substring(0, WIDTH - 1) + "…" : line);
      terminal.flush();
    }
  }

  private static long millis(long since) {
    return (System.nanoTime() - since) / 1_000_000;
  }

  private void erase() {
    terminal.print("\r\033[K");
  }

  /**
   * The line.
   *
   * @param at the stage that runs, from 0
   * @param here milliseconds that it has taken
   * @param all milliseconds that the lane has taken
   * @param known milliseconds that stages took before, by their commands
   */
  static String line(
      String lane, List<String> commands, int at, long here, long all, ObjectNode known) {
    long left = Math.max(0, known.path(commands.get(at)).asLong(0) - here);
    boolean sure = known.has(commands.get(at));
    for (String later : commands.subList(at + 1, commands.size())) {
      left += known.path(later).asLong(0);
      sure &= known.has(later);
    }
    String when =
        left == 0 && !sure
            ? ""
            : ", " + (sure ? "about " : "more than ") + Board.seconds(left) + " left";
    return "%s lane: %d of %d, %s; ./plumb %s, %s"
        .formatted(
            lane,
            at + 1,
            commands.size(),
            Board.seconds(all) + when,
            commands.get(at),
            Board.seconds(here));
  }

  @Override
  public void close() {
    clock.shutdownNow();
    synchronized (this) {
      at = -1;
      erase();
      terminal.flush();
    }
    Memory.write(times, known.toPrettyString());
  }
}
