package dev.plumbline.mutate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.Checks;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Expect;
import dev.plumbline.check.Workspace;
import dev.plumbline.mutate.MutantsFile.Target;
import dev.plumbline.tlc.Modules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A repair that no model has is a line that no property judges: each is on in a model that judges
 * its module's mutants, and in a check of the quick lane that holds.
 */
class RepairsTest {
  private static final Workspace WORKSPACE =
      new Workspace(Path.of("..").toAbsolutePath().normalize());
  private static final Pattern USED =
      Pattern.compile("\"(\\w+)\"\\s*\\\\(?:not)?in\\s+Repairs|Repaired\\(\"(\\w+)\"\\)");
  private static final Pattern NAME = Pattern.compile("\"(\\w+)\"");
  private static final Pattern CONFIGURED = Pattern.compile("\\bRepairs\\s*=\\s*\\{([^}]*)}");
  private static final Pattern EXTENDS = Pattern.compile("(?m)^EXTENDS (.*)$");

  @ParameterizedTest
  @ValueSource(strings = {"k2", "dast", "metric", "engage", "catenae"})
  void everyRepairIsOnWhereItsModuleIsJudged(String protocol) {
    assertThat(gaps(protocol, c -> true)).isEmpty();
  }

  @Test
  void aRepairWithoutAModelIsAGap() {
    assertThat(gaps("catenae", c -> !c.id().startsWith("vote-contracts-closure")))
        .contains("closure of VotingRule is on in no model that judges its mutants");
    assertThat(gaps("metric", c -> !c.id().equals("own-contracts-above")))
        .contains(
            "above of Ownership is on in no model that judges its mutants",
            "above of Ownership is on in no check of the quick lane that holds");
  }

  private static List<String> gaps(String name, Predicate<Check> kept) {
    Checks protocol =
        WORKSPACE.protocols().stream()
            .filter(p -> p.protocol().equals(name))
            .findFirst()
            .orElseThrow();
    MutantsFile file = MutantsFile.read(Mutation.file(protocol), protocol);
    Path folder = protocol.file().toAbsolutePath().getParent();
    Set<String> gaps = new TreeSet<>();
    for (Target target : file.targets()) {
      Set<String> used = new TreeSet<>();
      Matcher m = USED.matcher(text(module(folder, target.module())));
      while (m.find()) {
        used.add(m.group(1) == null ? m.group(2) : m.group(1));
      }
      Set<String> judged = new HashSet<>();
      target.models().stream()
          .map(MutantsFile.Judge::check)
          .filter(kept)
          .forEach(c -> judged.addAll(on(folder, c)));
      Set<String> quick = new HashSet<>();
      protocol.checks().stream()
          .filter(kept)
          .filter(c -> c.expect() == Expect.HOLDS && c.in("quick") && c.engine().equals("tlc"))
          .filter(c -> extended(folder, c.module(), new HashSet<>()).contains(target.module()))
          .forEach(c -> quick.addAll(on(folder, c)));
      for (String repair : used) {
        String what = repair + " of " + target.module() + " is on in no ";
        if (!judged.contains(repair)) {
          gaps.add(what + "model that judges its mutants");
        }
        if (!quick.contains(repair)) {
          gaps.add(what + "check of the quick lane that holds");
        }
      }
    }
    return List.copyOf(gaps);
  }

  /** The repairs that a check's model has. */
  private static Set<String> on(Path folder, Check c) {
    String value = c.constants().get("Repairs");
    if (value == null) {
      String config = c.config().isEmpty() ? c.module() + ".cfg" : c.config();
      Matcher m = CONFIGURED.matcher(text(folder.resolve(config)));
      value = m.find() ? m.group(1) : "";
    }
    Set<String> all = new TreeSet<>();
    Matcher m = NAME.matcher(value);
    while (m.find()) {
      all.add(m.group(1));
    }
    return all;
  }

  /** A module and all of the protocol's that it extends. */
  private static Set<String> extended(Path folder, String name, Set<String> all) {
    Path file = module(folder, name);
    if (file != null && all.add(name)) {
      Matcher m = EXTENDS.matcher(text(file));
      while (m.find()) {
        for (String e : m.group(1).split(",", -1)) {
          extended(folder, e.strip(), all);
        }
      }
    }
    return all;
  }

  private static Path module(Path folder, String name) {
    return Modules.locate(name, folder, List.of());
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
