package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What commands do alike. */
class MainTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "bench nope",
        "bugs nope",
        "cluster up nope",
        "corpus nope",
        "coverage nope",
        "jepsen nope",
        "replay nope",
        "simulate nope",
        "trace nope ."
      })
  void aProtocolThatIsNotThereIsBadInput(String line) {
    StringWriter err = new StringWriter();
    CommandLine plumb = Main.commandLine().setErr(new PrintWriter(err, true));

    assertThat(plumb.execute(line.split(" "))).isEqualTo(2);

    assertThat(err.toString()).contains("no protocol").contains("nope").doesNotContain("\tat ");
  }

  @Test
  void anArgumentIsNeverTakenForAFileOfArguments(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("args"), "--help");
    StringWriter err = new StringWriter();
    CommandLine plumb = Main.commandLine().setErr(new PrintWriter(err, true));

    assertThat(plumb.execute("bugs", "@" + file)).isEqualTo(2);

    assertThat(err.toString()).contains("@" + file);
  }
}
