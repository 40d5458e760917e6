package dev.plumbline.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The folders of cluster runs, {@code PROTOCOL/RUN} each, and their slots among the reports. */
final class JepsenRuns {
  private static final Duration LONGEST = Duration.ofHours(2);

  private final Path runs;
  private final Path reports;

  JepsenRuns(Path runs, Path reports) {
    this.runs = runs;
    this.reports = reports;
  }

  /** Deletes the oldest runs, and their slots, until the rest takes no more than so many bytes. */
  void prune(long bytes) throws IOException {
    List<Path> newestFirst = new ArrayList<>();
    for (Path protocol : list(runs)) {
      newestFirst.addAll(list(protocol));
    }
    newestFirst.sort(Comparator.comparing((Path run) -> run.getFileName().toString()).reversed());
    long kept = 0;
    for (Path run : newestFirst) {
      kept += size(run);
      if (kept > bytes && !mayBeGoingOn(run)) {
        delete(run);
        for (String ending : List.of("html", "xml")) {
          Files.deleteIfExists(slot(run, ending));
        }
      }
    }
  }

  private static boolean mayBeGoingOn(Path run) throws IOException {
    return Files.notExists(run.resolve("result.json"))
        && Files.getLastModifiedTime(run).toInstant().isAfter(Instant.now().minus(LONGEST));
  }

  /** Gives a run's page and JUnit file a slot of their own, which others may read. */
  void publish(Path run) throws IOException {
    Files.createDirectories(reports);
    for (String ending : List.of("html", "xml")) {
      Path slot = slot(run, ending);
      Files.copy(run.resolve("result." + ending), slot, StandardCopyOption.REPLACE_EXISTING);
      readable(slot);
    }
    for (Path file : list(run)) {
      if (Files.isRegularFile(file)) {
        readable(file);
      }
    }
  }

  private Path slot(Path run, String ending) {
    return reports.resolve(
        "jepsen-" + run.getParent().getFileName() + "-" + run.getFileName() + "." + ending);
  }

  private static void readable(Path file) throws IOException {
    Set<PosixFilePermission> all = Files.getPosixFilePermissions(file);
    all.add(PosixFilePermission.GROUP_READ);
    all.add(PosixFilePermission.OTHERS_READ);
    Files.setPosixFilePermissions(file, all);
  }

  private static List<Path> list(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.toList();
    }
  }

  private static long size(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
