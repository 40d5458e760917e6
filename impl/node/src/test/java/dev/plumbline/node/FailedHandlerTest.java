package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.cluster.FreePorts;
import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.Txn;
import dev.plumbline.protocol.SeededBug;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node does whose handler failed, where its protocol does not let it start again. */
class FailedHandlerTest {
  private static final String NODE = "r1s1n1";

  @TempDir Path folder;

  private NodeConfig config(long suspectMicros) throws IOException {
    Files.createDirectories(folder.resolve("bugs/META-INF/services"));
    Files.writeString(
        folder.resolve("bugs/META-INF/services/" + SeededBug.class.getName()),
        DastPoison.class.getName());
    Path file = folder.resolve("all.yaml");
    FreePorts.config("dast", Map.of("suspectMicros", suspectMicros), folder, null).write(file);
    Files.writeString(file, Files.readString(file) + "bug: dast-poison\nbugs: bugs\n");
    return NodeConfig.read(file).as(NODE, folder.resolve("data").toString(), Map.of());
  }

  /** Lets a node fail once; how its run ended, "" if it goes on. */
  private String endAfterFailure(NodeConfig config) throws Exception {
    EventLoopGroup loops = new NioEventLoopGroup(1);
    try (NodeRuntime node = new NodeRuntime(config, loops, Map.of())) {
      CompletableFuture<String> ended = new CompletableFuture<>();
      node.start();
      Thread running =
          new Thread(
              () -> {
                try {
                  node.run();
                  ended.complete("");
                } catch (IOException e) {
                  ended.complete(e.getMessage());
                }
              });
      running.start();
      Txn any = new Txn(DastPoison.ID, "access", Map.of());
      node.request(1, new DastRequest(any), 100, "somebody", (number, response) -> {});
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (!ended.isDone()
          && (long) node.report().get("epoch") == 1
          && System.nanoTime() < deadline) {
        Thread.sleep(20);
      }
      node.stop();
      return ended.get(30, TimeUnit.SECONDS);
    } finally {
      loops.shutdownGracefully(0, 500, TimeUnit.MILLISECONDS).await();
    }
  }

  /** It would serve its shard with nothing, where its peers count on what it acknowledged. */
  @Test
  void aNodeThatMustNotStartAgainEnds() throws Exception {
    assertThat(endAfterFailure(config(0)))
        .contains(NODE + " has served before and keeps no transactions on disk");
  }

  @Test
  void aNodeThatMayStartsAgain() throws Exception {
    assertThat(endAfterFailure(config(5_000_000))).isEmpty();
  }
}
