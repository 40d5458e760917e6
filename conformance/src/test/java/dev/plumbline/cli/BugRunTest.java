package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a list of the runs of seeded bugs says, and what of it is refused. */
class BugRunTest {
  private record Named(String name) implements SeededBug {
    @Override
    public String protocol() {
      return "k2";
    }

    @Override
    public String description() {
      return name;
    }

    @Override
    public Machine machine(NodeSpec node, Topology topology, Settings settings, Machine correct) {
      return correct;
    }
  }

  @TempDir private Path folder;

  private Map<String, BugRun> read(String... lines) throws IOException {
    Path file = Files.write(folder.resolve("k2.csv"), Arrays.asList(lines));
    return BugRun.read(Protocols.named("k2"), List.of(new Named("early"), new Named("late")), file);
  }

  @Test
  void eachBugHasItsRun() throws IOException {
    Map<String, BugRun> runs =
        read(
            "late | 2 | bank | loss,crash | ttlMicros=5000 | unseen: it is late",
            "early | 1 | list-append | all | - | seen");
    assertThat(runs.get("early").config().faults()).isEqualTo(Protocols.named("k2").tolerated());
    assertThat(runs.get("late").faults()).isEqualTo("loss,crash");
    assertThat(runs.get("late").config().parameters()).isEqualTo(Map.of("ttlMicros", 5000L));
    assertThat(runs.get("late").unseen()).isEqualTo("it is late");
    assertThat(runs.get("early").unseen()).isEmpty();
    assertThat(runs.get("late").config().bug()).contains(new Named("late"));
  }

  /** The line stands after that of the bug {@code early}. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "''; 1 field where a line has 6",
        "late | 1 | bank; 3 fields where a line has 6",
        "late | 1 | bank | all | ttlMicros | seen; \"ttlMicros\" is no NAME=NUMBER",
        "late | 1 | bank | all | ttlMicros=x | seen; \"ttlMicros=x\" is no NAME=NUMBER",
        "late | x | bank | all | - | seen; the seed \"x\" is no whole number",
        "late | 1 | bank | crsh | - | seen; did you mean crash?",
        "late | 1 | list-apend | all | - | seen; did you mean list-append?",
        "late | 1 | bank | all | ttlMicro=1 | seen; did you mean ttlMicros?",
        "late | 1 | bank | all | ttlMicros=0 | seen; at least 1 µs each",
        "late | 1 | bank | all | - | sen; \"sen\" where seen or unseen: WHY is said",
        "late | 1 | bank | all | - | unseen; unseen without a reason",
        "late | 1 | bank | all | - | unseen: ; unseen without a reason",
        "lete | 1 | bank | all | - | seen; no seeded bug \"lete\", did you mean late?",
        "early | 1 | bank | all | - | seen; a second run for early"
      })
  void aLineThatIsWrongIsRefused(String line, String why) {
    InputError e =
        catchThrowableOfType(
            InputError.class, () -> read("early | 1 | list-append | all | - | seen", line));
    assertThat(e).isNotNull();
    assertThat(e.file()).endsWith("k2.csv");
    assertThat(e.line()).isEqualTo(2);
    assertThat(e.getMessage()).contains(why);
    assertThat(e.remedy()).contains("bug | seed | workload | faults | parameters or - | seen");
  }

  @Test
  void aBugWithoutARunIsToldTheFormat() {
    InputError e =
        catchThrowableOfType(
            InputError.class, () -> read("early | 1 | list-append | all | - | seen"));
    assertThat(e.describe())
        .contains("k2.csv: no run for late")
        .contains("bug | seed | workload | faults | parameters or - | seen");
  }
}
