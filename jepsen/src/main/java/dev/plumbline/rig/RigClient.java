package dev.plumbline.rig;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.sim.ClientDriver;
import dev.plumbline.sim.NodeSpec;
import dev.plumbline.sim.Topology;
import dev.plumbline.sim.Transaction;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A client of one region: one transaction at a time, each step within a time limit. */
public final class RigClient implements AutoCloseable {
  private static final int CONNECT_MILLIS = 1_000;

  private final RigConfig config;
  private final Topology topology;
  private final int process;
  private final int timeoutMillis;
  private final Map<String, NodeSpec> owners = new HashMap<>();
  private ClientDriver driver;
  private ClientDriver.Call first;
  private Socket socket;
  private String connectedTo = "";
  private DataInputStream in;
  private DataOutputStream out;
  private long number;

  /** A client of the region number {@code process} modulo the number of regions. */
  public RigClient(RigConfig config, int process, int timeoutMillis) {
    this.config = config;
    this.process = process;
    this.timeoutMillis = timeoutMillis;
    topology = config.topology();
    topology.nodes().forEach(node -> owners.putIfAbsent(node.role(), node));
    renew();
  }

  private void renew() {
    String region = topology.regions().get(process % topology.regions().size());
    driver = config.system().client(process, region, topology, config.settings());
  }

  /** Readies a transaction; returns the timestamp that it asks for, empty if it asks for none. */
  public List<Long> begin(Transaction transaction) {
    first = driver.begin(transaction);
    return transaction.kind() == Transaction.Kind.REPLICA_SNAPSHOT ? driver.asked() : List.of();
  }

  /** Runs the transaction that was begun. */
  public ClientDriver.Outcome run() {
    ClientDriver.Next next = first;
    long deadline = System.nanoTime() + timeoutMillis * 1_000_000L;
    try {
      while (next instanceof ClientDriver.Call call) {
        next = driver.answered(ask(call, deadline));
      }
      return (ClientDriver.Outcome) next;
    } catch (IOException e) {
      close();
      ClientDriver.Outcome outcome = driver.timedOut();
      renew();
      return outcome;
    }
  }

  private Record ask(ClientDriver.Call call, long deadline) throws IOException {
    if (!connectedTo.equals(call.role())) {
      close();
      RigConfig.Address to = config.nodes().get(owners.get(call.role()).id());
      socket = new Socket();
      socket.setTcpNoDelay(true);
      socket.connect(new InetSocketAddress(to.host(), to.port()), CONNECT_MILLIS);
      in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
      out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
      connectedTo = call.role();
    }
    number++;
    Wire.write(out, Wire.encode("request", "client-" + process, number, "", "", call.request()));
    while (true) {
      long left = (deadline - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        throw new IOException("no answer in time");
      }
      socket.setSoTimeout((int) left);
      Wire.Frame frame = Wire.read(in);
      if (frame.number() == number) {
        return Wire.read(frame.body(), Record.class);
      }
    }
  }

  /** Sends a node a command of the suites; returns its report. */
  public static JsonNode admin(RigConfig.Address node, Map<String, ?> command) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(node.host(), node.port()), CONNECT_MILLIS);
      socket.setSoTimeout(5 * CONNECT_MILLIS);
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      Wire.write(out, Wire.encode("admin", "suites", 0, "", "", command));
      return Wire.read(new DataInputStream(new BufferedInputStream(socket.getInputStream())))
          .body();
    }
  }

  @Override
  public void close() {
    connectedTo = "";
    try (Socket closing = socket) {
      socket = null;
    } catch (IOException e) {
      socket = null;
    }
  }
}
