package dev.plumbline.worlds;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Where a world comes from: a sequence of numbers, each below a bound, the simplest choice first.
 * The same numbers make the same world, so a shorter or lower sequence makes a simpler one.
 */
final class Choices {
  private final List<Integer> given;
  private final Random random;
  private final double reach;
  private final List<Integer> made = new ArrayList<>();

  private Choices(List<Integer> given, Random random, double reach) {
    this.given = given;
    this.random = random;
    this.reach = reach;
  }

  static Choices drawn(Random random) {
    return drawn(random, 1);
  }

  /**
   * Choices that make small worlds.
   *
   * @param reach the share of each bound that is drawn from, the simplest choice alone for 0
   */
  static Choices drawn(Random random, double reach) {
    return new Choices(List.of(), random, reach);
  }

  /** The given choices, and the simplest ones where they end. */
  static Choices of(List<Integer> given) {
    return new Choices(given, null, 0);
  }

  /** A number from 0 to n - 1. */
  int below(int n) {
    int i = made.size();
    int reached = Math.max(1, (int) Math.ceil(n * reach));
    int choice =
        i < given.size()
            ? Math.min(given.get(i), n - 1)
            : random == null ? 0 : random.nextInt(reached);
    made.add(choice);
    return choice;
  }

  List<Integer> made() {
    return List.copyOf(made);
  }

  /** Sequences that make simpler worlds than this one: parts left out, then numbers lowered. */
  static List<List<Integer>> simpler(List<Integer> choices) {
    List<List<Integer>> all = new ArrayList<>();
    for (int size = Math.max(1, choices.size() / 2); size >= 1; size /= 2) {
      for (int from = 0; from + size <= choices.size(); from++) {
        List<Integer> fewer = new ArrayList<>(choices.subList(0, from));
        fewer.addAll(choices.subList(from + size, choices.size()));
        all.add(fewer);
      }
    }
    for (int i = 0; i < choices.size(); i++) {
      for (int lower : List.of(0, choices.get(i) / 2, choices.get(i) - 1)) {
        if (lower >= 0 && lower < choices.get(i)) {
          List<Integer> lowered = new ArrayList<>(choices);
          lowered.set(i, lower);
          all.add(lowered);
        }
      }
    }
    return all;
  }

  /**
   * Whether the first sequence is simpler: shorter, or as long and lower at the first difference.
   */
  static boolean isSimpler(List<Integer> a, List<Integer> b) {
    if (a.size() != b.size()) {
      return a.size() < b.size();
    }
    for (int i = 0; i < a.size(); i++) {
      if (!a.get(i).equals(b.get(i))) {
        return a.get(i) < b.get(i);
      }
    }
    return false;
  }
}
