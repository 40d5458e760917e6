package dev.plumbline.validate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each rule has a log that breaks it, and no other rule. */
class LogRulesTest {
  private static final String GOOD =
      """
      a 1 1 Ask sent=["a:1","a:2"]
      b 2 1 Answer recv="a:1" sent=["b:1"] persisted=3
      a 3 3 Hear recv="b:1" sent=["a:3"]
      a 4 4 Lose args={"message":"a:2","to":"b"}
      b 5 2 Crash
      b 6 0 Restart args={"role":"b","epoch":2,"records":3}
      b 7 1 Answer recv="a:3" sent=["b:7"] persisted=1
      b 8 2 Fenced args={"role":"b","epoch":2}
      b 9 0 Restart args={"role":"b","epoch":4,"records":4}
      """;

  @TempDir Path folder;

  /** Steps without {@code recv} or {@code by} begin with a timer. */
  private MergedLog log(String text) throws IOException {
    for (String node : List.of("a", "b")) {
      StringBuilder lines = new StringBuilder();
      int n = 0;
      for (String line : text.lines().filter(l -> l.startsWith(node + " ")).toList()) {
        String[] words = line.split(" ", 5);
        lines.append(
            "{\"n\":%d,\"node\":\"%s\",\"at\":%s,\"local\":%s,\"action\":\"%s\""
                .formatted(++n, words[0], words[1], words[2], words[3]));
        for (String field : words.length < 5 ? new String[0] : words[4].split(" ")) {
          lines.append(",\"" + field.replaceFirst("=", "\":"));
        }
        if (!line.matches(".* (recv|by)=.*|.*(Crash|Restart|Fenced|Lose).*")) {
          lines.append(",\"by\":\"timer\"");
        }
        lines.append("}\n");
      }
      Files.writeString(folder.resolve(node + ".ndjson"), lines);
    }
    return MergedLog.read(List.of(folder));
  }

  @Test
  void aLogThatKeepsThemIsAccepted() throws IOException {
    assertThat(LogRules.broken(log(GOOD))).isEmpty();
  }

  /** Where a role's first event is a restart, nobody knows what its log had before. */
  @Test
  void whatALogHadBeforeTheFirstEventIsTakenFromItsRestart() throws IOException {
    String before = "b 2 1 Answer recv=\"a:1\" sent=[\"b:1\"] persisted=3\n";
    String hear = "a 3 3 Hear recv=\"b:1\" sent=[\"a:3\"]\n";
    String late = GOOD.replace(before, "").replace(hear, "a 3 3 Ask sent=[\"a:3\"]\n");
    assertThat(LogRules.broken(log(late))).isEmpty();
    assertThat(LogRules.broken(log(late.replace("\"records\":4", "\"records\":3"))))
        .hasValueSatisfying(b -> assertThat(b.what()).contains("and its steps appended 4"));
  }

  /** Nobody told the one before; it may be asked to play the role again. */
  @Test
  void whoWasReplacedMayStartWithoutAnEnd() throws IOException {
    String taken = "a 10 5 Restart role=\"b\" args={\"role\":\"b\",\"epoch\":5,\"records\":4}\n";
    String back = "b 11 1 Restart args={\"role\":\"b\",\"epoch\":6,\"records\":4}\n";
    assertThat(LogRules.broken(log(GOOD + taken + back))).isEmpty();
    assertThat(LogRules.broken(log(GOOD + back)))
        .hasValueSatisfying(b -> assertThat(b.what()).startsWith("a node starts that runs"));
  }

  @Test
  void anInstanceStartsBeforeItDoesAnythingElse() throws IOException {
    String first = "a 0 0 Ask by=\"start\"\n";
    String again = "b 10 1 Answer by=\"start\"\n";
    assertThat(LogRules.broken(log(first + GOOD + again))).isEmpty();
    assertThat(LogRules.broken(log(GOOD + again + "b 11 2 Ask\n" + "b 12 3 Answer by=\"start\"\n")))
        .hasValueSatisfying(
            b -> assertThat(b.what()).isEqualTo("a node that has started starts again"));
  }

  /** Of a cluster on several machines: {@code at} is the time since 1970 there. */
  @Test
  void theWallClocksOfTwoMachinesNeedNotAgree() throws IOException {
    String wall =
        GOOD.replaceAll("(?m)^b ", "b 170000000000000").replaceAll("(?m)^a ", "a 160000000000000");
    assertThat(LogRules.broken(log(wall))).isEmpty();
  }

  /** Cassandra in the place of a protocol's store is no node, and its answers have no number. */
  @Test
  void aStepMayBeginWithTheAnswerOfAStoreOutside() throws IOException {
    assertThat(LogRules.broken(log(GOOD + "b 11 2 Answer by=\"store\"\n"))).isEmpty();
  }

  /** A copy of a message is handled by a step of its own, which sends messages of its own. */
  @Test
  void aStepHasAnEventOnce() throws IOException {
    String hear = "a 3 3 Hear recv=\"b:1\" sent=[\"a:3\"]\n";
    assertThat(GOOD).contains(hear);
    assertThat(LogRules.broken(log(GOOD.replace(hear, hear + hear))))
        .hasValueSatisfying(b -> assertThat(b.what()).isEqualTo("a step has the event Hear twice"));
    assertThat(LogRules.broken(log(GOOD.replace(hear, hear + hear.replace("Hear", "Note")))))
        .isEmpty();
  }

  /** Who stands by has no state of the role's before it opens the role's log. */
  @Test
  void whoStandsByTakesOverBeforeItActs() throws IOException {
    String acts = "a 3 2 Answer role=\"b\"\n";
    String before = "b 1 1 Ask sent=[\"b:1\"]\n";
    String takes = "a 2 1 Restart role=\"b\" args={\"role\":\"b\",\"epoch\":2,\"records\":0}\n";
    assertThat(LogRules.broken(log(before + takes + acts))).isEmpty();
    assertThat(LogRules.broken(log(before + acts)))
        .hasValueSatisfying(
            b ->
                assertThat(b.what())
                    .isEqualTo("a node that stands by acts as b without having taken it over"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "a 3 3 Hear|a 0 3 Hear|a.ndjson:2: \"at\" goes back from 1 to 0",
        "a 4 4 Lose|a 4 2 Lose|a.ndjson:3: \"local\" goes back from 3 to 2",
        "recv=\"b:1\"|recv=\"b:9\"|a.ndjson:2: message b:9 is handled, but nobody sent it",
        "Answer recv=\"a:3\"|Answer recv=\"a:2\"|b.ndjson:4: message a:2 is handled, but no copy",
        "a 3 3 Hear|a 1 3 Hear|a.ndjson:2: message b:1 is handled at 1, and was sent at 2",
        "a 3 3 Hear recv=\"b:1\"|a 3 3 Hear recv=\"a:1\"|a.ndjson:2: message a:1 is handled by a, but",
        "sent=[\"a:1\",\"a:2\"]|sent=[\"a:1\",\"c:2\"]|a.ndjson:1: message c:2 is sent by another node",
        "sent=[\"a:3\"]|sent=[\"a:4\"]|a.ndjson:2: message a:4 does not follow message a:2",
        "sent=[\"b:7\"]|sent=[\"b:1\"]|b.ndjson:4: message b:1 does not follow message b:1",
        "a 3 3 Hear recv=\"b:1\" sent=[\"a:3\"]|a 3 3 Tell sent=[\"a:1\",\"a:2\"]|a.ndjson:2: message a:1 is sent by two",
        "{\"message\":\"a:2\"|{\"message\":\"b:1\"|a.ndjson:3: message b:1 is lost, but a did not send it",
        "{\"message\":\"a:2\"|{\"message\":\"a:1\"|a.ndjson:3: message a:1 is lost, but b handled it",
        "Ask sent|Ask by=\"\" sent|a.ndjson:1: a step handles a message (recv), or else begins with",
        "Ask sent|Ask by=\"whim\" sent|a.ndjson:1: a step handles a message (recv), or else begins",
        "Hear recv|Hear by=\"timer\" recv|a.ndjson:2: a step handles a message (recv), or else begins",
        "Hear recv|Hear by=\"whim\" recv|a.ndjson:2: a step handles a message (recv), or else begins",
        "Hear recv=\"b:1\"|Hear by=\"start\"|a.ndjson:2: a node that has started starts again",
        "b 5 2 Crash|b 5 2 Crash by=\"timer\"|b.ndjson:2: what no step did handles nothing",
        "b 5 2 Crash|b 5 2 Stutter|b.ndjson:3: a node starts that runs",
        "b 6 0 Restart|b 6 0 Lost|b.ndjson:3: a node that ended goes on without a restart",
        "\"epoch\":4,\"records\":4|\"epoch\":4|b.ndjson:6: a restart does not say its records",
        "\"role\":\"b\",\"epoch\":4|\"role\":\"a\",\"epoch\":4|b.ndjson:6: an instance of b starts as a",
        "\"epoch\":4|\"epoch\":2|b.ndjson:6: epoch 2 does not follow epoch 2",
        "\"epoch\":4,\"records\":4|\"epoch\":4,\"records\":3|b.ndjson:6: the role's log has 3 records, and its steps appended 4",
        "\"epoch\":4,\"records\":4|\"epoch\":4,\"records\":5|b.ndjson:6: the role's log has 5 records, and its steps appended 4",
        "persisted=3|persisted=2|b.ndjson:3: the role's log has 3 records, and its steps appended 2",
        "sent=[\"b:7\"] persisted=1|sent=[\"b:7\"]|b.ndjson:6: the role's log has 4 records, and its steps appended 3",
        "b 5 2 Crash|b 5 2 Crash persisted=1|b.ndjson:2: what no step did appends no records",
      })
  void aLogThatBreaksOneIsRefused(String from, String to, String said) throws IOException {
    assertThat(GOOD).contains(from);
    MergedLog log = log(GOOD.replace(from, to));
    assertThatThrownBy(log::demandRules)
        .isInstanceOf(InputError.class)
        .satisfies(e -> assertThat(((InputError) e).describe()).contains(said));
  }

  @Test
  void anEmptyLogOfASenderIsCalledEmpty() throws IOException {
    MergedLog log = log(GOOD.replaceAll("(?m)^b .*\\n", ""));
    assertThatThrownBy(log::demandSenders)
        .isInstanceOf(InputError.class)
        .hasMessageContaining("the log is empty, but a handles message b:1");
  }

  @Test
  void aLogThatIsNoTextNamesFileAndLine() throws IOException {
    Files.write(folder.resolve("a.ndjson"), new byte[] {(byte) 0xff, '\n'});
    assertThatThrownBy(() -> MergedLog.read(List.of(folder)))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("a.ndjson:1: no UTF-8 text");
    assertThatThrownBy(() -> MergedLog.read(List.of(folder), 5))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("a.ndjson:1: no UTF-8 text");
  }
}
