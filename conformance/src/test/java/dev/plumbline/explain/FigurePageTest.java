package dev.plumbline.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.graph.Figures;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages of figures have what the command says, figure by figure, and its pictures. */
class FigurePageTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @TempDir Path folder;

  /** Time is virtual, so every machine measures the same; these figures take seconds. */
  @ParameterizedTest
  @CsvSource({"dast,10a", "engage,6b", "metric,"})
  void thePageHasWhatTheCommandSays(String protocol, String figure) throws IOException {
    Figures figures = Figures.of(protocol, false).orElseThrow();
    Set<String> wanted = figure == null ? Set.of() : Set.of(figure);
    PrintWriter nowhere = new PrintWriter(PrintWriter.nullWriter());
    assertThat(figures.draw(folder, nowhere, FigurePage.SEED, wanted)).isZero();
    assertThat(figures.drawn().keySet())
        .containsAll(figure == null ? figures.names() : wanted)
        .anyMatch(name -> name.endsWith(".svg"));
    assertThat(new FigurePage(ROOT, figures).differences(figures.drawn())).isEmpty();
  }

  @Test
  void everyFigureHasAPlace() throws IOException {
    for (Figures figures : Figures.all()) {
      String page = Files.readString(ROOT.resolve("docs/results/" + figures.sheet() + "-bench.md"));
      assertThat(figures.names())
          .allSatisfy(name -> assertThat(page).contains("<!-- figure " + name + ": made by "));
    }
  }

  @Test
  void whatDiffersIsSeenAndWritten() throws IOException {
    Path page = Files.createDirectories(folder.resolve("docs/results")).resolve("p-bench.md");
    String mark = "<!-- figure 1: made by ./plumb bench p --update -->\n```\n";
    Files.writeString(page, "# P\n" + mark + "old\n```\n<!-- end -->\ntext\n");
    FigurePage pages = new FigurePage(folder, "p", "bench p --update");
    Path picture = folder.resolve("docs/bench/p-1.svg");
    Map<String, String> drawn = Map.of("1", "new\n", "p-1.svg", "<svg/>");
    assertThat(pages.differences(drawn)).containsExactlyInAnyOrder(page, picture);

    pages.update(drawn);
    assertThat(pages.differences(drawn)).isEmpty();
    assertThat(page).hasContent("# P\n" + mark + "new\n```\n<!-- end -->\ntext\n");
    assertThat(pages.differences(Map.of("1", "new\n", "p-1.svg", "<svg />")))
        .containsExactly(picture);
    assertThatThrownBy(() -> pages.differences(Map.of("2", "x")))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("no place for figure 2");
  }
}
