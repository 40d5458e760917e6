package dev.plumbline.metric.sql.local;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Where servers of a JVM's tests keep their files. Two JVMs run tests at once. */
final class TestFolder {
  private TestFolder() {}

  /** A folder of this JVM under target, for servers of a kind; those of JVMs that ended go. */
  static Path of(String kind) throws IOException {
    Path all = Files.createDirectories(Path.of("target", kind).toAbsolutePath());
    try (FileChannel lock =
            FileChannel.open(
                all.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = lock.lock();
        Stream<Path> there = Files.list(all)) {
      for (Path folder : there.filter(TestFolder::ended).toList()) {
        delete(folder);
      }
    }
    return all.resolve("p" + ProcessHandle.current().pid());
  }

  private static boolean ended(Path folder) {
    String name = folder.getFileName().toString();
    return name.matches("p\\d+") && ProcessHandle.of(Long.parseLong(name.substring(1))).isEmpty();
  }

  private static void delete(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
  }
}
