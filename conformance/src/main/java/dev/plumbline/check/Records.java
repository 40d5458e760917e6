package dev.plumbline.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.tlc.Checker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What is stored of the checks: what each last said of today's input, and what that input is. */
public final class Records {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Nothing is stored for the check. */
  public static final String MISSING = "no result";

  /** What is stored is of another input. */
  public static final String STALE = "stale";

  /** Verdicts that leave a check open, the gravest first. */
  private static final List<String> OPEN = List.of("FAILED", "environment", STALE, MISSING);

  private final Workspace workspace;
  private final Outcomes outcomes;
  private final String apalache = Apalache.find().version();

  public Records(Workspace workspace) {
    this.workspace = workspace;
    this.outcomes = new Outcomes(workspace);
  }

  /**
   * A check and what is known of it.
   *
   * @param judged the properties that it judges
   * @param bounds its constants
   * @param inputs its modules and its configuration
   * @param input a digest of all that its result depends on
   * @param verdict {@link #MISSING}, {@link #STALE}, or of today's input and expectation
   * @param result the outcome as it is stored, or an empty object
   */
  public record Known(
      Check check,
      List<String> judged,
      ObjectNode bounds,
      List<Path> inputs,
      String input,
      String verdict,
      String message,
      ObjectNode result) {

    /** Distinct states; -1 where none were counted. */
    public long distinct() {
      return result.path("distinct").asLong(-1);
    }

    /** What the result depends on besides its input. */
    public JsonNode manifest() {
      return result.path("manifest");
    }

    /** Whether it came out as expected, of this very input. */
    public boolean met() {
      return !open() && !verdict.equals("not run");
    }

    /** Failed, stale, without result, or kept from one by the machine. */
    public boolean open() {
      return OPEN.contains(verdict);
    }

    /** Orders those that are open: who failed comes first, who has no result last. */
    public int gravity() {
      return OPEN.indexOf(verdict);
    }
  }

  /**
   * All checks of a protocol, in the order of its file.
   *
   * @throws dev.plumbline.tlc.InputError when a check's files don't agree
   */
  public List<Known> of(Checks protocol) {
    List<Known> all = new ArrayList<>();
    for (Check c : protocol.checks()) {
      all.add(of(protocol, c));
    }
    return all;
  }

  /** One check of a protocol. */
  public Known of(Checks protocol, Check check) {
    boolean symbolic = check.engine().equals("apalache");
    return known(new Plan(workspace, protocol, check, symbolic ? apalache : Checker.version()));
  }

  /** What a check's last run that met its expectation took; -1 where there was none. */
  public long lastMillis(Check check) {
    return outcomes.lastMillis(check);
  }

  private Known known(Plan plan) {
    Outcomes.Known known = outcomes.known(plan);
    if (known != null) {
      ObjectNode judged =
          MAPPER.valueToTree(Result.judge(plan, known.outcome(), true, "", known.manifest()));
      return told(plan, judged.path("verdict").asText(), judged);
    }
    Check c = plan.check;
    Path file = workspace.runFolder(c.protocol(), c.id()).resolve("result.json");
    String again = ToolCommand.line("check " + c.name());
    if (!Files.isRegularFile(file)) {
      return without(plan, MISSING, again + " gives one");
    }
    try {
      ObjectNode r = (ObjectNode) MAPPER.readTree(Files.readString(file, StandardCharsets.UTF_8));
      boolean same =
          r.path("expect").asText().equals(c.expectation())
              && r.path("manifest").path("input").asText().equals(plan.hash);
      Known told = told(plan, r.path("verdict").asText(), r);
      if (same && told.met()) {
        // Bands, waivers and coverage may be others by now, and judging needs the whole outcome.
        return without(plan, STALE, "the cache has no outcome to judge: " + again);
      }
      return same ? told : without(plan, STALE, "the stored result is of another input: " + again);
    } catch (IOException | ClassCastException e) {
      return without(plan, MISSING, file + " cannot be read: " + again);
    }
  }

  private static Known told(Plan plan, String verdict, ObjectNode result) {
    return new Known(
        plan.check,
        plan.judged(),
        plan.bounds(),
        plan.inputs(),
        plan.hash,
        verdict,
        result.path("message").asText(),
        result);
  }

  private static Known without(Plan plan, String verdict, String message) {
    return new Known(
        plan.check,
        plan.judged(),
        plan.bounds(),
        plan.inputs(),
        plan.hash,
        verdict,
        message,
        MAPPER.createObjectNode());
  }
}
