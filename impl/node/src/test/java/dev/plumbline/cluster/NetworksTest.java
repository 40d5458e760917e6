package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.sim.RttTable;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class NetworksTest {
  private static final RttTable RTT =
      new RttTable(List.of("A", "B"), List.of(List.of(200L), List.of(3_000L, 200L)));

  @Test
  void aNetworkOfTheMachineIsNotTaken() throws IOException {
    assertThat(Networks.freePrefix("default via 192.0.2.1 dev eth0")).isEqualTo("198.51.100.");
    assertThat(Networks.freePrefix("198.51.100.0/24 dev eth0")).isEqualTo("203.0.113.");
    assertThatThrownBy(() -> Networks.freePrefix("198.51.100.0 203.0.113.0 192.0.2.0"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("--loopback");
  }

  @Test
  void netemDelaysByDestinationAndHalfTheRoundTrip() {
    Networks networks = new Networks("t", "192.0.2.", List.of("A", "B"));
    List<String> commands =
        networks.delayCommands("A", RTT).stream().map(c -> String.join(" ", c)).toList();
    assertThat(commands).hasSize(4);
    assertThat(commands.get(2)).contains("parent 1:2 netem delay 1500us");
    assertThat(commands.get(3)).contains("match ip dst 192.0.2.11/32 flowid 1:2");
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
