package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.cli.BugTable.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BugTableTest {
  private static final Row CAUGHT = new Row("a", "wrong", "--seed 1", "Mvto", "", "causal", "", "");
  private static final Row MISSED = new Row("b", "wrong", "--seed 1", "", "", "", "", "");

  @TempDir private Path folder;

  private List<String> problems(boolean update, Row... rows) throws IOException {
    Path page = folder.resolve("page.md");
    BugTable table = new BugTable("k2", List.of(rows));
    List<String> problems = table.problems(page, update);
    if (update) {
      Files.writeString(page, table.page());
    }
    return problems;
  }

  @Test
  void aPageThatWasWrittenAgrees() throws IOException {
    assertThat(problems(true, CAUGHT)).isEmpty();
    assertThat(problems(false, CAUGHT)).isEmpty();
    assertThat(Files.readString(folder.resolve("page.md"))).contains("| `a` | wrong |");
  }

  @Test
  void aMissingOrDifferentPageFails() throws IOException {
    assertThat(problems(false, CAUGHT)).hasSize(1);
    problems(true, CAUGHT);
    assertThat(problems(false, new Row("a", "wrong", "--seed 1", "", "Mvto", "causal", "", "")))
        .containsExactly("page.md differs: run ./plumb bugs k2 --update");
  }

  @Test
  void aBugThatNothingCatchesFailsEvenIfThePageSaysSo() throws IOException {
    assertThat(problems(true, CAUGHT, MISSED)).containsExactly("nothing catches b");
    assertThat(problems(false, CAUGHT, MISSED)).containsExactly("nothing catches b");
    BugTable table = new BugTable("k2", List.of(CAUGHT, MISSED));
    JsonNode json = table.json(List.of("nothing catches b"));
    assertThat(json.path("problems").path(0).asText()).isEqualTo("nothing catches b");
    assertThat(json.path("bugs").path(0).path("problem").asText()).isEmpty();
    assertThat(json.path("bugs").path(1).path("problem").asText()).isEqualTo("nothing catches b");
  }

  @Test
  void whatClientsDoNotSeeHasAReasonAndWhatTheySeeHasNone() throws IOException {
    assertThat(problems(true, new Row("c", "wrong", "--seed 1", "Mvto", "", "", "", "")).get(0))
        .startsWith("no client sees c in its run: find a seed");
    assertThat(problems(true, new Row("c", "wrong", "--seed 1", "Mvto", "", "no loss", "", "so")))
        .containsExactly("clients see c (no loss), and the list of runs says unseen");
    Row told = new Row("c", "wrong", "--seed 1", "Mvto", "", "", "", "it is inside");
    assertThat(problems(true, CAUGHT, told)).isEmpty();
    assertThat(Files.readString(folder.resolve("page.md")))
        .endsWith("## What clients do not see\n\n- `c`: it is inside\n");
  }
}
