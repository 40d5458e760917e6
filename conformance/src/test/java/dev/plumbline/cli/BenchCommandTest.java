package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.explain.FigureSheet;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/**
 * What the bench measures is processor time: a machine that gives little of it misses nothing. And
 * what its pages may say.
 */
class BenchCommandTest {
  private static void burn(long nanos) {
    long end = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() + nanos;
    while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() < end) {
      Thread.onSpinWait();
    }
  }

  private static long starved() {
    try {
      Thread.sleep(60);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    burn(10_000_000);
    return 1;
  }

  @Test
  void aWindowIsOfProcessorTime() {
    assertThat(BenchCommand.repeated(50_000_000, BenchCommandTest::starved))
        .as("a window of 50 ms by the clock would be over after the first")
        .isBetween(3L, 5L);
  }

  @Test
  void aBudgetIsMissedByProcessorTimeAlone() {
    BenchCommand.Figure waited = BenchCommand.measure("waited", 20, BenchCommandTest::starved);
    assertThat(waited.wall()).isGreaterThan(0.06);
    assertThat(waited.met()).as("one in 10 ms, though it took 70").isTrue();
    BenchCommand.Figure slow =
        BenchCommand.measure(
            "slow",
            20,
            () -> {
              burn(70_000_000);
              return 1;
            });
    assertThat(slow.met()).isFalse();
  }

  private static BenchCommand told(String line) {
    return CommandLine.populateCommand(new BenchCommand(), line.split(" "));
  }

  @Test
  void aFigureThatThereIsIsNotCalledUnknown() {
    assertThatThrownBy(() -> told("dast --figures 6,nosuch,waits").call())
        .isInstanceOf(InputError.class)
        .hasMessage("no such figure: nosuch");
  }

  @ParameterizedTest
  @CsvSource({
    "metric --update, false",
    "metric --update, true",
    "metric --processes, true",
    "metric --processes --update, false",
    "metric --update --figures 4a, false",
    "metric --processes --figures 4a, false",
    "metric --seed 2, false"
  })
  void whatIsOfOneSeedRunAndCommitIsMeasured(String line, boolean dirty) {
    assertThatCode(() -> told(line).demandOneRun(dirty)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({
    "metric --processes --update, true, changes that are not committed",
    "metric --processes --update --figures 4a, false, is of one run",
    "metric --processes --seed 2, false, real time has no seed",
    "metric --update --seed 2, false, pages are of seed 1"
  })
  void whatIsNotIsRefused(String line, boolean dirty, String why) {
    assertThatThrownBy(() -> told(line).demandOneRun(dirty))
        .isInstanceOf(InputError.class)
        .hasMessageContaining(why);
  }

  /** A cluster that does not start, for one. */
  @Test
  void whatCannotBeMeasuredIsNoShapeThatIsMissed() throws IOException {
    BenchCommand bench = new BenchCommand();
    StringWriter err = new StringWriter();
    CommandLine line = new CommandLine(bench).setErr(new PrintWriter(err, true));
    line.parseArgs("metric");
    FigureSheet unmeasured =
        new FigureSheet() {
          @Override
          public String protocol() {
            return "toy";
          }

          @Override
          public String description() {
            return "nothing";
          }

          @Override
          protected Map<String, Figure> figures() {
            throw new UncheckedIOException(new IOException("no cluster"));
          }
        };
    assertThat(bench.figures(unmeasured)).isEqualTo(3);
    assertThat(err.toString()).isEqualTo("plumb: no cluster\n");
  }
}
