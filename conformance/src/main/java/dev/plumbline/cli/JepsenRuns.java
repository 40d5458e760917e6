package dev.plumbline.cli;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
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

  /** Without a result, and written to lately: the history grows as long as clients run. */
  private static boolean mayBeGoingOn(Path run) {
    Instant longAgo = Instant.now().minus(LONGEST);
    return Files.notExists(run.resolve("result.json"))
        && Stream.of(run, run.resolve("history.edn"))
            .anyMatch(file -> Instant.ofEpochMilli(file.toFile().lastModified()).isAfter(longAgo));
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

  /** What is gone meanwhile, since another command or its nodes deleted it, takes no room. */
  private static long size(Path folder) throws IOException {
    long[] bytes = {0};
    Files.walkFileTree(
        folder,
        new Passing() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            bytes[0] += attributes.isRegularFile() ? attributes.size() : 0;
            return FileVisitResult.CONTINUE;
          }
        });
    return bytes[0];
  }

  static void delete(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new Passing() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path each, IOException failed)
              throws IOException {
            super.postVisitDirectory(each, failed);
            Files.deleteIfExists(each);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Passes over files that are gone when their turn comes. */
  private static class Passing extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failed) throws IOException {
      return failed instanceof NoSuchFileException
          ? FileVisitResult.CONTINUE
          : super.visitFileFailed(file, failed);
    }

    @Override
    public FileVisitResult postVisitDirectory(Path each, IOException failed) throws IOException {
      return failed instanceof NoSuchFileException
          ? FileVisitResult.CONTINUE
          : super.postVisitDirectory(each, failed);
    }
  }
}
