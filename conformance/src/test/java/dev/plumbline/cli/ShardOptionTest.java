package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What shards of one run have in common. */
class ShardOptionTest {
  @Command(name = "work")
  private static final class Work {
    @Mixin private ShardOption shard;

    @Option(names = "--seed")
    private long seed;

    @Option(names = "--json")
    private boolean json;

    @Parameters private List<String> protocols;
  }

  private static String told(String line) {
    Work work = new Work();
    new CommandLine(work).parseArgs(line.split(" "));
    return work.shard.shard().run();
  }

  @Test
  void shardsOfOneRunWereToldTheSameInWhateverOrder() {
    assertThat(told("dast k2 --json --shard 2/2 --seed=7"))
        .isEqualTo(told("--seed 7 k2 dast --shard 1/2"));
  }

  @Test
  void otherSeedsOrProtocolsAreAnotherRun() {
    assertThat(List.of("k2 dast --seed 7", "k2 dast --seed 8", "k2 dast", "k2 --seed 7"))
        .extracting(line -> told(line + " --shard 1/2"))
        .doesNotHaveDuplicates();
  }
}
