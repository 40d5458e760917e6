package dev.plumbline.metric.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.plumbline.metric.MetricConfig;
import dev.plumbline.metric.Phase;
import dev.plumbline.metric.system.MetricBench.Measured;
import dev.plumbline.metric.system.MetricBench.Point;
import dev.plumbline.metric.system.MetricBench.Store;
import dev.plumbline.metric.system.MetricBench.Takeover;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is measured is what happened. */
class MetricBenchTest {
  @Test
  void anUpdateCrossesSitesOnceAndItsPartsAddUp() {
    Measured m = MetricBench.run(Point.of(Store.METRIC), 1);

    for (String site : MetricBench.sites()) {
      double quorum = MetricBench.quorumMillis(site);
      assertThat(m.millis(site, 50)).as(site).isBetween(quorum, quorum * 1.1);
      assertThat(m.rate(site)).as(site).isCloseTo(1_000 / m.millis(site, 50), within(1.0));
    }
    assertThat(m.moves())
        .as("after the first second none but for an entry that is full")
        .isEqualTo(2);
    assertThat(m.nacks()).isZero();
    assertThat(m.spent(Phase.LOCAL_COMMIT, Phase.APPENDING))
        .isGreaterThan(30 * m.spent(Phase.QUERY, Phase.EXECUTE));
    assertThat(MetricBench.run(Point.of(Store.METRIC), 1)).isEqualTo(m);
  }

  @Test
  void aDatabaseAtTheFirstSiteIsFarFromTheOthers() {
    Measured alone = MetricBench.run(Point.of(Store.SINGLE), 1);
    Measured routed = MetricBench.run(Point.of(Store.SYNCHRONOUS), 1);

    assertThat(alone.millis("S1", 50)).isLessThan(1);
    assertThat(alone.millis("S2", 50)).isGreaterThan(53.8);
    assertThat(routed.millis("S1", 50)).isGreaterThan(24.2);
    assertThat(routed.millis("S2", 50)).isGreaterThan(53.8 + 24.2);
    assertThat(MetricBench.run(Point.of(Store.SYNCHRONOUS).reading(), 1).millis("S1", 50))
        .as("a read waits for no standby")
        .isLessThan(1);
  }

  @Test
  void aSharedTableMoves() {
    Measured often = MetricBench.run(Point.of(Store.METRIC).clients(4).sharing(1), 1);
    Measured seldom = MetricBench.run(Point.of(Store.METRIC).clients(4).sharing(50), 1);

    assertThat(often.moves()).isGreaterThan(20);
    assertThat(seldom.moves()).isPositive().isLessThan(often.moves());
    assertThat(seldom.rate()).isGreaterThan(often.rate());
  }

  @Test
  void anotherProcessGoesOnAfterACrash() {
    Takeover alive = MetricBench.takeover(20, true, List.of(), 1);
    Takeover crashed = MetricBench.takeover(20, false, List.of(), 1);

    assertThat(alive.own()).isGreaterThan(MetricBench.quorumMillis("S2"));
    assertThat(alive.whole())
        .isCloseTo(alive.own() + alive.populate() + MetricBench.quorumMillis("S2"), within(10.0));
    assertThat(crashed.own()).as("it synchronizes first").isGreaterThan(alive.own());
    assertThat(MetricBench.takeover(20, false, List.of(MetricConfig.SYNC), 1).own())
        .isLessThan(crashed.own());
  }

  @Test
  void aRepairsCostIsSeen() {
    Point reads = Point.of(Store.METRIC).reading();

    assertThat(MetricBench.run(reads, 1).millis("S1", 50)).isGreaterThan(24);
    assertThat(MetricBench.run(reads.without(List.of(MetricConfig.READ_CHECK)), 1).millis("S1", 50))
        .isLessThan(1);
  }
}
