package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The one line of a lane on a terminal. */
class LaneLineTest {
  private static final List<String> STAGES = List.of("check k2", "replay k2", "simulate k2");

  @TempDir Path folder;

  @Test
  void theLineSaysHowFarItIsAndHowLongItWillTake() {
    ObjectNode known = new ObjectMapper().createObjectNode();
    assertThat(LaneLine.line("quick", STAGES, 0, 500, 1_000, known))
        .isEqualTo("quick lane: 1 of 3, 1.0s; ./plumb check k2, 0.5s");
    known.put("replay k2", 10_000);
    assertThat(LaneLine.line("quick", STAGES, 1, 4_000, 70_000, known))
        .isEqualTo("quick lane: 2 of 3, 1m10s, more than 6.0s left; ./plumb replay k2, 4.0s");
    known.put("simulate k2", 20_000);
    assertThat(LaneLine.line("quick", STAGES, 1, 4_000, 70_000, known))
        .contains("1m10s, about 26.0s left;");
    assertThat(LaneLine.line("quick", STAGES, 2, 40_000, 70_000, known))
        .contains("about 0.0s left");
  }

  @Test
  void whatStagesPrintIsKeptAndShownOfThoseThatFail() throws IOException {
    ByteArrayOutputStream terminal = new ByteArrayOutputStream();
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    PrintStream out = System.out;
    System.setOut(new PrintStream(shown, true, StandardCharsets.UTF_8));
    try (LaneLine line = new LaneLine(new PrintStream(terminal), "quick", STAGES, folder)) {
      for (int exit = 0; exit < 2; exit++) {
        int code = exit;
        int ended =
            line.run(
                folder.resolve("logs/" + exit + ".log"),
                () -> {
                  System.out.println("printed by stage " + code);
                  return code;
                });
        assertThat(ended).isEqualTo(exit);
        line.took(1_000);
      }
    } finally {
      System.setOut(out);
    }
    assertThat(folder.resolve("logs/0.log")).hasContent("printed by stage 0");
    assertThat(shown.toString(StandardCharsets.UTF_8))
        .doesNotContain("stage 0")
        .contains("== ./plumb replay k2: exit code 1", "printed by stage 1");
    assertThat(Files.readString(folder.resolve("times.json"))).contains("\"check k2\" : 1000");
  }
}
