package dev.plumbline.mutate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;

/** Two mutants of a module in one: what either breaks, the other could hide. */
final class Pairs {
  private static final String AND = " + ";

  private Pairs() {}

  /** Seeded pairs whose places are apart; fewer where there are not so many. */
  static List<Mutant> some(List<Mutant> mutants, int count, long seed) {
    List<Mutant> all = new ArrayList<>(mutants);
    all.sort(Comparator.comparing(Mutant::id));
    Map<String, Mutant> pairs = new LinkedHashMap<>();
    Random random = new Random(seed);
    for (int tries = 0; all.size() > 1 && tries < 10 * count && pairs.size() < count; tries++) {
      Mutant a = all.get(random.nextInt(all.size()));
      Mutant b = all.get(random.nextInt(all.size()));
      Mutant both = both(a, b);
      if (both != null) {
        pairs.putIfAbsent(both.id(), both);
      }
    }
    return List.copyOf(pairs.values());
  }

  /** The mutants that a pair's name is made of; a single name is its own only part. */
  static List<String> parts(String id) {
    return Arrays.asList(id.split(Pattern.quote(AND), -1));
  }

  /** Both edits, or null where they overlap. */
  private static Mutant both(Mutant a, Mutant b) {
    Edit first = Edit.of(a);
    Edit second = Edit.of(b);
    if (first.begin > second.begin) {
      return both(b, a);
    }
    if (first.end >= second.begin || lineOf(a, first.end) >= b.line()) {
      return null;
    }
    String text =
        a.original().substring(0, first.begin)
            + first.by
            + a.original().substring(first.end, second.begin)
            + second.by
            + a.original().substring(second.end);
    return new Mutant(
        a.id() + AND + b.id(),
        a.module(),
        a.operator() + AND + b.operator(),
        "pair",
        a.line(),
        a.original(),
        text,
        "");
  }

  private static int lineOf(Mutant m, int offset) {
    return new Source(m.original()).line(offset);
  }

  /** What of the original is replaced by what. */
  private record Edit(int begin, int end, String by) {
    static Edit of(Mutant m) {
      String before = m.original();
      String after = m.text();
      int shorter = Math.min(before.length(), after.length());
      int begin = 0;
      while (begin < shorter && before.charAt(begin) == after.charAt(begin)) {
        begin++;
      }
      int tail = 0;
      while (tail < shorter - begin
          && before.charAt(before.length() - 1 - tail) == after.charAt(after.length() - 1 - tail)) {
        tail++;
      }
      return new Edit(begin, before.length() - tail, after.substring(begin, after.length() - tail));
    }
  }
}
