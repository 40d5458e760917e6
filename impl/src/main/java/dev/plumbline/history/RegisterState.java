package dev.plumbline.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Registers in the witness checker's replay.
 *
 * <p>Where values are unique, an indeterminate transaction without a timestamp is placed right
 * before the first transaction that read from it. That is a guess. In a bank, where values repeat,
 * an indeterminate transfer stays possible until a balance that was read next tells whether it
 * happened; if the balance fits both, that too is a guess.
 */
final class RegisterState implements WitnessChecker.State {
  private final Map<Object, Map<Long, ObservedTransaction>> writers;
  private final List<ObservedTransaction> placed;
  private final boolean bank;
  private final Map<Object, List<Version>> cells = new HashMap<>();
  private final Map<ObservedTransaction, Boolean> happened = new IdentityHashMap<>();
  private final Set<ObservedTransaction> done = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Object> guessedKeys = new HashSet<>();

  /** A value that the key may hold; {@code maybe} is the indeterminate writer, null if certain. */
  private record Version(Long value, ObservedTransaction maybe) {}

  RegisterState(
      Map<Object, Map<Long, ObservedTransaction>> writers,
      List<ObservedTransaction> placed,
      boolean bank) {
    this.writers = writers;
    this.placed = placed;
    this.bank = bank;
  }

  /** Notes a transaction whose place nobody knows. */
  void unplaceable(ObservedTransaction transaction) {
    for (ObservedMicroOp op : transaction.value()) {
      if (op instanceof ObservedMicroOp.Write) {
        guessedKeys.add(op.key());
      }
    }
  }

  @Override
  public void prepare(ObservedTransaction transaction) {
    if (bank || !transaction.ok()) {
      return;
    }
    var own = new HashSet<Object>();
    for (ObservedMicroOp op : transaction.value()) {
      if (op instanceof ObservedMicroOp.Write) {
        own.add(op.key());
      } else if (op instanceof ObservedMicroOp.Read read
          && read.result() != null
          && !own.contains(op.key())) {
        ObservedTransaction writer = writers.getOrDefault(read.key(), Map.of()).get(read.result());
        if (writer != null && writer.unknown() && writer.ts() == null && done.add(writer)) {
          placed.add(writer);
          for (ObservedMicroOp write : writer.value()) {
            if (write instanceof ObservedMicroOp.Write) {
              write(writer, write);
            }
          }
        }
      }
    }
  }

  @Override
  public boolean matches(ObservedMicroOp.Read read) {
    List<Version> cell = cell(read.key());
    int match = -1;
    int bottom = cell.size();
    boolean ambiguous = false;
    do {
      Version version = cell.get(--bottom);
      if (possible(version) && Objects.equals(version.value(), read.result())) {
        ambiguous |= match >= 0;
        match = Math.max(match, bottom);
      }
    } while (bottom > 0 && !certain(cell.get(bottom)));
    if (match < 0) {
      return false;
    }
    boolean guess = ambiguous || guessedKeys.contains(read.key());
    for (int i = bottom; i < cell.size(); i++) {
      Version version = cell.get(i);
      if (version.maybe() != null && !happened.containsKey(version.maybe())) {
        if (i >= match) {
          happened.put(version.maybe(), i == match);
        }
        if (guess) {
          unplaceable(version.maybe());
        }
      }
    }
    return true;
  }

  private boolean possible(Version version) {
    return version.maybe() == null || happened.getOrDefault(version.maybe(), true);
  }

  private boolean certain(Version version) {
    return version.maybe() == null || happened.getOrDefault(version.maybe(), false);
  }

  private List<Version> cell(Object key) {
    return cells.computeIfAbsent(key, k -> new ArrayList<>(List.of(new Version(null, null))));
  }

  @Override
  public void write(ObservedTransaction transaction, ObservedMicroOp write) {
    Long value = ((ObservedMicroOp.Write) write).value();
    List<Version> cell = cell(write.key());
    if (!bank || !transaction.unknown()) {
      cell.clear();
      cell.add(new Version(value, null));
    } else if (value == null) {
      unplaceable(transaction);
    } else {
      // Only the last of its own values can be seen.
      if (cell.get(cell.size() - 1).maybe() == transaction) {
        cell.remove(cell.size() - 1);
      }
      cell.add(new Version(value, transaction));
    }
  }

  @Override
  public Object expected(Object key) {
    List<Version> cell = cell(key);
    int i = cell.size() - 1;
    while (!certain(cell.get(i))) {
      i--;
    }
    return cell.get(i).value();
  }

  @Override
  public boolean guessed(Object key) {
    return guessedKeys.contains(key);
  }

  @Override
  public boolean guessed(ObservedTransaction transaction) {
    return transaction.unknown()
        && transaction.value().stream().anyMatch(op -> guessedKeys.contains(op.key()));
  }

  @Override
  public boolean leftOut(ObservedTransaction transaction) {
    return bank && transaction.unknown() && !happened.getOrDefault(transaction, false);
  }
}
