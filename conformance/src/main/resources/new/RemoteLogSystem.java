package ${package}.system;

import ${package}.Backup;
import ${package}.LogMessage;
import ${package}.Primary;
import ${package}.Transactions;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.RttTable;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A primary and a backup in two regions, and what may happen to them. */
public final class RemoteLogSystem implements ProtocolSystem {
  private static final RttTable NETWORK =
      new RttTable(List.of("east", "west"), List.of(List.of(200L), List.of(30_000L, 200L)));

  @Override
  public String name() {
    return "${protocol}";
  }

  /** No machine compares clocks; timers may be off by this much. */
  @Override
  public ClockBounds clockBounds() {
    return new ClockBounds(100, 200);
  }

  @Override
  public Topology topology(Settings settings) {
    return new Topology(
        List.of(
            NodeSpec.of("primary", "primary", "east", 20, 300),
            NodeSpec.of("backup", "backup", "west", 20, 300)),
        NETWORK);
  }

  @Override
  public Machine machine(NodeSpec node, Topology topology, Settings settings) {
    return node.kind().equals("primary") ? new Primary() : new Backup();
  }

  @Override
  public ClientDriver client(
      long id, int place, String region, Topology topology, Settings settings) {
    return new RemoteLogClient(id);
  }

  /** Nobody takes over from a primary that still runs. */
  @Override
  public Set<FaultKind> tolerated() {
    return EnumSet.complementOf(EnumSet.of(FaultKind.FAILOVER));
  }

  @Override
  public Set<Class<?>> requests(String kind) {
    return kind.equals("primary") ? Set.of(Transactions.Ask.class) : Set.of();
  }

  @Override
  public Set<Class<?>> responses() {
    return Set.of(Transactions.Answer.class);
  }

  @Override
  public Set<Class<?>> messages(String from, String to) {
    return from.equals("primary")
        ? Set.of(LogMessage.Ask.class, LogMessage.Entry.class)
        : Set.of(LogMessage.State.class, LogMessage.Held.class);
  }

  @Override
  public List<String> violations(Map<String, Machine> machines, Settings settings) {
    List<String> run = ((Primary) machines.get("primary")).log();
    List<String> stored = ((Backup) machines.get("backup")).stored();
    return run.equals(stored)
        ? List.of()
        : List.of("the primary ran " + run.size() + " transactions, not those that are stored");
  }
}
