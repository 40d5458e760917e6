package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ToyWorkspace;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What {@code ./plumb site} says where it cannot be built. */
class SiteCommandTest {
  @TempDir Path folder;

  @Test
  void aMissingPythonIsTheEnvironments() throws IOException {
    StringWriter err = new StringWriter();
    Files.createDirectories(folder.resolve("docs/site"));
    String none = folder.resolve("no-python").toString();
    CommandLine site = new CommandLine(new SiteCommand(new Workspace(folder), none));
    site.setErr(new PrintWriter(err, true));
    assertThat(site.execute()).isEqualTo(3);
    assertThat(err.toString()).contains("plumb: no Python", "remedy: install Python 3.10 or later");
    assertThat(folder.resolve(".plumb/reports")).doesNotExist();
  }

  @Test
  void aFolderThatCannotBeMadeIsSaidBeforeAnythingTakesTime() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");
    CommandLine site = new CommandLine(new SiteCommand(new Workspace(folder), "no python"));
    site.setExecutionExceptionHandler(
        (e, command, parsed) -> {
          assertThat(e).isInstanceOf(IOException.class).hasMessageContaining("file");
          return 2;
        });
    assertThat(site.execute("--out", file.resolve("site").toString())).isEqualTo(2);
  }

  @Test
  void aFileIsNoFolderForASite() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "mine");
    CommandLine site = new CommandLine(new SiteCommand(new Workspace(folder), "python3"));
    site.setExecutionExceptionHandler(
        (e, command, parsed) -> {
          assertThat(e).isInstanceOf(FileAlreadyExistsException.class);
          return 2;
        });
    assertThat(site.execute("--out", file.toString())).isEqualTo(2);
    assertThat(file).hasContent("mine");
  }

  @Test
  void aProjectOfItsOwnHasNoSite() throws IOException {
    ToyWorkspace.copyTo(folder);
    StringWriter err = new StringWriter();
    CommandLine site = new CommandLine(new SiteCommand(new Workspace(folder), "python3"));
    site.setErr(new PrintWriter(err, true));
    site.setExecutionExceptionHandler(Main.commandLine().getExecutionExceptionHandler());
    assertThat(site.execute()).isEqualTo(2);
    assertThat(err.toString()).contains("Plumbline's own documents", "--project DIR audit");
  }

  /** As a second command that was started meanwhile is told. */
  @Test
  void oneSiteIsBuiltAtATime() throws IOException {
    ToyWorkspace.copyTo(folder);
    Path lock = Files.createDirectories(folder.resolve(".plumb/site")).resolve("lock");
    StringWriter err = new StringWriter();
    CommandLine site = new CommandLine(new SiteCommand(new Workspace(folder), "python3"));
    site.setErr(new PrintWriter(err, true));
    site.setExecutionExceptionHandler(Main.commandLine().getExecutionExceptionHandler());
    int exit = Workspace.alone(lock, "a site", () -> site.execute("--source-only"));
    assertThat(exit).isEqualTo(3);
    assertThat(err.toString()).contains("./plumb site: another command does the same here");
    assertThat(folder.resolve(".plumb/site/source")).doesNotExist();
  }

  @Test
  void aSiteIsReplacedAtOnce() throws IOException {
    Path built = Files.createDirectories(folder.resolve("built"));
    Files.writeString(built.resolve("index.html"), "new");
    Path html = Files.createDirectories(folder.resolve("html"));
    Files.writeString(html.resolve("old.html"), "old");
    SiteCommand.replace(html, built);
    assertThat(html.toFile().list()).containsExactlyInAnyOrder("index.html", ".plumbline-site");
    assertThat(built).doesNotExist();
  }

  @Test
  void aFolderThatIsNoSiteIsLeftAlone() throws IOException {
    Path mine = Files.writeString(folder.resolve("mine.txt"), "mine");
    CommandLine site = new CommandLine(new SiteCommand(new Workspace(folder), "python3"));
    site.setExecutionExceptionHandler(
        (e, command, parsed) -> {
          assertThat(e).isInstanceOf(InputError.class).hasMessageContaining("no site");
          return 2;
        });
    assertThat(site.execute("--out", folder.toString())).isEqualTo(2);
    assertThat(mine).hasContent("mine");
  }
}
