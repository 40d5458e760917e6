package dev.plumbline.protocol;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Which of the known names somebody may have meant. */
public final class Near {
  /** Letters that may be wrong, missing or too many. */
  private static final int MOST = 3;

  private Near() {}

  /** The nearest of the known names, if one is near enough: not every letter may differ. */
  public static Optional<String> to(String word, Collection<String> known) {
    String lower = word.toLowerCase(Locale.ROOT);
    return known.stream()
        .filter(k -> distance(lower, k) <= Math.min(MOST, Math.max(1, k.length() / 3)))
        .min(Comparator.comparingInt(k -> distance(lower, k)));
  }

  /** {@code did you mean NAME?}, or what is said otherwise. */
  public static String remedy(String word, Collection<String> known, String otherwise) {
    return to(word, known).map(k -> "did you mean " + k + "?").orElse(otherwise);
  }

  /** {@code , did you mean NAME?}, or a semicolon: goes on with what there is. */
  public static String hint(String word, Collection<String> known) {
    return to(word, known).map(k -> ", did you mean " + k + "?").orElse(";");
  }

  private static int distance(String word, String known) {
    String b = known.toLowerCase(Locale.ROOT);
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= word.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (word.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
