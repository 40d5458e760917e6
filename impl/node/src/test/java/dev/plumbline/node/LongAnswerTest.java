package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.cluster.FreePorts;
import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Response;
import dev.plumbline.machine.Message;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client learns of an answer that is longer than any may be. */
class LongAnswerTest {
  private static final String NODE = "c-SH";
  private static final Record LONG = new K2Response.Value(longs(8 << 20));

  @TempDir Path folder;

  private static List<Long> longs(int n) {
    return Collections.nCopies(n, 1_000_000_000L);
  }

  /** Answers a commit of "long" with more than there may be, any other with a word. */
  private static final Receiver RECEIVER =
      new Receiver() {
        @Override
        public void message(String node, long number, Message message, int bytes) {
          throw new IllegalStateException("nobody sends any");
        }

        @Override
        public void request(
            long number, Record request, int bytes, String client, Replies replies) {
          boolean isLong = ((K2Request.Commit) request).txn().equals("long");
          replies.answer(number, isLong ? LONG : new K2Response.Accepted());
        }
      };

  @Test
  void itIsSaidAndTheConnectionGoesOn() throws Exception {
    NodeConfig config =
        FreePorts.config("k2", null, folder, null).as(NODE, folder.toString(), Map.of());
    TakenTypes taken = new TakenTypes(new Wire.Types(Set.of(K2Request.Commit.class)), Map.of());
    EventLoopGroup loops = new NioEventLoopGroup(1);
    Metrics metrics = new Metrics();
    try (Transport node = new Transport(config, taken, null, loops, Map.of(), RECEIVER, metrics);
        Connector connector = new Connector(config, "client")) {
      assertThat(node.lastDelayMicros()).isZero();
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      try (Connector.Connection connection = connector.connect(NODE, deadline)) {
        assertThatThrownBy(() -> connection.ask(1, new K2Request.Commit("long"), deadline))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("answer")
            .hasMessageContaining("too long");
        assertThat(connection.ask(2, new K2Request.Commit("t"), deadline))
            .isEqualTo(new K2Response.Accepted());
      }
      assertThat(metrics.text()).contains("plumb_dropped_total{queue=\"oversized\"} 1");
    } finally {
      loops.shutdownGracefully(0, 500, TimeUnit.MILLISECONDS).await();
    }
  }
}
