package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A few rounds; the nightly lane runs hundreds. */
class DamageCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Main.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(Stream.concat(Stream.of("damage"), Stream.of(args)).toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(strings = {"k2", "dast", "metric", "engage"})
  void whatWasAcknowledgedIsThereOrANodeRefuses(String protocol) throws IOException {
    assertThat(run(protocol, "--rounds", "1", "--loopback", "--json")).as(err.toString()).isZero();
    JsonNode result = new ObjectMapper().readTree(out.toString());
    assertThat(result.get("rounds").size()).isEqualTo(1);
    assertThat(result.get("command").asText())
        .isEqualTo("./plumb damage " + protocol + " --rounds 1 --loopback --json");
    for (JsonNode round : result.get("rounds")) {
      assertThat(round.get("atStake").asLong()).isGreaterThanOrEqualTo(20);
      assertThat(round.get("lost").asLong()).isZero();
      assertThat(round.get("outcome").asText()).isIn("there", "refused");
      assertThat(round.get("kind").asText()).isEqualTo("none");
    }
  }

  @ParameterizedTest
  @CsvSource({"k2, volatile-intent", "engage, volatile-write"})
  void aNodeThatAcknowledgesWhatItDidNotPersistIsCaught(String protocol, String bug)
      throws IOException {
    String bugs = "../impl/bugs/target/classes";
    String[] args = {protocol, "--rounds", "3", "--loopback", "--json", "--bug", bug};
    assertThat(
            run(Stream.concat(Stream.of(args), Stream.of("--bugs", bugs)).toArray(String[]::new)))
        .as(err.toString())
        .isEqualTo(1);
    JsonNode result = new ObjectMapper().readTree(out.toString());
    assertThat(result.get("holds").asBoolean()).isFalse();
    assertThat(result.findValuesAsText("outcome")).contains("lost");
  }

  @Test
  void badOptionsAreBadUsage() {
    assertThat(run("k2", "--rounds", "0")).isEqualTo(2);
    assertThat(run("k2", "--only", "none,rust")).isEqualTo(2);
    assertThat(err.toString()).contains("--only takes none, torn, flipped, cut, full, read only");
    assertThat(run("k2", "--sql")).isEqualTo(2);
    assertThat(err.toString()).contains("--sql: k2 serves no SQL");
    assertThat(run("metric", "--sql", "--store", "cassandra")).isEqualTo(2);
    assertThat(err.toString()).contains("--sql: not together with --store");
    assertThat(run("k2", "--store", "paper")).isEqualTo(2);
    assertThat(run("engage", "--store", "cassandra", "--only", "torn")).isEqualTo(2);
    assertThat(run("engage", "--only", "cassandra")).isEqualTo(2);
    assertThat(err.toString()).contains("no damage of [cassandra] can be done here");
  }
}
