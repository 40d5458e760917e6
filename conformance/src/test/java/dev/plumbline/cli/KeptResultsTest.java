package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.check.Workspace;
import dev.plumbline.mutate.Noticed;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Results are kept with what it takes to repeat them, and pages are made of them alone. */
class KeptResultsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path PAGES = ROOT.resolve("docs/results");
  private static final Pattern MADE = Pattern.compile("(?s)<!-- [^>]*: made by .*?<!-- end -->");

  /** A cell of a table that has a number. */
  private static final Pattern NUMBER =
      Pattern.compile("(?m)^\\|.*\\| *[\\d.,]+ *(%|ms|s|bytes)?( *\\||, )");

  private static final String RUN =
      """
      {"protocol": "p", "workload": "bank", "verdict": "unknown",
       "command": "./plumb jepsen p --workload bank --seconds 20 --seed 7",
       "operations": {"committed": 1234, "aborted": 5, "unknown": 6,
         "latencyMillis": {"median": 7.4, "p99": 80.6},
         "faults": [{"kind": "kill"}, {"kind": "clock"}, {"kind": "kill"}]},
       "run": {"load": {"runnable": 3.25}},
       "judges": [
         {"judge": "witness", "subject": "order", "verdict": "valid", "reason": ""},
         {"judge": "elle", "subject": "order", "verdict": "not run", "reason": "missing"},
         {"judge": "progress", "subject": "some", "verdict": "unknown", "reason": "2 | 3"}],
       "manifest": {"commit": "0123456789", "dirty": false, "date": "2030-01-02T03:04:05Z",
         "machine": {"cores": 2, "memory": 1000}}}
      """;
  private static final String MUTANTS =
      """
      {"manifest": {"commit": "0123456789", "dirty": false, "date": "2030-01-02T03:04:05Z",
         "machine": {"cores": 2, "memory": 1000}},
       "command": "./plumb mutate p --lane nightly", "lane": "nightly", "seed": 1,
       "protocols": [{"protocol": "p", "input": "today",
         "mutants": [
           {"id": "M.A.1", "module": "M", "verdict": "killed", "reason": "",
            "properties": {"B": "killed", "A": "killed", "C": "open"}},
           {"id": "M.A.2", "module": "M", "verdict": "survives", "reason": "why"},
           {"id": "M.A.3", "module": "M", "verdict": "unreached", "reason": ""},
           {"id": "M.A.4", "module": "M", "verdict": "same graph", "reason": ""},
           {"id": "M.A.1 + M.A.2", "module": "M", "verdict": "killed", "reason": ""}],
         "handmade": [{"id": "handmade.e", "verdict": "killed", "by": "c A"},
           {"id": "handmade.f", "verdict": "survives", "by": ""}],
         "machines": {"results": [
           {"file": "dev/p/A.java", "status": "KILLED", "reason": ""},
           {"file": "dev/p/A.java", "status": "SURVIVED", "reason": "open: seldom met"},
           {"file": "dev/p/A.java", "status": "TIMED_OUT", "reason": "a length"}]}}]}
      """;

  private static final String DAMAGE =
      """
      {"protocol": "p", "seed": 7, "bug": null, "command": "./plumb damage p --seed 7",
       "manifest": {"commit": "0123456789", "dirty": false, "date": "2030-01-02T03:04:05Z",
         "machine": {"cores": 2, "memory": 1000}},
       "rounds": [
         {"kind": "none", "atStake": 30, "lost": 0, "outcome": "there"},
         {"kind": "flipped", "atStake": 1234, "lost": 0, "outcome": "refused"},
         {"kind": "flipped", "atStake": 50, "lost": 3, "outcome": "lost"}]}
      """;

  @TempDir Path folder;

  private KeptResults kept() {
    return new KeptResults(folder, Map.of("p", true));
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private String page(String name) throws IOException {
    return Files.readString(folder.resolve("docs/results").resolve(name));
  }

  @Test
  void aRowHasVerdictObjectionsAndHowToRepeatTheRun() throws IOException {
    KeptResults kept = kept();
    assertThat(kept.keep(file("result.json", RUN)))
        .containsExactly(folder.resolve("docs/results/kept/run-p-bank-7-0123456.json"));
    kept.keep(folder.resolve("result.json"));
    kept.keep(file("other.json", RUN.replace("d\": 1234", "d\": 99, \"later\": 12")));
    kept.update();

    assertThat(page("cluster-runs.md"))
        .contains("## p\n")
        .containsOnlyOnce(
            "| bank | 7 | unknown (progress, some: unknown, 2 / 3) | 1,234 | 5 | 6 | 7, 81"
                + " | 1 clock, 2 kill | 3.3 | 0123456 | 2 cores, 1,000 MB | `--seconds 20` |\n")
        .contains("| 99 (12 later) | 5 |");
    assertThat(kept().differences()).isEmpty();
  }

  @Test
  void mutantsAreCountedByModuleAndByClass() throws IOException {
    kept().keep(file("mutate.json", MUTANTS));
    List<JsonNode> kept = new ArrayList<>();
    for (String part : List.of("machines", "specs")) {
      kept.add(
          new ObjectMapper()
              .readTree(folder.resolve("docs/results/kept/mutants-p-" + part + ".json").toFile()));
    }
    assertThat(MutantTable.page(kept, new TreeMap<>(Map.of("p", true, "q", true, "r", false))))
        .contains("`./plumb mutate p --lane nightly`, seed 1, commit 0123456, 2 cores, 1,000 MB")
        .contains("| `M` | 4 | 1 | 1 | 1 | 0 | 1 | 0 | 0 |\n| `M`, pairs | 1 | 1 |")
        .contains("The score is 66.7%. Of 2 errors made by hand a property notices 1")
        .contains("| `A` | 3 | 1 | 1 | 1 |\n\nThe score is 33.3%.\n")
        .contains("## q\n\nSpecifications: no result is kept.\n\nMachines: no result is kept.\n")
        .endsWith("## r\n\nSpecifications: no result is kept.\n");
  }

  /** What the audit says of a claim's mutants is of this file alone, in a clone. */
  @Test
  void whichPropertyKilledIsKept() throws IOException {
    Path report = file("mutate.json", MUTANTS);
    kept().keep(report);
    Noticed kept = Noticed.read(Noticed.kept(folder, "p"));
    assertThat(kept).isEqualTo(Noticed.read(report));
    assertThat(kept.input()).isEqualTo("today");
    assertThat(kept.commit()).isEqualTo("0123456789");
    assertThat(kept.errors()).isEqualTo(Map.of("e", "c A", "f", ""));
    Noticed.Module m = kept.modules().get("M");
    assertThat(m.by(Set.of("A", "B"))).as("a mutant counts once").isEqualTo(1);
    assertThat(m.by(Set.of("C"))).isZero();
    assertThat(m.judged()).isEqualTo(5);
    assertThat(m.argued()).isEqualTo(1);
    assertThat(m.open()).containsExactly("M.A.3");
  }

  @Test
  void roundsOfDamageAreCountedByKind() throws IOException {
    KeptResults kept = kept();
    assertThat(kept.keep(file("damage-p.json", DAMAGE)))
        .containsExactly(folder.resolve("docs/results/kept/damage-p-7-0123456.json"));
    kept.update();
    assertThat(page("damage.md"))
        .contains("`./plumb damage p --seed 7`, commit 0123456, 2 cores, 1,000 MB, 2030-01-02.")
        .contains("At most 1,234 acknowledged writes were at stake in a round, 3 were lost.")
        .contains("| flipped | 2 | 0 | 1 | 0 | 1 | 0 |\n| none | 1 | 1 | 0 | 0 | 0 | 0 |\n")
        .endsWith("| all | 3 | 1 | 1 | 0 | 1 | 0 |\n");
  }

  private void refused(String text, String why) throws IOException {
    Path file = file("result.json", text);
    assertThatThrownBy(() -> kept().keep(file))
        .isInstanceOf(InputError.class)
        .hasMessageContaining(why);
    assertThat(folder.resolve("docs/results/kept")).doesNotExist();
  }

  @Test
  void whatCannotBeRepeatedIsNotKept() throws IOException {
    refused("{", "no JSON");
    refused(RUN.replace("0123456789", "unknown"), "without its commit");
    refused(RUN.replace("\"dirty\": false", "\"dirty\": true"), "not committed");
    refused(RUN.replace("\"cores\": 2", "\"cores\": 0"), "without its machine");
    refused(RUN.replace(" --seed 7", ""), "without its seed");
    refused(MUTANTS.replace("./plumb mutate p --lane nightly", ""), "without its command");
    refused(MUTANTS.replace("nightly\", \"seed", "quick\", \"seed"), "neither");
    refused(MUTANTS.replace("p --lane nightly", "p --only M --lane nightly"), "neither");
    refused(MUTANTS.replace("p --lane nightly", "p --only=M --lane nightly"), "neither");
    refused(MUTANTS.replace("p --lane nightly", "p --lane nightly --reach"), "neither");
    refused(DAMAGE.replace("\"bug\": null", "\"bug\": \"b\""), "neither");
    refused(RUN.replace("\"operations\"", "\"kind\": \"run\", \"kept\""), "neither");
  }

  @Test
  void aPageThatIsNotWhatIsKeptIsSeen() throws IOException {
    KeptResults kept = kept();
    kept.keep(file("result.json", RUN));
    Path page = folder.resolve("docs/results/cluster-runs.md");
    assertThat(kept.differences()).contains(page);
    kept.update();
    Files.writeString(page, page("cluster-runs.md").replace("1,234", "1,235"));
    assertThat(kept.differences()).containsExactly(page);
    kept.update();
    Path data = folder.resolve("docs/results/kept/run-p-bank-7-0123456.json");
    Files.writeString(data, Files.readString(data).replace("1234", "1235"));
    assertThat(kept().differences()).containsExactly(page);
    Files.writeString(data, Files.readString(data).replace("\"seed\" : 7,", ""));
    assertThatThrownBy(() -> kept()).hasMessageContaining("without its seed");
  }

  @Test
  void pagesHaveWhatIsKept() {
    assertThat(KeptResults.of(new Workspace(ROOT)).differences()).isEmpty();
  }

  @Test
  void commitsOfKeptResultsAreInTheHistory() throws Exception {
    Assumptions.assumeTrue("false".equals(git("rev-parse", "--is-shallow-repository")));
    assertThat(git("merge-base", "--is-ancestor", "0".repeat(40), "HEAD")).isNull();
    try (Stream<Path> files = Files.list(PAGES.resolve("kept"))) {
      for (Path file : files.toList()) {
        String commit = new ObjectMapper().readTree(file.toFile()).at("/manifest/commit").asText();
        assertThat(git("merge-base", "--is-ancestor", commit, "HEAD"))
            .as(file.toString())
            .isEmpty();
      }
    }
  }

  /** What git says, or null if it fails. */
  private static String git(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git", "-C", ROOT.toString()));
    command.addAll(List.of(arguments));
    try {
      Process p =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String out = new String(p.getInputStream().readAllBytes()).strip();
      return p.waitFor() == 0 ? out : null;
    } catch (IOException e) {
      return null;
    }
  }

  /** Headings above tables that a hand wrote and that do not say where their numbers are from. */
  private static List<String> untraced(String page) {
    List<String> found = new ArrayList<>();
    for (String section : MADE.matcher(page).replaceAll("").split("(?m)^#+ ", -1)) {
      boolean traced =
          section.matches("(?s).*\\b[0-9a-f]{7}\\b.*")
              && section.contains(" cores")
              && section.matches("(?s).*`[^`]*(plumb|ci/|docker/|podman)[^`]*`.*");
      if (NUMBER.matcher(section).find() && !traced) {
        found.add(section.lines().findFirst().orElse(""));
      }
    }
    return found;
  }

  @Test
  void everyTableIsMadeOrSaysWhereItIsFrom() throws IOException {
    Set<Path> made = KeptResults.of(new Workspace(ROOT)).pages().keySet();
    try (Stream<Path> files = Files.list(PAGES)) {
      for (Path page :
          files.filter(f -> f.toString().endsWith(".md") && !made.contains(f)).toList()) {
        if (!page.endsWith("README.md")) {
          assertThat(untraced(Files.readString(page))).as(page.toString()).isEmpty();
        }
      }
    }
    String table = "## A\n| x | y |\n|---|---|\n| z | 1,000 |\n";
    assertThat(untraced("## A\n| x | what 1 is |\n")).isEmpty();
    assertThat(untraced(table + "`./plumb x`, 2 cores")).containsExactly("A");
    assertThat(untraced(table + "`./plumb x`, commit 0123456")).containsExactly("A");
    assertThat(untraced(table + "commit 0123456, 2 cores")).containsExactly("A");
    assertThat(untraced(table + "`./plumb x`, commit 0123456, 2 cores")).isEmpty();
    assertThat(untraced("## A\n<!-- a: made by b -->\n| x | 1 |\n<!-- end -->\n")).isEmpty();
  }
}
