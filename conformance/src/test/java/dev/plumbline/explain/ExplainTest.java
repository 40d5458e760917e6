package dev.plumbline.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Checks.Diagram;
import dev.plumbline.explain.SpaceTime.Arrow;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

class ExplainTest {
  @TempDir Path folder;

  private static JsonNode json(String text) throws Exception {
    return new ObjectMapper().readTree(text.replace('\'', '"'));
  }

  /** Two steps of a request and its answer; {@code loop} as the driver stores it. */
  private Counterexample sample(int loop) throws Exception {
    String request = "{'type':'ask','src':'a','dst':'b'}";
    String answer = "{'type':'tell','src':'b','dst':'a'}";
    String text =
        """
        {'protocol':'toy','check':'sample','module':'M','expect':'violates SafeInv','outcome':'invariant',
         'property':'SafeInv','why':'Because.','loop':%d,'manifest':{},'states':[
         {'n':1,'action':'Init','parameters':{},'state':{'msgs':[],'mode':{'a':'idle','b':'idle'}}},
         {'n':2,'action':'Ask','parameters':{'p':'a'},'state':{'msgs':[%s],'mode':{'a':'waits','b':'idle'}}},
         {'n':3,'action':'Answer','parameters':{'m':%s},'state':{'msgs':[%s],'mode':{'a':'waits','b':'idle'}}},
         {'n':4,'action':'Take','parameters':{'m':%s},'state':{'msgs':[],'mode':{'a':'idle','b':'idle'}}}]}
        """
            .formatted(loop, request, request, answer, answer)
            .replace('\'', '"');
    Path file = folder.resolve("counterexample.json");
    Files.writeString(file, text, StandardCharsets.UTF_8);
    return Counterexample.read(file);
  }

  @Test
  void changesNameThePlaceAndShowWhatCameAndWent() throws Exception {
    assertThat(
            ValueText.changes(
                json("{'state':{'r1':'working','r2':'x'}}"),
                json("{'state':{'r1':'aborted','r2':'x'}}")))
        .containsExactly("state[r1]: working → aborted");
    assertThat(
            ValueText.changes(
                json("{'msgs':[{'type':'ask','src':'a'}]}"),
                json("{'msgs':[{'type':'ask','src':'a'},{'type':'tell','src':'a','to':'b'}]}")))
        .containsExactly("msgs: + tell(src: a, to: b)");
    assertThat(
            ValueText.changes(
                json("{'msgs':[{'type':'ask','src':'a','dst':'b'}]}"),
                json("{'msgs':[{'type':'tell','src':'b','dst':'a'}]}")))
        .containsExactly("msgs: − ask(src: a, dst: b)", "msgs: + tell(src: b, dst: a)");
    assertThat(
            ValueText.changes(
                json("{'msgs':[{'type':'ask','src':'a','dst':'b'}]}"),
                json("{'msgs':[{'type':'ask','src':'a','dst':'c'}]}")))
        .as("elements of a set have no place")
        .containsExactly("msgs: − ask(src: a, dst: b)", "msgs: + ask(src: a, dst: c)");
    assertThat(ValueText.changes(json("{'n':1}"), json("{'n':1}"))).isEmpty();
  }

  /** In JSON both are arrays. */
  @Test
  void sequencesAreToldFromSets() throws Exception {
    Set<String> sequences = Set.of("known", "known[].at", "log", "log[]");
    JsonNode before = json("{'known':[{'at':[0,1],'by':[]},{'at':[0,2],'by':[3]}],'log':[[],[]]}");
    JsonNode after =
        json(
            "{'known':[{'at':[0,1],'by':[]},{'at':[7,2],'by':[3,4]}],'log':[[],['an entry of more than a few words']]}");
    JsonNode marked = marked(before, sequences);
    assertThat(ValueText.text(marked.get("known")))
        .isEqualTo("<<[at: <<0, 1>>, by: {}], [at: <<0, 2>>, by: {3}]>>");
    assertThat(ValueText.changes(marked, marked(after, sequences)))
        .containsExactly(
            "known[2][at]: <<0, 2>> → <<7, 2>>",
            "known[2][by]: {3} → {3, 4}",
            "log[2][1]: an entry of more than a few words");
    assertThat(ValueText.changes(marked(after, sequences), marked).get(2))
        .isEqualTo("log[2]: <<an entry of more than a few words>> → <<>>");
    assertThat(ValueText.text(marked(before, Set.of()).get("log"))).isEqualTo("{{}, {}}");
  }

  private static JsonNode marked(JsonNode state, Set<String> sequences) {
    ObjectNode marked = JsonNodeFactory.instance.objectNode();
    state
        .properties()
        .forEach(
            v -> marked.set(v.getKey(), ValueText.marked(v.getKey(), v.getValue(), sequences)));
    return marked;
  }

  @Test
  void lanesAndArrowsAreReadOffTheBehaviour() throws Exception {
    SpaceTime t = SpaceTime.of(sample(0), Diagram.NONE);
    assertThat(t.lanes()).containsExactly("a", "b");
    assertThat(t.lane()).containsExactly("a", "b", "a");
    assertThat(t.arrows())
        .containsExactly(new SpaceTime.Arrow(1, 2, "ask"), new SpaceTime.Arrow(2, 3, "tell"));
  }

  @Test
  void theDiagramSectionOverridesWhatIsInferred() throws Exception {
    Diagram d =
        new Diagram(Map.of("Ask", "clock", "Answer", "m.src", "Take", "m.dst"), "msgs", "dst");
    SpaceTime t = SpaceTime.of(sample(0), d);
    assertThat(t.lane()).containsExactly("clock", "a", "a");
    assertThat(t.arrows()).extracting(SpaceTime.Arrow::label).containsExactly("b", "a");
  }

  /**
   * Steps that name a transaction alone are drawn where its first step was: who changed or sent.
   */
  @Test
  void aLaneMayBeThatOfTheFirstStepWithTheSameParameter() throws Exception {
    String text =
        """
        {'protocol':'toy','check':'sample','module':'M','expect':'violates SafeInv','outcome':'invariant',
         'property':'SafeInv','why':'','loop':0,'manifest':{},'states':[
         {'n':1,'action':'Init','parameters':{},'state':{'msgs':[],'last':{'1':0,'2':0},'txn':{'1':'new','2':'new'}}},
         {'n':2,'action':'Begin','parameters':{'t':1},'state':{'msgs':[],'last':{'1':0,'2':5},'txn':{'1':'new','2':'new'}}},
         {'n':3,'action':'Begin','parameters':{'t':2},'state':{'msgs':[{'type':'ask','src':1,'dst':2}],'last':{'1':0,'2':5},'txn':{'1':'new','2':'new'}}},
         {'n':4,'action':'Commit','parameters':{'t':1},'state':{'msgs':[],'last':{'1':0,'2':5},'txn':{'1':'new','2':'new'}}}]}
        """
            .replace('\'', '"');
    Path file = folder.resolve("counterexample.json");
    Files.writeString(file, text, StandardCharsets.UTF_8);
    Diagram d = new Diagram(Map.of("Begin", "as t", "Commit", "as t"), "", "");
    assertThat(SpaceTime.of(Counterexample.read(file), d).lane()).containsExactly("2", "1", "2");
  }

  /** The broker passes on what it gets, word for word. */
  @Test
  void aMessageOnTwoLinksIsTwoMessages() throws Exception {
    String text =
        """
        {'protocol':'toy','check':'sample','module':'M','expect':'violates SafeInv','outcome':'invariant',
         'property':'SafeInv','why':'','loop':0,'manifest':{},'states':[
         {'n':1,'action':'Init','parameters':{},'state':{'link':{'a,b':[],'b,c':[]}}},
         {'n':2,'action':'Send','parameters':{'i':'a'},'state':{'link':{'a,b':[{'u':1}],'b,c':[]}}},
         {'n':3,'action':'Pass','parameters':{'i':'b'},'state':{'link':{'a,b':[],'b,c':[{'u':1}]}}},
         {'n':4,'action':'Take','parameters':{'i':'c'},'state':{'link':{'a,b':[],'b,c':[]}}}]}
        """
            .replace('\'', '"');
    Path file = folder.resolve("counterexample.json");
    Files.writeString(file, text, StandardCharsets.UTF_8);
    Diagram d = new Diagram(Map.of("Send", "i", "Pass", "i", "Take", "i"), "link", "");
    assertThat(SpaceTime.of(Counterexample.read(file), d).arrows())
        .extracting(a -> a.from() + " " + a.to())
        .containsExactly("1 2", "2 3");
  }

  @Test
  void messagesAreFoundInSetsSequencesAndBags() throws Exception {
    JsonNode message = json("{'type':'ask'}");
    assertThat(SpaceTime.messages(json("[{'type':'ask'}]"))).containsExactly(message);
    assertThat(SpaceTime.messages(json("{'a':{'b':[{'type':'ask'}]}}"))).containsExactly(message);
    assertThat(
            SpaceTime.messages(new ObjectMapper().createObjectNode().put("{\"type\":\"ask\"}", 2)))
        .containsExactly(message, message);
  }

  @Test
  void columnsWrapAtTheWidthAndKeepEveryStep() throws Exception {
    String text = Columns.terminal(sample(0), 64);
    assertThat(text.lines()).allMatch(l -> l.length() <= 64);
    assertThat(text)
        .contains("SafeInv is violated after 3 steps")
        .contains("mode[a]: idle → waits")
        .contains("   3  Take(");
  }

  @Test
  void aLassoSaysWhereItReturns() throws Exception {
    Counterexample c = sample(1);
    assertThat(c.verdict()).isEqualTo("SafeInv is violated: the steps after step 0 repeat forever");
    assertThat(Columns.terminal(c, 100)).contains("(the state of step 0 again)");
    assertThat(Svg.draw(c, SpaceTime.of(c, Diagram.NONE))).contains(">again<");
    assertThat(sample(4).verdict()).isEqualTo("SafeInv is violated: nothing happens after step 3");
  }

  private JsonNode page(Counterexample c) throws Exception {
    String html = Player.html(c, SpaceTime.of(c, Diagram.NONE), Map.of());
    String begin = "id=\"behaviour\">";
    int from = html.indexOf(begin) + begin.length();
    return new ObjectMapper().readTree(html.substring(from, html.indexOf("</script>", from)));
  }

  /** What goes on forever has no last step that is wrong, and a way back. */
  @Test
  void thePageOfALassoLeadsBack() throws Exception {
    JsonNode page = page(sample(2));
    assertThat(page.path("loop").asInt()).isEqualTo(1);
    assertThat(page.path("bad").asInt()).isEqualTo(-1);
    JsonNode finite = page(sample(0));
    assertThat(finite.path("loop").asInt()).isEqualTo(-1);
    assertThat(finite.path("bad").asInt()).isEqualTo(3);
    assertThat(finite.path("right").asBoolean()).isFalse();
  }

  @Test
  void whatWasFoundInAnotherModelSaysSoFirst() throws Exception {
    Counterexample c = sample(0);
    assertThat(c.of("today")).isFalse();
    JsonNode page = page(c.stale("./plumb check toy/sample"));
    assertThat(page.path("why").asText())
        .isEqualTo(
            "Found before its model changed: ./plumb check toy/sample looks again. Because.");
  }

  @Test
  void theDiagramIsWellFormedWithANodeForEachStep() throws Exception {
    Counterexample c = sample(0);
    String svg = Svg.draw(c, SpaceTime.of(c, Diagram.NONE));
    Document d =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    assertThat(d.getElementsByTagName("circle").getLength()).isEqualTo(3);
    assertThat(svg).contains("SafeInv is violated after 3 steps").contains("#c22f2f");
  }

  @Test
  void anArrowGoesAroundTheDotsOfOtherSteps() {
    Map<String, Integer> x = Map.of("a", 100, "b", 200, "c", 300);
    SpaceTime straight = new SpaceTime(List.of("a", "b", "c"), List.of("a", "a", "c"), List.of());
    SpaceTime blocked = new SpaceTime(List.of("a", "b", "c"), List.of("a", "b", "c"), List.of());
    Svg.Curve free = Svg.around(new Arrow(1, 3, "m"), x, straight);
    Svg.Curve bent = Svg.around(new Arrow(1, 3, "m"), x, blocked);
    assertThat(free.bend()).isZero();
    assertThat(free.x(0.5)).isEqualTo(200);
    assertThat(Math.hypot(bent.x(0.5) - 200, bent.y(0.5) - free.y(0.5))).isGreaterThan(11);
    assertThat(bent.x(0)).isEqualTo(100);
    assertThat(bent.x(1)).isEqualTo(300);
  }

  @Test
  void markdownHasOneRowAStep() throws Exception {
    List<String> rows =
        Columns.markdown(sample(0), "x.svg").lines().filter(l -> l.startsWith("| ")).toList();
    assertThat(rows).hasSize(5);
    assertThat(rows.get(2)).startsWith("| 1 | `Ask(p: a)` |");
  }
}
