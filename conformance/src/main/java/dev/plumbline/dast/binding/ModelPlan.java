package dev.plumbline.dast.binding;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.dast.Piece;
import dev.plumbline.dast.Procedure;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.Step;
import dev.plumbline.dast.Txn;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One transaction of a model's {@code Plan}: every shard is one key, a piece reads its newest
 * writer and may make itself that. Values are numbers of transactions, 0 for none.
 *
 * @param coord its coordinator's nid
 * @param writes the shards of {@code shards} that it writes
 * @param deps who gives a value to whom: pairs of shards
 * @param cond the shard that a conditional abort depends on, "" for none
 */
record ModelPlan(
    int coord, Set<String> shards, Set<String> writes, Set<List<String>> deps, String cond) {

  /** Writes all shards that it accesses. */
  static ModelPlan simple(int coord, String... shards) {
    Set<String> all = new TreeSet<>(Set.of(shards));
    return new ModelPlan(coord, all, all, Set.of(), "");
  }

  /** As the model has it. */
  static ModelPlan of(JsonNode plan) {
    Set<List<String>> deps = new HashSet<>();
    plan.get("deps").forEach(d -> deps.add(List.of(d.get(0).textValue(), d.get(1).textValue())));
    return new ModelPlan(
        plan.get("coord").intValue(),
        words(plan.get("shards")),
        words(plan.get("writes")),
        deps,
        plan.get("cond").textValue());
  }

  private static Set<String> words(JsonNode set) {
    Set<String> words = new TreeSet<>();
    set.forEach(word -> words.add(word.textValue()));
    return words;
  }

  /** The stored procedure that does this as transaction {@code t}. */
  void register(int t, Procedures procedures) {
    List<Piece> pieces = new ArrayList<>();
    for (String shard : shards) {
      List<String> inputs =
          deps.stream().filter(d -> d.get(1).equals(shard)).map(d -> d.get(0)).toList();
      boolean gives = deps.stream().anyMatch(d -> d.get(0).equals(shard));
      pieces.add(
          new Piece(
              shard,
              inputs,
              gives ? List.of(shard) : List.of(),
              (store, steps, in) -> run(t, shard, store.apply(steps.get(0).key()), steps, in)));
    }
    procedures.register(new Procedure(name(t), pieces));
  }

  private Piece.Effect run(
      int t, String shard, List<Long> value, List<Step> steps, Map<String, Long> inputs) {
    long writer = value.isEmpty() ? 0 : value.get(0);
    boolean applies = cond.isEmpty() || (cond.equals(shard) ? writer : inputs.get(cond)) == 0;
    return new Piece.Effect(
        applies,
        List.of(List.of(writer)),
        applies && writes.contains(shard)
            ? Map.of(steps.get(0).key(), List.of((long) t))
            : Map.of(),
        Map.of(shard, writer));
  }

  /** The transaction; a shard's step has the index of its key. */
  Txn txn(int t, ModelLayout layout) {
    TreeMap<String, Txn.Part> parts = new TreeMap<>();
    for (String shard : shards) {
      int key = layout.key(shard);
      Step step = new Step(key, Step.Kind.READ, key, 0);
      parts.put(shard, new Txn.Part(shard, List.of(step)));
    }
    return new Txn(String.valueOf(t), name(t), parts);
  }

  private static String name(int t) {
    return "transaction " + t;
  }
}
