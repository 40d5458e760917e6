package dev.plumbline.scratch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Folders in the temporary folder. Each carries the number of the process that made it, so that
 * those of processes that were ended before they could delete them are found.
 */
public final class Scratch {
  private static final Pattern OF_PROCESS = Pattern.compile("plumb-[a-z]+-(\\d{1,9})-\\d+");
  private static final AtomicBoolean SWEPT = new AtomicBoolean();

  private Scratch() {}

  /**
   * A new folder, which the caller deletes.
   *
   * @param purpose a word in small letters
   */
  public static Path folder(String purpose) throws IOException {
    Path made =
        Files.createTempDirectory("plumb-" + purpose + "-" + ProcessHandle.current().pid() + "-");
    if (!SWEPT.getAndSet(true)) {
      sweep(made.getParent());
    }
    return made;
  }

  /** Deletes the folders of processes that are gone. */
  static void sweep(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      for (Path each : all.toList()) {
        Matcher name = OF_PROCESS.matcher(each.getFileName().toString());
        if (name.matches() && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
          delete(each);
        }
      }
    }
  }

  /** Deletes a folder and what is in it; what cannot be deleted stays: another may be at it. */
  public static void delete(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    } catch (IOException | UncheckedIOException e) {
      return;
    }
  }
}
