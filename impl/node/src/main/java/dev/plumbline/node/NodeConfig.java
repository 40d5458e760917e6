package dev.plumbline.node;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.GivenParameters;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Secret;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A node's configuration file (YAML); a client reads the same file. Relative paths are relative to
 * the file's folder.
 *
 * @param protocol its name on the command line
 * @param node which of {@code nodes} this process is; null for clients
 * @param nodes where each role's node listens
 * @param data folder of the durable log
 * @param trace folder of the trace, null for none
 * @param traceFileMib size at which the trace goes on in a new file, MiB; 64 if 0
 * @param tls folder with ca.pem and, for each name, NAME.pem and NAME.key, and with nodes.secret
 *     for nodes of a protocol that takes a secret; null for plain connections, which only loopback
 *     addresses allow
 * @param origin reading of this machine's monotonic clock that is the reference clock's zero,
 *     nanoseconds; null: the reference clock is the wall clock
 * @param wallOrigin what an undisturbed wall clock showed then, microseconds: TrueTime is read off
 *     the wall clock, which may be skewed; null: off the reference clock
 * @param parameters protocol parameters
 * @param deployment file that says who is where, for a protocol that takes one; null for the
 *     protocol's own
 * @param delayMicros what the transport's shaper adds before sending to a node, microseconds
 * @param upMbps what this node's link carries away, megabits a second; 0 for no limit
 * @param downMbps what links of other nodes carry to them, megabits a second
 * @param faults file with the token that whoever brings faults about has to show; null: the admin
 *     port takes none
 * @param adminTls whether the admin port is HTTPS, with this node's certificate
 * @param parent id of a process that this one ends with, such as the one that starts it; null for
 *     none
 * @param bug a seeded bug, or null
 * @param bugs jar or folder that holds it, or null
 * @param cassandra where the durable log lies; null for RocksDB in the folder of {@code data}
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record NodeConfig(
    String protocol,
    String node,
    Map<String, Address> nodes,
    String data,
    String trace,
    long traceFileMib,
    String tls,
    Long origin,
    Long wallOrigin,
    Map<String, Long> parameters,
    String deployment,
    Map<String, Long> delayMicros,
    long upMbps,
    Map<String, Long> downMbps,
    String faults,
    boolean adminTls,
    Long parent,
    String bug,
    String bugs,
    Cassandra cassandra) {

  /** In the folder of certificates: what nodes know and clients do not. */
  public static final String SECRET = "nodes.secret";

  private static final long TRACE_FILE_MIB = 64;

  private static final ObjectMapper YAML =
      new ObjectMapper(
              new YAMLFactory()
                  .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                  .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION))
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT);

  /** Where a node listens for frames, and for HTTP on its admin port. */
  public record Address(String host, int port, int admin) {}

  /**
   * Cassandra, as the place of a durable log.
   *
   * @param at where some of its nodes take clients, HOST:PORT
   * @param keyspace its name
   * @param cluster whose keyspace it is: any name that no other cluster has
   * @param replicas to make the keyspace with if it is not there; 0: it has to be there
   * @param near the data centre that is asked first, of a ring with several; null: all nodes are
   *     alike
   */
  @JsonInclude(JsonInclude.Include.NON_DEFAULT)
  public record Cassandra(
      List<String> at, String keyspace, String cluster, int replicas, String near) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,47}");
    private static final Pattern PLACE = Pattern.compile("[A-Za-z0-9_-]{1,48}");

    public Cassandra {
      at = at == null ? List.of() : at.stream().map(String::valueOf).toList();
    }

    /**
     * Refuses what cannot be.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    public Cassandra checked() {
      if (at.isEmpty()) {
        throw new IllegalArgumentException("no address: give HOST:PORT");
      }
      for (InetSocketAddress address : addresses()) {
        if (address.isUnresolved()) {
          throw new IllegalArgumentException("unknown host " + address.getHostString());
        } else if (!mayBePlain(address.getAddress())) {
          throw new IllegalArgumentException(
              address.getHostString()
                  + " is not on loopback, and connections to Cassandra are plain: use a tunnel");
        }
      }
      if (keyspace == null || !NAME.matcher(keyspace).matches()) {
        throw new IllegalArgumentException(
            "no keyspace \"" + keyspace + "\": give small letters, digits and _, 48 at most");
      } else if (cluster == null || cluster.isBlank()) {
        throw new IllegalArgumentException("no cluster: give a name that no other cluster has");
      } else if (replicas < 0) {
        throw new IllegalArgumentException("replicas: give 1 or more, or leave it out");
      } else if (near != null && !PLACE.matcher(near).matches()) {
        throw new IllegalArgumentException(
            "near: give a data centre's name, of letters, digits, - and _");
      }
      return this;
    }

    /** A ring may be a cluster's own, in network namespaces that no router leads to. */
    private boolean mayBePlain(InetAddress address) {
      return address.isLoopbackAddress() || near != null && Unrouted.holds(address);
    }

    List<InetSocketAddress> addresses() {
      return at.stream().map(Cassandra::address).toList();
    }

    private static InetSocketAddress address(String text) {
      int colon = text.lastIndexOf(':');
      String port = text.substring(colon + 1);
      if (colon < 1 || !port.matches("[1-9][0-9]{0,4}") || Integer.parseInt(port) > 65_535) {
        throw new IllegalArgumentException("no address \"" + text + "\": give HOST:PORT");
      }
      return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(port));
    }
  }

  public NodeConfig {
    nodes = nodes == null ? Map.of() : new LinkedHashMap<>(nodes);
    parameters = parameters == null ? Map.of() : new TreeMap<>(parameters);
    delayMicros = delayMicros == null ? Map.of() : new TreeMap<>(delayMicros);
    downMbps = downMbps == null ? Map.of() : new TreeMap<>(downMbps);
    traceFileMib = traceFileMib == 0 ? TRACE_FILE_MIB : traceFileMib;
  }

  /** What nodes and clients share of a cluster that has no addresses yet. */
  public static NodeConfig of(String protocol, Map<String, Long> parameters) {
    return of(protocol, parameters, null);
  }

  /**
   * The same.
   *
   * @param deployment file that says who is where; null for the protocol's own deployment
   */
  public static NodeConfig of(String protocol, Map<String, Long> parameters, String deployment) {
    return new NodeConfig(
        protocol,
        null,
        null,
        null,
        null,
        0,
        null,
        null,
        null,
        parameters,
        deployment,
        null,
        0,
        null,
        null,
        false,
        null,
        null,
        null,
        null);
  }

  /**
   * Reads and checks a file.
   *
   * @throws ConfigException naming the line or key at fault
   */
  public static NodeConfig read(Path file) {
    NodeConfig config;
    try {
      config = YAML.readValue(file.toFile(), NodeConfig.class);
    } catch (JsonMappingException e) {
      String key =
          e.getPath().isEmpty()
              ? ""
              : String.valueOf(e.getPath().get(e.getPath().size() - 1).getFieldName());
      throw fault(file, lineOf(file, key), "key \"" + key + "\" is not right", e);
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      throw fault(file, line, "no YAML", e);
    } catch (IOException e) {
      throw new ConfigException(
          file.toString(), 0, "cannot be read: " + e.getMessage(), "name a file that is there");
    }
    if (config == null) {
      throw new ConfigException(file.toString(), 1, "the file is empty", "see docs/node-config.md");
    }
    return config.resolved(file.toAbsolutePath().getParent()).checked(file);
  }

  private static ConfigException fault(
      Path file, int line, String what, JsonProcessingException e) {
    String why = e.getOriginalMessage().lines().findFirst().orElse("");
    return new ConfigException(
        file.toString(),
        line,
        what + ": " + why,
        "see docs/node-config.md for the keys and their values");
  }

  /** Writes a file that {@link #read} reads. */
  public void write(Path file) throws IOException {
    YAML.writeValue(file.toFile(), this);
  }

  /** The same for another process of the cluster. */
  public NodeConfig as(String name, String dataFolder, Map<String, Long> delays) {
    return as(name, dataFolder, delays, 0, Map.of());
  }

  /** The same, with limits of what its link and those of others carry. */
  public NodeConfig as(
      String name, String dataFolder, Map<String, Long> delays, long up, Map<String, Long> down) {
    return new NodeConfig(
        protocol,
        name,
        nodes,
        dataFolder,
        trace,
        traceFileMib,
        tls,
        origin,
        wallOrigin,
        parameters,
        deployment,
        delays,
        up,
        down,
        faults,
        adminTls,
        parent,
        bug,
        bugs,
        cassandra);
  }

  /** The same with its durable log in Cassandra; null for RocksDB. */
  public NodeConfig on(Cassandra place) {
    return new NodeConfig(
        protocol,
        node,
        nodes,
        data,
        trace,
        traceFileMib,
        tls,
        origin,
        wallOrigin,
        parameters,
        deployment,
        delayMicros,
        upMbps,
        downMbps,
        faults,
        adminTls,
        parent,
        bug,
        bugs,
        place);
  }

  private NodeConfig resolved(Path folder) {
    return new NodeConfig(
        protocol,
        node,
        nodes,
        in(folder, data),
        in(folder, trace),
        traceFileMib,
        in(folder, tls),
        origin,
        wallOrigin,
        parameters,
        in(folder, deployment),
        delayMicros,
        upMbps,
        downMbps,
        in(folder, faults),
        adminTls,
        parent,
        bug,
        in(folder, bugs),
        cassandra);
  }

  private static String in(Path folder, String path) {
    return path == null ? null : folder.resolve(path).toString();
  }

  private NodeConfig checked(Path file) {
    if (protocol == null) {
      throw wrong(file, "protocol", "missing", "give a protocol's name, as ./plumb cluster does");
    }
    try {
      system();
    } catch (IllegalArgumentException e) {
      throw wrong(file, "protocol", e.getMessage(), "name one of them");
    }
    parameters.forEach((name, value) -> checkParameter(file, name, value));
    Map<String, NodeSpec> owners;
    try {
      owners = owners(topology());
    } catch (IllegalArgumentException e) {
      String key = deployment == null ? "parameters" : "deployment";
      throw wrong(file, key, e.getMessage(), "change it");
    }
    for (NodeSpec owner : owners.values()) {
      if (!nodes.containsKey(owner.id())) {
        throw wrong(
            file,
            "nodes",
            owner.id() + " is missing",
            "add " + owner.id() + ": {host, port, admin}");
      }
    }
    Map<String, String> places = new HashMap<>();
    for (Map.Entry<String, Address> entry : nodes.entrySet()) {
      String name = entry.getKey();
      Address a = entry.getValue();
      if (owners.values().stream().noneMatch(owner -> owner.id().equals(name))) {
        throw wrong(file, name, "no node of " + protocol + " plays this role first", "remove it");
      }
      if (a == null) {
        throw wrong(file, name, "no address", "give {host, port, admin}");
      }
      if (a.host() == null || a.host().isBlank()) {
        throw wrong(file, name, "no host", "give an address of this node");
      }
      if (a.port() < 1 || a.port() > 65_535 || a.admin() < 1 || a.admin() > 65_535) {
        throw wrong(file, name, "a port is out of range", "give port and admin from 1 to 65535");
      }
      for (int port : List.of(a.port(), a.admin())) {
        String place = a.host() + ":" + port;
        String other = places.put(place, name);
        if (other != null) {
          throw wrong(
              file, name, place + " is an address of " + other + " already", "give another port");
        }
      }
      if (tls == null && !loopback(file, name, a.host())) {
        throw wrong(
            file,
            "tls",
            "missing, and " + name + " at " + a.host() + " is not on loopback",
            "name the folder with ca.pem and this node's certificate and key");
      }
    }
    if (node != null && !nodes.containsKey(node)) {
      throw wrong(file, "node", node + " is not among nodes", "name one of " + nodes.keySet());
    }
    checkLimit(file, "traceFileMib", "", traceFileMib);
    checkLimit(file, "upMbps", "", upMbps);
    checkLimits(file, "delayMicros", delayMicros);
    checkLimits(file, "downMbps", downMbps);
    if (wallOrigin != null && origin == null) {
      throw wrong(file, "wallOrigin", "there is no origin", "give the reading of both clocks");
    }
    try {
      nodeSettings();
    } catch (IllegalArgumentException e) {
      throw wrong(
          file,
          "tls",
          e.getMessage(),
          "write random digits there, the same for all nodes, for them alone to read");
    }
    if (node != null) {
      try {
        machine();
      } catch (IllegalArgumentException e) {
        throw wrong(file, "parameters", e.getMessage(), "change it");
      }
    }
    if (adminTls && tls == null) {
      throw wrong(file, "adminTls", "there is no certificate", "name the folder of tls as well");
    }
    if (node != null && data == null) {
      throw wrong(file, "data", "missing", "name the folder of the durable log");
    }
    if (cassandra != null) {
      try {
        cassandra.checked();
      } catch (IllegalArgumentException e) {
        throw wrong(file, "cassandra", e.getMessage(), "see docs/cassandra.md");
      }
    }
    if (bug != null && (bugs == null || seeded().isEmpty())) {
      throw wrong(file, "bug", "no seeded bug " + bug + " in " + bugs, "see ./plumb bugs");
    }
    return this;
  }

  private void checkParameter(Path file, String name, Long value) {
    if (value == null) {
      throw wrong(file, name, "no number", "give one, or leave the parameter out");
    }
    try {
      GivenParameters.demand(system(), Map.of(name, value));
    } catch (IllegalArgumentException e) {
      throw wrong(file, name, e.getMessage(), "correct it, or leave it out");
    }
  }

  private void checkLimits(Path file, String key, Map<String, Long> limits) {
    limits.forEach(
        (name, limit) -> {
          if (!nodes.containsKey(name)) {
            throw wrong(file, key, name + " is not among nodes", "name one of " + nodes.keySet());
          }
          checkLimit(file, key, name + ": ", limit);
        });
  }

  private static void checkLimit(Path file, String key, String of, Long limit) {
    if (limit == null) {
      throw wrong(file, key, of + "no number", "give 0 or more, or leave it out");
    } else if (limit < 0) {
      throw wrong(file, key, of + limit + " is negative", "give 0 or more, or leave it out");
    }
  }

  private static boolean loopback(Path file, String node, String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw wrong(file, node, "unknown host " + host, "give an address of this node");
    }
  }

  private static ConfigException wrong(Path file, String key, String message, String remedy) {
    return new ConfigException(
        file.toString(), lineOf(file, key), "key \"" + key + "\": " + message, remedy);
  }

  /** The first line with this key, else the first that mentions it; 0 if there is none. */
  private static int lineOf(Path file, String key) {
    try {
      List<String> lines = Files.readAllLines(file);
      for (String mention : List.of(key + ":", key)) {
        for (int i = 0; i < lines.size(); i++) {
          String line = lines.get(i).replace("\"", "");
          if (mention.endsWith(":") ? line.strip().startsWith(mention) : line.contains(mention)) {
            return i + 1;
          }
        }
      }
      return 0;
    } catch (IOException e) {
      return 0;
    }
  }

  ProtocolSystem system() {
    return Protocols.named(protocol);
  }

  /** The protocol's settings: those named here, and else what keeps a process safe that may end. */
  public Settings settings() {
    TreeMap<String, Long> all = new TreeMap<>(system().processParameters());
    system().outsideDatabase(parameters).ifPresent(o -> all.putAll(o.process()));
    all.putAll(parameters);
    return new Settings(system().clockBounds(), new TreeSet<>(), all, deploymentText());
  }

  /**
   * The same for a node's machine, which knows what the nodes keep from clients. Without
   * certificates there is nobody to keep it from.
   *
   * @throws IllegalArgumentException if the protocol takes a secret and there is none
   */
  Settings nodeSettings() {
    if (node == null || tls == null || !system().takesSecret()) {
      return settings();
    }
    Path secret = Path.of(tls).resolve(SECRET);
    try {
      return settings().with(new Secret(Files.readString(secret).strip()));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "no file " + secret + ", which nodes of " + protocol + " need", e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(secret + ": " + e.getMessage(), e);
    }
  }

  /** This node's role. */
  NodeSpec spec() {
    return owners(topology()).values().stream()
        .filter(owner -> owner.id().equals(node))
        .findFirst()
        .orElseThrow();
  }

  /**
   * A new machine for this node.
   *
   * @throws IllegalArgumentException if its parameters make no sense
   */
  Machine machine() {
    return system().machine(spec(), topology(), nodeSettings());
  }

  /**
   * Makes each node's machine once.
   *
   * @throws IllegalArgumentException if the protocol's parameters make no sense to one
   */
  public void demandMachines() {
    Topology topology = topology();
    owners(topology).values().forEach(n -> system().machine(n, topology, settings()));
  }

  private String deploymentText() {
    if (deployment == null) {
      return "";
    } else if (!system().takesDeployment()) {
      throw new IllegalArgumentException(
          protocol + " takes no deployment from a file; leave it out");
    }
    try {
      String text = utf8(Files.readAllBytes(Path.of(deployment)));
      if (text.isBlank()) {
        throw new IllegalArgumentException("the file is empty; say who is where");
      }
      return text;
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot be read; name a file that is there", e);
    }
  }

  private static String utf8(byte[] bytes) {
    ByteBuffer read = ByteBuffer.wrap(bytes);
    CharBuffer text = CharBuffer.allocate(bytes.length);
    // What is not decoded is malformed: a character that is cut off at the end too.
    if (StandardCharsets.UTF_8.newDecoder().decode(read, text, true).isError()) {
      int line = 1;
      for (int i = 0; i < read.position(); i++) {
        line += bytes[i] == '\n' ? 1 : 0;
      }
      throw new IllegalArgumentException(
          "line " + line + " is no UTF-8 text; name a text file that says who is where");
    }
    return text.flip().toString();
  }

  /**
   * The protocol's nodes, regions and round trips.
   *
   * @throws IllegalArgumentException if its parameters or its deployment make no sense
   */
  public Topology topology() {
    GivenParameters.demand(system(), parameters);
    try {
      return system().topology(settings());
    } catch (IllegalArgumentException e) {
      throw deployment == null
          ? e
          : new IllegalArgumentException(deployment + ": " + e.getMessage(), e);
    }
  }

  /** The node that plays each role first, by role. */
  public static Map<String, NodeSpec> owners(Topology topology) {
    Map<String, NodeSpec> owners = new LinkedHashMap<>();
    topology.roles().forEach((role, all) -> owners.put(role, all.get(0)));
    return owners;
  }

  Optional<SeededBug> seeded() {
    if (bug == null) {
      return Optional.empty();
    }
    try {
      URL[] urls = {Path.of(bugs).toUri().toURL()};
      return Protocols.bugs(protocol, new URLClassLoader(urls, NodeConfig.class.getClassLoader()))
          .stream()
          .filter(b -> b.name().equals(bug))
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
