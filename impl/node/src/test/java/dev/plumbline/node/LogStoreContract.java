package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.k2.K2Record;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every place of a durable log has to keep. */
abstract class LogStoreContract {
  @TempDir Path folder;

  /** The store of the test's node, as another process would open it. */
  abstract LogStore store() throws IOException;

  /** Takes all away that the store holds. */
  abstract void lose() throws IOException;

  DurableLog open() throws IOException {
    return new DurableLog(folder, store(), "k2/a");
  }

  private static Record record(long n) {
    return new K2Record.EpochCut(n);
  }

  private static byte[] trace(long n) {
    return ("{\"n\":" + n + "}\n").getBytes(StandardCharsets.UTF_8);
  }

  private static Record[] records(long from, long to) {
    return LongStream.range(from, to).mapToObj(LogStoreContract::record).toArray(Record[]::new);
  }

  @Test
  void recordsSurviveInOrderAndEachOpeningHasAHigherEpoch() throws IOException {
    try (DurableLog log = open()) {
      assertThat(log.epoch()).isEqualTo(1);
      assertThat(log.records()).isEmpty();
      assertThat(log.lastTrace()).isEmpty();
      log.append(List.of(record(0), record(1)), trace(1));
      log.append(List.of(record(2)), trace(2));
      assertThat(log.syncs()).isEqualTo(3);
    }
    try (DurableLog again = open()) {
      assertThat(again.epoch()).isEqualTo(2);
      assertThat(again.records()).containsExactly(records(0, 3));
      assertThat(again.lastTrace()).isEqualTo("{\"n\":2}\n");
      again.append(List.of(record(3)), trace(3));
    }
    try (DurableLog third = open()) {
      assertThat(third.records()).containsExactly(records(0, 4));
    }
    try (DurableLog fourth = open()) {
      assertThat(fourth.epoch()).isEqualTo(4);
      assertThat(fourth.lastTrace()).as("the last opening's steps").isEmpty();
    }
  }

  @Test
  void aLogAndAStepMayBeLarge() throws IOException {
    try (DurableLog log = open()) {
      for (long n = 0; n < 1_000; n += 250) {
        log.append(List.of(records(n, n + 250)), new byte[1 << 20]);
      }
    }
    try (DurableLog again = open()) {
      assertThat(again.records()).containsExactly(records(0, 1_000));
      assertThat(again.lastTrace()).hasSize(1 << 20);
    }
  }

  @Test
  void atMostOneOfTwoAddsAnything() throws IOException {
    twoOpen(this::open);
  }

  @Test
  void ofTwoThatLookedAtOnceOneTakesTheEpoch() throws IOException {
    try (LogStore one = store();
        LogStore other = store()) {
      for (LogStore store : List.of(one, other)) {
        assertThat(store.look(false, (number, value) -> {}).epoch()).isZero();
      }
      one.take(1, 0);
      assertThatThrownBy(() -> other.take(1, 0)).isInstanceOf(IOException.class);
      one.write(0, List.of(Wire.record(record(0))), trace(0));
      one.sync();
    }
    List<Long> numbers = new ArrayList<>();
    try (LogStore after = store()) {
      assertThat(after.look(true, (number, value) -> numbers.add(number)).epoch()).isEqualTo(1);
    }
    assertThat(numbers).containsExactly(0L);
  }

  /** How a log is opened. */
  interface Opening {
    DurableLog log() throws IOException;
  }

  /** Two processes have the same log, whose first steps are the same number. */
  void twoOpen(Opening opening) throws IOException {
    List<Record> acknowledged = new ArrayList<>();
    try (DurableLog one = opening.log()) {
      one.append(List.of(record(0)), trace(0));
      acknowledged.add(record(0));
      int able = 0;
      DurableLog other = null;
      try {
        other = opening.log();
        other.append(List.of(record(100)), trace(100));
        acknowledged.add(record(100));
        able++;
      } catch (IOException e) {
        assertThat(e).isNotInstanceOf(LostLog.class);
      }
      try {
        one.append(List.of(record(1)), trace(1));
        acknowledged.add(record(1));
        able++;
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("another process has this log");
      }
      if (other != null) {
        other.close();
      }
      assertThat(able).as("of two processes that added something").isEqualTo(1);
    }
    try (DurableLog after = opening.log()) {
      assertThat(after.records()).containsExactlyElementsOf(acknowledged);
    }
  }

  @Test
  void whatWasWrittenAndNotSyncedMayBeLostAndNothingElse() throws IOException {
    DurableLog log = open();
    log.append(List.of(record(0)), trace(0));
    log.write(List.of(record(1), record(2)), trace(1));
    log.close();
    try (DurableLog again = open()) {
      assertThat(again.records().size()).isIn(1, 3);
      assertThat(again.records()).startsWith(record(0));
      again.append(List.of(record(7)), trace(7));
      assertThat(again.epoch()).isEqualTo(2);
    }
    try (DurableLog third = open()) {
      assertThat(third.records()).endsWith(record(7));
    }
  }

  @Test
  void aLogThatHoldsLessThanWasAcknowledgedIsRefused() throws IOException {
    try (DurableLog log = open()) {
      log.append(List.of(record(0)), trace(0));
    }
    lose();
    assertThatThrownBy(this::open).isInstanceOf(LostLog.class).hasMessageContaining("remedy: ");
  }

  @Test
  void aLogThatNeverHeldARecordMayBeGivenUp() throws IOException {
    open().close();
    open().close();
    lose();
    try (DurableLog log = open()) {
      assertThat(log.epoch()).as("the mark knows the epochs").isEqualTo(3);
    }
  }

  @Test
  void aLogWithoutItsMarkIsRefusedUntilTheMarkIsBack() throws IOException {
    try (DurableLog log = open()) {
      log.append(List.of(record(0)), trace(0));
    }
    Path mark = folder.resolve("mark");
    byte[] before = Files.readAllBytes(mark);
    Files.delete(mark);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(this::open)
          .isInstanceOf(LostLog.class)
          .hasMessageContaining("mark: is missing");
    }
    Files.write(mark, before);
    try (DurableLog log = open()) {
      assertThat(log.records()).containsExactly(record(0));
    }
  }
}
