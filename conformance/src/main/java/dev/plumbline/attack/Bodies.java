package dev.plumbline.attack;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Bodies of frames: records of any class with values of the right types, and spoilt ones. */
final class Bodies {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonNodeFactory MAKE = JsonNodeFactory.instance;
  private static final long[] NUMBERS = {
    0, 1, -1, 2, 3, 7, 1000, Integer.MAX_VALUE, Long.MAX_VALUE, Long.MIN_VALUE
  };
  private static final int DEEP = 3;

  private final Random random;
  private final List<String> words;

  /**
   * @param names that mean something to the nodes, such as their own
   */
  Bodies(Random random, List<String> names) {
    this.random = random;
    words = new java.util.ArrayList<>(names);
    words.addAll(List.of("", "0", "1", "-1", "x", "\u0000\u2028\"", "9".repeat(300), "../../x"));
  }

  /** A record of a class; the values are of the right types and may make no sense. */
  byte[] valid(Class<?> type) {
    return write(record(type, true, 0));
  }

  /** The same with one thing wrong that no reader may take. */
  byte[] spoilt(Class<?> type) {
    ObjectNode body = record(type, true, 0);
    RecordComponent[] components = type.getRecordComponents();
    if (components.length == 0 || random.nextInt(5) == 0) {
      body.put("more", 1);
      return write(body);
    }
    String name = components[random.nextInt(components.length)].getName();
    switch (random.nextInt(3)) {
      case 0 -> body.remove(name);
      case 1 -> body.putNull(name);
      default -> body.set(name, MAKE.objectNode().put("@", "java.lang.Object"));
    }
    return write(body);
  }

  private static byte[] write(JsonNode body) {
    try {
      return JSON.writeValueAsBytes(body);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private ObjectNode record(Class<?> type, boolean named, int depth) {
    ObjectNode body = MAKE.objectNode();
    if (named) {
      body.put("@", type.getName());
    }
    for (RecordComponent component : type.getRecordComponents()) {
      body.set(component.getName(), value(component.getGenericType(), depth + 1));
    }
    return body;
  }

  private JsonNode value(Type type, int depth) {
    if (type instanceof ParameterizedType generic) {
      Type[] of = generic.getActualTypeArguments();
      int size = depth > DEEP ? 0 : random.nextInt(3);
      if (Map.class.isAssignableFrom((Class<?>) generic.getRawType())) {
        ObjectNode map = MAKE.objectNode();
        for (int i = 0; i < size; i++) {
          map.set(of[0] == String.class ? word() : "" + random.nextInt(5), value(of[1], depth + 1));
        }
        return map;
      }
      ArrayNode list = MAKE.arrayNode();
      for (int i = 0; i < size; i++) {
        list.add(value(of[0], depth + 1));
      }
      return list;
    }
    Class<?> plain = (Class<?>) type;
    if (plain == String.class) {
      return MAKE.textNode(word());
    } else if (plain == boolean.class || plain == Boolean.class) {
      return MAKE.booleanNode(random.nextBoolean());
    } else if (plain == int.class || plain == Integer.class) {
      return MAKE.numberNode(random.nextInt(5));
    } else if (plain == long.class || plain == Long.class) {
      return MAKE.numberNode(NUMBERS[random.nextInt(NUMBERS.length)]);
    } else if (plain.isEnum()) {
      Object[] constants = plain.getEnumConstants();
      return MAKE.textNode(((Enum<?>) constants[random.nextInt(constants.length)]).name());
    } else if (plain.isSealed()) {
      Class<?>[] some = plain.getPermittedSubclasses();
      return record(some[random.nextInt(some.length)], true, depth + 1);
    }
    return record(plain, false, depth);
  }

  private String word() {
    return words.get(random.nextInt(words.size()));
  }
}
