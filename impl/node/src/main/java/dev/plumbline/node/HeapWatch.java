package dev.plumbline.node;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryNotificationInfo;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Optional;
import java.util.function.Consumer;
import javax.management.NotificationEmitter;

/**
 * Notices that a process's heap is full. Such a process lives, calls itself healthy and collects
 * garbage all the time: it answers hardly anybody, and says nothing of it.
 */
public final class HeapWatch {
  /** Of the old generation, in percent. Above it nearly all time goes into collections. */
  static final long FULL = 95;

  private static final long MIB = 1 << 20;

  private HeapWatch() {}

  /** The generation that holds what lives long, if this JVM has one with a limit. */
  static Optional<MemoryPoolMXBean> old() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP)
        .filter(MemoryPoolMXBean::isUsageThresholdSupported)
        .filter(MemoryPoolMXBean::isCollectionUsageThresholdSupported)
        .filter(pool -> pool.getUsage().getMax() > 0)
        .findFirst();
  }

  /**
   * Watches from now on.
   *
   * @param full told once for each collection that leaves the heap full, with how full it is
   */
  public static void begin(Consumer<String> full) {
    old().ifPresent(pool -> watch(pool, full));
  }

  private static void watch(MemoryPoolMXBean pool, Consumer<String> full) {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    pool.setCollectionUsageThreshold(pool.getUsage().getMax() / 100 * FULL);
    ((NotificationEmitter) memory)
        .addNotificationListener(
            (notification, nothing) -> {
              MemoryUsage left = pool.getCollectionUsage();
              full.accept(
                  "the heap of "
                      + memory.getHeapMemoryUsage().getMax() / MIB
                      + " MiB is full: a collection leaves "
                      + left.getUsed() / MIB
                      + " of the "
                      + left.getMax() / MIB
                      + " MiB for what lives long");
            },
            notification ->
                notification
                    .getType()
                    .equals(MemoryNotificationInfo.MEMORY_COLLECTION_THRESHOLD_EXCEEDED),
            null);
  }
}
