package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterTest {
  @TempDir Path folder;

  @Test
  void downEndsOnlyTheProcessesThatWereStarted() throws Exception {
    Process ours = new ProcessBuilder("sleep", "60").start();
    Process other = new ProcessBuilder("sleep", "60").start();
    try {
      Cluster.Proc recorded = Cluster.Proc.of(ours.pid());
      assertThat(recorded.alive()).isTrue();
      Map<String, Cluster.Proc> processes = new TreeMap<>();
      processes.put("a", recorded);
      processes.put("b: the number was given to another", new Cluster.Proc(other.pid(), 1));
      Files.createFile(folder.resolve("cluster.json"));
      assertThat(Cluster.down(folder, new Cluster.State("k2", "shaper", null, processes)))
          .isEqualTo(1);
      assertThat(ours.waitFor()).isNotZero();
      assertThat(other.isAlive()).isTrue();
      assertThat(recorded.alive()).isFalse();
      assertThat(Cluster.state(folder)).isEmpty();
    } finally {
      ours.destroyForcibly();
      other.destroyForcibly();
    }
  }

  @Test
  void aFolderWithoutAClusterHasNoState() throws IOException {
    assertThat(Cluster.state(folder)).isEmpty();
  }
}
