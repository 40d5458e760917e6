package dev.plumbline.bind;

import dev.plumbline.validate.Pool;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Words that a specification has other names for: a transaction's identity, a key, a timestamp.
 * Replay names them as its model does; a log's reading as the sort says.
 */
public final class Sort extends Shape {
  /** What one of them is, for explanations and errors. */
  final String what;

  /**
   * The word that stands for none of them, and the model value that it is; null if there is none.
   */
  final String none;

  private final Names.Factory names;

  private Sort(String what, String none, Names.Factory names) {
    this.what = what;
    this.none = none;
    this.names = names;
  }

  /**
   * Words without bound: numbers from 1 stand for them, used again once forgotten.
   *
   * @param pool of the numbers, for errors
   * @param spare how many more are needed than are in use at once
   */
  public static Sort reused(String what, String pool, String none, int spare) {
    return reused(what, pool, none, spare, UnaryOperator.identity());
  }

  /**
   * The same, with something else that stands for each number.
   *
   * @param called what the module calls a number
   */
  public static Sort reused(
      String what,
      String pool,
      String none,
      int spare,
      UnaryOperator<dev.plumbline.tlc.Term> called) {
    return new Sort(what, none, () -> new Names.Reused(new Pool(pool), spare, called));
  }

  /** Words that are numbered from 1 in their order. */
  public static Sort listed(String what, String none) {
    return new Sort(what, none, Names.Listed::new);
  }

  /** Lists of numbers, such as timestamps, numbered from 1 in their order; zeros are 0. */
  public static Sort ranked(String what) {
    Comparator<List<Long>> order =
        (a, b) -> {
          for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
            int c = Long.compare(a.get(i), b.get(i));
            if (c != 0) {
              return c;
            }
          }
          return Integer.compare(a.size(), b.size());
        };
    return new Sort(what, null, () -> new Names.Ranked(order));
  }

  /** Words that a reading names by a rule of its own. */
  public static Sort own(String what, String none) {
    return new Sort(what, none, () -> null);
  }

  Names names() {
    return names.make();
  }

  @Override
  public String toString() {
    return what;
  }

  @Override
  <T> T make(Object words, Vocabulary vocabulary, Maker<T> maker) {
    return maker.name(this, words);
  }
}
