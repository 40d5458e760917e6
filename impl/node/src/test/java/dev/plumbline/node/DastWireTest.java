package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.dast.Change;
import dev.plumbline.dast.Checkpoint;
import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.DastMessage;
import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.DastResponse;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.Step;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.dast.Txn;
import dev.plumbline.dast.View;
import dev.plumbline.machine.Message;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** DAST's messages, requests and responses as frames' bodies. */
class DastWireTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Timestamp AT = new Timestamp(5, 1, 3);
  private static final Txn TXN =
      new Txn(
          "42",
          Procedures.TRANSFER,
          Map.of(
              "r1s1",
              new Txn.Part(Procedures.DEBIT, List.of(new Step(0, Step.Kind.ADD, 1, -7))),
              "r2s1",
              new Txn.Part(Procedures.CREDIT, List.of(new Step(1, Step.Kind.ADD, 2, 7)))));

  private static final DastMessage.Note NOTE = new DastMessage.Note(TXN, true, AT, "r1s1n1");
  private static final View VIEW = new View(1, Map.of("r1s1n1", 1_000L), 1);
  private static final Change CHANGE =
      new Change(VIEW, List.of("r1s1n2"), "", AT, AT, List.of(NOTE), List.of(NOTE), List.of(NOTE));
  private static final Checkpoint CHECKPOINT =
      new Checkpoint(
          VIEW,
          Map.of(1L, List.of(0L, 93L)),
          List.of(
              new Checkpoint.Done(
                  new DastMessage.Result("42", "r1s1", true, Map.of(0, List.of(0L, 93L))),
                  new DastMessage.Output("42", "r1s1", Map.of("covered", 1L)),
                  NOTE,
                  true)),
          List.of(new Checkpoint.Waiting(NOTE, true, Map.of("covered", 1L))),
          AT,
          List.of(NOTE),
          List.of(NOTE),
          List.of("41"));

  static List<DastMessage> messages() {
    return List.of(
        new DastMessage.Prepare(TXN, AT),
        new DastMessage.Ack("42"),
        new DastMessage.Commit(TXN, AT),
        new DastMessage.PrepRemote(TXN, AT),
        new DastMessage.PrepCrt(TXN, AT, "r1s1n1"),
        new DastMessage.Vote("42", AT, 3),
        new DastMessage.CommitRemote(TXN, AT, AT),
        new DastMessage.Clock(
            AT, Map.of("42", 5L), List.of(new DastMessage.Note(TXN, true, AT, "r1s1n1"))),
        new DastMessage.ClockAck(AT, 3),
        new DastMessage.Output("42", "r1s1", Map.of("covered", 1L)),
        new DastMessage.AskOutput("42"),
        new DastMessage.Result("42", "r1s1", true, Map.of(0, List.of(0L, 93L))),
        new DastMessage.Ping(7, AT),
        new DastMessage.Pong(7, AT),
        new DastMessage.From(1_000, new DastMessage.Prepare(TXN, AT)),
        new DastMessage.Keep(NOTE),
        new DastMessage.Kept("42", true),
        new DastMessage.Join(),
        new DastMessage.Out(1_000),
        new DastMessage.Transfer("r1s1n1", 2_000),
        new DastMessage.Install(2_000, 1, 0, 2, CHECKPOINT),
        new DastMessage.AskPart(1, 1),
        new DastMessage.Installed(3, AT),
        new DastMessage.ViewPrep(1, 2, List.of("r1s1n1"), "", 5),
        new DastMessage.ViewAck(
            1, 2, List.of("r1s1n1"), List.of(NOTE), List.of(NOTE), List.of(NOTE), AT, AT, AT),
        new DastMessage.ViewCommit(List.of(CHANGE)),
        new DastMessage.ViewTaken(1),
        new DastMessage.Resolve(NOTE),
        new DastMessage.Resolved("42"),
        new DastMessage.AskEnd("42"));
  }

  @Test
  void noKindOfMessageIsLeftOut() {
    assertThat(messages())
        .extracting(Object::getClass)
        .containsAll(
            Arrays.stream(DastMessage.class.getPermittedSubclasses())
                .filter(Message.class::isAssignableFrom)
                .toList());
  }

  @ParameterizedTest
  @MethodSource("messages")
  void aMessageArrivesAsItWasSent(DastMessage message) {
    assertThat(Wire.message(Wire.message(message))).isEqualTo(message);
  }

  /** A new replica gets a long checkpoint in parts: each is a frame, and not a small one. */
  @Test
  void aPartOfACheckpointFitsAFrame() {
    List<Long> values = LongStream.range(0, 5_000).map(i -> Long.MIN_VALUE + i).boxed().toList();
    List<Checkpoint.Done> executed =
        IntStream.range(0, 10_000)
            .mapToObj(
                i ->
                    new Checkpoint.Done(
                        new DastMessage.Result(
                            "42", "r1s1", true, Map.of(0, values.subList(0, i / 2))),
                        new DastMessage.Output("42", "r1s1", Map.of("covered", 1L)),
                        NOTE,
                        true))
            .toList();
    List<DastMessage.Note> notes = Collections.nCopies(10_000, NOTE);
    Checkpoint all =
        new Checkpoint(
            VIEW, Map.of(1L, values), executed, List.of(), AT, notes, notes, List.of("41"));
    List<Checkpoint> parts = all.parts(DastConfig.PART_BYTES);
    for (int i = 0; i < parts.size(); i++) {
      Message part =
          new DastMessage.From(
              1_000, new DastMessage.Install(2_000, 1, i, parts.size(), parts.get(i)));
      int length = Wire.message(part).length;
      assertThat(length).isLessThan((int) DastConfig.PART_BYTES + 1_000);
      if (i + 1 < parts.size()) {
        assertThat(length).isGreaterThan((int) DastConfig.PART_BYTES / 10);
      }
    }
    assertThat(DastConfig.PART_BYTES * 2).isLessThan(Frame.LARGEST);
  }

  /** What is told of a removed node's transactions, and the change that follows. */
  @Test
  void aViewChangesAfterAHundredThousandTransactionsOfOneNode() {
    List<DastMessage.Note> notes = Collections.nCopies(100_000, NOTE);
    Change change = new Change(VIEW, List.of("r1s1n1"), "", AT, AT, notes, List.of(), List.of());
    for (DastMessage body :
        List.of(
            new DastMessage.ViewAck(
                1, 2, List.of("r1s1n1"), notes, List.of(), List.of(), AT, AT, AT),
            new DastMessage.ViewCommit(List.of(change)))) {
      byte[] bytes = Wire.message(new DastMessage.From(1_000, body));
      assertThat(new Frame(Frame.Type.MESSAGE, 1, bytes).fits()).isTrue();
    }
  }

  @Test
  void requestsAndResponsesArriveAsTheyWereSent() {
    for (Record record :
        List.of(
            new DastRequest(TXN),
            CHANGE,
            (Record) new DastResponse.Executed(AT, true, Map.of(0, List.of(0L, 93L))),
            (Record) new DastResponse.Refused("why"))) {
      assertThat(Wire.record(Wire.record(record))).isEqualTo(record);
    }
  }

  /** Every place of the JSON in turn is taken out, made null, or made something else. */
  @ParameterizedTest
  @MethodSource("messages")
  void whatMissesAPartOrHoldsNullIsRefused(DastMessage message) throws IOException {
    JsonNode whole = JSON.readTree(Wire.message(message));
    List<String> broken =
        places(whole).stream()
            .flatMap(place -> Stream.of("", "null", "{}").map(text -> with(whole, place, text)))
            .toList();
    assertThat(broken.isEmpty()).isEqualTo(message.getClass().getRecordComponents().length == 0);
    for (String body : broken) {
      RefusedFrame refused =
          catchThrowableOfType(
              () -> Wire.message(body.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
              RefusedFrame.class);
      assertThat(refused).as(body).isNotNull();
      assertThat(refused.reason()).isEqualTo(Refusal.MALFORMED);
    }
  }

  /** Pointers to the fields that a record demands: whatever is not an entry of a map. */
  private static List<String> places(JsonNode node) {
    return Stream.of(
            "/txn",
            "/ts",
            "/at",
            "/coordinator",
            "/now",
            "/shard",
            "/sent",
            "/applied",
            "/ts/time",
            "/at/frac",
            "/incarnation",
            "/body",
            "/note",
            "/committed",
            "/to",
            "/checkpoint",
            "/checkpoint/view",
            "/checkpoint/executed/0/note",
            "/upTo",
            "/view",
            "/number",
            "/round",
            "/remove",
            "/add",
            "/addTime",
            "/clock",
            "/manager",
            "/changes",
            "/changes/0/view",
            "/changes/0/irts",
            "/txn/id",
            "/txn/procedure",
            "/txn/parts/r1s1/piece",
            "/txn/parts/r1s1/steps/0/kind",
            "/notes/0/txn",
            "/notes/0/at")
        .filter(place -> !node.at(place).isMissingNode())
        .toList();
  }

  private static String with(JsonNode whole, String place, String text) {
    JsonNode copy = whole.deepCopy();
    int slash = place.lastIndexOf('/');
    ObjectNode parent = (ObjectNode) copy.at(place.substring(0, slash));
    String field = place.substring(slash + 1);
    try {
      if (text.isEmpty()) {
        parent.remove(field);
      } else {
        parent.set(field, JSON.readTree(text));
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return copy.toString();
  }

  @Test
  void nullInAMapIsRefused() {
    for (String body :
        List.of(
            "{\"@\":\"dev.plumbline.dast.DastMessage$Output\",\"txn\":\"1\",\"shard\":\"s\","
                + "\"values\":{\"v\":null}}",
            "{\"@\":\"dev.plumbline.dast.DastMessage$Result\",\"txn\":\"1\",\"shard\":\"s\","
                + "\"applied\":true,\"seen\":{\"0\":[null]}}")) {
      assertThat(
              catchThrowableOfType(
                  () -> Wire.message(body.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                  RefusedFrame.class))
          .as(body)
          .isNotNull();
    }
  }

  @Property(tries = 2000)
  void flippedBitsAreRefusedOrAnotherWellFormedMessage(
      @ForAll @IntRange(max = 27) int which,
      @ForAll @IntRange(max = 10_000) int at,
      @ForAll @IntRange(max = 7) int bit) {
    byte[] body = Wire.message(messages().get(which));
    body[at % body.length] ^= (byte) (1 << bit);
    RefusedFrame refused = catchThrowableOfType(() -> Wire.message(body), RefusedFrame.class);
    assertThat(refused == null || refused.reason() == Refusal.MALFORMED).isTrue();
  }
}
