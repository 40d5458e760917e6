package dev.plumbline.history;

import dev.plumbline.history.Judgement.Anomaly;
import dev.plumbline.history.Judgement.Outcome;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Adds up the balances that transactions saw. Needs no serial order.
 *
 * <p>Accounts are the keys of the history. Every completed transaction that read all of them,
 * before writing any, must have seen the same total, or no account at all (before the bank opened).
 * The total is that of the first such read in the history.
 */
public final class BankChecker {
  private BankChecker() {}

  /** Judges a history of workload bank. */
  public static Judgement check(History history) {
    Set<Object> accounts = new HashSet<>();
    history.ops().forEach(op -> op.value().forEach(micro -> accounts.add(micro.key())));
    var anomalies = new ArrayList<Anomaly>();
    long count = 0;
    BigInteger total = null;
    long totalAt = 0;
    for (ObservedTransaction transaction : ObservedTransaction.of(history)) {
      Map<Object, Long> seen = transaction.ok() ? balances(transaction) : Map.of();
      boolean unopened = seen.values().stream().allMatch(balance -> balance == null);
      if (!seen.keySet().containsAll(accounts) || unopened) {
        continue;
      }
      long index = transaction.completion().index();
      BigInteger sum =
          seen.containsValue(null)
              ? null
              : seen.values().stream()
                  .map(BigInteger::valueOf)
                  .reduce(BigInteger.ZERO, BigInteger::add);
      if (total == null && sum != null) {
        total = sum;
        totalAt = index;
      } else if (sum == null || !sum.equals(total)) {
        count++;
        if (anomalies.size() < Judgement.SHOWN) {
          String found = sum == null ? "accounts without a balance" : "a total of " + sum;
          String expected =
              total == null ? "a balance in each" : total + ", as operation " + totalAt;
          anomalies.add(
              new Anomaly(
                  "wrong total",
                  "operation " + index + " saw " + found + " instead of " + expected + ": " + seen,
                  java.util.List.of(index)));
        }
      }
    }
    Outcome outcome = count > 0 ? Outcome.INVALID : total == null ? Outcome.UNKNOWN : Outcome.VALID;
    return new Judgement(
        "bank",
        "totals",
        outcome,
        outcome == Outcome.UNKNOWN ? "no transaction read every account" : "",
        anomalies,
        count);
  }

  /** What a transaction read before it wrote anything. */
  private static Map<Object, Long> balances(ObservedTransaction transaction) {
    var seen = new HashMap<Object, Long>();
    for (ObservedMicroOp op : transaction.value()) {
      if (op instanceof ObservedMicroOp.Read read) {
        seen.putIfAbsent(read.key(), (Long) read.result());
      } else {
        break;
      }
    }
    return seen;
  }
}
