package dev.plumbline.metric.sql.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.local.TestPostgres;
import dev.plumbline.protocol.RttTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What Metric is compared with does what it is said to do, at the distances of the sites. */
@Timeout(120)
class DatabasesTest {
  private static final List<String> SITES = List.of("A", "B", "C");

  /** Round trips of 40, 60 and 100 ms, microseconds. */
  private static final RttTable RTT =
      new RttTable(
          SITES, List.of(List.of(0L), List.of(40_000L, 0L), List.of(60_000L, 100_000L, 0L)));

  private static Databases databases;

  @BeforeAll
  static void start() throws Exception {
    assertThat(TestPostgres.server()).isNotNull();
    Path folder = Path.of("target", "databases", "p" + ProcessHandle.current().pid());
    databases =
        new Databases(Files.createDirectories(folder).toAbsolutePath(), RTT, Load.schema(SITES));
  }

  @AfterAll
  static void stop() throws Exception {
    if (databases != null) {
      databases.close();
    }
  }

  private static Load.Seen seen(boolean standbys) throws Exception {
    return Load.run(
        databases.urls(standbys), false, 1, 10, 0, TimeUnit.MILLISECONDS.toNanos(1_500));
  }

  private static double least(Load.Seen seen, String site) {
    return seen.latencies().get(site).get(0) / 1e3;
  }

  @Test
  void aClientFarAwayWaitsForAStatementAndForACommit() throws Exception {
    Load.Seen seen = seen(false);
    assertThat(seen.latencies().keySet()).containsExactlyElementsOf(SITES);
    assertThat(seen.latencies().values()).allSatisfy(all -> assertThat(all).isSorted());
    assertThat(seen.latencies().get("A")).as("one after the other").hasSizeGreaterThan(2);
    assertThat(least(seen, "A")).isLessThan(40);
    assertThat(least(seen, "B")).isGreaterThanOrEqualTo(80);
    assertThat(least(seen, "C")).isGreaterThanOrEqualTo(120);
  }

  @Test
  void aCommitWaitsForTheNearerStandby() throws Exception {
    Load.Seen seen = seen(true);
    assertThat(least(seen, "A")).isBetween(40.0, 60.0);
    assertThat(least(seen, "B")).isGreaterThanOrEqualTo(120);
    assertThat(least(seen, "C")).isGreaterThanOrEqualTo(160);
  }

  @Test
  void whatWasMeasuredIsThere() throws Exception {
    String url = databases.urls(true).get("A");
    Load.Seen seen =
        Load.run(databases.urls(true), true, 2, 10, 0, TimeUnit.MILLISECONDS.toNanos(300));
    assertThat(seen.nacks()).isZero();
    try (Connection c = DriverManager.getConnection(url)) {
      // Each of six clients has updated ten rows of its own.
      assertThat(Sql.string(c, "select count(*) from shared where v not like '-%'"))
          .isEqualTo("60");
    }
  }

  @Test
  void warmingUpIsNotMeasured() throws Exception {
    Load.Seen seen =
        Load.run(databases.urls(false), false, 1, 10, TimeUnit.MILLISECONDS.toNanos(300), 1);
    assertThat(seen.latencies().values()).allSatisfy(all -> assertThat(all).isEmpty());
  }

  /** A nack of Metric's has the same state. */
  @Test
  void whatIsRolledBackIsTriedAgainAndCounted() throws Exception {
    String url = databases.urls(false).get("A");
    try (Connection c = DriverManager.getConnection(url)) {
      Sql.run(
          c,
          "create sequence tries",
          "create function once() returns trigger language plpgsql as 'begin if nextval(''tries'')"
              + " = 1 then raise exception using errcode = ''40001''; end if; return null; end'",
          "create trigger once after update on shared execute function once()");
      Load.Seen seen =
          Load.run(Map.of("A", url), true, 1, 10, 0, TimeUnit.MILLISECONDS.toNanos(500));
      Sql.run(c, "drop trigger once on shared");
      assertThat(seen.nacks()).isOne();
      assertThat(seen.latencies().get("A")).isNotEmpty();
    }
  }
}
