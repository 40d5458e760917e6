package dev.plumbline.engage.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.protocol.Bandwidth;
import dev.plumbline.protocol.RttTable;
import dev.plumbline.protocol.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The two deployments of the paper's evaluation are those of its text (IV-A). */
class PaperSettingsTest {
  private static EngageDeployment setting(long number) {
    return EngageDeployment.of(
        new Settings(
            new EngageSystem().clockBounds(),
            new TreeSet<>(),
            new TreeMap<>(Map.of("setting", number))));
  }

  /** Regions hold a datacenter, 1 to 4, and three edge nodes each, 5 to 16. */
  private static int region(int node) {
    return List.of(1, 2, 3, 4, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4).get(node - 1);
  }

  private static int number(String cloudlet) {
    return Integer.parseInt(cloudlet.substring(1));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void sixteenCloudletsHaveFourBrokers(long number) {
    EngageDeployment deployment = setting(number);
    assertThat(deployment.layout().cloudlets()).hasSize(16);
    assertThat(deployment.layout().brokers()).hasSize(4);
    for (int n = 1; n <= 16; n++) {
      assertThat(deployment.layout().uplink("c" + n)).isEqualTo("b" + region(n));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void edgeNodesAreTenMillisecondsFromTheirDatacenterAndLimited(long number) {
    EngageDeployment deployment = setting(number);
    RttTable network = deployment.topology(false).network();
    for (int n = 1; n <= 16; n++) {
      Bandwidth limit = deployment.limit("s" + n);
      assertThat(limit).isEqualTo(n <= 4 ? Bandwidth.UNLIMITED : new Bandwidth(1_000, 500));
      if (n > 4) {
        assertThat(network.rttMicros(network.index("s" + n), network.index("s" + region(n))))
            .isEqualTo(20_000);
      }
    }
  }

  @Test
  void drivenByLocalityEachPartitionIsAtEveryReplicaOfTwoRegions() {
    SortedMap<String, List<String>> partitions = new TreeMap<>(setting(1).layout().partitions());
    assertThat(partitions).hasSize(3);
    assertThat(partitions.get("A"))
        .containsExactlyInAnyOrder("c1", "c5", "c6", "c7", "c2", "c8", "c9", "c10");
    partitions
        .values()
        .forEach(
            replicas -> {
              TreeSet<Integer> regions = new TreeSet<>();
              replicas.forEach(c -> regions.add(region(number(c))));
              assertThat(regions).hasSize(2);
              assertThat(replicas).hasSize(8);
            });
  }

  @Test
  void uniformlyEachRegionHasAPartition() {
    List<Integer> homes = new ArrayList<>();
    setting(2)
        .layout()
        .partitions()
        .forEach(
            (partition, replicas) -> {
              int home =
                  region(replicas.stream().mapToInt(c -> number(c)).filter(n -> n <= 4).sum());
              homes.add(home);
              assertThat(replicas).hasSize(4);
              assertThat(replicas.stream().filter(c -> number(c) <= 4)).hasSize(1);
              assertThat(replicas.stream().filter(c -> number(c) > 4 && region(number(c)) == home))
                  .hasSize(2);
            });
    assertThat(homes).containsExactlyInAnyOrder(1, 2, 3, 4);
  }
}
