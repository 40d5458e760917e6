package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.plumbline.protocol.Secret;
import dev.plumbline.protocol.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeConfigTest {
  @TempDir Path folder;
  private Path file;
  private String good;

  @BeforeEach
  void goodFile() {
    file = folder.resolve("node.yaml");
    var topology = NodeConfig.of("k2", null).topology();
    good =
        "protocol: k2\nnode: dn-SH\ndata: data\nparameters: {ttlMicros: 10000}\nnodes:\n"
            + addresses(topology);
  }

  private static String addresses(Topology topology) {
    AtomicInteger next = new AtomicInteger(21_300);
    return NodeConfig.owners(topology).values().stream()
        .map(
            n -> {
              int port = next.getAndIncrement();
              return String.format(
                  "  %s: {host: 127.0.0.1, port: %d, admin: %d}\n", n.id(), port, port + 1_000);
            })
        .collect(Collectors.joining());
  }

  private NodeConfig read(String text) throws IOException {
    Files.writeString(file, text);
    return NodeConfig.read(file);
  }

  private String fault(String text) throws IOException {
    Files.writeString(file, text);
    ConfigException e = catchThrowableOfType(() -> NodeConfig.read(file), ConfigException.class);
    assertThat(e).as(text).isNotNull();
    assertThat(e.describe()).startsWith(file.toString()).contains("remedy: ");
    return e.line() + ": " + e.getMessage();
  }

  /** Sums of such times overflow. */
  @Test
  void aTimeThatMakesNoSenseIsRefusedWithItsLine() throws IOException {
    assertThat(fault(good.replace("ttlMicros: 10000", "ttlMicros: 9223372036854775807")))
        .startsWith("4: key \"ttlMicros\": ttlMicros is 9223372036854775807, and at most");
  }

  @Test
  void aGoodFileIsRead() throws IOException {
    NodeConfig config = read(good);
    assertThat(config.data()).isEqualTo(folder.resolve("data").toString());
    assertThat(config.parameters()).containsEntry("ttlMicros", 10_000L);
    assertThat(config.origin()).isNull();
    config.write(file);
    assertThat(NodeConfig.read(file)).isEqualTo(config);
  }

  @Test
  void faultsNameLineAndKey() throws IOException {
    assertThat(fault(good.replace("data: data", "dada: data"))).startsWith("3: ").contains("dada");
    assertThat(fault(good.replace("10000", "many"))).startsWith("4: ").contains("ttlMicros");
    assertThat(fault(good.replace("node: dn-SH", "node: dn-XX")))
        .startsWith("2: key \"node\": dn-XX is not among nodes");
    assertThat(fault(good.replace("protocol: k2", "protocol: k3"))).startsWith("1: key \"protocol");
    assertThat(fault(good.replace("data: data\n", ""))).contains("key \"data\": missing");
    assertThat(fault(good.replace("  o-SH:", "  o-XX:"))).contains("o-SH is missing");
    assertThat(fault(good + "  o-XX: {host: 127.0.0.1, port: 1, admin: 1}\n")).contains("\"o-XX\"");
    assertThat(fault(good.replace("port: 21300", "port: 0"))).contains("out of range");
    assertThat(fault("protocol: k2\n\tnode: x\n")).contains("no YAML");
    assertThat(fault("")).isNotBlank();
    assertThat(fault(good + "bug: nothing\n")).contains("no seeded bug nothing");
  }

  @Test
  void aParameterHasANameThatThereIsAndAValue() throws IOException {
    assertThat(fault(good.replace("ttlMicros", "ttlMicro")))
        .startsWith(
            "4: key \"ttlMicro\": k2 has no parameter \"ttlMicro\", did you mean ttlMicros?");
    assertThat(fault(good.replace("10000", ""))).startsWith("4: key \"ttlMicros\": no number");
    assertThatThrownBy(() -> NodeConfig.of("k2", Map.of("nosuch", 1L)).topology())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("k2 has no parameter \"nosuch\"");
  }

  @Test
  void whatIsEmptyIsNamed() throws IOException {
    assertThat(fault(good.replace("protocol: k2", "protocol:"))).contains("\"protocol\": missing");
    assertThat(fault(good.replace("protocol: k2\n", ""))).contains("\"protocol\": missing");
    String address = "o-SH: {host: 127.0.0.1, port: 21300, admin: 22300}";
    assertThat(good).contains(address);
    assertThat(fault(good.replace(address, "o-SH: null"))).contains("\"o-SH\": no address");
    for (String host : List.of("host: ''", "host: ' '", "host: null")) {
      String bad = good.replace(address, address.replace("host: 127.0.0.1", host));
      for (String tls : List.of("", "tls: certificates\n")) {
        assertThat(fault(bad + tls)).as(host).contains("\"o-SH\": no host");
      }
    }
    for (String key : List.of("delayMicros", "downMbps")) {
      assertThat(fault(good + key + ": {o-SH: null}\n")).contains("\"" + key + "\": o-SH");
    }
    String cassandra = "cassandra: {at: [null], keyspace: k, cluster: c7}\n";
    assertThat(fault(good + cassandra)).contains("no address \"null\": give HOST:PORT");
  }

  @Test
  void limitsAndDelaysAreNotNegativeAndOfNodesThatThereAre() throws IOException {
    int line = (int) good.lines().count() + 1;
    assertThat(fault(good + "traceFileMib: -5\n"))
        .isEqualTo(line + ": key \"traceFileMib\": -5 is negative");
    assertThat(fault(good + "upMbps: -3\n")).isEqualTo(line + ": key \"upMbps\": -3 is negative");
    for (String key : List.of("delayMicros", "downMbps")) {
      assertThat(fault(good + key + ": {o-SH: -1}\n"))
          .isEqualTo(line + ": key \"" + key + "\": o-SH: -1 is negative");
      assertThat(fault(good + key + ": {o-XX: 1}\n"))
          .isEqualTo(line + ": key \"" + key + "\": o-XX is not among nodes");
      assertThat(read(good + key + ": {o-SH: 0}\n")).isNotNull();
    }
  }

  @Test
  void aLogInCassandraNeedsAnAddressAKeyspaceAndAName() throws IOException {
    String key = "cassandra: {at: ['127.0.0.1:9042'], keyspace: plumbline, cluster: c7}\n";
    NodeConfig config = read(good + key);
    assertThat(config.cassandra())
        .isEqualTo(new NodeConfig.Cassandra(List.of("127.0.0.1:9042"), "plumbline", "c7", 0, null));
    config.write(file);
    assertThat(NodeConfig.read(file)).isEqualTo(config);
    assertThat(config.on(null).cassandra()).isNull();
    String at = good.lines().count() + 1 + ": key \"cassandra\": ";
    assertThat(fault(good + key.replace("'127.0.0.1:9042'", "")))
        .isEqualTo(at + "no address: give HOST:PORT");
    for (String port : List.of("", ":", ":0", ":65536", ":x")) {
      assertThat(fault(good + key.replace(":9042", port)))
          .startsWith(at + "no address \"127.0.0.1");
    }
    assertThat(fault(good + key.replace("127.0.0.1", "192.0.2.1")))
        .isEqualTo(
            at
                + "192.0.2.1 is not on loopback, and connections to Cassandra are plain:"
                + " use a tunnel");
    assertThat(fault(good + key.replace("127.0.0.1", "no.invalid")))
        .isEqualTo(at + "unknown host no.invalid");
    assertThat(fault(good + key.replace("plumbline", "Plumb-line")))
        .startsWith(at + "no keyspace \"Plumb-line\"");
    assertThat(fault(good + key.replace(", cluster: c7", ""))).startsWith(at + "no cluster");
    assertThat(fault(good + key.replace("c7", "c7, replicas: -1"))).startsWith(at + "replicas");
    assertThat(fault(good + key.replace("keyspace", "keyspice"))).contains("keyspice");
  }

  @Test
  void aRingMayBeWhereNoRouterLeads() throws IOException {
    String key = "cassandra: {at: ['198.51.100.2:9042'], keyspace: k, cluster: c7, near: S1}\n";
    NodeConfig config = read(good + key);
    assertThat(config.cassandra())
        .isEqualTo(new NodeConfig.Cassandra(List.of("198.51.100.2:9042"), "k", "c7", 0, "S1"));
    config.write(file);
    assertThat(NodeConfig.read(file)).isEqualTo(config);
    for (String elsewhere : List.of("198.51.10.2", "10.0.0.2", "198.18.1.2")) {
      assertThat(fault(good + key.replace("198.51.100.2", elsewhere)))
          .contains(elsewhere + " is not on loopback, and connections to Cassandra are plain");
    }
    assertThat(fault(good + key.replace(", near: S1", ""))).contains("is not on loopback");
    assertThat(fault(good + key.replace("S1}", "'S1\"}'}"))).contains("near: give a data centre");
  }

  @Test
  void anAddressBeyondLoopbackNeedsTls() throws IOException {
    String far = good.replace("o-SH: {host: 127.0.0.1", "o-SH: {host: 192.0.2.7");
    assertThat(fault(far)).contains("key \"tls\": missing, and o-SH at 192.0.2.7");
    assertThat(read(far + "tls: certificates\n").tls())
        .isEqualTo(folder.resolve("certificates").toString());
  }

  /** Clients read a file of the same folder, and have no secret. */
  @Test
  void whatNodesKeepFromClientsIsLookedFor() throws IOException {
    String nodes = addresses(NodeConfig.of("engage", null).topology());
    String client = "protocol: engage\ntls: tls\nnodes:\n" + nodes;
    String node = client + "node: c1\ndata: data\n";
    Path secret = Files.createDirectory(folder.resolve("tls")).resolve(NodeConfig.SECRET);
    assertThat(read(client).nodeSettings().secret()).isEqualTo(Secret.NONE);
    assertThat(fault(node))
        .startsWith("2: key \"tls\": no file " + secret + ", which nodes of engage need");
    Files.writeString(secret, "5a\n");
    assertThat(fault(node)).contains(secret + ": a secret is 64 hexadecimal digits or more");
    Files.writeString(secret, "5a".repeat(32) + "\n");
    assertThat(read(node).nodeSettings().secret()).isEqualTo(new Secret("5a".repeat(32)));
    assertThat(read(node.replace("tls: tls\n", "")).nodeSettings().secret()).isEqualTo(Secret.NONE);
    assertThat(read(good + "tls: none\n").nodeSettings().secret())
        .as("k2 takes none")
        .isEqualTo(Secret.NONE);
  }

  @Test
  void aMissingFileIsNamed() {
    ConfigException e =
        catchThrowableOfType(
            () -> NodeConfig.read(folder.resolve("none.yaml")), ConfigException.class);
    assertThat(e.describe()).contains("none.yaml").contains("cannot be read");
  }

  @Test
  void whatIsThereTwiceIsNamed() throws IOException {
    assertThat(fault(good + "data: elsewhere\n")).contains("data");
    assertThat(fault(good.replace("{ttlMicros", "{ttlMicros: 5000, ttlMicros")))
        .contains("ttlMicros");
    assertThat(fault(good + "  o-SH: {host: 127.0.0.1, port: 1, admin: 2}\n")).contains("o-SH");
    assertThat(fault(good + "---\ndata: elsewhere\n")).isNotBlank();
  }

  @Test
  void aNumberIsWhole() throws IOException {
    assertThat(fault(good.replace("10000", "10000.7"))).startsWith("4: ").contains("ttlMicros");
    assertThat(fault(good.replaceFirst("port: [0-9]+", "port: 21300.5"))).contains("port");
  }

  @Test
  void twoNodesDoNotListenAtOnePlace() throws IOException {
    String first = good.lines().filter(l -> l.startsWith("  o-SH:")).findFirst().orElseThrow();
    Matcher port = Pattern.compile("port: (\\d+), admin: (\\d+)").matcher(first);
    assertThat(port.find()).isTrue();
    String twice = first.replace("o-SH", "dn-SH");
    String other = good.lines().filter(l -> l.startsWith("  dn-SH:")).findFirst().orElseThrow();
    assertThat(fault(good.replace(other, twice))).contains("o-SH").contains("dn-SH");
    String own = first.replace("admin: " + port.group(2), "admin: " + port.group(1));
    assertThat(fault(good.replace(first, own))).contains("\"o-SH\"");
  }
}
