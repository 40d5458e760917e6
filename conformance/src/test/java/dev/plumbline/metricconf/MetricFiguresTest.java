package dev.plumbline.metricconf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.metric.Phase;
import dev.plumbline.sim.metric.MetricBench.Measured;
import dev.plumbline.sim.metric.MetricBench.Point;
import dev.plumbline.sim.metric.MetricBench.Store;
import dev.plumbline.sim.metric.MetricBench.Takeover;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the command makes of what was measured: pictures, and a verdict on every shape. */
class MetricFiguresTest {
  private static final Takeover PAPER = new Takeover(460, 3_000, 3_500);

  @TempDir Path folder;
  private final StringWriter said = new StringWriter();

  /** Every site commits so often, and each time in so many milliseconds. */
  private static Measured measured(int committed, int first, int second, int third, double commit) {
    Map<String, List<Long>> latencies =
        Map.of(
            "S1", Collections.nCopies(committed, first * 1_000L),
            "S2", Collections.nCopies(committed, second * 1_000L),
            "S3", Collections.nCopies(committed, third * 1_000L));
    return new Measured(latencies, 0, Map.of(Phase.APPENDING, commit * 1_000), 6, 1);
  }

  private static Measured asExpected(Point p) {
    return switch (p.store()) {
      case METRIC -> measured(p.shared() ? 10 : 300, 25, 55, 25, 32);
      case SINGLE -> measured(400, 1, 54, 25, 0);
      case SYNCHRONOUS -> measured(p.clients() > 1 ? 1_000 : 200, 25, 80, 50, 0);
    };
  }

  private record Fake(Function<Point, Measured> points, Takeover takeover)
      implements MetricFigures.Measuring {
    @Override
    public Measured of(Point point, long seed) {
      return points.apply(point);
    }

    @Override
    public Takeover takeover(int transactions, boolean alive, List<String> without, long seed) {
      return takeover;
    }
  }

  private int draw(Fake fake, String... figures) throws IOException {
    return new MetricFigures(fake).draw(folder, new PrintWriter(said), 1, Set.of(figures), false);
  }

  @Test
  void everyFigureIsDrawn() throws IOException {
    assertThat(draw(new Fake(MetricFiguresTest::asExpected, PAPER))).isZero();

    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "bench-metric.json",
              "metric-figure-4a.svg",
              "metric-figure-6-s1.svg",
              "metric-figure-6-s2.svg",
              "metric-figure-6-s3.svg",
              "metric-figure-8.svg");
    }
    assertThat(said.toString())
        .contains("without readCheck", "deviates from the paper, because")
        .doesNotContain("DEVIATES", "AS IN");
  }

  private void wrong(String figure, String shape, Fake fake) throws IOException {
    said.getBuffer().setLength(0);
    assertThat(draw(fake, figure)).as(shape).isEqualTo(1);
    assertThat(said.toString().lines().filter(l -> l.contains("DEVIATES") || l.contains("AS IN")))
        .as(shape)
        .hasSize(1)
        .allMatch(line -> line.contains(shape));
  }

  private static Fake points(Store store, Measured measured) {
    return new Fake(p -> p.store() == store ? measured : asExpected(p), PAPER);
  }

  private static Fake takeover(Takeover takeover) {
    return new Fake(MetricFiguresTest::asExpected, takeover);
  }

  @Test
  void eachShapeThatIsMissedIsSaid() throws IOException {
    wrong("4a", "over one quorum round trip", points(Store.METRIC, measured(300, 30, 55, 25, 32)));
    wrong("4a", "over that with standbys", points(Store.SYNCHRONOUS, measured(1, 25, 80, 24, 0)));
    wrong("4a", "at the first site", points(Store.SYNCHRONOUS, measured(1, 26, 80, 50, 0)));
    wrong("4b", "commit, ms", points(Store.METRIC, measured(300, 25, 55, 25, 46)));
    wrong("failover", "own(), ms", takeover(new Takeover(461, 3_000, 3_500)));
    wrong("failover", "populate, ms", takeover(new Takeover(460, 3_001, 3_500)));
    wrong("6", "one client, the less", points(Store.SYNCHRONOUS, measured(1_000, 25, 80, 50, 0)));
    wrong("8", "of a shared table", points(Store.METRIC, measured(300, 25, 55, 25, 32)));
  }

  /** A deviation that is explained and is none any more has to be said, too. */
  @Test
  void aKnownDeviationThatIsGoneIsSaid() throws IOException {
    wrong("6", "12 clients a site", points(Store.SYNCHRONOUS, measured(200, 25, 80, 50, 0)));
  }
}
