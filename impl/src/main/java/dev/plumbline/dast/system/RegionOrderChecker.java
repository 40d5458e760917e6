package dev.plumbline.dast.system;

import dev.plumbline.dast.Layout;
import dev.plumbline.history.ClaimedTimestamp;
import dev.plumbline.history.History;
import dev.plumbline.history.Judgement;
import dev.plumbline.history.ObservedMicroOp;
import dev.plumbline.history.Op;
import dev.plumbline.protocol.HistoryChecker;
import dev.plumbline.protocol.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * DAST's own guarantee (sections 3.1, 4.5, Proposition 2): of two transactions that access the same
 * region, the one that begins after the other's client was answered comes later in the serial
 * order.
 */
final class RegionOrderChecker implements HistoryChecker {
  @Override
  public String name() {
    return "real time in a region";
  }

  @Override
  public Judgement check(History history, Settings settings) {
    List<Judgement.Anomaly> wrong = check(history.ops(), DastDeployment.of(settings));
    String doubt =
        history.ops().stream()
            .filter(op -> op.type() == Op.Type.OK && op.ts() == null)
            .findFirst()
            .map(op -> "operation " + op.index() + " completed but claims no place (ts)")
            .orElse("");
    return new Judgement(
        name(),
        "transactions that share a region",
        !wrong.isEmpty()
            ? Judgement.Outcome.INVALID
            : doubt.isEmpty() ? Judgement.Outcome.VALID : Judgement.Outcome.UNKNOWN,
        wrong.isEmpty() ? doubt : "",
        wrong.stream().limit(Judgement.SHOWN).toList(),
        wrong.size());
  }

  /** One for each transaction that is ordered before one that had ended. */
  static List<Judgement.Anomaly> check(List<Op> ops, Layout layout) {
    Map<String, Op> latest = new HashMap<>();
    Map<Long, Map<String, Op>> atStart = new HashMap<>();
    List<Judgement.Anomaly> wrong = new ArrayList<>();
    for (Op op : ops) {
      if (op.nemesis()) {
        continue;
      }
      if (op.type() == Op.Type.INVOKE) {
        Map<String, Op> before = new HashMap<>(latest);
        before.keySet().retainAll(regions(op, layout));
        atStart.put(op.process(), before);
      } else if (op.type() == Op.Type.OK && op.ts() != null) {
        for (Map.Entry<String, Op> before : atStart.get(op.process()).entrySet()) {
          if (op.ts().compareTo(before.getValue().ts()) < 0) {
            wrong.add(
                new Judgement.Anomaly(
                    "real time",
                    "operation %d of process %d accesses %s and is at %s, before operation %d at %s that had ended"
                        .formatted(
                            op.index(),
                            op.process(),
                            before.getKey(),
                            op.ts(),
                            before.getValue().index(),
                            before.getValue().ts()),
                    List.of(before.getValue().index(), op.index())));
          }
        }
        for (String region : regions(op, layout)) {
          latest.merge(region, op, RegionOrderChecker::later);
        }
      }
    }
    return wrong;
  }

  private static Op later(Op a, Op b) {
    ClaimedTimestamp at = a.ts();
    return at.compareTo(b.ts()) < 0 ? b : a;
  }

  private static List<String> regions(Op op, Layout layout) {
    return op.value().stream()
        .map(RegionOrderChecker::key)
        .map(key -> layout.shardRegion(layout.shard(key)))
        .distinct()
        .toList();
  }

  private static long key(ObservedMicroOp op) {
    return ((Number) op.key()).longValue();
  }
}
