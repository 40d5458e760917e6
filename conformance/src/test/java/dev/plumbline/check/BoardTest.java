package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Progress: one line on a terminal, a line for each check where all is asked for. */
class BoardTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  private String shown(Board board) {
    bytes.reset();
    board.begin("quick", List.of(1_000L, 200_000L));
    board.started("toy/a", 1_000);
    board.started("toy/b", 200_000);
    board.progress("toy/b", new ObjectMapper().createObjectNode().put("distinct", 90_000));
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aTerminalHasOneLineWithProgressAndTimeLeft() {
    String shown = shown(new Board(out, true));
    String last = shown.substring(shown.lastIndexOf("\033[J") + 3);
    assertThat(last.lines()).hasSize(1);
    assertThat(last).matches("(?s)  quick lane: 0 of 2, .*, about .* left; toy/[ab] .* distinct\n");
    assertThat(last).doesNotContain("\033");
  }

  @Test
  void verboseHasALineForEachCheckAndWithoutATerminalNothingIsDrawn() {
    String shown = shown(new Board(out, true, true));
    String last = shown.substring(shown.lastIndexOf("\033[J") + 3);
    assertThat(last).contains("toy/a", "toy/b", "0 of 2 run");
    assertThat(shown(new Board(out, false))).doesNotContain("\033").contains("running toy/a");
  }

  @Test
  void nobodySaysHowLongACheckTakesBeforeThereIsARate() {
    assertThat(Board.line("toy/a", 1.2, 8, 1, 1_000_000)).doesNotContain("left");
    assertThat(Board.line("toy/a", 60, 8, 1, 1_000_000)).doesNotContain("left");
    assertThat(Board.line("toy/a", 10, 90_000, 1, 180_000)).endsWith("10.0s left of 180,000");
  }

  @Test
  void coloursAreForTerminalsAlone() {
    assertThat(Terminal.paint("FAILED  ", false)).isEqualTo("FAILED  ");
    assertThat(Terminal.paint("FAILED  ", true)).isEqualTo("\033[1;31mFAILED  \033[0m");
    assertThat(Terminal.paint("holds (cached)", true)).startsWith("\033[32m");
    assertThat(Terminal.paint("not run", true)).startsWith("\033[33m");
    assertThat(Terminal.paint("verdict", true)).isEqualTo("verdict");
    assertThat(Terminal.colours()).isFalse();
  }
}
