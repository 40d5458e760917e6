package dev.plumbline.bind;

import dev.plumbline.tlc.Term;
import dev.plumbline.validate.Pool;
import dev.plumbline.validate.Ranks;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** What one log's words of a sort are called. Words are mentioned for the whole log first. */
public abstract class Names {
  interface Factory {
    Names make();
  }

  /** Event {@code index} has this word. */
  abstract void mention(Object word, int index);

  /** All words were mentioned, and the specification loaded. */
  void load(int room, int events) {}

  /** What a word is called now; never null. */
  abstract Term term(Object word);

  /** The word that is called so, or null. */
  abstract String word(Term term);

  /** How many words there are, or numbers that stand for them. */
  public abstract int size(int room, int events);

  /** See {@link Sort#reused(String, String, String, int)}. */
  public static final class Reused extends Names {
    private final Pool pool;
    private final int spare;
    private final UnaryOperator<Term> called;
    private final Map<Term, Term> numbers = new java.util.HashMap<>();
    private int more;

    Reused(Pool pool, int spare, UnaryOperator<Term> called) {
      this.pool = pool;
      this.spare = spare;
      this.called = called;
    }

    /** More numbers are needed. */
    public void more(int count) {
      more += count;
    }

    @Override
    public int size(int room, int events) {
      return (pool.overlap(events) + spare + more) * room;
    }

    @Override
    void mention(Object word, int index) {
      pool.mention(Shape.text(word), index);
    }

    @Override
    void load(int room, int events) {
      pool.load(size(room, events), events);
    }

    @Override
    Term term(Object word) {
      return call(pool.term(Shape.text(word)));
    }

    private Term call(Term number) {
      Term name = called.apply(number);
      numbers.putIfAbsent(name, number);
      return name;
    }

    @Override
    String word(Term term) {
      Term number = numbers.get(term);
      return number == null ? null : pool.owner(number);
    }

    void retire(int index) {
      pool.retire(index);
    }

    /** Numbers whose words the log no longer mentions, as the module calls them. */
    List<Term> retired() {
      return pool.retired().stream().map(this::call).toList();
    }

    int retiredCount() {
      return pool.retired().size();
    }

    /** Of the retired those that no state refers to; null for all. */
    void reuse(java.util.Set<Term> unused) {
      pool.reuse(
          pool.retired().stream()
              .filter(n -> unused == null || unused.contains(called.apply(n)))
              .toList());
    }
  }

  /** See {@link Sort#listed}. */
  public static final class Listed extends Names {
    private final Map<String, Integer> numbers = new TreeMap<>();
    private List<String> words;

    @Override
    void mention(Object word, int index) {
      numbers.put(Shape.text(word), 0);
    }

    /** The words, in order. */
    public List<String> words() {
      return List.copyOf(numbers.keySet());
    }

    @Override
    public int size(int room, int events) {
      return numbers.size();
    }

    @Override
    void load(int room, int events) {
      words = words();
      for (int i = 0; i < words.size(); i++) {
        numbers.put(words.get(i), i + 1);
      }
    }

    @Override
    Term term(Object word) {
      return Term.of(numbers.getOrDefault(Shape.text(word), -1));
    }

    @Override
    String word(Term term) {
      int n = term.json().asInt(0);
      return n > 0 && n <= words.size() ? words.get(n - 1) : null;
    }
  }

  /** See {@link Sort#ranked}. */
  public static final class Ranked extends Names {
    private final Ranks<List<Long>> ranks;

    Ranked(Comparator<List<Long>> order) {
      ranks = new Ranks<>(order);
    }

    static List<Long> parts(Object word) {
      List<Long> parts = new ArrayList<>();
      for (Object part : Shape.elements(word)) {
        Long n = Shape.number(part);
        parts.add(n == null ? -1 : n);
      }
      return parts;
    }

    private static boolean isZero(List<Long> parts) {
      return parts.stream().allMatch(p -> p == 0);
    }

    @Override
    void mention(Object word, int index) {
      if (!isZero(parts(word))) {
        ranks.add(parts(word));
      }
    }

    @Override
    public int size(int room, int events) {
      return ranks.size();
    }

    /** The number of a list, -1 if no event mentions it. */
    public int rank(Object word) {
      List<Long> parts = parts(word);
      return parts.isEmpty() ? -1 : isZero(parts) ? 0 : ranks.find(parts);
    }

    @Override
    Term term(Object word) {
      return Term.of(rank(word));
    }

    @Override
    String word(Term term) {
      return null;
    }
  }
}
