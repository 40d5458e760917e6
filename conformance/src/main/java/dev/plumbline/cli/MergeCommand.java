package dev.plumbline.cli;

import dev.plumbline.check.Manifest;
import dev.plumbline.check.Workspace;
import dev.plumbline.parts.Merge;
import dev.plumbline.tlc.InputError;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumb merge}: what machines found with {@code --shard}, as one report. */
@Command(
    name = "merge",
    mixinStandardHelpOptions = true,
    description = {
      "Joins what N machines found with --shard 1/N to N/N: tables, JUnit, remembered outcomes.",
      "Names what no machine reported, and refuses results of another commit."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all holds",
      "1:something is violated",
      "2:bad usage or input, such as results of another commit",
      "3:a machine lacked something, or parts are missing",
      "4:nothing is violated, but something is unknown or ran out of time"
    })
public final class MergeCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "DIR",
      arity = "1..*",
      description = "Each a machine's .plumb, or a copy of its reports/ and cache/.")
  private List<Path> folders = List.of();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description =
          "In place of .plumb/reports: where merged.json, .xml, .txt, .md and machines.json go.")
  private Path out;

  @Option(
      names = "--any-commit",
      description = "Take results that are not of the commit checked out here, if all are of one.")
  private boolean anyCommit;

  @Option(names = "--json", description = "Print the report as JSON instead of the table.")
  private boolean json;

  @Override
  public Integer call() {
    Workspace workspace = Workspace.here();
    List<Path> named = folders.stream().map(Places::fromCaller).toList();
    for (Path p : named) {
      if (!Files.isDirectory(p)) {
        throw new InputError(p.toString(), 0, "no such folder", "name a machine's results");
      }
    }
    String here = Manifest.of(workspace.root(), Map.of()).path("commit").asText();
    Merge merge = new Merge(named, anyCommit || here.equals("unknown") ? null : here);
    int broken = Merge.joinCaches(named, workspace.cache());
    if (broken > 0) {
      System.err.println("plumb: " + broken + " remembered outcomes were damaged and left out");
    }
    merge.keep(workspace.cache());
    Path to = out == null ? workspace.made().resolve("reports") : Places.fromCaller(out);
    String report = merge.json().toPrettyString() + "\n";
    Workspace.writeWhole(to.resolve("merged.json"), report);
    Workspace.writeWhole(to.resolve("machines.json"), merge.machines().toPrettyString() + "\n");
    Workspace.writeWhole(to.resolve("merged.xml"), merge.junit());
    Workspace.writeWhole(to.resolve("merged.txt"), merge.text(false));
    Workspace.writeWhole(to.resolve("merged.md"), merge.text(true));
    System.out.print(json ? report : merge.text(false));
    return merge.exit();
  }
}
