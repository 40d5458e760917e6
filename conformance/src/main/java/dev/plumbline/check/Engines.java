package dev.plumbline.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The same checks by two model checkers: the pinned one, and that which {@code PLUMB_TLA2TOOLS}
 * names. They agree on a check if they reach the same verdict and, where it holds, have found as
 * many distinct states.
 */
public final class Engines {
  /** What the two said of a check; null where one said nothing. */
  record Pair(String check, JsonNode pinned, JsonNode other) {
    boolean agrees() {
      return pinned != null
          && other != null
          && pinned.path("verdict").equals(other.path("verdict"))
          && (!pinned.path("verdict").asText().equals("holds")
              || pinned.path("distinct").equals(other.path("distinct")));
    }
  }

  private final List<Pair> pairs = new ArrayList<>();

  /**
   * Pairs two reports of {@code ./plumb check --json}.
   *
   * @param pinned by the pinned engine
   * @param other by the other one
   */
  public Engines(JsonNode pinned, JsonNode other) {
    Map<String, JsonNode[]> all = new LinkedHashMap<>();
    collect(pinned, all, 0);
    collect(other, all, 1);
    all.forEach((name, both) -> pairs.add(new Pair(name, both[0], both[1])));
  }

  private static void collect(JsonNode report, Map<String, JsonNode[]> all, int side) {
    for (JsonNode r : report.path("results")) {
      String name = r.path("protocol").asText() + "/" + r.path("check").asText();
      all.computeIfAbsent(name, n -> new JsonNode[2])[side] = r;
    }
  }

  /** Whether there is something to compare, and nothing differs. */
  public boolean agree() {
    return !pairs.isEmpty() && pairs.stream().allMatch(Pair::agrees);
  }

  /** The checks that differ, and how many do not. */
  public String table() {
    StringBuilder s = new StringBuilder();
    for (Pair p : pairs) {
      if (!p.agrees()) {
        s.append(
            String.format("%-40s %-32s %-32s DIFFERS%n", p.check(), said(p.pinned()), said(p.other())));
      }
    }
    if (s.length() > 0) {
      s.insert(0, String.format("%-40s %-32s %-32s%n", "check", "pinned engine", "other engine"));
    }
    long agreed = pairs.stream().filter(Pair::agrees).count();
    return s.append(agreed + " of " + pairs.size() + " checks agree in verdict and states\n")
        .toString();
  }

  private static String said(JsonNode r) {
    if (r == null) {
      return "nothing";
    }
    long distinct = r.path("distinct").asLong();
    return r.path("verdict").asText()
        + (distinct > 0 ? String.format(Locale.ROOT, ", %,d states", distinct) : "");
  }

  /**
   * What the pinned engine says, in a process of its own.
   *
   * @param arguments those of {@code ./plumb check}
   * @throws InputError when it ends without a report
   */
  public static JsonNode pinned(Workspace workspace, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(workspace.root().resolve("plumb").toString());
    command.addAll(arguments);
    ProcessBuilder b = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    b.environment().remove("PLUMB_TLA2TOOLS");
    Process process = b.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exit = process.waitFor();
    if (said.isBlank()) {
      throw new InputError(
          "", 0, "the pinned engine's run ended with " + exit, "run ./plumb check without --compare");
    }
    return new ObjectMapper().readTree(said);
  }
}
