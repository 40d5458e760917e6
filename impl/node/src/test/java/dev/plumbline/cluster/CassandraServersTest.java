package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CassandraServersTest {
  @Test
  void aJavaWithoutSecurityManagersIsRefused() {
    assertThatCode(() -> CassandraServers.demandJava(17)).doesNotThrowAnyException();
    assertThatCode(() -> CassandraServers.demandJava(23)).doesNotThrowAnyException();
    assertThatThrownBy(() -> CassandraServers.demandJava(24))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Java 24 has no more")
        .hasMessageContaining("remedy: run with Java 17");
  }

  @Test
  void aRingHasADataCentreARegionAndEqualParts() {
    Map<String, CassandraServers.Place> places = new LinkedHashMap<>();
    places.put("S1", new CassandraServers.Place("192.0.2.2", 9042, 7000));
    places.put("S2", new CassandraServers.Place("192.0.2.3", 9042, 7000));
    places.put("S3", new CassandraServers.Place("192.0.2.4", 9042, 7000));
    Map<String, CassandraServers.Member> ring = CassandraServers.ring("c7", places);
    assertThat(ring.keySet()).containsExactly("S1", "S2", "S3");
    assertThat(ring.values())
        .extracting(CassandraServers.Member::token)
        .containsExactly("-3074457345618258603", "3074457345618258602", "9223372036854775807");
    assertThat(ring.get("S2").address()).isEqualTo("192.0.2.3:9042");
    assertThat(CassandraServers.yaml(Path.of("/f"), ring.get("S2")).lines().map(String::strip))
        .contains(
            "cluster_name: plumbline-c7",
            "initial_token: 3074457345618258602",
            "auto_bootstrap: false",
            "listen_address: 192.0.2.3",
            "rpc_address: 192.0.2.3",
            "native_transport_port: 9042",
            "storage_port: 7000",
            "commitlog_sync: batch",
            "hinted_handoff_enabled: false",
            "internode_timeout: false",
            "paxos_variant: v2",
            "- seeds: \"192.0.2.2:7000,192.0.2.3:7000,192.0.2.4:7000\"");
  }

  @Test
  void aFolderMayBeNamedAsAnythingElseOfTheConfiguration() {
    Path folder = Path.of("/SEEDS/HOST/STORAGE/CLIENTS/RING/TOKEN");
    assertThat(CassandraServers.yaml(folder, CassandraServers.Member.alone(5, 6)))
        .contains("commitlog_directory: \"" + folder + "/commitlog\"", "listen_address: 127.0.0.1");
  }

  @Test
  void oneByItselfListensOnLoopbackAlone(@TempDir Path folder) throws IOException {
    List<String> command =
        CassandraServers.command("a.jar", folder, CassandraServers.Member.alone(5, 6));
    assertThat(folder.resolve("conf/cassandra.yaml"))
        .content()
        .contains("listen_address: 127.0.0.1\n", "rpc_address: 127.0.0.1\n", "127.0.0.1:6");
    Path place = folder.resolve("conf/cassandra-rackdc.properties");
    assertThat(place).hasContent("dc=datacenter1\nrack=r1");
    assertThat(command).contains("-Dcassandra-rackdc.properties=" + place.toUri());
  }
}
