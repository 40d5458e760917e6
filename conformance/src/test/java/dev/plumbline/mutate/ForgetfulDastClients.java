package dev.plumbline.mutate;

import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.DastResponse;
import dev.plumbline.dast.Txn;
import dev.plumbline.dast.system.DastSystem;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import dev.plumbline.protocol.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * DAST with clients that ask, before a transaction, for one of long before again, or for something
 * else under its id: its node may have been replaced since. What they are answered wrongly is kept
 * in {@link #complaints}.
 */
final class ForgetfulDastClients extends DastSystem {
  private final List<String> complaints = new ArrayList<>();

  /** Answers that no client should get. */
  List<String> complaints() {
    return complaints;
  }

  @Override
  public ClientDriver client(
      long id, int place, String region, Topology topology, Settings settings) {
    return new Forgetful(super.client(id, place, region, topology, settings));
  }

  private final class Forgetful implements ClientDriver {
    private record Told(Call call, Record answer) {
      Told forAnother() {
        Txn txn = ((DastRequest) call.request()).txn();
        return new Told(
            new Call(
                call.role(), new DastRequest(new Txn(txn.id(), "something else", txn.parts()))),
            new DastResponse.Refused("another transaction has the id " + txn.id()));
      }
    }

    private final ClientDriver polite;
    private final List<Told> before = new ArrayList<>();
    private int begun;
    private Call own;

    /** What is asked for before {@link #own}, or null, and whether that waits for its answer. */
    private Told again;

    private boolean waits;

    Forgetful(ClientDriver polite) {
      this.polite = polite;
    }

    @Override
    public Call begin(Transaction next) {
      own = polite.begin(next);
      if (!before.isEmpty()) {
        Told old = before.get(begun / 2);
        again = begun++ % 2 == 0 ? old : old.forAnother();
        waits = true;
      }
      return waits ? again.call() : own;
    }

    @Override
    public Next answered(Record response) {
      boolean answersThat = again != null && response.equals(again.answer());
      if (waits) {
        waits = false;
        if (!answersThat) {
          complaints.add(again + ", then " + response);
        }
        return own;
      }
      if (answersThat) {
        again = null; // It was asked more than once.
        return own;
      }
      before.add(new Told(own, response));
      return polite.answered(response);
    }

    @Override
    public Optional<Call> again() {
      return Optional.of(waits ? again.call() : own);
    }

    @Override
    public Outcome timedOut() {
      return polite.timedOut();
    }
  }
}
