package dev.plumbline.engage.system;

import dev.plumbline.engage.ClientSession;
import dev.plumbline.engage.EngageRequest;
import dev.plumbline.engage.EngageResponse;
import dev.plumbline.history.Visit;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Transaction;
import java.util.List;
import java.util.Locale;

/**
 * A mobile client: it prefers a cloudlet, and asks another one now and then, or where it has to.
 */
final class EngageClient implements ClientDriver {
  /** Loads write numbers from 0 on. */
  private static final long NO_NUMBER = Long.MIN_VALUE;

  private final EngageDeployment deployment;
  private final ClientSession session;
  private final String site;
  private final String preferred;
  private final String name;
  private Transaction transaction;
  private String cloudlet;

  EngageClient(
      EngageDeployment deployment, ClientSession session, String name, String site, int place) {
    this.deployment = deployment;
    this.session = session;
    this.name = name;
    this.site = site;
    this.preferred = deployment.preferred(site, place);
  }

  @Override
  public Call begin(Transaction begun) {
    transaction = begun;
    MicroOp op = begun.ops().get(0);
    String object = deployment.object(op.key());
    cloudlet = place(object, begun.choice().place());
    List<String> asks = words(begun.choice());
    EngageRequest request =
        op.kind() == MicroOp.Kind.READ
            ? session.read(object, cloudlet, asks)
            : session.write(object, String.valueOf(op.value()), cloudlet, asks);
    return new Call(cloudlet, (Record) request);
  }

  private static List<String> words(Transaction.Choice choice) {
    return choice.asks().stream()
        .sorted()
        .map(guarantee -> guarantee.word().toUpperCase(Locale.ROOT))
        .toList();
  }

  /** The preferred cloudlet if it replicates the object, else the nearest that does (III-A). */
  private String place(String object, int number) {
    List<String> replicas = deployment.layout().replicas(object);
    if (number > 0) {
      return replicas.get(number % replicas.size());
    } else if (replicas.contains(preferred)) {
      return preferred;
    }
    return deployment.nearest(site, replicas);
  }

  @Override
  public Visit visit() {
    Transaction.Choice choice = transaction.choice();
    return new Visit(name, cloudlet, choice.asks(), choice.last());
  }

  @Override
  public boolean goesOn() {
    return true;
  }

  @Override
  public Next answered(Record response) {
    MicroOp op = transaction.ops().get(0);
    if (response instanceof EngageResponse.Value value) {
      session.answered(cloudlet, value);
      Object read = value.values().isEmpty() ? null : number(value.values().get(0));
      MicroOp done = new MicroOp(MicroOp.Kind.READ, op.key(), read);
      return Outcome.committed(List.of(done), List.of());
    } else if (response instanceof EngageResponse.Written written) {
      session.answered(cloudlet, written);
      return Outcome.committed(List.of(op), written.place());
    }
    return Outcome.aborted(transaction, ((EngageResponse.Refused) response).why());
  }

  /**
   * What a load reads. Loads write numbers: a text that is none was written by another client, or
   * by nobody, and is shown as a number that no load writes, so that judges object.
   */
  private static Long number(String text) {
    try {
      return Long.valueOf(text);
    } catch (NumberFormatException e) {
      return NO_NUMBER;
    }
  }

  @Override
  public Outcome timedOut() {
    session.lost();
    MicroOp op = transaction.ops().get(0);
    return op.kind() == MicroOp.Kind.READ
        ? Outcome.aborted(transaction, "no answer in time")
        : Outcome.unknown(transaction.ops(), List.of(), "no answer in time");
  }
}
