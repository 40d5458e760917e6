package dev.plumbline.metric.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.machine.Message;
import dev.plumbline.metric.MetricMessage;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.node.Outside;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitedStoreTest {
  private static final Message MESSAGE = new MetricMessage.Get("entry", 1, 0, false);

  private final BlockingQueue<Message> taken = new LinkedBlockingQueue<>();
  private final AtomicBoolean there = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();

  private Outside store() throws IOException {
    if (!there.get()) {
      return CassandraEntries.open(
          new NodeConfig.Cassandra(List.of("127.0.0.1:1"), "plumbline", "c7", 0, "S1"),
          "m-S1",
          null,
          null);
    }
    return new Outside() {
      @Override
      public void take(String role, Message message) {
        taken.add(message);
      }

      @Override
      public void close() {
        closed.set(true);
      }
    };
  }

  @Test
  void aStoreThatIsSilentIsWaitedForAndWhatItIsSentMeanwhileIsLost() throws Exception {
    try (Outside awaited = AwaitedStore.of("m-S1", this::store)) {
      awaited.take("store", MESSAGE);
      there.set(true);
      Message answered = null;
      for (int i = 0; i < 200 && answered == null; i++) {
        awaited.take("store", MESSAGE);
        answered = taken.poll(100, TimeUnit.MILLISECONDS);
      }
      assertThat(answered).isEqualTo(MESSAGE);
    }
    assertThat(closed).isTrue();
  }

  @Test
  void whatIsThereAndIsNotTheStoreIsSaidAtOnce() {
    assertThatThrownBy(
            () ->
                AwaitedStore.of(
                    "m-S1",
                    () -> {
                      throw new IOException("the keyspace is another cluster's");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("the keyspace is another cluster's");
  }

  /** Somebody may mend it; the process asks for as long as it lasts. */
  @Test
  void aStoreThatIsWrongLaterIsAskedAgain() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    long begun = System.nanoTime();
    AwaitedStore.Opening mended =
        () -> {
          boolean late = System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(4);
          if (late && asked.incrementAndGet() == 1) {
            throw new IOException("the keyspace is another cluster's");
          } else if (late && asked.get() == 2) {
            throw new IllegalStateException("something else");
          }
          there.set(late);
          return store();
        };
    try (Outside awaited = AwaitedStore.of("m-S1", mended)) {
      Message answered = null;
      for (int i = 0; i < 200 && answered == null; i++) {
        awaited.take("store", MESSAGE);
        answered = taken.poll(100, TimeUnit.MILLISECONDS);
      }
      assertThat(answered).isEqualTo(MESSAGE);
    }
  }

  @Test
  void aStoreThatComesAfterTheEndIsClosed() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    there.set(true);
    Outside awaited =
        AwaitedStore.of(
            "m-S1",
            () -> {
              asked.countDown();
              try {
                ended.await();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
              return store();
            });
    assertThat(asked.await(1, TimeUnit.SECONDS)).isTrue();
    awaited.close();
    ended.countDown();
    for (int i = 0; i < 200 && !closed.get(); i++) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    assertThat(closed).isTrue();
  }
}
