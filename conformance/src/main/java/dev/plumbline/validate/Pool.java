package dev.plumbline.validate;

import dev.plumbline.tlc.Term;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Numbers from 1 that stand for a log's unbounded identifiers, reused once the log no longer
 * mentions one and the possible states have forgotten it.
 */
public final class Pool {
  private final String what;
  private final Map<String, Integer> first = new HashMap<>();
  private final Map<String, Integer> last = new HashMap<>();
  private final Map<String, Term> slots = new HashMap<>();
  private final Map<Term, String> owners = new HashMap<>();
  private final List<Term> retired = new ArrayList<>();
  private final ArrayDeque<Term> free = new ArrayDeque<>();
  private List<List<String>> ending;

  /**
   * @param what it is a pool of, for errors
   */
  public Pool(String what) {
    this.what = what;
  }

  /**
   * Event {@code index} mentions {@code id}; called for the whole log, in order, before loading.
   */
  public void mention(String id, int index) {
    first.putIfAbsent(id, index);
    last.put(id, index);
  }

  /** How many identifiers are in use at once at most, from first to last mention. */
  public int overlap(int events) {
    int[] change = new int[events + 1];
    first.forEach((id, at) -> change[at]++);
    last.forEach((id, at) -> change[at + 1]--);
    int now = 0;
    int most = 0;
    for (int c : change) {
      now += c;
      most = Math.max(most, now);
    }
    return most;
  }

  /** The specification was loaded; {@code events} is the log's length. */
  public void load(int size, int events) {
    for (int i = 1; i <= size; i++) {
      free.add(Term.of(i));
    }
    ending = new ArrayList<>();
    for (int i = 0; i < events; i++) {
      ending.add(null);
    }
    last.forEach(
        (id, at) -> {
          if (ending.get(at) == null) {
            ending.set(at, new ArrayList<>());
          }
          ending.get(at).add(id);
        });
    ending.stream().filter(e -> e != null).forEach(e -> e.sort(null));
  }

  /** The number that stands for {@code id} now. */
  public Term term(String id) {
    Term slot = slots.get(id);
    if (slot == null) {
      slot = free.poll();
      if (slot == null) {
        throw new TraceModel.PoolEmpty(what);
      }
      slots.put(id, slot);
      owners.put(slot, id);
    }
    return slot;
  }

  /** The number that stands for {@code id} now, null if none does. */
  public Term known(String id) {
    return slots.get(id);
  }

  /** The identifier that a number stands for now, or null. */
  public String owner(Term slot) {
    return owners.get(slot);
  }

  /** Identifiers last mentioned by event {@code index} are retired. */
  public void retire(int index) {
    List<String> ids = ending.get(index);
    if (ids != null) {
      for (String id : ids) {
        Term slot = slots.remove(id);
        if (slot != null) {
          retired.add(slot);
        }
      }
    }
  }

  /** Numbers whose identifiers the log no longer mentions. */
  public Collection<Term> retired() {
    return retired;
  }

  public int freeCount() {
    return free.size();
  }

  /** Retired numbers that no possible state refers to can be used again. */
  public void reuse(Collection<Term> unused) {
    java.util.Set<Term> set = unused.stream().collect(Collectors.toSet());
    retired.removeIf(
        slot -> {
          if (!set.contains(slot)) {
            return false;
          }
          owners.remove(slot);
          free.add(slot);
          return true;
        });
  }
}
