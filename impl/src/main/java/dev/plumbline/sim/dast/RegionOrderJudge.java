package dev.plumbline.sim.dast;

import dev.plumbline.dast.Layout;
import dev.plumbline.history.MicroOp;
import dev.plumbline.history.Op;
import dev.plumbline.history.Timestamp;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.RunResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * DAST's own guarantee (sections 3.1, 4.5, Proposition 2): of two transactions that access the same
 * region, the one that begins after the other's client was answered comes later in the serial
 * order.
 */
final class RegionOrderJudge implements Judge {
  @Override
  public String name() {
    return "real time in a region";
  }

  @Override
  public Judgement judge(RunResult result) {
    List<String> wrong =
        check(result.history().ops(), DastDeployment.of(result.config().settings()));
    return wrong.isEmpty()
        ? new Judgement(name(), Verdict.HOLDS, "")
        : new Judgement(name(), Verdict.FAILS, String.join("\n", wrong));
  }

  /** One sentence for each transaction that is ordered before one that had ended. */
  static List<String> check(List<Op> ops, Layout layout) {
    Map<String, Op> latest = new HashMap<>();
    Map<Long, Map<String, Op>> atStart = new HashMap<>();
    List<String> wrong = new ArrayList<>();
    for (Op op : ops) {
      if (op.type() == Op.Type.INVOKE) {
        Map<String, Op> before = new HashMap<>(latest);
        before.keySet().retainAll(regions(op, layout));
        atStart.put(op.process(), before);
      } else if (op.type() == Op.Type.OK) {
        for (Map.Entry<String, Op> before : atStart.get(op.process()).entrySet()) {
          if (op.ts().compareTo(before.getValue().ts()) < 0) {
            wrong.add(
                "operation %d of process %d accesses %s and is at %s, before operation %d at %s that had ended"
                    .formatted(
                        op.index(),
                        op.process(),
                        before.getKey(),
                        op.ts(),
                        before.getValue().index(),
                        before.getValue().ts()));
          }
        }
        for (String region : regions(op, layout)) {
          latest.merge(region, op, RegionOrderJudge::later);
        }
      }
    }
    return wrong;
  }

  private static Op later(Op a, Op b) {
    Timestamp at = a.ts();
    return at.compareTo(b.ts()) < 0 ? b : a;
  }

  private static List<String> regions(Op op, Layout layout) {
    return op.value().stream()
        .map(RegionOrderJudge::key)
        .map(key -> layout.shardRegion(layout.shard(key)))
        .distinct()
        .toList();
  }

  private static long key(MicroOp op) {
    return ((Number) op.key()).longValue();
  }
}
