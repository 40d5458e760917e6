package dev.plumbline.history;

import java.util.Locale;

/** Text that others wrote, for a terminal: what would steer the terminal is spelled out. */
public final class Printable {
  private Printable() {}

  /**
   * The same text with control characters, and those that turn the direction of writing, as {@code
   * \\u001b}. Line ends and tabs stay.
   */
  public static String text(String text) {
    StringBuilder s = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              if (c == '\n' || c == '\t' || !steers(c)) {
                s.appendCodePoint(c);
              } else {
                s.append(String.format(Locale.ROOT, "\\u%04x", c));
              }
            });
    return s.toString();
  }

  private static boolean steers(int c) {
    int kind = Character.getType(c);
    return kind == Character.CONTROL
        || kind == Character.FORMAT
        || kind == Character.SURROGATE
        || kind == Character.LINE_SEPARATOR
        || kind == Character.PARAGRAPH_SEPARATOR;
  }
}
