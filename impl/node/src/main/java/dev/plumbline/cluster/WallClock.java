package dev.plumbline.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The wall clock as a process sees it, where a library that stands before the C library's skews it:
 * the kernel's clock is everybody's, also in containers, and is left alone. The library reads the
 * skew from a file that it maps, so it has to be on the machine that writes it.
 */
public final class WallClock {
  private static final long NANOS_PER_MICRO = 1_000;

  private WallClock() {}

  /**
   * Skews the wall clock of the processes that map this file, at once.
   *
   * @param shift microseconds
   * @param strobe period in which the shift changes its sign, microseconds; 0 for never
   */
  public static void skew(Path file, long shift, long strobe) throws IOException {
    ByteBuffer both = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.nativeOrder());
    both.putLong(shift * NANOS_PER_MICRO).putLong(strobe * NANOS_PER_MICRO).flip();
    try (FileChannel out =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      out.write(both, 0);
    }
  }
}
