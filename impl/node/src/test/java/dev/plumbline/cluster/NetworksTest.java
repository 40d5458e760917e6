package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.protocol.RttTable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

class NetworksTest {
  private static final RttTable RTT =
      new RttTable(List.of("A", "B"), List.of(List.of(200L), List.of(3_000L, 200L)));

  private static String free(String asked, String used) throws IOException {
    return Networks.free(asked, 5, UsedAddresses.mentioned(used));
  }

  @Test
  void aNetworkOfTheMachineIsNotTaken() throws IOException {
    assertThat(free(null, "default via 192.0.2.1 dev eth0")).isEqualTo("198.51.100.0/29");
    assertThat(free(null, "0.0.0.0/1 via 10.0.0.1")).as("all").isEqualTo("198.51.100.0/29");
    assertThat(free(null, "198.51.100.0/28 dev eth0")).isEqualTo("198.51.100.16/29");
    assertThat(free(null, "unreachable 198.48.0.0/12")).isEqualTo("203.0.113.0/29");
    assertThatThrownBy(
            () -> free(null, "198.51.100.0/24 203.0.113.0/24 192.0.2.0/23 198.18.0.0/15"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("--network")
        .hasMessageContaining("--loopback");
  }

  @Test
  void manyClustersFit() throws IOException {
    StringBuilder used = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      used.append(free(null, used.toString())).append(' ');
    }
    assertThat(used.toString().split(" ")).hasSize(100).doesNotHaveDuplicates();
  }

  @Test
  void theUserMayNameANetworkThatIsNotUsed() throws IOException {
    assertThat(free("10.7.0.9/24", "10.6.0.0/16")).isEqualTo("10.7.0.0/24");
    for (String bad : List.of("10.7.0.0/24", "10.9.0.0/30", "10.9.0/24", "10.9.0.300/24", "::1")) {
      assertThatThrownBy(() -> free(bad, "10.7.0.0/16 dev wg0"))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** One that is killed between the two commands leaves it. */
  @Test
  @EnabledIf("dev.plumbline.cluster.Networks#available")
  void theProbeOfAProcessThatIsGoneIsTakenAway() throws IOException {
    Path left = Path.of("/run/netns/plumb-probe-999999999999");
    Path alive = Path.of("/run/netns/plumb-probe-1");
    Commands.must(List.of("ip", "netns", "add", left.getFileName().toString()));
    Commands.must(List.of("ip", "netns", "add", alive.getFileName().toString()));
    try {
      assertThat(Networks.available()).isTrue();
      assertThat(left).doesNotExist();
      assertThat(alive).exists();
    } finally {
      Commands.succeeds(List.of("ip", "netns", "del", left.getFileName().toString()));
      Commands.must(List.of("ip", "netns", "del", alive.getFileName().toString()));
    }
  }

  @Test
  void bothEndsOfConnectionsAreUsed() {
    String table =
        "  sl  local_address rem_address   st\n"
            + "   0: 0100007F:8124 00000000:0000 0A 00000000:00000000\n"
            + "   1: 020200C0:9C40 097100CB:01BB 01 00000000:00000000\n";
    assertThat(UsedAddresses.connected(table).toString())
        .contains("127.0.0.1/32", "192.0.2.2/32", "203.0.113.9/32")
        .doesNotContain("0.0.0.0");
  }

  /**
   * Of a program that speaks IPv6 too, as Java does, the kernel has connections in another table.
   */
  @Test
  void whereJavaIsConnectedIsUsed() throws IOException {
    InetAddress at = InetAddress.getByName("127.20.30.40");
    try (ServerSocket server = new ServerSocket(0, 1, at);
        Socket client = new Socket(at, server.getLocalPort())) {
      assertThat(client.isConnected()).isTrue();
      assertThat(UsedAddresses.ofThisMachine().toString()).contains("127.20.30.40/32");
    }
  }

  @Test
  void netemDelaysByDestinationAndHalfTheRoundTrip() throws IOException {
    Networks networks = new Networks("t", "192.0.2.0/28", List.of("A", "B"), List.of());
    List<String> commands =
        networks.delayCommands("A", RTT).stream().map(c -> String.join(" ", c)).toList();
    assertThat(commands).hasSize(4);
    assertThat(commands.get(2)).contains("parent 1:2 netem delay 1500us");
    assertThat(commands.get(3)).contains("match ip dst 192.0.2.3/32 flowid 1:2");
  }

  @Test
  @EnabledIf("dev.plumbline.cluster.Networks#available")
  void whatIsTakenAwayIsGoneAtOnce() throws IOException {
    String tag = String.valueOf(ProcessHandle.current().pid() % 10_000);
    String network = Networks.free(null, 2, UsedAddresses.ofThisMachine());
    Networks networks = new Networks(tag, network, List.of("A", "B"), List.of());
    for (int i = 0; i < 2; i++) {
      try {
        networks.up();
        // Somebody who is still in a namespace keeps it, and what is in it.
        new ProcessBuilder(networks.inside("A", List.of("sleep", "3"))).start();
      } finally {
        networks.down();
      }
    }
    assertThat(Commands.run(List.of("ip", "-o", "link")).out()).doesNotContain("pv" + tag + "-");
  }

  @Test
  void aHostForEachRegionIsReachedBySsh() throws IOException {
    Networks networks =
        Networks.hosts(List.of("127.0.0.1", "127.0.0.2", "127.0.0.3"))
            .plan(List.of("A", "B"), List.of());
    assertThat(networks.remote()).isTrue();
    assertThat(networks.address("B")).isEqualTo("127.0.0.2");
    assertThat(networks.inside("B", List.of("echo", "it's", "a b")))
        .startsWith("ssh")
        .endsWith("127.0.0.2", "'echo'", "'it'\\''s'", "'a b'");
    networks.down();
  }

  @Test
  void aHostThatCannotBeReachedIsNamed() throws IOException {
    Networks nobody = Networks.hosts(List.of("no.such.host.invalid")).plan(List.of("A"), List.of());
    assertThatThrownBy(() -> nobody.address("A"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no.such.host.invalid");
    assertThatThrownBy(nobody::up)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no.such.host.invalid");
  }

  @Test
  void tooFewHostsAreRefused() {
    assertThatThrownBy(
            () -> Networks.hosts(List.of("127.0.0.1")).plan(List.of("A", "B"), List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("regions A, B");
  }

  @Test
  void profilesHaveNames() {
    assertThat(RttProfiles.named("lan", "p", RTT).rttMicros(0, 1)).isEqualTo(200);
    assertThat(RttProfiles.named("p", "p", RTT)).isEqualTo(RTT);
    assertThat(RttProfiles.scaled(RTT, 10).rttMicros(0, 1)).isEqualTo(300);
    assertThatThrownBy(() -> RttProfiles.named("moon", "p", RTT))
        .hasMessageContaining("there are p, lan");
  }
}
