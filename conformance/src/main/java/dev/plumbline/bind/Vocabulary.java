package dev.plumbline.bind;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The shapes of a module's words by name: of parameters, variables, fields of records, and parts of
 * a logged state. A name means the same wherever a module has it.
 */
public final class Vocabulary {
  private final Map<String, Shape> shapes = new HashMap<>();

  /** Names that have this shape; those without any are {@link Shape#PLAIN}. */
  public Vocabulary with(Shape shape, String... names) {
    for (String name : names) {
      shapes.put(name, shape);
    }
    return this;
  }

  /** What each name stands for. */
  Map<String, Shape> shapes() {
    return new TreeMap<>(shapes);
  }

  Shape shape(String name) {
    return shapes.getOrDefault(name, Shape.PLAIN);
  }

  <T> T make(String name, Object words, Shape.Maker<T> maker) {
    return shape(name).make(words, this, maker);
  }
}
