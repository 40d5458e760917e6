package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract holds of the simplest store that can keep it, and not of ones that are broken. */
class MemoryStoreTest extends LogStoreContract {
  private final Disk disk = new Disk();

  /** What outlives an opening. */
  private static final class Disk {
    private final List<byte[]> records = new ArrayList<>();
    private long epoch;
    private String trace = "";
  }

  /** A store in memory. */
  private static class MemoryStore implements LogStore {
    private final Disk disk;
    private final List<byte[]> unsynced = new ArrayList<>();
    private String trace = "";
    private long seen;
    private long own;

    MemoryStore(Disk disk) {
      this.disk = disk;
    }

    @Override
    public Found look(boolean expected, Sink sink) throws LostLog {
      long number = 0;
      for (byte[] record : disk.records) {
        sink.record(number++, record);
      }
      seen = disk.epoch;
      return new Found(seen, disk.trace);
    }

    @Override
    public void take(long epoch, long records) throws IOException {
      if (disk.epoch != seen || disk.records.size() != records) {
        throw new IOException("another process has this log");
      }
      disk.epoch = epoch;
      disk.trace = "";
      own = epoch;
    }

    @Override
    public void write(long first, List<byte[]> records, byte[] last) {
      unsynced.addAll(records);
      trace = new String(last, StandardCharsets.UTF_8);
    }

    @Override
    public void sync() throws IOException {
      if (disk.epoch != own) {
        throw new IOException("another process has this log");
      }
      add();
    }

    void add() {
      disk.records.addAll(unsynced);
      disk.trace = trace;
      unsynced.clear();
    }

    @Override
    public LostLog lost(String what, Throwable cause) {
      return new LostLog("memory", what, "none", cause);
    }

    @Override
    public void close() {
      unsynced.clear();
    }
  }

  @Override
  LogStore store() {
    return new MemoryStore(disk);
  }

  @Override
  void lose() {
    disk.records.clear();
    disk.epoch = 0;
  }

  @Test
  void aStoreThatFencesNobodyIsFound() {
    assertThatThrownBy(
            () ->
                twoOpen(
                    () ->
                        new DurableLog(
                            folder,
                            new MemoryStore(disk) {
                              @Override
                              public void sync() {
                                add();
                              }
                            },
                            "k2/a")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("of two processes that added something");
  }
}
