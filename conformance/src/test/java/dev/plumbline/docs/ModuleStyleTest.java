package dev.plumbline.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** All TLA+ is written in one way, and every core module says what it leaves out. */
class ModuleStyleTest {
  private static final Path SPECS = Path.of("..").toAbsolutePath().normalize().resolve("specs");
  private static final int WIDTH = 160;

  /** What the header of a core module has, in this order. */
  private static final List<String> HEADER =
      List.of("Modelled", "Assumed, not checked", "Out of scope", "Readings");

  /** The sections of a module, as far as it has them, in this order. */
  private static final List<String> SECTIONS =
      List.of("EXTENDS\\b", "CONSTANTS?\\b", "VARIABLES?\\b", "Init ==", "Next ==", "Spec ==");

  /** Bounds, logs, contracts, induction, stories: what is built around core modules. */
  private static final Pattern AROUND =
      Pattern.compile("(MC|Trace).*|.*(Contracts\\w*|Ind|IndTLC|Sym|Live|Bounds|Stories)");

  private static List<Path> modules() throws IOException {
    try (Stream<Path> files = Files.walk(SPECS, 2)) {
      return files.filter(f -> f.toString().endsWith(".tla")).sorted().toList();
    }
  }

  private static boolean core(Path module) {
    return !module.getParent().endsWith("common")
        && !AROUND.matcher(module.getFileName().toString().replace(".tla", "")).matches();
  }

  private static List<String> faults(String text, boolean core) {
    List<String> faults = new ArrayList<>();
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      String what =
          line.contains("\t")
              ? "a tab"
              : line.endsWith(" ")
                  ? "a blank at the end"
                  : line.matches(".*\\\\cup\\b.*")
                      ? "\\cup, where \\union is written"
                      : line.length() > WIDTH && !line.contains("@type:") ? "a long line" : "";
      if (!what.isEmpty()) {
        faults.add((i + 1) + ": " + what);
      }
    }
    ordered(text, SECTIONS, "(?m)^", false, faults);
    if (core) {
      ordered(text, HEADER, "(?m)^\\(\\* ", true, faults);
    }
    return faults;
  }

  private static void ordered(
      String text, List<String> parts, String before, boolean all, List<String> faults) {
    int last = -1;
    for (String part : parts) {
      Matcher m = Pattern.compile(before + part).matcher(text);
      if (m.find()) {
        if (m.start() < last) {
          faults.add(part + " stands too late");
        }
        last = Math.max(last, m.start());
      } else if (all) {
        faults.add("the header has no \"" + part + "\"");
      }
    }
  }

  @Test
  void everyModuleIsWrittenInOneWay() throws IOException {
    assertThat(modules().stream().filter(ModuleStyleTest::core)).hasSizeGreaterThan(25);
    for (Path module : modules()) {
      String text = Files.readString(module, StandardCharsets.UTF_8);
      assertThat(faults(text, core(module))).as(module.getFileName().toString()).isEmpty();
    }
  }

  @Test
  void anotherStyleIsSeen() {
    String good =
        """
        ---- MODULE M ----
        (* Modelled: a *)
        (* Assumed, not checked: b *)
        (* Out of scope: c *)
        (* Readings: none. *)
        EXTENDS Naturals
        VARIABLES x
        Init == x = {}
        Next == x' = x \\union {1}
        """;
    assertThat(faults(good, true)).isEmpty();
    assertThat(faults(good.replace("\\union", "\\cup"), true))
        .containsExactly("9: \\cup, where \\union is written");
    assertThat(faults(good.replace("(* Out of scope: c *)\n", ""), true))
        .containsExactly("the header has no \"Out of scope\"");
    assertThat(faults(good.replace("(* Out of scope: c *)\n", ""), false)).isEmpty();
    assertThat(faults(good.replace("Modelled: a", "x").replace("none.", "n\n(* Modelled"), true))
        .containsExactly(
            "Assumed, not checked stands too late",
            "Out of scope stands too late",
            "Readings stands too late");
    assertThat(faults(good.replace("EXTENDS Naturals\n", "") + "EXTENDS Naturals\n", false))
        .containsExactly(
            "VARIABLES?\\b stands too late", "Init == stands too late", "Next == stands too late");
    assertThat(faults(good + "\tx \n" + "y".repeat(161) + "\n", true))
        .containsExactly("10: a tab", "11: a long line");
  }
}
