package dev.plumbline.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Sphinx is given, what it is built with, and which links of its pages are broken. */
class SiteTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @TempDir Path root;
  private Path source;

  @BeforeEach
  void small() throws IOException {
    source = root.resolve("made/source");
    put("README.md", "# Toy\n[claims](docs/claims.md#some) [code](specs/toy/Toy.tla)\n");
    put("docs/claims.md", "# Claims\n[home](../README.md) [far](https://example.org/)\n");
    put("docs/findings/toy-f1.md", "# TOY-F1: It fails\n\nHow it fails.\n");
    put(
        "docs/findings/README.md",
        "# Findings\n[TOY-F1](toy-f1.md) [TOY-F2](toy-f2.md) [TOY-F10](toy-f10.md)\n");
    put("specs/toy/Toy.tla", "---- MODULE Toy ----\n====\n");
    put("specs/toy/claims.yaml", "");
    put("src/left-out.md", "# Not a document\n");
    put("ledger/README.md", "# A project of its own\n");
    put("ledger/specs/ledger/README.md", "# Its protocol\n");
    for (String f : List.of("contents.md", "conf.py", "site.css")) {
      put("docs/site/" + f, "contents of " + f + "\n");
    }
    put(
        "audit/audit.json",
        """
        {"kinds":[{"kind":"check","title":"checks","doesNotShow":"what is {beyond}"},
                  {"kind":"finding","title":"findings","doesNotShow":""},
                  {"kind":"bug","title":"seeded bugs","doesNotShow":""}],
         "protocols":[{"protocol":"toy","claims":[
           {"id":"TOY-P1.1","kind":"claimed","section":"1.1","text":"It holds.",
            "verdict":"Holds within `small`.","ended":"fails ([F1](../../docs/findings/toy-f1.md))",
            "links":[
              {"kind":"check","id":"small","text":"a_b <c>","verdict":"holds",
               "command":"./plumb check toy/small","page":"",
               "date":"2026-11-29T03:02:31Z","commit":"596900364d21fa56"},
              {"kind":"finding","id":"TOY-F1","text":"it fails","verdict":"violated",
               "command":"","page":"play/toy-fails.html"}],
            "missing":[{"kind":"bug","argued":"there are no machines"}]}]}]}
        """);
    put(
        "audit/needs.json",
        """
        {"current_version":"1","versions":{"1":{"needs":{
          "TOY-P1.1":{"id":"TOY-P1.1","type":"claim","title":"It holds.","content":"x",
            "status":"stated","protocol":"toy","links":["TOY_CHECK_SMALL","FINDING_TOY_F1"]},
          "TOY_CHECK_SMALL":{"id":"TOY_CHECK_SMALL","type":"check","title":"small","status":"shown",
            "verdict":"holds","place":"specs/toy/checks.yaml:3","content":"small","protocol":"toy",
            "links":[]},
          "FINDING_TOY_F1":{"id":"FINDING_TOY_F1","type":"finding","title":"TOY-F1",
            "status":"shown","content":"it fails","place":"docs/findings/toy-f1.md",
            "page":"play/toy-fails.html","protocol":"toy","links":[]}}}}}
        """);
  }

  private void put(String file, String text) throws IOException {
    Path p = root.resolve(file);
    Files.createDirectories(p.getParent());
    Files.writeString(p, text, StandardCharsets.UTF_8);
  }

  private String page(String name) throws IOException {
    return Files.readString(source.resolve(name), StandardCharsets.UTF_8);
  }

  private void write() throws IOException {
    PageSource.write(new Workspace(root), root.resolve("audit"), source);
  }

  @Test
  void documentsKeepTheirPlacesAndLinks() throws IOException {
    write();
    assertThat(page("index.md")).startsWith("# Toy").contains("(docs/claims.md#some)");
    assertThat(page("index.md")).endsWith("contents of contents.md\n");
    assertThat(page("docs/claims.md")).contains("[home](../index.md)", "(https://example.org/)");
    assertThat(source.resolve("specs/toy/Toy.tla")).exists();
    assertThat(source.resolve("src")).doesNotExist();
    assertThat(source.resolve("ledger")).doesNotExist();
    assertThat(page("conf.py")).isEqualTo("contents of conf.py\n");
  }

  @Test
  void aClaimHasAPageThatLeadsToItsEvidence() throws IOException {
    write();
    String page = page("claims/toy/TOY-P1_1.md");
    assertThat(page).contains(":::{plumb-claim} It holds.\n:id: TOY-P1_1\n");
    assertThat(page).contains(":links: TOY_CHECK_SMALL, FINDING_TOY_F1");
    assertThat(page)
        .contains("Holds within `small`.", "Missing: seeded bugs. there are no machines");
    assertThat(page).contains("Where it ended: fails ([F1](../../docs/findings/toy-f1.md)).");
    assertThat(page).contains("{need}`small <TOY_CHECK_SMALL>`: a\\_b \\<c\\> **holds**");
    assertThat(page)
        .contains("`./plumb check toy/small` <small>2026-11-29T03:02:31Z 596900364d</small>\n");
    assertThat(page).contains("what is \\{beyond\\}");
    assertThat(page).contains("<a href=\"../../audit/play/toy-fails.html\">step through it</a>");
    assertThat(page("claims/index.md")).contains("[TOY-P1.1](toy/TOY-P1_1.md)");
    assertThat(page("evidence/toy-check.md"))
        .contains(":::{plumb-check} small\n:id: TOY_CHECK_SMALL\n");
  }

  @Test
  void aFindingIsANeedOnItsOwnPageAndLeadsToItsBehaviour() throws IOException {
    write();
    String page = page("docs/findings/toy-f1.md");
    assertThat(page).startsWith("# TOY-F1: It fails\n\n:::{plumb-finding} TOY-F1: It fails\n");
    assertThat(page).contains("<a href=\"../../audit/play/toy-fails.html\">", "How it fails.");
    assertThat(page("docs/findings/README.md"))
        .contains("{toctree}\n:hidden:\n\ntoy-f1\ntoy-f2\ntoy-f10\n```");
  }

  @Test
  void aLinkToNoNeedIsBadInput() throws IOException {
    Path needs = root.resolve("audit/needs.json");
    String text = Files.readString(needs).replace("[\"TOY_CHECK_SMALL\"", "[\"TOY_CHECK_GONE\"");
    Files.writeString(needs, text);
    assertThatThrownBy(this::write)
        .isInstanceOf(InputError.class)
        .hasMessageContaining("TOY_CHECK_GONE");
    Files.delete(needs);
    assertThatThrownBy(this::write).isInstanceOf(InputError.class);
  }

  @Test
  void everyDocumentOfTheProjectIsInTheContents() throws IOException {
    String contents = Files.readString(ROOT.resolve("docs/site/contents.md"));
    List<String> globs =
        contents
            .lines()
            .filter(l -> l.matches("[\\w/*-]+"))
            .map(l -> "\\Q" + l.replace("*", "\\E[^/]*\\Q") + "\\E")
            .toList();
    assertThat(globs).hasSizeGreaterThan(15);
    assertThat(globs).as("a protocol that is new").anyMatch("specs/notary/README"::matches);
    try (Stream<Path> files = Files.walk(ROOT, 3)) {
      List<String> pages =
          files
              .map(p -> ROOT.relativize(p).toString().replace('\\', '/'))
              .filter(p -> p.endsWith(".md") && !p.matches("README.md|docs/findings/[^/]+-.*"))
              .filter(p -> !p.matches("(.*/)?(\\..*|src|target|site|corpora|store)/.*"))
              .map(p -> p.replaceFirst("\\.md$", ""))
              .toList();
      assertThat(pages).hasSizeGreaterThan(30);
      assertThat(pages).allMatch(p -> globs.stream().anyMatch(p::matches));
    }
  }

  @Test
  void everyModuleOfJavaHasItsJavadoc() throws IOException {
    List<String> modules;
    try (Stream<Path> folders = Files.walk(ROOT, 2)) {
      modules =
          folders
              .filter(folder -> Files.isDirectory(folder.resolve("src/main/java")))
              .map(folder -> ROOT.relativize(folder).toString())
              .toList();
    }
    assertThat(modules).hasSizeGreaterThan(5);
    assertThat(Javadoc.modules(ROOT)).containsAll(modules);
  }

  @Test
  void versionsArePinned() throws IOException {
    List<String> lines = Files.readAllLines(ROOT.resolve("docs/site/requirements.txt"));
    assertThat(lines).filteredOn(l -> l.toLowerCase().startsWith("sphinx==")).hasSize(1);
    assertThat(unpinned(lines)).isEmpty();
    assertThat(unpinned(List.of("furo", "sphinx>=9", "--index-url x"))).hasSize(3);
  }

  private static List<String> unpinned(List<String> lines) {
    Pattern pinned = Pattern.compile("#.*|[A-Za-z0-9_.-]+==[0-9][A-Za-z0-9.]*");
    return lines.stream().filter(l -> !pinned.matcher(l).matches()).toList();
  }

  @Test
  void brokenLinksOfPagesAreSeen() throws IOException {
    put("html/a.html", "<p id=\"x\"><a href=\"b/c.html#y\">c</a><img src=\"gone.svg\">");
    put("html/b/c.html", "<h1 id=\"y\"></h1><a href=\"../a.html#x\"></a><a href=\"#none\"></a>");
    put("html/b/d.html", "<a href=\"c.html?q=1#y\"></a><a href=\"mailto:x\"></a><a href=\"\"></a>");
    put("html/skipped/e.html", "<a href=\"nowhere.html\"></a>");
    put("html/f.html", "<script>s='<a href=\"nowhere.html\">'</script><a href=\"skipped/\"></a>");
    put("html/skipped/index.html", "");
    assertThat(BrokenLinks.of(root.resolve("html"), "skipped"))
        .containsExactly("a.html: gone.svg", "b/c.html: #none");
  }

  private Path python(String pip) throws IOException {
    put(
        "python",
        """
        #!/bin/sh
        case "$1 $2" in
          "--version ") echo Python 3.11.0 ;;
          "-m venv") mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
          "-m pip") %s ;;
          "-m sphinx") echo "$0 was run" ;;
        esac
        """
            .formatted(pip));
    Path python = root.resolve("python");
    assertThat(python.toFile().setExecutable(true)).isTrue();
    return python;
  }

  @Test
  void whatTheMachineLacksIsSaid() throws IOException {
    put("requirements.txt", "sphinx==9.0.4\n");
    Path requirements = root.resolve("requirements.txt");
    String none = root.resolve("no-python").toString();
    assertThatThrownBy(() -> Sphinx.installed(none, requirements, root.resolve("made")))
        .isInstanceOf(Sphinx.Lacking.class)
        .hasMessageContaining("no Python")
        .hasMessageContaining("python3-venv");
    String offline = python("echo no index; exit 1").toString();
    assertThatThrownBy(() -> Sphinx.installed(offline, requirements, root.resolve("made")))
        .isInstanceOf(Sphinx.Lacking.class)
        .hasMessageContaining("requirements.txt cannot be installed")
        .hasMessageContaining("no index");
  }

  @Test
  void whatIsInstalledIsKeptUntilVersionsChange() throws IOException, Sphinx.Lacking {
    put("requirements.txt", "sphinx==9.0.4\n");
    Path requirements = root.resolve("requirements.txt");
    Path count = root.resolve("count");
    String python = python("echo x >>" + count).toString();
    for (int i = 0; i < 2; i++) {
      Sphinx.installed(python, requirements, root.resolve("made"));
      assertThat(Files.readAllLines(count)).hasSize(1);
    }
    put("requirements.txt", "sphinx==9.0.5\n");
    Sphinx sphinx = Sphinx.installed(python, requirements, root.resolve("made"));
    assertThat(Files.readAllLines(count)).hasSize(2);
    Sphinx.Built built = sphinx.build(source, root.resolve("html"), root.resolve("doctrees"));
    assertThat(built.whole()).isTrue();
    Matcher run = Pattern.compile("/python/bin/python was run").matcher(built.said());
    assertThat(run.find()).isTrue();
  }

  /** As a CI ends a job, where no terminal tells all of a group. */
  @Test
  void whatWasStartedEndsWithTheCommand() throws IOException, InterruptedException {
    put("requirements.txt", "sphinx==9.0.4\n");
    Path pids = root.resolve("pids");
    String python =
        python("sleep 60 & echo $! >" + pids + "; echo $$ >>" + pids + "; wait").toString();
    Process site =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Installing.class.getName(),
                python,
                root.toString())
            .redirectErrorStream(true)
            .start();
    try {
      long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
      while (!Files.exists(pids) || Files.readAllLines(pids).size() < 2) {
        assertThat(System.nanoTime()).isLessThan(until);
        Thread.sleep(20);
      }
      site.toHandle().destroy();
      assertThat(site.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(new String(site.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .isEmpty();
      for (String pid : Files.readAllLines(pids)) {
        ProcessHandle.of(Long.parseLong(pid))
            .ifPresent(p -> assertThat(p.onExit()).succeedsWithin(Duration.ofSeconds(20)));
      }
    } finally {
      site.destroyForcibly();
    }
  }

  /** A process that installs Sphinx. */
  static final class Installing {
    private Installing() {}

    public static void main(String[] args) throws IOException, Sphinx.Lacking {
      Path root = Path.of(args[1]);
      Sphinx.installed(args[0], root.resolve("requirements.txt"), root.resolve("made"));
    }
  }
}
