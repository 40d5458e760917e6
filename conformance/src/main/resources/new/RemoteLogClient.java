package ${package}.system;

import ${package}.Transactions;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Asks the primary for one transaction after the other. */
final class RemoteLogClient implements ClientDriver {
  private final long id;
  private Transaction transaction;
  private Call call;
  private int number;

  RemoteLogClient(long id) {
    this.id = id;
  }

  @Override
  public Call begin(Transaction begun) {
    transaction = begun;
    number++;
    call =
        new Call(
            "primary",
            new Transactions.Ask(
                "c" + id + "-" + number, begun.ops().stream().map(this::operation).toList()));
    return call;
  }

  private Transactions.Operation operation(MicroOp op) {
    return new Transactions.Operation(
        Transactions.Kind.valueOf(op.kind().name()),
        op.key(),
        op.kind() == MicroOp.Kind.READ ? 0 : (Long) op.value());
  }

  @Override
  public Next answered(Record response) {
    Transactions.Answer answer = (Transactions.Answer) response;
    List<MicroOp> done = new ArrayList<>();
    for (MicroOp op : transaction.ops()) {
      Transactions.Value value = answer.values().get(done.size());
      done.add(
          switch (op.kind()) {
            case READ -> new MicroOp(MicroOp.Kind.READ, op.key(), content(value));
            case ADD -> MicroOp.write(op.key(), value.content().get(0));
            default -> op;
          });
    }
    return Outcome.committed(done, List.of(answer.place()));
  }

  private static Object content(Transactions.Value value) {
    if (value.content().isEmpty()) {
      return null;
    }
    return value.list() ? value.content() : value.content().get(0);
  }

  @Override
  public Optional<Call> again() {
    return Optional.of(call);
  }

  @Override
  public Outcome timedOut() {
    return Outcome.unknown(transaction.ops(), List.of(), "no answer in time");
  }
}
