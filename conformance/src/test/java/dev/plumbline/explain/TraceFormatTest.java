package dev.plumbline.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.CheckModel;
import dev.plumbline.check.Checks;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.Checker;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Behaviours leave as ITF and as a page, and come back as ITF to be checked again. */
class TraceFormatTest {
  private static final String MODULE =
      """
      ---- MODULE Toy ----
      EXTENDS Integers, Sequences
      VARIABLES at, log, by, cell
      vars == <<at, log, by, cell>>
      Init == at = 0 /\\ log = <<>> /\\ by = {} /\\ cell = [p \\in {<<1, "a">>, <<2, "b">>} |-> 0]
      Add(n) == /\\ at < 2
                /\\ at' = at + n
                /\\ log' = Append(log, n)
                /\\ by' = by \\cup {[name |-> "x", n |-> n]}
                /\\ cell' = [cell EXCEPT ![<<1, "a">>] = n]
      Next == \\E n \\in {1, 2} : Add(n)
      Spec == Init /\\ [][Next]_vars
      SmallInv == at < 2
      OneStep == [][at' = at + 1]_vars
      ====
      """;

  @TempDir Path folder;
  private CheckModel model;

  @BeforeEach
  void writeModel() throws IOException {
    Path specs = Files.createDirectories(folder.resolve("specs/toy"));
    Files.writeString(specs.resolve("Toy.tla"), MODULE);
    Files.writeString(
        specs.resolve("Toy.cfg"), "SPECIFICATION Spec\nINVARIANT SmallInv\nPROPERTY OneStep\n");
    Files.writeString(
        specs.resolve("checks.yaml"),
        """
        protocol: toy
        claims:
          TOY-1: {kind: ours, text: "It stays small."}
        checks:
          - {id: grows, module: Toy, lane: quick, expect: "violates: SmallInv", claims: [TOY-1], why: "It grows."}
        """);
    Workspace workspace = new Workspace(folder);
    Checks checks = workspace.protocols().get(0);
    model = new CheckModel(workspace, checks, checks.checks().get(0), Checker.version());
  }

  private Retrace check(String text) throws IOException {
    Path file = folder.resolve("trace.itf.json");
    Files.writeString(file, text, StandardCharsets.UTF_8);
    return Retrace.of(Itf.read(file), model, folder.resolve("made"));
  }

  private static String state(int at, String log, String by, int cell) {
    return """
        {"#meta": {"index": 0}, "at": {"#bigint": "%d"}, "log": %s, "by": {"#set": [%s]},
         "cell": {"#map": [[{"#tup": [2, "b"]}, 0], [{"#tup": [1, "a"]}, {"#bigint": "%d"}]]}}
        """
        .formatted(at, log, by, cell);
  }

  private static String trace(String... states) {
    return "{\"vars\": [\"at\", \"log\", \"by\", \"cell\"], \"states\": ["
        + String.join(",", states)
        + "]}";
  }

  private static final String FIRST = state(0, "[]", "", 0);
  private static final String SECOND =
      state(2, "[{\"#bigint\": \"2\"}]", "{\"n\": 2, \"name\": \"x\"}", 2);

  @Test
  void aTraceOfAnotherToolIsCheckedStepByStep() throws Exception {
    Retrace again = check(trace(FIRST, FIRST, SECOND));
    assertThat(again.fault()).isEmpty();
    assertThat(again.behaviour().steps())
        .extracting(again.behaviour()::call)
        .containsExactly("Init", "Stutter", "Add(n: 2)");
    assertThat(again.broken()).isEqualTo(Map.of("SmallInv", 2, "OneStep", 2));
    assertThat(again.behaviour().sequences()).isEqualTo(Set.of("log", "cell#"));
    assertThat(again.summary()).contains("SmallInv is violated by step 2");
  }

  @Test
  void theFirstStepThatTheModuleDoesNotHaveIsNamed() throws Exception {
    Retrace again =
        check(trace(FIRST, SECOND.replace("\"#bigint\": \"2\"}]", "\"#bigint\": \"1\"}]")));
    assertThat(again.fault())
        .startsWith("no action leads from state 0 to state 1; the nearest is Add")
        .contains("at: 1 → 2")
        .endsWith("possible are Add");
    assertThat(again.behaviour().steps()).hasSize(1);
    assertThat(check(trace(SECOND)).fault()).startsWith("state 0 is no initial state");
    assertThat(check(trace("{\"at\": 0, \"old\": 1}")).fault())
        .contains("missing [by, cell, log]", "unknown [old]");
    assertThat(check(trace(FIRST, SECOND.replace("\"log\":", "\"old\":"))).fault())
        .isEqualTo("state 1: its variables are not the module's: missing [log], unknown [old]");
  }

  @Test
  void whatIsWrittenIsReadBackAsTheSameBehaviour() throws Exception {
    Counterexample c = check(trace(FIRST, SECOND)).behaviour();
    String text = Itf.write(c);
    JsonNode last = new ObjectMapper().readTree(text).get("states").get(1);
    assertThat(last.get("at").toString()).isEqualTo("{\"#bigint\":\"2\"}");
    assertThat(last.get("log").toString()).isEqualTo("[{\"#bigint\":\"2\"}]");
    assertThat(last.get("by").toString())
        .isEqualTo("{\"#set\":[{\"n\":{\"#bigint\":\"2\"},\"name\":\"x\"}]}");
    assertThat(last.get("cell").toString())
        .startsWith("{\"#map\":[[[{\"#bigint\":\"1\"},\"a\"],{\"#bigint\":\"2\"}]");
    Retrace again = check(text);
    assertThat(again.fault()).isEmpty();
    assertThat(again.behaviour().steps()).isEqualTo(c.steps());
    assertThat(check(text.replace("\"x\"", "\"y\"")).fault()).contains("no action leads");
  }

  /** As JSON both are arrays, here with the same elements in the same order. */
  @Test
  void aSequenceIsNoSetWithTheSameElements() throws Exception {
    String set = "{\"#set\": [{\"n\"";
    assertThat(check(trace(FIRST, SECOND.replace(set, "{\"#tup\": [{\"n\""))).fault())
        .isEqualTo("state 1: by is a sequence in the trace, and a set in the module");
    assertThat(check(trace(FIRST.replace("{\"#set\": []}", "[]"))).fault())
        .isEqualTo("state 0: by is a sequence in the trace, and a set in the module");
    assertThat(check(trace(FIRST.replace("\"log\": []", "\"log\": {\"#set\": []}"))).fault())
        .isEqualTo("state 0: log is a set in the trace, and a sequence in the module");
    assertThat(check(trace(FIRST.replace("\"log\": []", "\"log\": {\"#map\": []}"))).fault())
        .as("a function of nothing is the empty sequence")
        .isEmpty();
    String map = "\"log\": {\"#map\": [[1, {\"#bigint\": \"2\"}]]}";
    assertThat(check(trace(FIRST, SECOND.replace("\"log\": [{\"#bigint\": \"2\"}]", map))).fault())
        .as("a function of 1 to n is a sequence")
        .isEmpty();
  }

  @Test
  void filesThatAreNoTracesAreRefused() throws Exception {
    for (String text :
        List.of(
            "{",
            "[]",
            "{\"states\": []}",
            "{\"states\": [1]}",
            trace(FIRST.replace("\"0\"", "\"9999999999\"")),
            trace(FIRST.replace("\"#bigint\": \"0\"", "\"#unserializable\": \"Int\"")),
            trace(FIRST.replace("\"#bigint\": \"0\"", "\"#map\": [[1]]")),
            trace(FIRST.replace("{\"#set\": []}", "{\"#set\": 3}")),
            trace(FIRST.replace("\"log\": []", "\"log\": {\"#map\": 3}")),
            trace(FIRST.replace("\"log\": []", "\"log\": {\"#tup\": {}}")),
            trace(
                FIRST.replace(
                    "\"#bigint\": \"0\"", "\"#map\": [[1, 2], [{\"#bigint\": \"1\"}, 3]]")),
            trace(FIRST.replaceFirst("\\{", "{\"at\": 1, ")),
            looped("7", FIRST),
            looped("-1", FIRST),
            looped("0.5", FIRST),
            looped("\"0\"", FIRST),
            trace(FIRST) + " and more")) {
      assertThatThrownBy(() -> check(text)).as(text).isInstanceOf(InputError.class);
    }
    assertThatThrownBy(() -> Itf.read(folder.resolve("none"))).isInstanceOf(InputError.class);
    assertThatThrownBy(() -> check("")).hasMessage("is empty");
    assertThatThrownBy(() -> Itf.read(folder)).hasMessage("is a folder");
  }

  private static String looped(String loop, String... states) {
    return "{\"loop\": " + loop + ", " + trace(states).substring(1);
  }

  @Test
  void aLoopIsAStepOfTheModelToo() throws Exception {
    assertThat(check(looped("0", FIRST, SECOND)).fault())
        .startsWith("no action leads from state 1 to state 0, where its loop leads")
        .endsWith("no step is possible there");
    Retrace stays = check(looped("1", FIRST, SECOND));
    assertThat(stays.fault()).isEmpty();
    assertThat(stays.behaviour().stutters()).isTrue();
    assertThat(check(looped("0", FIRST, FIRST)).behaviour().loop()).isZero();
  }

  @Test
  void theStepBackIsJudgedAndShown() throws Exception {
    Path module = folder.resolve("specs/toy/Toy.tla");
    Files.writeString(
        module,
        MODULE.replace(
            "Next == ",
            "Back == at = 2 /\\ at' = 0 /\\ log' = <<>> /\\ by' = {}\n"
                + "        /\\ cell' = [cell EXCEPT ![<<1, \"a\">>] = 0]\nNext == Back \\/ "));
    Retrace again = check(looped("0", FIRST, SECOND));
    assertThat(again.fault()).isEmpty();
    assertThat(again.behaviour().steps())
        .extracting(again.behaviour()::call)
        .containsExactly("Init", "Add(n: 2)", "Back");
    assertThat(again.behaviour().loop()).isZero();
    assertThat(again.broken()).containsEntry("OneStep", 1);
  }

  /** What goes on after it was broken is shown, and nothing is said to have broken there. */
  @Test
  void theStepThatBreaksIsNamedAndNotTheLast() throws Exception {
    Counterexample c = check(trace(FIRST, SECOND, SECOND, SECOND)).behaviour();
    assertThat(c.bad()).isEqualTo(1);
    assertThat(c.verdict()).isEqualTo("OneStep, SmallInv is violated after 1 step");
    assertThat(check(trace(FIRST, FIRST)).behaviour().bad()).as("nothing is broken").isEqualTo(-1);
  }

  @Test
  void thePageHoldsEveryStepAndTheSourceAndNeedsNoOtherFile() throws Exception {
    Counterexample c = check(trace(FIRST, SECOND)).behaviour();
    Player.Place add = new Player.Place("Toy", 6, "Add(n) == </script>");
    String page =
        Player.html(c, SpaceTime.of(c, Checks.Diagram.NONE), Map.of("Add", add, "Other", add));
    String data =
        page.substring(page.indexOf("id=\"behaviour\">") + 15, page.indexOf("</script>\n<script>"));
    ObjectNode b = (ObjectNode) new ObjectMapper().readTree(data);
    assertThat(b.get("verdict").textValue()).contains("SmallInv");
    assertThat(b.get("steps")).hasSize(2);
    assertThat(b.get("steps").get(1).get("call").textValue()).isEqualTo("Add(n: 2)");
    assertThat(b.get("steps").get(1).get("changed"))
        .extracting(JsonNode::textValue)
        .containsExactly("at", "by", "cell", "log");
    assertThat(b.get("steps").get(1).get("state").get("log").textValue()).isEqualTo("<<2>>");
    assertThat(b.get("places").get("Add").get("text").textValue()).isEqualTo("Add(n) == </script>");
    assertThat(b.get("places").has("Other")).as("only what the behaviour takes").isFalse();
    assertThat(page).doesNotContain("src=").doesNotContain("href=").hasSizeLessThan(1_000_000);
  }
}
