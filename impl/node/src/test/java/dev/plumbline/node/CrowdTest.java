package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class CrowdTest {
  private final Crowd crowd = new Crowd();

  @Test
  void theOldestStrangerGivesWay() {
    Channel first = new EmbeddedChannel();
    assertThat(crowd.enter(first)).isNull();
    for (int i = 1; i < Crowd.STRANGERS; i++) {
      assertThat(crowd.enter(new EmbeddedChannel())).isNull();
    }
    assertThat(crowd.enter(new EmbeddedChannel())).isSameAs(first);
  }

  @Test
  void whoSaidItsNameIsNoStranger() {
    Channel client = new EmbeddedChannel();
    crowd.enter(client);
    assertThat(crowd.greet(client, "client", false)).isNull();
    for (int i = 0; i < 2 * Crowd.STRANGERS; i++) {
      assertThat(crowd.enter(new EmbeddedChannel())).isNotSameAs(client);
    }
  }

  @Test
  void oneClientMoreIsRefusedUntilOneLeaves() {
    Channel some = new EmbeddedChannel();
    assertThat(crowd.greet(some, "client", false)).isNull();
    for (int i = 1; i < Crowd.CLIENTS; i++) {
      assertThat(crowd.greet(new EmbeddedChannel(), "client", false)).isNull();
    }
    Channel more = new EmbeddedChannel();
    assertThat(crowd.greet(more, "client", false)).isSameAs(more);
    assertThat(crowd.greet(new EmbeddedChannel(), "dn-SH", true)).as("a node").isNull();
    crowd.leave(some);
    assertThat(crowd.greet(more, "client", false)).isNull();
  }

  @Test
  void aNodesOldestConnectionGivesWay() {
    Channel first = new EmbeddedChannel();
    crowd.greet(first, "dn-SH", true);
    for (int i = 1; i < Crowd.EACH_NODE; i++) {
      assertThat(crowd.greet(new EmbeddedChannel(), "dn-SH", true)).isNull();
    }
    assertThat(crowd.greet(new EmbeddedChannel(), "dn-SH", true)).isSameAs(first);
  }

  @Test
  void refusalsFillNoLog() {
    Refusals refusals = new Refusals(new Metrics());
    long now = System.nanoTime();
    int said = 0;
    for (int i = 0; i < 1000; i++) {
      said += refusals.unsaid(now) >= 0 ? 1 : 0;
    }
    assertThat(said).isEqualTo(10);
    assertThat(refusals.unsaid(now + 1_100_000_000L)).isEqualTo(990);
  }
}
