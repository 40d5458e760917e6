package dev.plumbline.graph;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What an object and all that it refers to held at one moment, to be put back into the same objects
 * any number of times. Seen through: the project's classes, arrays and the JDK's collections. Taken
 * as immutable: records, enums, lambdas, JSON, boxed values, strings, and the JDK's immutable
 * collections. Anything else is an error, so that nothing is left out unnoticed.
 */
public final class Memento {
  private static final ClassValue<Shape> SHAPES =
      new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
          return Shape.of(type);
        }
      };

  private final List<Object> objects = new ArrayList<>();
  private final List<Object[]> contents = new ArrayList<>();

  /** What never changes, and refers to nothing that does. */
  public interface Constant {}

  private Memento() {}

  /**
   * Remembers the present state.
   *
   * @throws IllegalArgumentException for an object of a class whose state is not known
   */
  public static Memento of(Object root) {
    Memento m = new Memento();
    IdentityHashMap<Object, Object> seen = new IdentityHashMap<>();
    ArrayDeque<Object> open = new ArrayDeque<>();
    m.see(root, seen, open);
    while (!open.isEmpty()) {
      Object o = open.poll();
      Shape shape = SHAPES.get(o.getClass());
      Object[] content = shape.read(o);
      m.objects.add(o);
      m.contents.add(content);
      for (Object part : content) {
        m.see(part, seen, open);
      }
      for (Field f : shape.constants) {
        m.see(get(f, o), seen, open);
      }
    }
    return m;
  }

  private void see(Object o, IdentityHashMap<Object, Object> seen, ArrayDeque<Object> open) {
    if (o != null && SHAPES.get(o.getClass()).kind != Kind.VALUE && seen.put(o, o) == null) {
      open.add(o);
    }
  }

  /** Puts everything back. */
  public void restore() {
    for (int i = 0; i < objects.size(); i++) {
      Object o = objects.get(i);
      SHAPES.get(o.getClass()).write(o, contents.get(i));
    }
  }

  private enum Kind {
    VALUE,
    OBJECT,
    ARRAY,
    COLLECTION,
    MAP
  }

  /**
   * How a class is read and written.
   *
   * @param variables fields that can change
   * @param constants final fields, which refer to what can change
   */
  private record Shape(Kind kind, List<Field> variables, List<Field> constants) {
    private static final Set<String> COLLECTIONS =
        Set.of(
            "java.util.ArrayList",
            "java.util.ArrayDeque",
            "java.util.HashSet",
            "java.util.LinkedHashSet",
            "java.util.TreeSet");
    private static final Set<String> MAPS =
        Set.of("java.util.HashMap", "java.util.LinkedHashMap", "java.util.TreeMap");

    static Shape of(Class<?> type) {
      String name = type.getName();
      if (type.isArray()) {
        return new Shape(Kind.ARRAY, List.of(), List.of());
      }
      if (COLLECTIONS.contains(name)) {
        return new Shape(Kind.COLLECTION, List.of(), List.of());
      }
      if (MAPS.contains(name)) {
        return new Shape(Kind.MAP, List.of(), List.of());
      }
      if (isValue(type)) {
        return new Shape(Kind.VALUE, List.of(), List.of());
      }
      if (name.startsWith("java.") || name.startsWith("javax.") || name.startsWith("jdk.")) {
        throw new IllegalArgumentException("what a " + name + " holds cannot be put back");
      }
      List<Field> variables = new ArrayList<>();
      List<Field> constants = new ArrayList<>();
      for (Class<?> c = type; c != Object.class; c = c.getSuperclass()) {
        for (Field f : c.getDeclaredFields()) {
          if (!Modifier.isStatic(f.getModifiers())) {
            f.setAccessible(true);
            if (!Modifier.isFinal(f.getModifiers())) {
              variables.add(f);
            } else if (!f.getType().isPrimitive() && !isValue(f.getType())) {
              constants.add(f);
            }
          }
        }
      }
      return new Shape(Kind.OBJECT, List.copyOf(variables), List.copyOf(constants));
    }

    private static boolean isValue(Class<?> type) {
      return type.isRecord()
          || type.isEnum()
          || type.isHidden()
          || type == String.class
          || type == Boolean.class
          || type == Optional.class
          || type == Class.class
          || Constant.class.isAssignableFrom(type)
          || Number.class.isAssignableFrom(type)
          || JsonNode.class.isAssignableFrom(type)
          || type.getName().startsWith("java.util.ImmutableCollections$");
    }

    Object[] read(Object o) {
      switch (kind) {
        case ARRAY -> {
          if (o instanceof Object[] a) {
            return Arrays.copyOf(a, a.length, Object[].class);
          }
          int length = Array.getLength(o);
          Object copy = Array.newInstance(o.getClass().getComponentType(), length);
          System.arraycopy(o, 0, copy, 0, length);
          return new Object[] {new Primitive(copy)};
        }
        case COLLECTION -> {
          return ((Collection<?>) o).toArray();
        }
        case MAP -> {
          Map<?, ?> map = (Map<?, ?>) o;
          Object[] all = new Object[2 * map.size()];
          int i = 0;
          for (Map.Entry<?, ?> e : map.entrySet()) {
            all[i++] = e.getKey();
            all[i++] = e.getValue();
          }
          return all;
        }
        default -> {
          Object[] all = new Object[variables.size()];
          for (int i = 0; i < all.length; i++) {
            all[i] = get(variables.get(i), o);
          }
          return all;
        }
      }
    }

    @SuppressWarnings("unchecked")
    void write(Object o, Object[] content) {
      switch (kind) {
        case ARRAY -> {
          Object from = o instanceof Object[] ? content : ((Primitive) content[0]).array();
          System.arraycopy(from, 0, o, 0, Array.getLength(from));
        }
        case COLLECTION -> {
          Collection<Object> c = (Collection<Object>) o;
          c.clear();
          for (Object element : content) {
            c.add(element);
          }
        }
        case MAP -> {
          Map<Object, Object> map = (Map<Object, Object>) o;
          map.clear();
          for (int i = 0; i < content.length; i += 2) {
            map.put(content[i], content[i + 1]);
          }
        }
        default -> {
          for (int i = 0; i < content.length; i++) {
            try {
              variables.get(i).set(o, content[i]);
            } catch (IllegalAccessException e) {
              throw new IllegalStateException(e);
            }
          }
        }
      }
    }
  }

  /** A copy of an array of primitives, which holds no objects to look into. */
  private record Primitive(Object array) {}

  private static Object get(Field f, Object o) {
    try {
      return f.get(o);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
