package dev.plumbline.sql.metric.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.sql.metric.log.Nack.Kind;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class SharedLogTest {
  private static final byte[] ENTRY = {1};

  private static void nack(ThrowingCallable work, Kind kind) {
    assertThatThrownBy(work)
        .isInstanceOf(Nack.class)
        .satisfies(e -> assertThat(((Nack) e).kind()).isEqualTo(kind));
  }

  @Test
  void aTableIsOneSitesAtATime() throws Nack {
    SharedLog log = new SharedLog(Duration.ofMillis(50), Duration.ofSeconds(20));
    MetricProcess a = log.process("a");
    MetricProcess b = log.process("b");
    a.own("1", Set.of("x", "y"));
    nack(() -> b.own("1", Set.of("y", "z")), Kind.BUSY);
    b.own("2", Set.of("z"));
    a.release("1");
    b.own("1", Set.of("y", "z"));
    nack(() -> a.own("3", Set.of("z")), Kind.BUSY);
    assertThat(log.moves()).isEqualTo(1);
    a.own("4", Set.of("x"));
  }

  @Test
  void whoLostATableCommitsNothingAndOwnsNoMore() throws Exception {
    SharedLog log = new SharedLog(Duration.ofMillis(500), Duration.ofMillis(30));
    MetricProcess a = log.process("a");
    MetricProcess b = log.process("b");
    a.own("1", Set.of("x"));
    Thread.sleep(60);
    b.own("1", Set.of("x"));
    b.append("1", Set.of("x"), ENTRY);
    b.release("1");
    // METRIC-F13: the table is free again, and still lost to the transaction.
    nack(() -> a.own("1", Set.of("y")), Kind.LOST);
    nack(() -> a.append("1", Set.of("x"), ENTRY), Kind.LOST);
    nack(() -> a.confirm("1"), Kind.LOST);
    assertThat(log.size()).isEqualTo(1);
    nack(() -> b.append("1", Set.of("x"), ENTRY), Kind.LOST);
    a.release("1");
    a.own("2", Set.of("x"));
    nack(() -> a.append("2", Set.of("x", "y"), ENTRY), Kind.LOST);
    assertThat(a.append("2", Set.of("x"), ENTRY)).isEqualTo(2);
  }

  @Test
  void entriesAreReadFromEachTablesPosition() throws Nack {
    SharedLog log = new SharedLog(Duration.ofMillis(50), Duration.ofSeconds(20));
    MetricProcess a = log.process("a");
    a.own("1", Set.of("x", "y", "z"));
    a.append("1", Set.of("x"), ENTRY);
    a.append("1", Set.of("x", "y"), ENTRY);
    a.append("1", Set.of("z"), ENTRY);
    assertThat(a.since(Map.of("x", 1L, "y", 0L)))
        .extracting(MetricProcess.Logged::position)
        .containsExactly(2L);
    assertThat(a.since(Map.of("x", 0L, "z", 0L)))
        .extracting(MetricProcess.Logged::position)
        .containsExactly(1L, 2L, 3L);
    assertThat(a.since(Map.of("y", 2L))).isEmpty();
  }
}
