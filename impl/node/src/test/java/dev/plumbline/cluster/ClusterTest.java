package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.sim.ProtocolSystem;
import dev.plumbline.sim.Protocols;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
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
      assertThat(Cluster.down(folder, new Cluster.State("k2", "shaper", null, processes, Map.of())))
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

  @Test
  void nodesThatMayAllBeDownShareTheirRegionsProcess() {
    assertThat(shared("k2", false))
        .containsEntry("SH", List.of("o-SH", "c-SH", "c-SH2", "dn-SH", "rp-SG"))
        .hasSize(5);
    assertThat(shared("dast", false))
        .as("two replicas of a shard are never down together")
        .containsEntry("r1", List.of("m-r1", "r1s1n1", "r1s2n1"))
        .containsEntry("r1-2", List.of("r1s1n2", "r1s2n2"))
        .containsEntry("r3-3", List.of("r3s1n3", "r3s2n3"))
        .hasSize(9);
    assertThat(shared("k2", true)).containsEntry("o-SH", List.of("o-SH")).hasSize(21);
  }

  private static Map<String, List<String>> shared(String protocol, boolean alone) {
    ProtocolSystem system = Protocols.named(protocol);
    Topology topology =
        system.topology(new Settings(system.clockBounds(), new TreeSet<>(), new TreeMap<>()));
    return Cluster.shared(system, topology, alone);
  }
}
