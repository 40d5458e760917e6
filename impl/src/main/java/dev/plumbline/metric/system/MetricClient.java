package dev.plumbline.metric.system;

import dev.plumbline.metric.MetricRequest;
import dev.plumbline.metric.MetricResponse;
import dev.plumbline.metric.Query;
import dev.plumbline.metric.RequestId;
import dev.plumbline.metric.Statement;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A service replica: asks the Metric process of its site, and after a nack or silence the next one
 * (section 3.3). By then the tables of all queries are known, and asked for together: processes
 * that acquire them one by one may wait for each other (METRIC-F6).
 */
final class MetricClient implements ClientDriver {
  private static final int MOST_ATTEMPTS = 12;

  private final String name;
  private final List<String> processes;
  private final List<String> tables;
  private final int inQuery;
  private Transaction transaction;
  private MetricRequest.Transact request;
  private long number;
  private int place;
  private int attempts;
  private boolean open;

  /**
   * @param processes in the order in which they are asked
   * @param inQuery how many operations are one query
   */
  MetricClient(String name, List<String> processes, List<String> tables, int inQuery) {
    this.name = name;
    this.processes = processes;
    this.tables = tables;
    this.inQuery = inQuery;
  }

  @Override
  public Call begin(Transaction begun) {
    transaction = begun;
    number++;
    request = request(inQuery);
    place = 0;
    attempts = 1;
    open = false;
    return call();
  }

  private MetricRequest.Transact request(int most) {
    List<Query> queries = new ArrayList<>();
    for (List<MicroOp> query : MetricSystem.queries(transaction.ops(), most)) {
      queries.add(new Query(query.stream().map(this::statement).toList()));
    }
    return new MetricRequest.Transact(new RequestId(name, number), queries);
  }

  private Statement statement(MicroOp op) {
    Statement.Kind kind =
        switch (op.kind()) {
          case READ -> Statement.Kind.READ;
          case WRITE -> Statement.Kind.WRITE;
          case APPEND -> Statement.Kind.APPEND;
          case ADD -> Statement.Kind.ADD;
        };
    String table = tables.get((int) Math.floorMod(op.key(), (long) tables.size()));
    long value = op.kind() == MicroOp.Kind.READ ? 0 : (Long) op.value();
    return new Statement(kind, table, "k" + op.key(), value);
  }

  private Call call() {
    return new Call(processes.get(place % processes.size()), request);
  }

  /** A name is used for one transaction only, so the client that counts them stays. */
  @Override
  public boolean goesOn() {
    return true;
  }

  @Override
  public Next answered(Record response) {
    if (response instanceof MetricResponse.Done done) {
      return Outcome.committed(reported(done.results()), done.place());
    } else if (response instanceof MetricResponse.Refused refused) {
      return given(refused.why());
    }
    open |= response instanceof MetricResponse.Unknown;
    if (attempts == MOST_ATTEMPTS) {
      return given("nacks only");
    }
    attempts++;
    place++;
    request = request(MetricSystem.ALL);
    return call();
  }

  private List<MicroOp> reported(List<List<Long>> results) {
    List<MicroOp> done = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      MicroOp op = transaction.ops().get(i);
      List<Long> row = results.get(i);
      done.add(
          switch (op.kind()) {
            case READ -> new MicroOp(MicroOp.Kind.READ, op.key(), content(row));
            case ADD -> MicroOp.write(op.key(), row.get(1));
            default -> op;
          });
    }
    return done;
  }

  private static Object content(List<Long> row) {
    if (row.isEmpty()) {
      return null;
    }
    return row.get(0) == Statement.LIST ? row.subList(1, row.size()) : row.get(1);
  }

  /** An attempt that was not answered may still have an effect. */
  @Override
  public Optional<Call> again() {
    open = true;
    place++;
    return Optional.of(call());
  }

  @Override
  public Outcome timedOut() {
    open = true;
    return given("no answer in time");
  }

  private Outcome given(String why) {
    boolean reads = transaction.ops().stream().allMatch(op -> op.kind() == MicroOp.Kind.READ);
    return open && !reads
        ? Outcome.unknown(transaction.ops(), List.of(), why)
        : Outcome.aborted(transaction, why);
  }
}
