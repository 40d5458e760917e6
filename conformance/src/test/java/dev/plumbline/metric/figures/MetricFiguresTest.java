package dev.plumbline.metric.figures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.metric.Phase;
import dev.plumbline.metric.system.MetricBench.Measured;
import dev.plumbline.metric.system.MetricBench.Point;
import dev.plumbline.metric.system.MetricBench.Store;
import dev.plumbline.metric.system.MetricBench.Takeover;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

  private int draw(MetricFigures.Measuring fake, String... figures) throws IOException {
    return draw(new MetricFigures(fake, false), figures);
  }

  private int draw(MetricFigures sheet, String... figures) throws IOException {
    return sheet.draw(folder, new PrintWriter(said), 1, Set.of(figures));
  }

  @Test
  void everyFigureIsDrawn() throws IOException {
    assertThat(draw(new Fake(MetricFiguresTest::asExpected, PAPER))).isZero();

    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .containsExactlyInAnyOrder(
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
    wrong(figure, shape, new MetricFigures(fake, false));
  }

  private void wrong(String figure, String shape, MetricFigures sheet) throws IOException {
    said.getBuffer().setLength(0);
    assertThat(draw(sheet, figure)).as(shape).isEqualTo(1);
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

  @Test
  void eachTimeItIsMeasuredAnew() throws IOException {
    List<Point> asked = new ArrayList<>();
    Fake fake =
        new Fake(
            p -> {
              asked.add(p);
              return asExpected(p);
            },
            PAPER);
    MetricFigures sheet = new MetricFigures(fake, false);
    draw(sheet, "4b");
    draw(sheet, "4b");
    assertThat(asked).hasSize(2);
  }

  @Test
  void aSiteThatCommittedNothingHasNoMean() {
    assertThat(measured(3, 10, 20, 30, 0).meanMillis()).isEqualTo(20);
    Map<String, List<Long>> latencies = Map.of("S1", List.of(10_000L), "S2", List.of());
    assertThat(new Measured(latencies, 0, Map.of(), 0, 0).meanMillis()).isNaN();
  }

  /** A deviation that is explained and is none any more has to be said, too. */
  @Test
  void aKnownDeviationThatIsGoneIsSaid() throws IOException {
    wrong("6", "12 clients a site", points(Store.SYNCHRONOUS, measured(200, 25, 80, 50, 0)));
  }

  /** Asked for no more than processes can be measured for, and closed in the end. */
  private static final class Processes implements MetricFigures.Measuring {
    private final Fake fake;
    private boolean closed;

    Processes(Fake fake) {
      this.fake = fake;
    }

    @Override
    public Measured of(Point point, long seed) {
      assertThat(point.asPublished()).isEmpty();
      assertThat(point.reads()).isFalse();
      return fake.of(point, seed);
    }

    @Override
    public Takeover takeover(int transactions, boolean alive, List<String> without, long seed) {
      assertThat(alive).isTrue();
      assertThat(without).isEmpty();
      return fake.takeover(transactions, alive, without, seed);
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** Sites commit in 30 ms on average. */
  private static Measured asProcesses(Point p) {
    return p.store() == Store.METRIC
        ? measured(p.shared() ? 10 : 300, 25, 40, 25, 0)
        : asExpected(p);
  }

  @Test
  void processesAreMeasuredForWhatTheyHave() throws IOException {
    Takeover paper = new Takeover(Double.NaN, Double.NaN, 3_460);
    Processes processes = new Processes(new Fake(MetricFiguresTest::asProcesses, paper));
    MetricFigures sheet = new MetricFigures(processes, true);

    assertThat(draw(sheet)).isZero();
    assertThat(processes.closed).isTrue();
    assertThat(sheet.drawn().keySet())
        .containsExactlyInAnyOrder(
            "4a",
            "failover",
            "6",
            "8",
            "metric-processes-figure-4a.svg",
            "metric-processes-figure-6-s1.svg",
            "metric-processes-figure-6-s2.svg",
            "metric-processes-figure-6-s3.svg");
    assertThat(said.toString()).contains("10 rows: 30.0 ms; the paper's parts add up to 34.7");
    assertThat(sheet.report().path("8"))
        .as("each other α would start a cluster")
        .extracting(row -> row.path("alpha").asLong())
        .containsExactly(10L, 10L);

    Fake late = new Fake(MetricFiguresTest::asProcesses, new Takeover(0, 0, 3_461));
    wrong("failover", "the first transaction", new MetricFigures(late, true));
  }
}
