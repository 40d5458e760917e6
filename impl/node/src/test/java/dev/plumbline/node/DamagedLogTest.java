package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.k2.K2Record;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** A log that was damaged while its process was gone holds everything, or is refused. */
class DamagedLogTest {
  private static final int APPENDS = 40;

  @TempDir Path folder;

  /** A process that acknowledges {@link #APPENDS} steps and one more record, and is killed. */
  public static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws IOException {
      try (DurableLog earlier = new DurableLog(Path.of(args[0]))) {
        append(earlier, 0, APPENDS / 2);
      }
      append(new DurableLog(Path.of(args[0])), APPENDS / 2, APPENDS);
      Runtime.getRuntime().halt(9);
    }

    private static void append(DurableLog log, int from, int to) throws IOException {
      for (int i = from; i < to; i++) {
        log.append(
            List.of(new K2Record.EpochCut(i)),
            ("{\"n\":" + i + "}\n").getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private Path killed() throws Exception {
    Path data = folder.resolve("killed");
    Process victim =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                // What it unpacks and never deletes goes with the folder.
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                System.getProperty("java.class.path"),
                Victim.class.getName(),
                data.toString())
            .inheritIO()
            .start();
    assertThat(victim.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(victim.exitValue()).isEqualTo(9);
    return data;
  }

  private static List<Path> files(Path data) throws IOException {
    try (Stream<Path> all = Files.walk(data, FileVisitOption.FOLLOW_LINKS)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private Path copy(Path data, String name) throws IOException {
    Path copy = folder.resolve(name);
    Files.createDirectories(copy);
    try (Stream<Path> all = Files.walk(data)) {
      for (Path each : all.filter(path -> !path.equals(data)).toList()) {
        Files.copy(
            each,
            copy.resolve(data.relativize(each).toString()),
            StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
    return copy;
  }

  /** Whether a folder is refused as lost; if it is opened, everything has to be there. */
  private static boolean refused(Path data, String damage) {
    try (DurableLog log = new DurableLog(data)) {
      assertThat(log.records()).as(damage).hasSize(APPENDS);
      for (int i = 0; i < APPENDS; i++) {
        assertThat(log.records().get(i)).as(damage).isEqualTo(new K2Record.EpochCut(i));
      }
      assertThat(log.epoch()).as(damage).isEqualTo(3);
      return false;
    } catch (IOException e) {
      assertThat(e.getMessage()).as(damage).contains(data.toString());
      return true;
    }
  }

  private interface Damage {
    void to(byte[] bytes) throws IOException;
  }

  @Test
  void aFlippedBitOrACutAnywhereLosesNothingSilently() throws Exception {
    Path data = killed();
    assertThat(refused(copy(data, "untouched"), "untouched")).isFalse();
    Random random = new Random(22);
    int refused = 0;
    int wal = 0;
    int lostByDefault = 0;
    List<String> tried = new ArrayList<>();
    for (Path file : files(data)) {
      String name = data.relativize(file).toString();
      long size = Files.size(file);
      if (size == 0 || name.equals("bytes")) {
        continue;
      }
      boolean log = name.endsWith(".log");
      int rounds = log ? 60 : 6;
      for (int round = 0; round < rounds; round++) {
        Path copy = copy(data, "round-" + tried.size());
        Path target = copy.resolve(name);
        byte[] bytes = Files.readAllBytes(target);
        int at = random.nextInt(bytes.length);
        String damage;
        if (round % 3 == 2) {
          damage = name + " cut at " + at + " of " + size;
          Files.write(target, Arrays.copyOf(bytes, at));
        } else {
          int bit = random.nextInt(8);
          damage = name + " bit " + bit + " of byte " + at + " of " + size;
          bytes[at] ^= (byte) (1 << bit);
          Files.write(target, bytes, StandardOpenOption.TRUNCATE_EXISTING);
        }
        tried.add(damage);
        if (log && lostByDefault(copy(copy, "default-" + tried.size()))) {
          lostByDefault++;
        }
        if (refused(copy, damage)) {
          refused++;
          wal += log ? 1 : 0;
          Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
          assertThat(refused(copy, damage + ", put back")).as(damage + ", put back").isFalse();
        }
        delete(copy);
      }
    }
    assertThat(tried).hasSizeGreaterThan(80);
    assertThat(wal).as("of the write-ahead log").isGreaterThan(50);
    assertThat(refused).isGreaterThan(wal);
    assertThat(lostByDefault).as("in silence, with RocksDB's own recovery").isGreaterThan(30);
  }

  /** Whether RocksDB's default options open this log with fewer records, without a word. */
  private static boolean lostByDefault(Path data) throws IOException {
    int records = 0;
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, data.resolve("rocksdb").toString());
        RocksIterator all = db.newIterator()) {
      for (all.seek(new byte[] {'r'}); all.isValid() && all.key()[0] == 'r'; all.next()) {
        records++;
      }
      all.status();
    } catch (RocksDBException e) {
      return false;
    }
    delete(data);
    return records < APPENDS;
  }

  @Test
  void aTailThatWasCutOffBeforeItWasAcknowledgedIsNoLoss() throws IOException {
    Path data = folder.resolve("torn");
    byte[] mark;
    try (DurableLog log = new DurableLog(data)) {
      log.append(List.of(new K2Record.EpochCut(1)), new byte[0]);
      mark = Files.readAllBytes(data.resolve("mark"));
      log.append(List.of(new K2Record.EpochCut(2)), new byte[0]);
    }
    Path wal = files(data).stream().filter(f -> f.toString().endsWith(".log")).findFirst().get();
    Files.write(wal, Arrays.copyOf(Files.readAllBytes(wal), (int) Files.size(wal) - 3));
    Path acknowledged = copy(data, "acknowledged");
    assertThatThrownBy(() -> new DurableLog(acknowledged))
        .isInstanceOf(LostLog.class)
        .hasMessageContaining("holds 1 records, and 2 were acknowledged")
        .hasMessageContaining("remedy: ");
    Files.write(data.resolve("mark"), mark);
    try (DurableLog log = new DurableLog(data)) {
      assertThat(log.records()).containsExactly(new K2Record.EpochCut(1));
    }
  }

  @Test
  void aLogWithoutItsMarkOrAMarkWithoutItsLogIsRefused() throws IOException {
    Path data = folder.resolve("data");
    try (DurableLog log = new DurableLog(data)) {
      log.append(List.of(new K2Record.EpochCut(1)), new byte[0]);
    }
    Path unmarked = copy(data, "unmarked");
    Files.delete(unmarked.resolve("mark"));
    assertThatThrownBy(() -> new DurableLog(unmarked))
        .isInstanceOf(LostLog.class)
        .hasMessageContaining("mark: is missing");
    delete(data.resolve("rocksdb"));
    assertThatThrownBy(() -> new DurableLog(data)).isInstanceOf(LostLog.class);
  }

  @Test
  void aLogThatNeverHeldARecordMayBeGivenUp() throws IOException {
    Path data = folder.resolve("data");
    new DurableLog(data).close();
    new DurableLog(data).close();
    delete(data.resolve("rocksdb"));
    try (DurableLog log = new DurableLog(data)) {
      assertThat(log.epoch()).as("the mark knows the epochs").isEqualTo(3);
    }
  }

  @Test
  void aReferenceClockThatWasSetBackIsRefused() throws IOException {
    try (DurableLog log = new DurableLog(folder)) {
      log.demandLater(-5);
      log.served(1_000_000);
    }
    try (DurableLog log = new DurableLog(folder)) {
      log.demandLater(1_000_000);
      assertThatThrownBy(() -> log.demandLater(400_000))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("0.600 s behind")
          .hasMessageContaining("remedy: ");
    }
  }

  private static void delete(Path copy) throws IOException {
    try (Stream<Path> all = Files.walk(copy)) {
      all.sorted(Comparator.reverseOrder())
          .forEach(
              path -> {
                try {
                  Files.delete(path);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }
}
