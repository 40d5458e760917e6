package dev.plumbline.cli;

import dev.plumbline.audit.Audit;
import dev.plumbline.check.Checks;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.check.Workspace;
import dev.plumbline.site.BrokenLinks;
import dev.plumbline.site.Javadoc;
import dev.plumbline.site.PageSource;
import dev.plumbline.site.Sphinx;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code plumb site}: documents, claims, findings and Javadoc as one site. */
@Command(
    name = "site",
    mixinStandardHelpOptions = true,
    description = {
      "Builds the site: the README's story, guides, reference, claims and findings, the audit,"
          + " counterexamples to step through, and Javadoc. Runs no check: verdicts are what lies"
          + " in .plumb.",
      "It takes Python 3.10 or later. Sphinx and its extensions, in the versions of"
          + " docs/site/requirements.txt, are installed into .plumb/site."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the site is built",
      "1:a document is faulty, or a link leads nowhere",
      "2:bad usage or input",
      "3:there is no Python, or its packages cannot be installed"
    })
public final class SiteCommand implements Callable<Integer> {
  private static final int SHOWN = 40;

  /** In a folder that a site was put into: what is there may be replaced. */
  private static final String MARK = ".plumbline-site";

  private final Workspace workspace;
  private final String python;

  @Spec private CommandSpec spec;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where the site goes; default .plumb/site/html.")
  private Path out;

  @Option(names = "--no-javadoc", description = "Leave the Javadoc out.")
  private boolean noJavadoc;

  @Option(
      names = "--source-only",
      description = "Stop at what Sphinx would read, in .plumb/site/source; takes no Python.")
  private boolean sourceOnly;

  public SiteCommand() {
    this(Workspace.here(), System.getenv().getOrDefault("PLUMB_PYTHON", "python3"));
  }

  SiteCommand(Workspace workspace, String python) {
    this.workspace = workspace;
    this.python = python;
  }

  @Override
  public Integer call() throws IOException {
    Path made = workspace.made().resolve("site");
    Path html = out == null ? made.resolve("html") : Places.fromCaller(out);
    if (out != null) {
      demandOurs(html);
    }
    try {
      return Workspace.alone(
          made.resolve("lock"),
          ToolCommand.line("site"),
          () -> {
            try {
              return build(made, html);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private int build(Path made, Path html) throws IOException {
    PrintWriter print = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Path source = made.resolve("source");
    // Of a link, the folder that it leads to is replaced, and not the link.
    Path to = Files.createDirectories(html).toRealPath();
    Path own = workspace.docs().resolve("site");
    if (!Files.isDirectory(own)) {
      throw new InputError(
          own.toString(),
          0,
          "there is no such folder: the site is of Plumbline's own documents",
          "./plumb --project DIR audit has the claims of a project as one page");
    }
    try {
      // What the machine lacks is said before anything takes time.
      Sphinx sphinx =
          sourceOnly ? null : Sphinx.installed(python, own.resolve("requirements.txt"), made);
      Workspace.delete(source);
      Path audit = workspace.made().resolve("reports").resolve("audit");
      audit().write(audit);
      PageSource.write(workspace, audit, source);
      if (sourceOnly) {
        print.println(source);
        print.flush();
        return 0;
      }
      copyAll(audit, source.resolve("extra").resolve("audit"));
      Path javadoc = source.resolve("extra").resolve("javadoc");
      if (noJavadoc) {
        Files.createDirectories(javadoc);
        Files.writeString(javadoc.resolve("index.html"), "<p>left out: --no-javadoc</p>\n");
      } else {
        Optional<String> fault = Javadoc.write(workspace.root(), javadoc);
        if (fault.isPresent()) {
          err.println("plumb: javadoc failed\n" + fault.get());
          return 1;
        }
      }
      Path aside = made.resolve("built");
      Workspace.delete(aside);
      Sphinx.Built built = sphinx.build(source, aside, made.resolve("doctrees"));
      if (!built.whole()) {
        shown(err, "Sphinx found faults", built.said().lines().distinct().toList());
        return 1;
      }
      List<String> broken = BrokenLinks.of(aside, "javadoc");
      if (!broken.isEmpty()) {
        shown(err, "links lead nowhere", broken);
        return 1;
      }
      replace(to, aside);
      print.println(to.resolve("index.html"));
      print.flush();
      return 0;
    } catch (Sphinx.Lacking e) {
      err.println("plumb: " + e.getMessage());
      return 3;
    }
  }

  /** A folder is replaced only if it is empty, absent, or an earlier site. */
  private static void demandOurs(Path html) throws IOException {
    if (!Files.exists(html) || Files.exists(html.resolve(MARK))) {
      return;
    }
    if (!Files.isDirectory(html)) {
      throw new FileAlreadyExistsException(html.toString());
    }
    try (Stream<Path> files = Files.list(html)) {
      if (files.findAny().isPresent()) {
        throw new InputError(
            "", 0, html + " holds files that are no site", "name an empty folder with --out");
      }
    }
  }

  /** At once, so that no half of a site is taken for one; where it is copied, the mark is first. */
  static void replace(Path html, Path built) throws IOException {
    Files.writeString(built.resolve(MARK), "");
    Workspace.delete(html);
    try {
      Files.move(built, html, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      // On another disk, or itself no folder that may be replaced.
      Files.createDirectories(html);
      Files.writeString(html.resolve(MARK), "");
      copyAll(built, html);
    }
  }

  private Audit audit() throws IOException {
    List<String> known = workspace.protocols().stream().map(Checks::protocol).toList();
    Map<String, String> contents = new HashMap<>();
    return new Audit(
        workspace,
        List.of(),
        "nightly",
        StageInput.planned(known, "nightly", workspace, contents),
        List.of());
  }

  private static void copyAll(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path f : files.filter(Files::isRegularFile).toList()) {
        Path target = to.resolve(from.relativize(f).toString());
        Files.createDirectories(target.getParent());
        Files.copy(f, target, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private static void shown(PrintWriter err, String what, List<String> faults) {
    err.println("plumb: " + what);
    faults.stream().limit(SHOWN).forEach(f -> err.println("  " + f));
    if (faults.size() > SHOWN) {
      err.println("  and " + (faults.size() - SHOWN) + " more");
    }
    err.flush();
  }
}
