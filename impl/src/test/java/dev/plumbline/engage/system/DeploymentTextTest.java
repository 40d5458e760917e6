package dev.plumbline.engage.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.protocol.Bandwidth;
import org.junit.jupiter.api.Test;

class DeploymentTextTest {
  private static final String NODES =
      """
      # a chain of two brokers
      cloudlet c1 at north
      cloudlet c2 at south
      broker b1 at north
      broker b2 at middle
      """;
  private static final String LINKS =
      """
      link c1 b1
      link c2 b2
      link b1 b2
      """;
  private static final String REST =
      """
      partition A c1 c2   # everywhere
      partition B c2
      latency north middle 20000
      latency middle south 10000
      limit south 1000 500
      """;

  private static void refused(String text, String why) {
    assertThatThrownBy(() -> DeploymentText.read(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  @Test
  void whoIsWhereIsRead() {
    EngageDeployment read = DeploymentText.read(NODES + LINKS + REST);

    assertThat(read.layout().cloudlets()).containsExactly("c1", "c2");
    assertThat(read.layout().replicas("B/x")).containsExactly("c2");
    assertThat(read.layout().uplink("c1")).isEqualTo("b1");
    assertThat(read.sites()).containsEntry("b2", "middle");
    assertThat(read.network().regions()).containsExactly("north", "south", "middle");
    assertThat(read.rttMicros("north", "c2")).as("over middle").isEqualTo(60_000);
    assertThat(read.limit("south")).isEqualTo(new Bandwidth(1_000, 500));
    assertThat(read.limit("north")).isEqualTo(Bandwidth.UNLIMITED);
    assertThat(read.preferred("middle", 0)).as("none there: the nearest").isEqualTo("c2");
  }

  @Test
  void aCloudletWithSeveralLinksHasItsBrokerBesideIt() {
    EngageDeployment read =
        DeploymentText.read(
            """
            cloudlet c1 at s
            cloudlet c2 at s
            cloudlet c3 at s
            link c1 c2
            link c2 c3
            partition A c1 c3
            """);

    assertThat(read.sites()).containsEntry("c2-broker", "s");
    assertThat(read.topology(false).nodes()).hasSize(4);
  }

  @Test
  void aCircleIsNamedWithItsLine() {
    refused(
        NODES + LINKS + "link b2 c1\n" + REST,
        "line 9: the link between b2 and c1 closes a circle: b2 - b1 - c1 - b2; remove one");
  }

  @Test
  void whatMakesNoSenseIsNamedWithItsLine() {
    refused(NODES + "link c1 b9", "line 6: there is no node b9; say where it is before its links");
    refused(NODES + LINKS + "partition A c9", "line 9: there is no cloudlet c9; there are c1, c2");
    refused(NODES + LINKS + "partition A c1 c1", "names a cloudlet twice");
    refused(NODES + LINKS + "latency north west 5", "no node is at west");
    refused(NODES + LINKS + "latency north north 5", "line 9: a site has no latency to itself");
    refused(
        NODES + LINKS + "latency north south 5\nlatency south north 6",
        "line 10: there are two latencies between south and north; remove one");
    refused(NODES + LINKS + "limit north fast 5", "\"fast\" is no number from 1");
    refused("cloudlet c1 in north", "is not of the form cloudlet NAME at SITE");
    refused("cloud c1 at north", "a line begins with cloudlet, broker, link");
    refused("cloudlet c1 at north\nbroker c1 at north", "line 2: two nodes are called c1");
    refused("cloudlet ../c at north", "is no name");
    refused("cloudlet none at north", "line 1: no node can be called none: ");
    refused("broker client at north", "line 1: no node can be called client: ");
    refused(
        NODES + LINKS + REST + "limit south 1 1", "line 14: there are two limits of south; remove");
    refused(NODES + "link c1 b1\nlink c2 b2\n" + REST, "no links connect");
    refused("cloudlet c1 at x\npartition A c1\n", "c1 has no link; add a broker");
    String taken = "cloudlet c1 at x\ncloudlet c2 at x\n%s c1-broker at x\n";
    String links = "link c1 c2\nlink c1 c1-broker\npartition A c1 c2\n";
    for (String kind : new String[] {"cloudlet", "broker"}) {
      refused(
          taken.formatted(kind) + links,
          "line 3: node c1-broker has the name of the broker that c1 gets");
    }
    refused(NODES + LINKS, "there is no partition; name one at least");
    refused(
        NODES + LINKS + "partition A c1\nlatency north middle 5", "no latency connects south with");
  }
}
