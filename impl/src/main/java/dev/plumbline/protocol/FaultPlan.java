package dev.plumbline.protocol;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Everything that goes wrong in a run, as data: it can be stored, shrunk and replayed.
 *
 * @param faults in the order of their beginning
 * @param healedAtMicros from here on nothing is wrong: every node is up, no link is cut
 */
public record FaultPlan(List<Fault> faults, long healedAtMicros) {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);

  /** What the numbers of a fault may be; those that are not here are from 0 to {@link #MOST}. */
  private static final Map<String, long[]> BOUNDS =
      Map.of(
          "permille", new long[] {0, 1_000},
          "ppm", new long[] {-999_999, 1_000_000_000},
          "shiftMicros", new long[] {-FaultPlan.MOST, FaultPlan.MOST});

  private static final long MOST = 1_000_000_000_000L;

  public FaultPlan {
    faults = List.copyOf(faults);
  }

  /** The same plan with other faults. */
  public FaultPlan with(List<Fault> others) {
    return new FaultPlan(others, healedAtMicros);
  }

  /** The name of a fault's kind in JSON. */
  public static String kind(Fault fault) {
    String name = fault.getClass().getSimpleName();
    return name.equals("TrueTime") ? "true-time" : name.toLowerCase(Locale.ROOT);
  }

  /** JSON, one fault a line. */
  public String toJson() {
    ObjectWriter writer = JSON.writerFor(Fault.class).without(SerializationFeature.INDENT_OUTPUT);
    StringBuilder json = new StringBuilder("{\"healedAtMicros\":").append(healedAtMicros);
    json.append(",\"faults\":[");
    String separator = "\n";
    for (Fault fault : faults) {
      try {
        json.append(separator).append(writer.writeValueAsString(fault));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("a fault that JSON cannot hold: " + fault, e);
      }
      separator = ",\n";
    }
    return json.append("\n]}\n").toString();
  }

  /** The nodes and regions that its faults strike. */
  public Set<String> names() {
    Set<String> names = struck(List.of("node", "from", "to"), faults);
    names.remove("*");
    return names;
  }

  /** Those of {@link #names} that can be nodes alone. */
  public Set<String> nodes() {
    Set<String> nodes = struck(List.of("node"), faults);
    nodes.addAll(
        struck(List.of("to"), faults.stream().filter(Fault.Failover.class::isInstance).toList()));
    return nodes;
  }

  private static Set<String> struck(List<String> fields, List<Fault> faults) {
    Set<String> names = new TreeSet<>();
    for (Fault fault : faults) {
      JsonNode json = JSON.valueToTree(fault);
      for (String field : fields) {
        JsonNode named = json.path(field);
        if (!named.isMissingNode()) {
          (named.isArray() ? named : List.of(named)).forEach(name -> names.add(name.asText()));
        }
      }
    }
    return names;
  }

  /**
   * Reads what {@link #toJson} wrote.
   *
   * @throws JsonProcessingException if it is no such plan
   * @throws IllegalArgumentException if a number in it means nothing, by the fault's place
   */
  public static FaultPlan fromJson(String json) throws JsonProcessingException {
    FaultPlan plan = JSON.readValue(json, new TypeReference<FaultPlan>() {});
    bounded("", "healedAtMicros", plan.healedAtMicros, 0, MOST);
    for (int i = 0; i < plan.faults.size(); i++) {
      String place = "fault " + (i + 1) + ": ";
      JsonNode fields = JSON.valueToTree(plan.faults.get(i));
      for (Map.Entry<String, JsonNode> field : fields.properties()) {
        if (field.getValue().isNumber()) {
          long[] bounds = BOUNDS.getOrDefault(field.getKey(), new long[] {0, MOST});
          bounded(place, field.getKey(), field.getValue().longValue(), bounds[0], bounds[1]);
        }
      }
      bounded(place, "at", fields.path("at").longValue(), 0, plan.healedAtMicros - 1);
      long until = fields.path("until").asLong(MOST);
      bounded(place, "until", until, fields.path("at").longValue(), MOST);
    }
    return plan;
  }

  private static void bounded(String place, String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          place + name + " is " + value + "; it is from " + least + " to " + most);
    }
  }
}
