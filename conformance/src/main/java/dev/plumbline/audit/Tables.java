package dev.plumbline.audit;

import dev.plumbline.check.Checks;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Claim;
import dev.plumbline.check.Checks.Expect;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import dev.plumbline.worlds.Worlds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables of a protocol's README that are made from checks.yaml and claims.yaml. Each stands
 * between {@code <!-- NAME: made by ./plumb audit --update -->} and {@code <!-- end -->}.
 */
final class Tables {
  private static final List<String> NAMES = List.of("claims", "readings", "checks");
  private static final String END = "<!-- end -->";
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern PAGE = Pattern.compile("findings/([a-z0-9-]+)\\.md");

  private static final Predicate<Check> HOLDS =
      c -> c.expect() == Expect.HOLDS && c.engine().equals("tlc");

  private Tables() {}

  private static String begin(String name) {
    return "<!-- " + name + ": made by ./plumb audit --update -->";
  }

  private static Path readme(Checks protocol) {
    return protocol.file().resolveSibling("README.md");
  }

  private static String table(String name, Checks protocol, ClaimsFile claims) {
    StringBuilder s = new StringBuilder("\n");
    if (name.equals("checks")) {
      checks(s, protocol);
    } else if (name.equals("claims")) {
      s.append("| claim | section | ended |\n|---|---|---|\n");
      for (Claim c : protocol.claims().values()) {
        String text = c.text() + (c.kind().equals("claimed") ? "" : " (" + c.kind() + ")");
        row(s, "**" + c.id() + "**: " + text, c.section(), claims.claims().get(c.id()).ended());
      }
      claims.others().forEach(o -> row(s, o.claim(), o.section(), o.ended()));
    } else {
      s.append("| place | taken | other reading |\n|---|---|---|\n");
      claims.readings().forEach(r -> row(s, r.place(), r.taken(), r.other()));
    }
    return s.toString();
  }

  /** How many checks there are, of which kind, and how many states they have by their bands. */
  private static void checks(StringBuilder s, Checks protocol) {
    s.append("| lane | hold | violated, as they must be | reached | sampled | symbolic |");
    s.append(" distinct states of those that hold |\n|---|---:|---:|---:|---:|---:|---:|\n");
    for (String lane : List.of("quick", "nightly")) {
      List<Check> own = protocol.checks().stream().filter(c -> c.lane().equals(lane)).toList();
      List<Check> searched = own.stream().filter(c -> c.engine().equals("tlc")).toList();
      row(
          s,
          lane.equals("quick") ? "quick" : "nightly, besides",
          count(searched, c -> c.expect() == Expect.HOLDS),
          count(searched, c -> c.expect() == Expect.VIOLATES),
          count(searched, c -> c.expect() == Expect.REACHES),
          count(own, c -> c.engine().equals("simulate")),
          count(own, c -> c.engine().equals("apalache")),
          grouped(searched.stream().filter(HOLDS).mapToLong(Check::low).sum()));
    }
    List<Check> all = protocol.checks().stream().filter(HOLDS).toList();
    Check largest = all.stream().max(Comparator.comparingLong(Check::low)).orElse(null);
    if (largest != null) {
      s.append("\nStates are counted by the lower end of each check's band. ");
      s.append(grouped(all.stream().filter(Check::main).mapToLong(Check::low).sum()));
      s.append(" of them are in the main module. The largest check is `").append(largest.id());
      s.append("` with ").append(grouped(largest.low())).append(".\n");
    }
  }

  private static String count(List<Check> checks, Predicate<Check> which) {
    return String.valueOf(checks.stream().filter(which).count());
  }

  private static String grouped(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static void row(StringBuilder s, String... cells) {
    s.append("| ").append(String.join(" | ", cells).replace("|  |", "| |")).append(" |\n");
  }

  /** The README with today's tables. */
  private static String made(Checks protocol, ClaimsFile claims, String text) {
    String made = text;
    for (String name : NAMES) {
      int at = made.indexOf(begin(name));
      if (at < 0) {
        continue;
      }
      int from = at + begin(name).length();
      int to = made.indexOf(END, from);
      if (to < 0) {
        throw new InputError(
            readme(protocol).toString(), 0, "the table " + name + " has no end", "add " + END);
      }
      made =
          made.substring(0, from)
              + "\n"
              + table(name, protocol, claims)
              + "\n"
              + made.substring(to);
    }
    return made;
  }

  /** What is wrong: tables that differ, checks and findings that are named and not there. */
  static List<String> faults(Checks protocol, ClaimsFile claims) {
    List<String> faults = new ArrayList<>();
    if (claims.claims().isEmpty()) {
      return faults;
    }
    Path readme = readme(protocol);
    String text = read(readme);
    if (!text.contains(begin("claims"))) {
      faults.add(
          readme
              + ": it has no table of claims: put "
              + begin("claims")
              + " and "
              + END
              + " there");
    } else if (!text.equals(made(protocol, claims, text))) {
      faults.add(
          readme
              + ": its tables differ from checks.yaml and claims.yaml: "
              + ToolCommand.line("audit " + protocol.protocol() + " --update"));
    }
    Set<String> known = new TreeSet<>();
    protocol.checks().forEach(c -> known.add(c.id()));
    known.addAll(Worlds.ids(protocol));
    Set<String> starts = new TreeSet<>();
    known.forEach(id -> starts.add(id.replaceFirst("-.*", "")));
    claims
        .claims()
        .forEach(
            (id, said) -> {
              Matcher code = CODE.matcher(said.ended());
              while (code.find()) {
                String name = code.group(1);
                if (name.matches("[a-z0-9]+(-[a-z0-9]+)+[*…]?")
                    && starts.contains(name.replaceFirst("-.*", ""))
                    && known.stream().noneMatch(k -> matches(k, name))) {
                  faults.add(
                      claims.file()
                          + ":"
                          + said.line()
                          + ": "
                          + id
                          + " names no check or family: "
                          + name);
                }
              }
              Matcher page = PAGE.matcher(said.ended());
              while (page.find()) {
                Path file =
                    protocol
                        .file()
                        .resolve("../../../docs/findings/" + page.group(1) + ".md")
                        .normalize();
                if (!Files.isRegularFile(file)) {
                  faults.add(
                      claims.file() + ":" + said.line() + ": " + id + ": no page " + page.group(1));
                }
              }
            });
    return faults;
  }

  private static boolean matches(String check, String name) {
    return name.endsWith("*") || name.endsWith("…")
        ? check.startsWith(name.substring(0, name.length() - 1))
        : check.equals(name);
  }

  static void update(Checks protocol, ClaimsFile claims) {
    Path readme = readme(protocol);
    Workspace.writeWhole(readme, made(protocol, claims, read(readme)));
  }

  private static String read(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new InputError(
          file.toString(),
          0,
          "there is no such file, and claims.yaml is shown in it",
          "write it, with " + begin("claims") + " and " + END);
    }
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
