package dev.plumbline.mutate;

import dev.plumbline.tlc.Syntax.Node;
import dev.plumbline.tlc.Syntax.Place;
import java.util.regex.Pattern;

/**
 * A module's text, edited by places. TLA+ reads the columns of conjunction lists, so an edit keeps
 * the column of whatever follows it.
 */
final class Source {
  private static final Pattern BULLET = Pattern.compile("/\\\\|\\\\/");

  private final String text;
  private final int[] lineStarts;

  Source(String text) {
    this.text = text;
    this.lineStarts = new int[(int) text.lines().count() + 2];
    int line = 1;
    lineStarts[1] = 0;
    for (int i = 0; i < text.length() && line + 1 < lineStarts.length; i++) {
      if (text.charAt(i) == '\n') {
        lineStarts[++line] = i + 1;
      }
    }
  }

  String text() {
    return text;
  }

  int begin(Node n) {
    Place p = n.place();
    return lineStarts[p.line()] + p.column() - 1;
  }

  /** Exclusive. */
  int end(Node n) {
    Place p = n.place();
    return lineStarts[p.lastLine()] + p.lastColumn();
  }

  String of(Node n) {
    return text.substring(begin(n), end(n));
  }

  String between(int begin, int end) {
    return text.substring(begin, end);
  }

  int line(int offset) {
    return 1 + (int) text.substring(0, offset).chars().filter(c -> c == '\n').count();
  }

  /** The text with {@code begin..end} replaced. */
  String replace(int begin, int end, String by) {
    int lineEnd = text.indexOf('\n', end);
    String rest = text.substring(end, lineEnd < 0 ? text.length() : lineEnd);
    String filler = "";
    if (BULLET.matcher(rest).find()) {
      int column = end - (text.lastIndexOf('\n', end - 1) + 1);
      int now =
          by.contains("\n")
              ? by.length() - by.lastIndexOf('\n') - 1
              : begin - (text.lastIndexOf('\n', begin - 1) + 1) + by.length();
      filler = now <= column ? " ".repeat(column - now) : "\n" + " ".repeat(column);
    }
    return text.substring(0, begin) + by + filler + text.substring(end);
  }

  /** The text of an expression with something before and after it, its lists still aligned. */
  String wrap(String before, Node n, String after) {
    return before + of(n).replace("\n", "\n" + " ".repeat(before.length())) + after;
  }
}
