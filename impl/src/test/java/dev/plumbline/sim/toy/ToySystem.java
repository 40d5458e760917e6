package dev.plumbline.sim.toy;

import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.ClockBounds;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.RttTable;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Situation;
import dev.plumbline.protocol.Topology;
import dev.plumbline.protocol.Transaction;
import dev.plumbline.trace.TraceEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A primary with a standby in another region, and a backup. */
public final class ToySystem implements ProtocolSystem {
  /** Five regions, the last far from the others. */
  public static final RttTable NETWORK =
      new RttTable(
          List.of("SH", "BJ", "GZ", "GY", "SG"),
          List.of(
              List.of(200L),
              List.of(27_300L, 200L),
              List.of(31_300L, 42_600L, 200L),
              List.of(29_200L, 38_500L, 28_000L, 200L),
              List.of(69_300L, 77_600L, 46_800L, 60_000L, 200L)));

  /** How long its situation's crash lasts, shorter than any planned one. */
  public static final long PROVOKED_MICROS = 30_000;

  @Override
  public String name() {
    return "toy";
  }

  @Override
  public ClockBounds clockBounds() {
    return new ClockBounds(100, 200);
  }

  @Override
  public List<Situation> situations() {
    return List.of(
        new Situation(
            "backup-restarts",
            "The backup starts again.",
            log ->
                log.stream()
                    .anyMatch(
                        e -> e.action().equals(TraceEvent.RESTART) && e.node().equals("backup")),
            (topology, random, from, until) ->
                List.of(new Fault.Crash(from, from + PROVOKED_MICROS, "backup"))));
  }

  @Override
  public Topology topology(Settings settings) {
    NodeSpec primary = NodeSpec.of("primary", "primary", "SH", 20, 300);
    return new Topology(
        List.of(
            primary,
            primary.standby("standby", "GZ"),
            NodeSpec.of("backup", "backup", "BJ", 20, 300)),
        NETWORK);
  }

  @Override
  public Machine machine(NodeSpec node, Topology topology, Settings settings) {
    return node.kind().equals("backup")
        ? new ToyBackup()
        : new ToyPrimary(settings.asPublished("half-durable"));
  }

  @Override
  public ClientDriver client(
      long id, int place, String region, Topology topology, Settings settings) {
    return new Driver();
  }

  @Override
  public Set<String> publishedBehaviours() {
    return Set.of("half-durable");
  }

  @Override
  public List<String> violations(Map<String, Machine> machines, Settings settings) {
    return ((ToyBackup) machines.get("backup")).size() == 0 ? List.of("an idle backup") : List.of();
  }

  private static final class Driver implements ClientDriver {
    private Transaction transaction;

    @Override
    public Call begin(Transaction next) {
      transaction = next;
      return new Call(
          "primary",
          new ToyPrimary.Run(
              next.ops().stream()
                  .map(
                      op ->
                          new ToyPrimary.ToyOp(
                              op.kind().name(),
                              op.key(),
                              op.kind() == MicroOp.Kind.READ ? null : (Long) op.value()))
                  .toList()));
    }

    @Override
    public Next answered(Record response) {
      ToyPrimary.Done done = (ToyPrimary.Done) response;
      List<MicroOp> ops = new ArrayList<>();
      for (int i = 0; i < transaction.ops().size(); i++) {
        MicroOp op = transaction.ops().get(i);
        Object result = done.results().get(i);
        ops.add(
            switch (op.kind()) {
              case READ -> new MicroOp(MicroOp.Kind.READ, op.key(), result);
              case ADD -> MicroOp.write(op.key(), (Long) result);
              default -> op;
            });
      }
      return Outcome.committed(ops, List.of(done.number()));
    }

    @Override
    public Outcome timedOut() {
      return Outcome.unknown(transaction.ops(), List.of(), "no answer in time");
    }
  }
}
