package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.node.NodeConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StorePlanTest {
  private static final Path ROOT = Path.of("/");

  private static StorePlan parse(String text) {
    return StorePlan.parse(text, ROOT);
  }

  @Test
  void whatIsAskedForIsRead() {
    assertThat(parse(null)).isNull();
    assertThat(parse("rocksdb")).isNull();
    assertThat(parse("cassandra").own()).isTrue();
    assertThat(parse("cassandra=127.0.0.1:9042,localhost:9043/mine"))
        .isEqualTo(new StorePlan(List.of("127.0.0.1:9042", "localhost:9043"), "mine", ROOT, false));
    assertThat(StorePlan.own("127.0.0.1:9042", "a1"))
        .isEqualTo(
            new NodeConfig.Cassandra(List.of("127.0.0.1:9042"), "plumbline_a1", "a1", 1, null));
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    for (String text :
        List.of(
            "",
            "mysql",
            "cassandra=",
            "cassandra=/mine",
            "cassandra=127.0.0.1",
            "cassandra=127.0.0.1:0",
            "cassandra=127.0.0.1:9042,",
            "cassandra=127.0.0.1:9042/",
            "cassandra=127.0.0.1:9042/Mine",
            "cassandra=192.0.2.1:9042")) {
      assertThatThrownBy(() -> parse(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("--store ");
    }
  }

  @Test
  void whatRegionsCannotReachIsRefused() {
    assertThatThrownBy(() -> parse("cassandra=127.0.0.1:9042").demandReach(false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("add --loopback");
    assertThatThrownBy(() -> parse("cassandra").demandReach(true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not on other hosts");
    parse("cassandra").demandReach(false);
  }

  @Test
  void hostsHaveEachTheirOwnAtTheAddress() {
    StorePlan plan = parse("cassandra=127.0.0.1:9042");
    plan.demandReach(true);
    assertThat(plan.onHosts("a1"))
        .isEqualTo(
            new NodeConfig.Cassandra(List.of("127.0.0.1:9042"), "plumbline_a1", "a1", 1, null));
  }

  @Test
  void whatNodesCannotReachByThemselvesIsRefused() {
    Networks spaces = new Networks("t", "192.0.2.0/28", List.of("S1"), List.of());
    Networks hosts = new Networks("", "", List.of("S1"), List.of("h1"));
    assertThatThrownBy(() -> StorePlan.demandOutside(null, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("add --store cassandra");
    assertThatThrownBy(() -> StorePlan.demandOutside(parse("cassandra=127.0.0.1:9042"), spaces))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("add --loopback");
    for (String store : new String[] {null, "cassandra", "cassandra=127.0.0.1:9042"}) {
      assertThatThrownBy(() -> StorePlan.demandOutside(parse(store), hosts))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("leave out --hosts");
    }
    StorePlan.demandOutside(parse("cassandra"), null);
    StorePlan.demandOutside(parse("cassandra"), spaces);
  }

  @Test
  void ofARingTheNearOneIsAskedFirst() {
    Map<String, String> addresses = new TreeMap<>();
    addresses.put("S1", "192.0.2.2:9042");
    addresses.put("S2", "192.0.2.3:9042");
    addresses.put("S3", "192.0.2.4:9042");
    assertThat(StorePlan.ring(addresses, "S2", "a1"))
        .isEqualTo(
            new NodeConfig.Cassandra(
                List.of("192.0.2.3:9042", "192.0.2.2:9042", "192.0.2.4:9042"),
                "plumbline_a1",
                "a1",
                0,
                "S2"));
    addresses.put("S3", "10.0.0.4:9042");
    assertThatThrownBy(() -> StorePlan.ring(addresses, "S2", "a1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            "10.0.0.4 is not on loopback, and connections to Cassandra are plain");
  }

  @Test
  void aClustersOwnCassandraIsKnownByItsFolder() {
    Path folder = Path.of("/somewhere/cassandra");
    String storage = "-Dcassandra.storagedir=/somewhere/cassandra/r1";
    assertThat(CassandraServers.within(List.of(storage, CassandraServers.MAIN), folder)).isTrue();
    assertThat(CassandraServers.within(List.of(storage), folder)).isFalse();
    assertThat(
            CassandraServers.within(
                List.of(storage, CassandraServers.MAIN), Path.of("/somewhere/cass")))
        .isFalse();
  }
}
