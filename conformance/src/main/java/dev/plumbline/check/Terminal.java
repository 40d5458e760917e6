package dev.plumbline.check;

/**
 * What may be shown where: a live line on a terminal alone, colours on a terminal alone. The
 * launcher says which of standard output and standard error is one.
 */
public final class Terminal {
  private static final String GREEN = "\033[32m";
  private static final String RED = "\033[1;31m";
  private static final String YELLOW = "\033[33m";
  private static final String PLAIN = "\033[0m";

  private static volatile boolean taken;

  private Terminal() {}

  /** Whether standard error is a terminal that nobody else draws on. */
  public static boolean live() {
    return !taken && System.getenv("PLUMB_TERMINAL") != null;
  }

  /** Whether standard output is a terminal, and colours are not unwanted (NO_COLOR). */
  public static boolean colours() {
    return !taken && System.getenv("PLUMB_COLOURS") != null;
  }

  /** From now on another has the terminal, or no longer. */
  public static void take(boolean all) {
    taken = all;
  }

  /** A text in the colour of its verdict, if it has one; blanks around it stay. */
  public static String paint(String text, boolean colours) {
    if (!colours) {
      return text;
    }
    String word = text.strip();
    String colour =
        word.matches("(FAILED|invalid|DIFFERS|WRONG|REJECTED).*")
            ? RED
            : word.matches("(holds|violated|reached|valid|all holds|accepted).*")
                ? GREEN
                : word.matches("(unknown|not run|sampled|environment|stale).*") ? YELLOW : "";
    return colour.isEmpty() ? text : colour + text + PLAIN;
  }
}
