package dev.plumbline.engage.figures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.engage.system.EngageBench.Measured;
import dev.plumbline.engage.system.EngageBench.Point;
import dev.plumbline.engage.system.EngageBench.Store;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the command makes of what was measured: pictures, and a verdict on every shape. */
class EngageFiguresTest {
  @TempDir Path folder;
  private final StringWriter said = new StringWriter();

  private static Measured measured(double remote, double visible, long flushes) {
    return new Measured(remote, 80, 300, visible, 1_000, 0, flushes, flushes, 1_000, 9e3, 9e6, 8e3);
  }

  /** As the paper has it. */
  private static Measured asPublished(Point p) {
    return switch (p.store()) {
      case ENGAGE ->
          measured(
              p.asks().size() == 2 && p.asks().contains("MR") ? 80e3 : 90e3 - p.thinkMicros() / 50,
              40e3,
              0);
      case BAYOU ->
          measured(
              90e3 + p.flushMicros() / 10, 40e3 + p.flushMicros(), 300_000_000 / p.flushMicros());
      case SATURN -> measured(92e3, 41e3, 0);
    };
  }

  private int draw(EngageFigures.Measuring measuring, String... figures) throws IOException {
    return new EngageFigures(measuring).draw(folder, new PrintWriter(said), 1, Set.of(figures));
  }

  @Test
  void everyFigureIsDrawnForBothPlacements() throws IOException {
    assertThat(draw((p, seed) -> asPublished(p))).isZero();

    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .contains("engage-figure-4-uniform.svg", "engage-figure-8b-locality.svg")
          .hasSize(10);
    }
    assertThat(said.toString()).contains("without durableBroker").doesNotContain("DEVIATES");
  }

  private void deviates(String figure, String shape, EngageFigures.Measuring wrong)
      throws IOException {
    said.getBuffer().setLength(0);
    assertThat(draw((p, seed) -> asPublished(p), figure)).isZero();
    assertThat(draw(wrong, figure)).as(shape).isEqualTo(1);
    assertThat(said.toString().lines().filter(line -> line.contains("DEVIATES")))
        .as(shape)
        .isNotEmpty()
        .allMatch(line -> line.contains(shape));
  }

  @Test
  void eachShapeThatIsMissedIsSaid() throws IOException {
    deviates(
        "4",
        "Bayou's control messages over ENGAGE's",
        (p, seed) -> p.store() == Store.ENGAGE ? measured(90e3, 40e3, 4) : asPublished(p));
    deviates(
        "5a",
        "ENGAGE's remote latency at the shortest think time",
        (p, seed) -> p.store() == Store.ENGAGE ? measured(90e3, 40e3, 0) : asPublished(p));
    deviates(
        "5a",
        "Saturn's remote latency over think times",
        (p, seed) ->
            p.store() == Store.SATURN ? measured(90e3 + p.thinkMicros(), 40e3, 0) : asPublished(p));
    deviates(
        "5a",
        "Saturn's remote latency at the longest think time",
        (p, seed) -> p.store() == Store.SATURN ? measured(70e3, 40e3, 0) : asPublished(p));
    deviates(
        "6a",
        "ENGAGE's visibility over timeouts",
        (p, seed) ->
            p.store() == Store.ENGAGE
                ? measured(90e3, 40e3 + p.flushMicros() / 10, 0)
                : asPublished(p));
    deviates(
        "6a",
        "Bayou's visibility at the longest timeout",
        (p, seed) -> p.store() == Store.BAYOU ? measured(90e3, 40e3, 9_000) : asPublished(p));
    deviates(
        "8a",
        "ENGAGE's latency with WFR and MR over think times",
        (p, seed) ->
            p.asks().equals(List.of("WFR", "MR"))
                ? measured(60e3 + p.thinkMicros() / 10, 40e3, 0)
                : asPublished(p));
    deviates(
        "8a",
        "ENGAGE's latency with all four over that with WFR and MR",
        (p, seed) ->
            p.asks().equals(List.of("WFR", "MR")) ? measured(99e3, 40e3, 0) : asPublished(p));
  }
}
