package dev.plumbline.cli;

import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Corpora;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./plumb corpus}: regenerates the behaviours that replay runs on the machines. */
@Command(
    name = "corpus",
    mixinStandardHelpOptions = true,
    description = {
      "Walks the small models specs/PROTOCOL/corpus-MODULE.cfg and compares the behaviours that"
          + " take every step with those in conformance/corpora. A difference, or an action that no"
          + " behaviour takes, ends with exit code 1."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:what is stored is what the models give, and takes every action",
      "1:it differs, or an action is not taken",
      "2:bad usage or input",
      "3:the environment lacks something, or plumb itself broke"
    })
public final class CorpusCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "PROTOCOL", description = "all protocols when none is given")
  private List<String> names = List.of();

  @Option(names = "--update", description = "write what was generated")
  private boolean update;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    boolean good = true;
    for (Conformance c : Conformance.named(names)) {
      List<Corpora.Generated> generated = new Corpora(Places.root(), c).generate();
      if (generated.isEmpty()) {
        out.println(c.protocol() + ": NOT RUN, no module has a binding: there is nothing to store");
        good = false;
      }
      for (Corpora.Generated g : generated) {
        List<String> problems = update ? g.update() : g.compare();
        out.printf(
            "%s %s: %,d states, %,d steps, %,d behaviours, %,d KiB%s%n",
            c.protocol(),
            g.module(),
            g.states(),
            g.edges(),
            g.behaviours(),
            g.text().length() / 1024,
            problems.isEmpty() ? "" : ", WRONG");
        problems.forEach(p -> out.println("  " + p));
        out.flush();
        good &= problems.isEmpty();
      }
    }
    return good ? 0 : 1;
  }
}
