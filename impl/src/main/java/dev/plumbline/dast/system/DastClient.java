package dev.plumbline.dast.system;

import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.DastResponse;
import dev.plumbline.dast.Procedures;
import dev.plumbline.dast.Step;
import dev.plumbline.dast.Txn;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Transaction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Runs generic transactions as stored procedures, each in one request. One that subtracts is a
 * transfer, whose receiving shard depends on the paying one; all others are independent pieces.
 *
 * <p>A client asks a node of the region that has all of the transaction's keys, or one of its own.
 */
final class DastClient implements ClientDriver {
  private static final long MOST_PER_CLIENT = 1_000_000;

  private final DastDeployment layout;
  private final String region;
  private final long id;
  private final int place;
  private Transaction transaction;
  private Call call;
  private long count;

  DastClient(DastDeployment layout, String region, long id, int place) {
    this.layout = layout;
    this.region = region;
    this.id = id;
    this.place = place;
  }

  @Override
  public Call begin(Transaction begun) {
    transaction = begun;
    count++;
    Map<String, List<Step>> steps = new LinkedHashMap<>();
    for (int i = 0; i < begun.ops().size(); i++) {
      steps
          .computeIfAbsent(layout.shard(begun.ops().get(i).key()), s -> new ArrayList<>())
          .add(step(i, begun.ops().get(i)));
    }
    List<String> payers =
        begun.ops().stream()
            .filter(op -> op.kind() == MicroOp.Kind.ADD && (Long) op.value() < 0)
            .map(op -> layout.shard(op.key()))
            .toList();
    boolean transfer = payers.size() == 1;
    Map<String, Txn.Part> parts = new LinkedHashMap<>();
    steps.forEach(
        (shard, asked) -> {
          String piece =
              !transfer
                  ? Procedures.ACCESS
                  : payers.contains(shard) ? Procedures.DEBIT : Procedures.CREDIT;
          parts.put(shard, new Txn.Part(piece, asked));
        });
    String procedure = transfer ? Procedures.TRANSFER : Procedures.ACCESS;
    Txn txn = new Txn(Long.toString(number()), procedure, parts);
    List<String> nodes = layout.nodes(home(steps));
    call = new Call(nodes.get(place % nodes.size()), new DastRequest(txn));
    return call;
  }

  private String home(Map<String, List<Step>> steps) {
    List<String> regions = steps.keySet().stream().map(layout::shardRegion).distinct().toList();
    return regions.size() == 1 ? regions.get(0) : region;
  }

  private static Step step(int index, MicroOp op) {
    long value = op.kind() == MicroOp.Kind.READ ? 0 : (Long) op.value();
    return new Step(index, Step.Kind.valueOf(op.kind().name()), op.key(), value);
  }

  @Override
  public Next answered(Record response) {
    if (response instanceof DastResponse.Refused refused) {
      return Outcome.aborted(transaction, refused.why());
    }
    DastResponse.Executed executed = (DastResponse.Executed) response;
    String unsuited = "";
    boolean wrote = false;
    List<MicroOp> done = new ArrayList<>();
    for (int i = 0; i < transaction.ops().size(); i++) {
      MicroOp op = transaction.ops().get(i);
      List<Long> seen = executed.seen().get(i);
      Object content = Procedures.content(seen);
      if (Procedures.suits(step(i, op).kind(), seen)) {
        wrote |= op.kind() != MicroOp.Kind.READ;
        done.add(reported(op, content));
      } else {
        String what = content instanceof Long ? "a number" : "a list";
        unsuited = op.kind() + " does not suit key " + op.key() + ", which holds " + what;
        done.add(new MicroOp(MicroOp.Kind.READ, op.key(), content));
      }
    }
    if (!executed.applied() || (!wrote && !unsuited.isEmpty())) {
      return Outcome.aborted(transaction, unsuited.isEmpty() ? "not covered" : unsuited);
    }
    List<Long> place = new ArrayList<>(executed.ts().parts());
    place.add(number());
    return Outcome.committed(done, place);
  }

  /** The transaction's number: unique, and what orders equal timestamps. */
  private long number() {
    return id * MOST_PER_CLIENT + count;
  }

  private static MicroOp reported(MicroOp op, Object content) {
    return switch (op.kind()) {
      case READ -> new MicroOp(MicroOp.Kind.READ, op.key(), content);
      case ADD -> MicroOp.write(op.key(), (Long) content);
      case WRITE, APPEND -> op;
    };
  }

  /** The same request: its node knows the transaction, or never heard of it. */
  @Override
  public Optional<Call> again() {
    return Optional.of(call);
  }

  @Override
  public Outcome timedOut() {
    return Outcome.unknown(transaction.ops(), List.of(), "no answer in time");
  }
}
