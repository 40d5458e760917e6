package dev.plumbline.engage.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.engage.system.EngageBench.Measured;
import dev.plumbline.engage.system.EngageBench.Point;
import dev.plumbline.engage.system.EngageBench.Store;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is measured is what happened, in each of the three stores. */
class EngageBenchTest {
  private static Measured run(Store store, long setting) {
    return EngageBench.run(Point.of(store, setting).think(5_000), 1);
  }

  @Test
  void everyUpdateArrivesAndEveryClientGetsThroughItsRounds() {
    for (Store store : Store.values()) {
      Measured m = run(store, 2);
      assertThat(m.remotes()).as("%s: five rounds of sixteen clients", store).isEqualTo(80);
      assertThat(m.unseen()).as("%s: updates that did not arrive", store).isZero();
      assertThat(m.updates()).as("%s", store).isGreaterThan(1_000);
      assertThat(m.remote()).as("%s: half a round trip and more", store).isGreaterThan(20_000);
      assertThat(m.visible()).as("%s", store).isGreaterThan(20_000);
    }
  }

  @Test
  void flushesAreCountedWhereTheyTravelAlone() {
    Point hasty = Point.of(Store.ENGAGE, 2).think(5_000).flush(500);

    assertThat(EngageBench.run(hasty, 1).flushes()).isPositive();
    assertThat(run(Store.BAYOU, 2).flushes()).isGreaterThan(1_000);
    assertThat(run(Store.SATURN, 2).flushes()).as("labels alone").isZero();
  }

  @Test
  void whoAsksForNothingWaitsForNothing() {
    Point impatient = Point.of(Store.BAYOU, 2).think(5_000).flush(200_000);
    double all = EngageBench.run(impatient, 1).remote();

    assertThat(EngageBench.run(impatient.asking(List.of()), 1).remote()).isLessThan(all);
  }

  @Test
  void whatIsNotKeptIsNotCounted() {
    Point all = Point.of(Store.ENGAGE, 2).think(5_000);
    double kept = EngageBench.run(all, 1).records();

    for (String repair : List.of("durableBroker", "durableCloudlet")) {
      assertThat(EngageBench.run(all.without(List.of(repair)), 1).records())
          .as(repair)
          .isLessThan(kept * 0.9);
    }
  }

  @Test
  void theSameSeedMeasuresTheSame() {
    assertThat(run(Store.ENGAGE, 2)).isEqualTo(run(Store.ENGAGE, 2));
  }
}
