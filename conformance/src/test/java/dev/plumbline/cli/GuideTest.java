package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.sim.RunConfig;
import dev.plumbline.sim.SimulationRun;
import dev.plumbline.validate.MergedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/guide.md says that its reader will see. */
class GuideTest {
  @Test
  void theEventThatIsRejectedStandsWhereTheGuideSays(@TempDir Path logs) throws Exception {
    ProtocolSystem k2 = Protocols.named("k2");
    RunConfig config = RunConfig.plain(k2, 5, 200, k2.tolerated());
    for (Map.Entry<String, byte[]> log : SimulationRun.of(config).traces().entrySet()) {
      Files.write(logs.resolve(log.getKey() + ".ndjson"), log.getValue());
    }
    List<MergedLog.Entry> entries = MergedLog.read(List.of(logs)).entries();

    Matcher said =
        Pattern.compile("REJECTED at \\S*/dn-BJ.ndjson:(\\d+) \\(event (\\d+) of ([0-9,]+)\\)")
            .matcher(Files.readString(Path.of("../docs/guide.md")));
    assertThat(said.find()).isTrue();
    assertThat(said.group(3)).isEqualTo("%,d".formatted(entries.size()));
    MergedLog.Entry rejected = entries.get(Integer.parseInt(said.group(2)) - 1);
    assertThat(rejected.file()).endsWith("dn-BJ.ndjson");
    assertThat(rejected.line()).isEqualTo(Integer.parseInt(said.group(1)));
    assertThat(rejected.event().action()).isEqualTo("Mvto.HandleWrite");
    assertThat(rejected.event().toString()).contains("c-SH2-1.1", "k36");
  }

  @Test
  void theConjunctsOfItsGuardStandWhereTheGuideSays() throws IOException {
    List<String> module = Files.readAllLines(Path.of("../specs/k2/TraceMvto.tla"));
    List<MatchResult> said =
        Pattern.compile("(?:true|FALSE) +TraceMvto.tla:(\\d+) +(.+)")
            .matcher(Files.readString(Path.of("../docs/guide.md")))
            .results()
            .toList();
    assertThat(said)
        .hasSize(2)
        .allSatisfy(
            line ->
                assertThat(module.get(Integer.parseInt(line.group(1)) - 1))
                    .endsWith(line.group(2)));
  }
}
