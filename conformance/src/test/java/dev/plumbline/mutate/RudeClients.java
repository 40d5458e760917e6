package dev.plumbline.mutate;

import dev.plumbline.k2.K2Request;
import dev.plumbline.k2.K2Response;
import dev.plumbline.k2.system.K2System;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import dev.plumbline.protocol.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * K2 with clients that do what those of the workloads don't: ask twice, write a key twice, read
 * what they wrote, roll back, commit nothing, ask for transactions that nobody knows, take their
 * time, or walk away. What they are answered wrongly is kept in {@link #complaints}.
 */
final class RudeClients extends K2System {
  private static final K2Response.Unknown UNKNOWN =
      new K2Response.Unknown("the coordinator knows no such transaction");

  /** Longer transactions are those that read everything in the end. */
  private static final int MOST_OPERATIONS = 3;

  private final List<String> complaints = new ArrayList<>();

  private enum Habit {
    ASKS_TWICE,
    ROLLS_BACK,
    COMMITS_NOTHING,
    STARTS_AS_A_STRANGER,
    WALKS_AWAY_AT_ONCE,
    WALKS_AWAY_LATER,
    TAKES_ITS_TIME,
    BEHAVES
  }

  /** Answers that no client should get. */
  List<String> complaints() {
    return complaints;
  }

  @Override
  public ClientDriver client(
      long id, int place, String region, Topology topology, Settings settings) {
    String far = topology.rolesOf("coordinator", topology.regions().get((place + 2) % 5)).get(0);
    return new Rude(super.client(id, place, region, topology, settings), far, place);
  }

  private final class Rude extends RudeDriver {
    private final String far;
    private int begun;
    private Habit habit;
    private Transaction transaction;
    private Call begin;
    private String id;

    Rude(ClientDriver polite, String far, int place) {
      super(polite, complaints);
      begun = place;
      this.far = far;
    }

    @Override
    public Call begin(Transaction next) {
      habit =
          next.ops().size() > MOST_OPERATIONS
              ? Habit.BEHAVES
              : Habit.values()[begun++ % Habit.values().length];
      transaction = next;
      id = null;
      begin = polite.begin(next);
      if (habit == Habit.STARTS_AS_A_STRANGER) {
        aside(begin.role(), new K2Request.Get("nobody-1.1", 1), UNKNOWN::equals);
      }
      return (Call) then(begin);
    }

    @Override
    Next next(Record response) {
      if (last instanceof K2Request.Abort
          && !same(new K2Response.Aborted("rolled back")).test(response)) {
        complain(habit + ": an abort was answered " + response);
      }
      if (response instanceof K2Response.Begun started) {
        id = started.txn();
        if (habit == Habit.WALKS_AWAY_AT_ONCE) {
          return Outcome.aborted(transaction, "walked away");
        } else if (habit == Habit.COMMITS_NOTHING) {
          aside(begin.role(), new K2Request.Commit(id), K2Response.Committed.class::isInstance);
          return then(Outcome.aborted(transaction, "committed nothing"));
        }
      } else if (habit == Habit.WALKS_AWAY_LATER && response instanceof K2Response.Accepted) {
        return Outcome.aborted(transaction, "walked away");
      } else if (habit == Habit.ASKS_TWICE) {
        askTwice(response);
      } else if (habit == Habit.TAKES_ITS_TIME) {
        aside(far, new K2Request.Commit("nobody-1.1"), UNKNOWN::equals);
      }
      return then(rolledBack(polite.answered(response)));
    }

    private void askTwice(Record response) {
      if (response instanceof K2Response.Value) {
        aside(begin.role(), last, same(response));
      } else if (response instanceof K2Response.Accepted && last instanceof K2Request.Put put) {
        aside(
            begin.role(),
            new K2Request.Get(id, put.key()),
            same(new K2Response.Value(put.value())));
        aside(begin.role(), put, same(response));
      }
    }

    /** A write that was refused may end the transaction at any time. */
    private Predicate<Record> same(Record response) {
      return r ->
          r.equals(response)
              || r.equals(UNKNOWN)
              || (r instanceof K2Response.Aborted a && a.why().startsWith("a later transaction"));
    }

    private Next rolledBack(Next next) {
      return habit == Habit.ROLLS_BACK
              && next instanceof Call call
              && call.request() instanceof K2Request.Commit commit
          ? new Call(call.role(), new K2Request.Abort(commit.txn()))
          : next;
    }
  }
}
