package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreePortsTest {
  /** A node that starts late, or again, finds its port free: nobody else was given it. */
  @Test
  void twoProcessesNeverDrawTheSame() throws IOException {
    PortBlocks one = new PortBlocks();
    PortBlocks other = new PortBlocks();
    Set<Integer> ofOne = new HashSet<>();
    Set<Integer> ofOther = new HashSet<>();
    for (int i = 0; i < 30; i++) {
      ofOne.addAll(drawn(one, 20));
      ofOther.addAll(drawn(other, 20));
    }
    assertThat(ofOne).doesNotContainAnyElementsOf(ofOther).hasSizeGreaterThan(500);
  }

  /** One that draws without end comes back to its own. */
  @Test
  void portsAreDrawnAgain() throws IOException {
    PortBlocks blocks = new PortBlocks();
    Set<Integer> all = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      Set<Integer> now = drawn(blocks, 40);
      assertThat(now).hasSize(40);
      all.addAll(now);
    }
    assertThat(all).hasSizeLessThanOrEqualTo(12 * 99);
  }

  private static Set<Integer> drawn(PortBlocks blocks, int count) throws IOException {
    Set<Integer> ports = new HashSet<>();
    try (FreePorts free = new FreePorts(blocks)) {
      for (int i = 0; i < count; i++) {
        ports.add(free.next());
      }
    }
    return ports;
  }
}
