package dev.plumbline.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs short commands of the system. */
final class Commands {
  private Commands() {}

  /** What a command said, and its exit code. */
  record Result(int exit, String out) {}

  static Result run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      return new Result(process.waitFor(), out.strip());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Whether a command can be run and succeeds. */
  static boolean succeeds(List<String> command) {
    try {
      return run(command).exit() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Runs a command that has to succeed; returns what it said.
   *
   * @throws IOException with what it said
   */
  static String must(List<String> command) throws IOException {
    Result result = run(command);
    if (result.exit() != 0) {
      throw new IOException(String.join(" ", command) + ": " + result.out());
    }
    return result.out();
  }
}
