package dev.plumbline.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LineChartTest {
  @Test
  void pointsAreScaledToRoundEndsOfTheAxesAndTextIsEscaped() {
    String svg =
        new LineChart(
                "a < b",
                "x",
                "ms",
                Map.of("one", List.of(new double[] {0, 0}, new double[] {90, 1_900})))
            .svg();
    assertThat(svg)
        .contains("a &lt; b")
        .contains(">2,000<")
        .contains(">100<")
        .contains("points=\"72.0,324.0 633.6,61.8\"");
  }
}
