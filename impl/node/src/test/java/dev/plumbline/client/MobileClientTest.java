package dev.plumbline.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.cluster.AdminPort;
import dev.plumbline.engage.EngageRequest;
import dev.plumbline.engage.EngageResponse;
import dev.plumbline.engage.VectorClock;
import dev.plumbline.engage.client.EngageStore;
import dev.plumbline.engage.client.MobileClient;
import dev.plumbline.engage.client.RefusedException;
import dev.plumbline.history.Guarantee;
import dev.plumbline.node.ConfigException;
import dev.plumbline.node.Connector;
import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mobile clients, and what a cluster refuses; five cloudlets in this process, over TLS. */
class MobileClientTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Set<Guarantee> ALL = Guarantee.all();
  private static final Set<Guarantee> NONE = EnumSet.noneOf(Guarantee.class);

  @TempDir static Path folder;

  private static InProcess cluster;
  private static EngageStore store;

  @BeforeAll
  static void start() throws IOException {
    cluster = new InProcess(folder, "engage", Map.of("cluster", 4_711L), true);
    store = new EngageStore(cluster.config(), "client");
  }

  @AfterAll
  static void stop() {
    store.close();
    cluster.close();
  }

  private static MobileClient at(String cloudlet) {
    return store.client(cloudlet, PATIENCE);
  }

  @Test
  void aClientThatMovesFindsWhatItWrote() throws IOException {
    try (MobileClient client = at("c1")) {
      for (int i = 0; i < 20; i++) {
        client.write("A/mine", "v" + i, EnumSet.of(Guarantee.MONOTONIC_WRITES));
        client.moveTo(i % 2 == 0 ? "c3" : "c1");
        assertThat(client.read("A/mine", EnumSet.of(Guarantee.READ_YOUR_WRITES))).contains("v" + i);
      }
    }
  }

  @Test
  void anObjectIsReadWhereItIs() throws IOException {
    try (MobileClient client = at("c5")) {
      assertThat(client.read("B/never-written", ALL)).isEmpty();
      client.write("B/far", "b", ALL);
      assertThat(client.read("B/far", ALL)).as("not at c5").contains("b");
    }
  }

  /** A cloudlet has room for so many clients: those that have left are none of them. */
  @Test
  void aClientThatHasLeftLeavesItsPlaceToOthers() throws Exception {
    long before = connections("c1");
    try (MobileClient client = at("c1")) {
      client.read("A/left", NONE);
      for (String next : List.of("c4", "c5", "c4")) {
        client.moveTo(next);
        client.read("C/left", NONE);
      }
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (connections("c1") > before && System.nanoTime() < deadline) {
        Thread.sleep(20);
      }
      assertThat(connections("c1")).isLessThanOrEqualTo(before);
    }
  }

  private static long connections(String node) throws IOException {
    return AdminPort.metrics(cluster.config(), node)
        .lines()
        .filter(line -> line.startsWith("plumb_connections_open "))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
        .sum();
  }

  /** Half of a pair of characters is a character of Java's, too. */
  @Test
  void whatIsReadIsWhatWasWritten() throws IOException {
    try (MobileClient client = at("c1")) {
      for (String odd :
          List.of("", "\uD83D", "\uDE00\uD83D", "\u0000\uFFFF\u2028", "\uD83D\uDE00")) {
        client.write("A/odd" + odd, odd, ALL);
        client.moveTo("c3");
        assertThat(client.read("A/odd" + odd, ALL)).contains(odd);
        client.moveTo("c1");
      }
    }
  }

  @Test
  void aSessionGoesOnInAnotherClient() throws IOException {
    String token;
    try (MobileClient before = at("c1")) {
      before.write("A/session", "mine", ALL);
      token = before.token();
    }
    try (MobileClient after = at("c3")) {
      after.resume(token);
      assertThat(after.read("A/session", EnumSet.of(Guarantee.READ_YOUR_WRITES))).contains("mine");
    }
  }

  @Test
  void anUnknownCloudletIsRefused() throws IOException {
    try (MobileClient client = at("c1")) {
      assertThatThrownBy(() -> client.moveTo("c9"))
          .hasMessage("there is no cloudlet c9; there are c1, c2, c3, c4, c5");
      assertThat(client.cloudlet()).isEqualTo("c1");
      assertThatThrownBy(() -> client.read("Z/x", NONE))
          .isInstanceOf(RefusedException.class)
          .hasMessage("there is no partition Z; there are A, B, C, D");
    }
  }

  @Test
  void aTokenOfBeforeDataWasLostIsRefused() throws IOException {
    try (MobileClient before = at("c1");
        MobileClient client = at("c1")) {
      before.write("A/x", "v", ALL);
      String stale = before.token().replaceAll("\\[\\d+,", "[999999,");
      client.resume(stale);
      assertThatThrownBy(() -> client.read("A/x", ALL))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("an update that c1 never made")
          .hasMessageContaining("begin a new session");
    }
  }

  /** Its write would go nowhere, and all that c1 makes after it neither. */
  @Test
  void aClientThatNamesWhatNobodyMadeHoldsNobodyBack() throws IOException {
    try (MobileClient liar = at("c1");
        MobileClient client = at("c1")) {
      liar.resume(liar.token().replaceAll("\\[0,0,0,0,0\\]", "[0,0,0,999999,0]"));
      assertThatThrownBy(() -> liar.write("A/lie", "v", NONE))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("an update of c4 that c1 has not heard of")
          .hasMessageContaining("begin a new session");
      client.write("A/truth", "w", NONE);
      client.moveTo("c3");
      assertThat(client.read("A/truth", EnumSet.of(Guarantee.READ_YOUR_WRITES))).contains("w");
    }
  }

  @Test
  void aMissingArgumentIsNamed() {
    try (MobileClient client = at("c1")) {
      missing("cloudlet", () -> client.moveTo(null));
      missing("object", () -> client.read(null, ALL));
      missing("asks", () -> client.read("A/1", null));
      missing("object", () -> client.write(null, "v", ALL));
      missing("value", () -> client.write("A/1", null, ALL));
      missing("asks", () -> client.write("A/1", "v", null));
      missing("token", () -> client.resume(null));
      missing("cloudlet", () -> store.client(null, PATIENCE));
      missing("patience", () -> store.client("c1", null));
    }
  }

  /** As some say that they wait for ever, and some that they have no time left. */
  @Test
  void patienceIsAsLongAsOneLikes() throws IOException {
    for (Duration longer : List.of(Duration.ofDays(400_000), Duration.ofSeconds(Long.MAX_VALUE))) {
      try (MobileClient client = store.client("c1", longer)) {
        client.write("A/patient", "v", ALL);
        assertThat(client.read("A/patient", ALL)).contains("v");
      }
    }
    for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(Long.MIN_VALUE))) {
      try (MobileClient client = store.client("c1", none)) {
        assertThatThrownBy(() -> client.read("A/patient", ALL))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("in time");
      }
    }
  }

  private static void missing(String argument, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(NullPointerException.class)
        .hasMessage(argument + " is null; name one");
  }

  @Test
  void clocksOfAnotherClusterAreRefused() throws IOException {
    try (MobileClient client = at("c1")) {
      String foreign = client.token().replace("4711", "4712");
      assertThatThrownBy(() -> client.resume(foreign))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("another cluster's (its number is 4712, this one's 4711)");
      assertThatThrownBy(() -> client.resume("{\"@\":\"java.util.HashMap\"}"))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("no session's token");
      assertThat(client.read("A/untouched", ALL)).as("it goes on").isEmpty();
    }
    // A client that does not look for itself is refused by the cloudlet.
    assertThat(((EngageResponse.Refused) asked(4_712, "")).why())
        .contains("another cluster's; begin a new session");
  }

  /** What c1 says to a write of a client that does not know better. */
  private static Record asked(long number, String value) throws IOException {
    VectorClock none = new VectorClock(Collections.nCopies(5, 0L));
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try (Connector connector = new Connector(cluster.config(), "client");
        Connector.Connection connection = connector.connect("c1", deadline)) {
      return connection.ask(
          1,
          new EngageRequest.Write(
              "rude.1",
              "A/raw",
              value,
              List.of(),
              new EngageRequest.Token(number, true, none, none, none, Collections.nCopies(5, ""))),
          deadline);
    }
  }

  @Test
  void anObjectOfFourMebibytesIsRefused() throws IOException {
    String large = "x".repeat(4 << 20);
    try (MobileClient client = at("c1")) {
      assertThatThrownBy(() -> client.write("A/large", large, NONE))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("a value of 4194304 characters is too long: at most 65536");
      assertThatThrownBy(() -> client.write("A/large", "\u0001".repeat(65_536), NONE))
          .as("short enough, but not as it is sent")
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("bytes is too long");
      assertThat(client.read("A/large", NONE)).as("nothing was written").isEmpty();
    }
    assertThatThrownBy(() -> asked(4_711, large)).hasMessageContaining("is too long");
    assertThat(((EngageResponse.Refused) asked(4_711, "x".repeat(65_537))).why())
        .contains("a value of 65537 characters is too long: at most 65536");
    assertThat(AdminPort.health(cluster.config(), "c1").path("epoch").asLong()).isEqualTo(1);
  }

  @Test
  void aDeploymentWithACircleIsRefusedByFileAndLine(@TempDir Path other) throws IOException {
    Path file = other.resolve("circle.txt");
    Files.writeString(
        file,
        """
        cloudlet c1 at s
        broker b1 at s
        broker b2 at s
        link c1 b1
        link b1 b2
        link b2 c1
        partition A c1
        """);
    NodeConfig.of("engage", Map.of(), file.toString()).write(other.resolve("node.yaml"));

    assertThatThrownBy(() -> NodeConfig.read(other.resolve("node.yaml")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("circle.txt: line 6: the link between b2 and c1 closes a circle");
    assertThatThrownBy(() -> NodeConfig.of("k2", Map.of(), file.toString()).topology())
        .hasMessageContaining("k2 takes no deployment from a file");
  }
}
