package dev.plumbline.bind;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * How words read. Words are what machines and logs have: strings, whole numbers, truth values,
 * enums, and lists, sets and maps of these, or the same as JSON, which has no sets. Values are what
 * a specification has, as a {@link Maker} makes them.
 */
public abstract class Shape {

  /** Makes values of one kind: JSON for replay, TLC's for logs. */
  public interface Maker<T> {
    /** What a word of this sort is called. */
    T name(Sort sort, Object word);

    T text(String text);

    T number(long number);

    T truth(boolean truth);

    T set(Collection<T> elements);

    T sequence(List<T> elements);

    T record(Map<String, T> fields);

    /** A function of arguments that are no strings. */
    T function(Map<T, T> values);
  }

  /** The value that words stand for. */
  abstract <T> T make(Object words, Vocabulary vocabulary, Maker<T> maker);

  /**
   * Words that mean themselves; maps of strings are records, their fields named by the vocabulary,
   * and other maps functions.
   */
  public static final Shape PLAIN =
      new Shape() {
        @Override
        <T> T make(Object words, Vocabulary vocabulary, Maker<T> maker) {
          if (words instanceof Map<?, ?> map && !isRecord(map)) {
            Map<T, T> made = new LinkedHashMap<>();
            map.forEach((k, v) -> made.put(make(k, vocabulary, maker), make(v, vocabulary, maker)));
            return maker.function(made);
          }
          if (isMap(words)) {
            Map<String, T> made = new TreeMap<>();
            fields(words, (f, v) -> made.put(f, vocabulary.make(f, v, maker)));
            return maker.record(made);
          }
          if (words instanceof Set) {
            return maker.set(all(this, elements(words), vocabulary, maker));
          }
          if (isList(words)) {
            return maker.sequence(all(this, elements(words), vocabulary, maker));
          }
          if (words instanceof Boolean b) {
            return maker.truth(b);
          }
          if (words instanceof JsonNode j && j.isBoolean()) {
            return maker.truth(j.booleanValue());
          }
          Long number = number(words);
          return number == null ? maker.text(text(words)) : maker.number(number);
        }

        @Override
        public String toString() {
          return "plain value";
        }
      };

  /** The name of one of an enum's constants, which specifications write small. */
  public static final Shape SMALL =
      new Shape() {
        @Override
        <T> T make(Object words, Vocabulary vocabulary, Maker<T> maker) {
          return maker.text(text(words).toLowerCase(Locale.ROOT));
        }

        @Override
        public String toString() {
          return "a word in small letters";
        }
      };

  /** A set. */
  public static Shape set(Shape element) {
    return new Shape() {
      @Override
      <T> T make(Object words, Vocabulary vocabulary, Maker<T> maker) {
        return maker.set(all(element, listed(words), vocabulary, maker));
      }

      @Override
      public String toString() {
        return "set of " + element;
      }
    };
  }

  /** A tuple. */
  public static Shape tuple(Shape... parts) {
    return new Shape() {
      @Override
      <T> T make(Object words, Vocabulary vocabulary, Maker<T> maker) {
        List<T> made = new ArrayList<>();
        for (Object word : listed(words)) {
          made.add(parts[Math.min(made.size(), parts.length - 1)].make(word, vocabulary, maker));
        }
        return maker.sequence(made);
      }

      @Override
      public String toString() {
        return "tuple of "
            + Arrays.stream(parts).map(Shape::toString).collect(Collectors.joining(", "));
      }
    };
  }

  /** A function of plain words, such as names, whose values have this shape. */
  public static Shape function(Shape value) {
    return new Shape() {
      @Override
      <T> T make(Object words, Vocabulary vocabulary, Maker<T> maker) {
        Map<String, T> made = new TreeMap<>();
        fields(words, (f, v) -> made.put(f, value.make(v, vocabulary, maker)));
        return maker.record(made);
      }

      @Override
      public String toString() {
        return "function to " + value;
      }
    };
  }

  private static <T> List<T> all(
      Shape shape, Iterable<?> words, Vocabulary vocabulary, Maker<T> maker) {
    List<T> made = new ArrayList<>();
    words.forEach(word -> made.add(shape.make(word, vocabulary, maker)));
    return made;
  }

  private static boolean isMap(Object words) {
    return words instanceof Map || (words instanceof JsonNode j && j.isObject());
  }

  private static boolean isRecord(Map<?, ?> map) {
    return map.isEmpty() || map.keySet().iterator().next() instanceof String;
  }

  private static boolean isList(Object words) {
    return words instanceof Collection || (words instanceof JsonNode j && j.isArray());
  }

  /** The elements of a list or set; none of anything else. */
  static Iterable<?> elements(Object words) {
    return isList(words) ? (Iterable<?>) words : List.of();
  }

  private static Iterable<?> listed(Object words) {
    if (!isList(words)) {
      throw new IllegalArgumentException(text(words) + " is no list");
    }
    return elements(words);
  }

  private static void fields(Object words, BiConsumer<String, Object> each) {
    if (words instanceof Map<?, ?> map) {
      map.forEach((k, v) -> each.accept(String.valueOf(k), v));
    } else if (!isMap(words)) {
      throw new IllegalArgumentException(text(words) + " is no object");
    } else {
      ((JsonNode) words).properties().forEach(f -> each.accept(f.getKey(), f.getValue()));
    }
  }

  /** The fields of a record. */
  public static Map<String, Object> words(Record record) {
    Map<String, Object> words = new TreeMap<>();
    for (RecordComponent c : COMPONENTS.get(record.getClass())) {
      try {
        words.put(c.getName(), c.getAccessor().invoke(record));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
    return words;
  }

  private static final ClassValue<RecordComponent[]> COMPONENTS =
      new ClassValue<>() {
        @Override
        protected RecordComponent[] computeValue(Class<?> type) {
          return type.getRecordComponents();
        }
      };

  /** The number that a word is, null if it is none. */
  public static Long number(Object word) {
    if (word instanceof Number n) {
      return n.longValue();
    }
    return word instanceof JsonNode j && j.isIntegralNumber() ? j.longValue() : null;
  }

  /** A word as text. */
  public static String text(Object word) {
    return word instanceof JsonNode j ? j.asText() : String.valueOf(word);
  }
}
