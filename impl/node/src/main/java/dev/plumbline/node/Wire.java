package dev.plumbline.node;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import com.fasterxml.jackson.databind.jsontype.PolymorphicTypeValidator;
import com.fasterxml.jackson.databind.jsontype.impl.LaissezFaireSubTypeValidator;
import dev.plumbline.machine.Message;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Services;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.security.CodeSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Bodies of frames and records of logs as JSON. Where the declared type leaves it open, an object
 * names its class under {@code @}; only records of the project and of registered protocols are
 * made. Reading is strict: every component has to be there, of its type and not null.
 */
public final class Wire {
  private static final Map<Class<?>, RecordComponent[]> COMPONENTS = new ConcurrentHashMap<>();

  /** Where the code of the registered protocols is. */
  private static final Set<CodeSource> PROTOCOLS =
      Services.all(ProtocolSystem.class).stream()
          .map(system -> system.getClass().getProtectionDomain().getCodeSource())
          .collect(Collectors.toUnmodifiableSet());

  private static final ObjectMapper JSON = mapper();
  private static final ObjectWriter MESSAGES = JSON.writerFor(Message.class);
  private static final ObjectReader TO_MESSAGE = JSON.readerFor(Message.class);
  private static final ObjectWriter RECORDS = JSON.writerFor(Record.class);
  private static final ObjectReader TO_RECORD = JSON.readerFor(Record.class);
  private static final ObjectReader TO_HELLO = JSON.readerFor(Hello.class);
  private static final ObjectReader TO_NAME = JSON.reader();
  private static final Map<Class<?>, ObjectReader> READERS = new ConcurrentHashMap<>();
  private static final int DEEPEST = 32;
  private static final String TYPE = "@";

  /**
   * The first frame of a connection.
   *
   * @param name the sender's: a node's, or a client's
   * @param session unique among all connections
   */
  public record Hello(String name, String session) {}

  /**
   * In the place of an answer that is longer than any may be.
   *
   * @param bytes how long it is
   */
  public record TooLong(long bytes) {}

  private Wire() {}

  /** Whether a type is this project's, or stands in the jar or folder of a registered protocol. */
  private static boolean known(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    return type.getName().startsWith("dev.plumbline.")
        || (source != null && PROTOCOLS.contains(source));
  }

  private static ObjectMapper mapper() {
    PolymorphicTypeValidator records =
        BasicPolymorphicTypeValidator.builder()
            .allowIfSubType(
                new BasicPolymorphicTypeValidator.TypeMatcher() {
                  @Override
                  public boolean match(MapperConfig<?> config, Class<?> type) {
                    return type.isRecord() && known(type);
                  }
                })
            .build();
    JsonFactory strict =
        JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
            .build();
    ObjectMapper json =
        JsonMapper.builder(strict)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .build();
    ObjectMapper.DefaultTypeResolverBuilder open =
        new ObjectMapper.DefaultTypeResolverBuilder(
            ObjectMapper.DefaultTyping.NON_FINAL, LaissezFaireSubTypeValidator.instance) {
          private static final long serialVersionUID = 1L;

          @Override
          public boolean useForType(JavaType type) {
            return type.isAbstract()
                && (type.getRawClass() == Record.class || known(type.getRawClass()));
          }

          @Override
          public PolymorphicTypeValidator subTypeValidator(MapperConfig<?> config) {
            return records;
          }
        };
    json.setDefaultTyping(
        open.init(JsonTypeInfo.Id.CLASS, null)
            .inclusion(JsonTypeInfo.As.PROPERTY)
            .typeProperty(TYPE));
    return json;
  }

  public static byte[] message(Message message) {
    return write(MESSAGES, message);
  }

  public static byte[] record(Record value) {
    return write(RECORDS, value);
  }

  public static byte[] hello(Hello hello) {
    return write(JSON.writer(), hello);
  }

  private static byte[] write(ObjectWriter writer, Object value) {
    try {
      return writer.writeValueAsBytes(value);
    } catch (IOException e) {
      throw new IllegalArgumentException("no JSON can be made of " + value, e);
    }
  }

  /**
   * Reads a message.
   *
   * @throws RefusedFrame if it is malformed
   */
  public static Message message(byte[] body) {
    return (Message) read(TO_MESSAGE, body);
  }

  /**
   * Reads a request, a response or a durable record.
   *
   * @throws RefusedFrame if it is malformed
   */
  public static Record record(byte[] body) {
    return (Record) read(TO_RECORD, body);
  }

  /**
   * Reads a record of one of these classes, in which there are no messages of others. A class that
   * is not among them is not even loaded. The name of the class comes first.
   *
   * @throws RefusedFrame if it is malformed
   */
  public static Record record(byte[] body, Types allowed) {
    try (JsonParser parser = TO_NAME.createParser(body)) {
      if (parser.nextToken() != JsonToken.START_OBJECT || !TYPE.equals(parser.nextFieldName())) {
        throw new IOException("no class is named first");
      }
      String name = parser.nextTextValue();
      Class<?> type = name == null ? null : allowed.byName.get(name);
      if (type == null) {
        throw new IOException("a " + name + " is not taken here");
      }
      ObjectReader reader = READERS.computeIfAbsent(type, JSON::readerFor);
      boolean bare = parser.nextToken() == JsonToken.END_OBJECT;
      if (bare && parser.nextToken() != null) {
        throw new IOException("something follows");
      }
      Object value = bare ? reader.readValue("{}") : reader.readValue(parser);
      demandComplete(value, allowed);
      return (Record) value;
    } catch (IOException | RuntimeException e) {
      throw malformed(e);
    }
  }

  /** The classes that a reader takes. */
  public static final class Types {
    private final Map<String, Class<?>> byName = new HashMap<>();

    public Types(Collection<Class<?>> classes) {
      classes.forEach(each -> byName.put(each.getName(), each));
    }
  }

  /**
   * Reads the first frame of a connection.
   *
   * @throws RefusedFrame if it is malformed
   */
  public static Hello hello(byte[] body) {
    return (Hello) read(TO_HELLO, body);
  }

  private static Object read(ObjectReader reader, byte[] body) {
    try {
      Object value = reader.readValue(body);
      demandComplete(value, null);
      return value;
    } catch (IOException | RuntimeException e) {
      throw malformed(e);
    }
  }

  private static RefusedFrame malformed(Exception e) {
    String why = e.getMessage() == null ? e.toString() : e.getMessage();
    return new RefusedFrame(Refusal.MALFORMED, why.lines().findFirst().orElse(""));
  }

  private static void demandComplete(Object value, Types allowed) throws IOException {
    if (value == null) {
      throw new IOException("null where a value is needed");
    } else if (allowed != null
        && value instanceof Message
        && !allowed.byName.containsKey(value.getClass().getName())) {
      throw new IOException("a " + value.getClass().getName() + " is not taken here");
    } else if (value instanceof List<?> list) {
      for (Object element : list) {
        demandComplete(element, allowed);
      }
    } else if (value instanceof Map<?, ?> map) {
      for (Object element : map.values()) {
        demandComplete(element, allowed);
      }
    } else if (value instanceof Record) {
      for (RecordComponent component :
          COMPONENTS.computeIfAbsent(value.getClass(), Class::getRecordComponents)) {
        if (!component.getType().isPrimitive() && component.getType() != String.class) {
          demandComplete(get(component, value), allowed);
        } else if (component.getType() == String.class && get(component, value) == null) {
          throw new IOException(component.getName() + " is null");
        }
      }
    }
  }

  private static Object get(RecordComponent component, Object value) throws IOException {
    try {
      return component.getAccessor().invoke(value);
    } catch (ReflectiveOperationException e) {
      throw new IOException(component.getName() + " cannot be read", e);
    }
  }
}
