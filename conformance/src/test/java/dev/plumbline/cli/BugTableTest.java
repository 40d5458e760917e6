package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.cli.BugTable.Row;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BugTableTest {
  private static final Row CAUGHT = new Row("a", "wrong", "--seed 1", "Mvto", "", "", "");
  private static final Row MISSED = new Row("b", "wrong", "--seed 1", "", "", "", "");

  @TempDir private Path folder;
  private final StringWriter said = new StringWriter();

  private int judge(boolean update, Row... rows) throws IOException {
    return new BugTable("k2", List.of(rows))
        .judge(folder.resolve("page.md"), update, new PrintWriter(said, true));
  }

  @Test
  void aPageThatWasWrittenAgrees() throws IOException {
    assertThat(judge(true, CAUGHT)).isZero();
    assertThat(judge(false, CAUGHT)).isZero();
    assertThat(Files.readString(folder.resolve("page.md"))).contains("| `a` | wrong |");
  }

  @Test
  void aMissingOrDifferentPageFails() throws IOException {
    assertThat(judge(false, CAUGHT)).isEqualTo(1);
    judge(true, CAUGHT);
    assertThat(judge(false, new Row("a", "wrong", "--seed 1", "", "Mvto", "", ""))).isEqualTo(1);
    assertThat(said.toString()).contains("page.md differs: run ./plumb bugs k2 --update");
  }

  @Test
  void aBugThatNothingCatchesFailsEvenIfThePageSaysSo() throws IOException {
    assertThat(judge(true, CAUGHT, MISSED)).isEqualTo(1);
    assertThat(judge(false, CAUGHT, MISSED)).isEqualTo(1);
    assertThat(said.toString()).contains("nothing catches b");
  }
}
