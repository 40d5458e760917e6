package dev.plumbline.rig;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.ProtocolSystem;
import dev.plumbline.sim.Protocols;
import dev.plumbline.sim.SeededBug;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.Topology;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One cluster, as its configuration file says.
 *
 * @param protocol such as k2
 * @param origin {@link System#nanoTime} at the start of the run, which all processes of one machine
 *     share
 * @param parameters protocol parameters
 * @param bug a seeded bug, or null
 * @param bugs the jar or folder that holds it, or null
 * @param rttPercent how long links take, of what the protocol's table of round trips says
 * @param data folder of the nodes' logs
 * @param trace folder of the traces
 * @param nodes where each node listens
 */
public record RigConfig(
    String protocol,
    long origin,
    Map<String, Long> parameters,
    String bug,
    String bugs,
    long rttPercent,
    String data,
    String trace,
    Map<String, Address> nodes) {

  /** An address of one of the cluster's own networks. */
  public record Address(String host, int port) {}

  /** Reads a file. */
  public static RigConfig read(Path file) throws IOException {
    return new ObjectMapper().readValue(file.toFile(), RigConfig.class);
  }

  ProtocolSystem system() {
    return Protocols.named(protocol);
  }

  Settings settings() {
    return new Settings(system().clockBounds(), new TreeSet<>(), new TreeMap<>(parameters));
  }

  Topology topology() {
    return system().topology(settings());
  }

  NodeSpec spec(String node) {
    return topology().nodes().stream().filter(n -> n.id().equals(node)).findFirst().orElseThrow();
  }

  Optional<SeededBug> seeded() throws IOException {
    if (bug == null) {
      return Optional.empty();
    }
    URL[] urls = {Path.of(bugs).toUri().toURL()};
    return Protocols.bugs(protocol, new URLClassLoader(urls, RigConfig.class.getClassLoader()))
        .stream()
        .filter(b -> b.name().equals(bug))
        .findFirst();
  }
}
