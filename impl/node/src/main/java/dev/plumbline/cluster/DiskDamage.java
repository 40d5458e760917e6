package dev.plumbline.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;

/** What befalls a node's folder, or its clock, while the node is gone, and how it is undone. */
final class DiskDamage {
  /** Kinds of damage. */
  enum Kind {
    /** Nothing but the kill. */
    NONE,
    /** Half-written bytes at the end of the write-ahead log. */
    TORN,
    /** One bit of one file. */
    FLIPPED,
    /** One file ends too soon. */
    CUT,
    /** No byte is free while the node appends; needs a file system of its own. */
    FULL,
    /** The folder cannot be written. */
    READ_ONLY,
    /** The reference clock is a minute behind. */
    CLOCK_BACK,
    /** SIGKILL to Cassandra, which holds the log. */
    CASSANDRA,
    /** SIGKILL to servers that speak SQL. */
    SERVER,
    /** SIGKILL to databases below such servers. */
    DATABASE;

    String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** Takes damage back. */
  interface Undo {
    void run() throws IOException;
  }

  /** What was done, in words, and the way back. */
  record Done(String what, Undo undo) {}

  private static final int MOST_TORN = 40;
  private static final long CLOCK_NANOS = 60_000_000_000L;

  private DiskDamage() {}

  /** Damages a folder; {@code conf} is its node's configuration. */
  static Done inflict(Kind kind, Path data, Path conf, boolean mounted, Random random)
      throws IOException {
    return switch (kind) {
      case NONE, FULL, CASSANDRA, SERVER, DATABASE -> new Done(kind.word(), () -> {});
      case TORN -> torn(data, random);
      case FLIPPED, CUT -> file(kind, data, random);
      case READ_ONLY -> readOnly(data, mounted);
      case CLOCK_BACK -> clockBack(conf);
    };
  }

  private static boolean isLog(Path file) {
    return file.toString().endsWith(".log");
  }

  private static List<Path> files(Path data) throws IOException {
    try (Stream<Path> all = Files.walk(data)) {
      return all.filter(f -> Files.isRegularFile(f) && f.toFile().length() > 0).sorted().toList();
    }
  }

  private static Done torn(Path data, Random random) throws IOException {
    Path log =
        files(data).stream()
            .filter(DiskDamage::isLog)
            .reduce((a, b) -> b)
            .orElseThrow(() -> new IOException("no write-ahead log in " + data));
    byte[] before = Files.readAllBytes(log);
    byte[] after = Arrays.copyOf(before, before.length + 1 + random.nextInt(MOST_TORN));
    for (int i = before.length; i < after.length; i++) {
      after[i] = (byte) random.nextInt();
    }
    Files.write(log, after);
    return new Done(
        (after.length - before.length) + " torn bytes after " + log,
        () -> Files.write(log, before));
  }

  /** Write-ahead logs hold what was acknowledged last: every second time it is one of them. */
  private static Done file(Kind kind, Path data, Random random) throws IOException {
    List<Path> all = files(data);
    List<Path> logs = all.stream().filter(DiskDamage::isLog).toList();
    List<Path> from = logs.isEmpty() || random.nextBoolean() ? all : logs;
    Path file = from.get(random.nextInt(from.size()));
    byte[] before = Files.readAllBytes(file);
    int at = random.nextInt(before.length);
    byte[] after;
    if (kind == Kind.CUT) {
      after = Arrays.copyOf(before, at);
    } else {
      after = before.clone();
      after[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
    }
    Files.write(file, after);
    return new Done(
        file
            + (kind == Kind.CUT ? " cut at byte " : " flipped in byte ")
            + at
            + " of "
            + before.length,
        () -> Files.write(file, before));
  }

  private static Done readOnly(Path data, boolean mounted) throws IOException {
    if (mounted) {
      Commands.must(List.of("mount", "-o", "remount,ro", data.toString()));
      return new Done(
          data + " read-only",
          () -> Commands.must(List.of("mount", "-o", "remount,rw", data.toString())));
    }
    Commands.must(List.of("chmod", "-R", "a-w", data.toString()));
    return new Done(
        data + " read-only", () -> Commands.must(List.of("chmod", "-R", "u+w", data.toString())));
  }

  private static Done clockBack(Path conf) throws IOException {
    String before = Files.readString(conf);
    String after =
        before
            .lines()
            .map(
                line ->
                    line.startsWith("origin: ")
                        ? "origin: "
                            + (Long.parseLong(line.substring("origin: ".length()).strip())
                                + CLOCK_NANOS)
                        : line)
            .reduce("", (a, b) -> a + b + "\n");
    Files.writeString(conf, after);
    return new Done(
        "the reference clock of " + conf + " a minute back", () -> Files.writeString(conf, before));
  }
}
