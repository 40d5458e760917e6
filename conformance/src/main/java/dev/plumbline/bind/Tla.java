package dev.plumbline.bind;

import dev.plumbline.tlc.Term;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Words as TLA+'s text: strings in quotes, numbers and truth values, lists as sequences, sets, maps
 * as records, and what is written out.
 */
public final class Tla {
  private Tla() {}

  /** An expression as it is written. */
  public record Text(String tla) {}

  public static Text text(String tla) {
    return new Text(tla);
  }

  /** The whole numbers from one to another. */
  public static Text range(int from, int to) {
    return text(from + " .. " + to);
  }

  /** A function that is given point by point; for modules that extend TLC. */
  public static Text function(Map<?, ?> of) {
    return text(all(of.entrySet(), e -> of(e.getKey()) + " :> " + of(e.getValue()), " @@ "));
  }

  /** What a variable's values give. */
  public static Text cases(String variable, Map<?, ?> of) {
    Function<Map.Entry<?, ?>, String> arm =
        e -> variable + " = " + of(e.getKey()) + " -> " + of(e.getValue());
    return text("CASE " + all(of.entrySet(), arm, " [] "));
  }

  /** Words as text; sets and records are sorted. */
  public static String of(Object words) {
    if (words instanceof Text written) {
      return written.tla();
    } else if (words instanceof Map<?, ?> map) {
      Map<Object, Object> fields = new TreeMap<>(map);
      return "[" + all(fields.entrySet(), e -> e.getKey() + " |-> " + of(e.getValue()), ", ") + "]";
    } else if (words instanceof Set<?> set) {
      return "{" + set.stream().map(Tla::of).sorted().collect(Collectors.joining(", ")) + "}";
    } else if (words instanceof Collection<?> list) {
      return "<<" + all(list, Tla::of, ", ") + ">>";
    } else if (words instanceof Boolean truth) {
      return truth.toString().toUpperCase(Locale.ROOT);
    } else if (words instanceof Number number) {
      return number.toString();
    }
    return '"' + Term.parsable(words.toString()).replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static <T> String all(
      Collection<? extends T> of, Function<? super T, String> text, String between) {
    return of.stream().map(text).collect(Collectors.joining(between));
  }
}
