package dev.plumbline.cli;

import dev.plumbline.check.ToolCommand;
import dev.plumbline.check.Workspace;
import dev.plumbline.mutate.Mutation;
import dev.plumbline.parts.Ending;
import dev.plumbline.tlc.InputError;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code plumb mutate}: can the checks fail? */
@Command(
    name = "mutate",
    mixinStandardHelpOptions = true,
    description =
        "Changes specifications and machines in small ways and says which check notices each"
            + " change.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every mutant judged is killed, argued in mutants.yaml, or no mutant at all",
      "1:a mutant survives or is not reached, or a reason has lost its mutant",
      "2:bad usage or input, such as an unchanged specification that fails a check",
      "3:the environment lacks something, or ended a process",
      "4:unknown: a mutant, or the unchanged specification, was not judged within the limits"
    })
public final class MutateCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "PROTOCOL",
      description = "Protocols; all that have a mutants.yaml when none is given.")
  private List<String> names = List.of();

  @Option(
      names = "--lane",
      defaultValue = "quick",
      description =
          "quick: a sample, up to the first kill; nightly: every property on every mutant.")
  private String lane = "quick";

  @Option(
      names = "--sample",
      defaultValue = "40",
      description = "Mutants in the quick lane; default ${DEFAULT-VALUE}.")
  private int sample = 40;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "Which sample; default ${DEFAULT-VALUE}.")
  private long seed = 1;

  @Option(
      names = "--only",
      paramLabel = "PREFIX",
      split = ",",
      description = "Only specification mutants whose names begin so, as MODULE.ACTION.")
  private List<String> only = List.of();

  @Option(
      names = "--part",
      defaultValue = "all",
      description = "specs, machines (nightly lane only) or all; default ${DEFAULT-VALUE}.")
  private String part = "all";

  @Option(
      names = "--first-kill",
      description =
          "In the nightly lane too, judge a mutant up to its first kill; which property kills what"
              + " is not said.")
  private boolean first;

  @Option(
      names = "--reach",
      description =
          "Only ask of every specification mutant whether a model that judges evaluates what it"
              + " changes.")
  private boolean reach;

  @Option(
      names = "--pairs",
      defaultValue = "10",
      description =
          "Pairs of mutants of each module in the nightly lane, two edits at once; default"
              + " ${DEFAULT-VALUE}.")
  private int pairs = 10;

  @Option(names = "--fresh", description = "Run again what is already known for this very input.")
  private boolean fresh;

  @Option(names = "--matrix", description = "Print which property kills which mutant.")
  private boolean matrix;

  @Option(names = "--json", description = "Print the results as JSON instead of the table.")
  private boolean json;

  @Option(
      names = "--jobs",
      defaultValue = "2",
      description = "Processes at a time; default ${DEFAULT-VALUE}.")
  private int jobs = 2;

  @Mixin private ShardOption shard = new ShardOption();

  @Override
  public Integer call() {
    if (!lane.equals("quick") && !lane.equals("nightly")) {
      throw new InputError("", 0, "there is no lane " + lane, "use --lane quick or --lane nightly");
    }
    if (!List.of("specs", "machines", "all").contains(part)) {
      throw new InputError("", 0, "there is no part " + part, "use specs, machines or all");
    }
    if (reach && part.equals("machines")) {
      throw new InputError(
          "", 0, "--reach asks of specifications alone", "leave out --part machines");
    }
    if (part.equals("machines") && (lane.equals("quick") || !only.isEmpty())) {
      throw new InputError(
          "", 0, "machines are not sampled", "use --part machines --lane nightly, without --only");
    }
    if (jobs < 1 || sample < 1 || pairs < 0) {
      throw new InputError(
          "", 0, "--jobs and --sample start at 1, --pairs at 0", "give a larger number");
    }
    Mutation.Options options =
        new Mutation.Options(
            names,
            lane.equals("nightly"),
            first,
            reach,
            part,
            only,
            sample,
            pairs,
            seed,
            jobs,
            fresh,
            matrix,
            shard.shard(),
            ToolCommand.line(spec.root().commandLine().getParseResult().originalArgs()));
    Mutation mutation =
        new Mutation(Workspace.here(), options, System.err, System.console() != null);
    Ending ending = mutation.run();
    System.out.print(json ? mutation.json() : mutation.text());
    return Ending.exit(List.of(ending));
  }
}
