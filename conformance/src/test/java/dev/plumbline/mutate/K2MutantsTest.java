package dev.plumbline.mutate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.check.Workspace;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.Shard;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./plumb mutate k2 --lane nightly} says of a K2 that has lost a property. */
class K2MutantsTest {
  private static final Path SPECS = Path.of("../specs");

  @TempDir Path root;

  @BeforeEach
  void copySpecifications() throws IOException {
    for (String folder : List.of("k2", "common")) {
      Files.createDirectories(root.resolve("specs").resolve(folder));
      try (Stream<Path> files = Files.list(SPECS.resolve(folder))) {
        for (Path p : files.filter(Files::isRegularFile).toList()) {
          Files.copy(p, root.resolve("specs").resolve(SPECS.relativize(p).toString()));
        }
      }
    }
    // One of the models that judge EpochVisibility, which has the properties asked for here.
    for (String other : List.of("two-keys", "real-time", "snapshot")) {
      edit("mutants.yaml", "      - {check: epoch-contracts-" + other + "}\n", "");
    }
    Files.createDirectories(root.resolve("docs/findings"));
    try (Stream<Path> files = Files.list(SPECS.resolveSibling("docs").resolve("findings"))) {
      for (Path p : files.filter(Files::isRegularFile).toList()) {
        Files.copy(p, root.resolve("docs/findings").resolve(p.getFileName().toString()));
      }
    }
  }

  /** The nightly lane's complaints about the mutants whose names begin so. */
  private List<String> faults(String only) throws IOException {
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    Mutation.Options options =
        new Mutation.Options(
            List.of("k2"),
            true,
            false,
            false,
            "specs",
            List.of(only),
            1,
            0,
            1,
            1,
            false,
            false,
            Shard.WHOLE,
            "");
    Mutation m = new Mutation(new Workspace(root), options, nowhere, false);
    boolean holds = m.run() == Ending.HOLDS;
    JsonNode report = new ObjectMapper().readTree(m.json()).at("/protocols/0");
    assertThat(report.path("judged").asInt()).isPositive();
    List<String> all = new ArrayList<>();
    report.path("faults").forEach(f -> all.add(f.asText()));
    assertThat(holds).isEqualTo(all.isEmpty());
    return all;
  }

  private void edit(String file, String from, String to) throws IOException {
    Path p = root.resolve("specs/k2").resolve(file);
    String text = Files.readString(p, StandardCharsets.UTF_8);
    assertThat(text).contains(from);
    Files.writeString(p, text.replace(from, to), StandardCharsets.UTF_8);
  }

  @Test
  void readsAtATimestampWeakenedToTrueLetsATransactionCommitInALateEpoch() throws IOException {
    String mutant = "EpochVisibility.Commit.negate-guard.3ba6f437";
    assertThat(faults(mutant)).isEmpty();
    edit(
        "EpochVisibility.tla",
        "ReadAtTimestampInv == \\A r \\in Readers : \\A q \\in txn[r].reads :\n"
            + "    /\\ q[2] # NoTxn => record[q[2]].status = \"committed\"\n",
        "ReadAtTimestampInv == TRUE\n"
            + "OldReadAtTimestampInv == \\A r \\in Readers : \\A q \\in txn[r].reads :\n"
            + "    /\\ q[2] # NoTxn => record[q[2]].status = \"committed\"\n");
    assertThat(faults(mutant)).containsExactly("survives: " + mutant);
  }

  @Test
  void strictSerializabilityRemovedLetsAReadPassAnUndecidedWrite() throws IOException {
    String mutant = "EpochVisibility.PrimaryRead.drop-guard.c324d4ed";
    assertThat(faults(mutant)).isEmpty();
    edit("epoch-contracts.cfg", "StrictSerializabilityInv ", "");
    assertThat(faults(mutant)).containsExactly("survives: " + mutant);
  }
}
