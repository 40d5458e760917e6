package dev.plumbline.metric.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.plumbline.cluster.CassandraRing;
import dev.plumbline.metric.StoreClient.Outcome;
import dev.plumbline.node.CassandraSession;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The guarantees by three real Cassandras that are one ring; each client has another near it. */
@Tag("slow")
class CassandraRingTest extends EntryStoreContract {
  private static CassandraRing ring;

  CassandraRingTest() {
    super(3_000);
  }

  @BeforeAll
  static void start(@TempDir Path place) throws IOException {
    ring = new CassandraRing(place);
  }

  @AfterAll
  static void stop() throws InterruptedException {
    ring.close();
  }

  @Override
  Holder holder(String name, long number) throws IOException {
    String region = CassandraRing.REGIONS.get((int) (number - 1) % CassandraRing.REGIONS.size());
    return new Holder(
        name,
        number,
        1,
        repaired(),
        List.of("store"),
        (client, c, answers) -> CassandraEntries.open(ring.near(region), client, c, answers));
  }

  @Test
  void aRowHasAReplicaInEachRegion() throws IOException {
    try (CassandraSession place = CassandraSession.open(ring.near("S2"))) {
      Row near = place.cql().execute("SELECT data_center FROM system.local").one();
      assertThat(near.getString(0)).as("who is asked first").isEqualTo("S2");
      String key = "entry " + UUID.randomUUID();
      place
          .cql()
          .execute(
              SimpleStatement.newInstance(
                      "INSERT INTO " + place.table("cluster") + " (one, name) VALUES (2, ?)", key)
                  .setConsistencyLevel(ConsistencyLevel.THREE));
    }
  }

  /** One after the other is killed, so that what only two of them had is asked of the third. */
  @Test
  void aQuorumGoesOnAndWhoComesBackIsPartOfTheNext() throws Exception {
    String key = "entry that stays";
    try (Holder first = holder("m-S1", 1);
        Holder second = holder("m-S2", 2)) {
      assertThat(first.acquire(key)).isEqualTo(Outcome.LOCKED);
      long value = 0;
      for (String gone : List.of("S1", "S2")) {
        ring.kill(gone);
        assertThat(first.put(key, ++value)).as("without " + gone).isEqualTo(Outcome.STORED);
        assertThat(first.get(key)).contains(value);
        ring.start(gone);
        assertThat(first.put(key, ++value)).as("with " + gone).isEqualTo(Outcome.STORED);
      }
      first.release(key);
      ring.kill("S3");
      assertThat(second.acquire(key)).isEqualTo(Outcome.LOCKED);
      assertThat(second.get(key)).as("by who was away").contains(value);
      ring.start("S3");
    }
  }
}
