package dev.plumbline.engage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LayoutTest {
  private static final List<String> CLOUDLETS = List.of("c1", "c2", "c3");

  private static Layout of(List<List<String>> links, Map<String, List<String>> partitions) {
    return Layout.of(CLOUDLETS, List.of("b1", "b2"), links, partitions);
  }

  private static List<List<String>> tree() {
    return List.of(
        List.of("c1", "b1"), List.of("c2", "b1"), List.of("c3", "b2"), List.of("b1", "b2"));
  }

  @Test
  void aCircleIsRefusedAndNamed() {
    assertThatThrownBy(
            () ->
                of(
                    List.of(
                        List.of("c1", "b1"),
                        List.of("b1", "c2"),
                        List.of("c2", "b2"),
                        List.of("c3", "b2"),
                        List.of("b2", "b1")),
                    Map.of()))
        .hasMessageContaining("closes a circle: b2 - c2 - b1 - b2");
  }

  @Test
  void unknownAndUnconnectedNodesAreRefused() {
    assertThatThrownBy(() -> of(List.of(List.of("c1", "b9")), Map.of()))
        .hasMessageContaining("there is no b9; there are b1, b2, c1, c2, c3");
    assertThatThrownBy(() -> of(tree().subList(0, 3), Map.of()))
        .hasMessageContaining("no links connect b2 with c1");
    assertThatThrownBy(() -> of(tree(), Map.of("A", List.of("c7"))))
        .hasMessageContaining("partition A: there is no c7");
    assertThatThrownBy(() -> of(tree(), Map.of("A", List.of())))
        .hasMessageContaining("partition A has no cloudlet");
    assertThatThrownBy(() -> new TreeCloudlet(Rig.config(), of(tree(), Map.of()), "c9"))
        .hasMessageContaining("there is no cloudlet c9");
  }

  @Test
  void aCloudletWithSeveralLinksGetsABrokerBesideIt() {
    Layout layout =
        Layout.of(
            CLOUDLETS,
            List.of(),
            List.of(List.of("c1", "c2"), List.of("c2", "c3")),
            Map.of("A", List.of("c1", "c3")));

    assertThat(layout.uplink("c2")).isEqualTo("c2-broker");
    assertThat(layout.neighbours().get("c2-broker")).containsExactlyInAnyOrder("c1", "c2", "c3");
    assertThat(layout.beyond("c2-broker", "c3")).containsExactly("c3");
  }

  /** Neither is the other's broker: it would take for its own what it does not replicate. */
  @Test
  void oneOfTwoCloudletsThatAreLinkedGetsABrokerBesideIt() {
    Rig rig =
        new Rig(
            Rig.config(),
            Layout.of(
                List.of("c1", "c2"),
                List.of(),
                List.of(List.of("c1", "c2")),
                Map.of("x", List.of("c1"), "y", List.of("c1", "c2"))));
    ClientSession s = new ClientSession(rig.config, rig.layout, "s");
    rig.ask("c1", 1, s.write("x", "v", "c1", List.of()));
    rig.ask("c1", 2, s.write("y", "w", "c1", List.of()));
    rig.settle();

    assertThat(rig.cloudlet("c2").objects()).containsExactly("y");
    assertThat(rig.cloudlet("c2").clock().entries()).containsExactly(2L, 0L);
    assertThat(rig.layout.brokers()).containsExactly("c1-broker");
    assertThat(rig.layout.uplink("c2")).isEqualTo("c1-broker");
  }

  @Test
  void objectsBelongToThePartitionThatTheirNamesBeginWith() {
    Layout layout = of(tree(), Map.of("A", List.of("c1", "c3")));

    assertThat(layout.replicas("A/17")).containsExactly("c1", "c3");
    assertThat(layout.replicas("B/17")).isEmpty();
  }
}
