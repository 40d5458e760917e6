package dev.plumbline.protocol;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Everything that goes wrong in a run, as data: it can be stored, shrunk and replayed.
 *
 * @param faults in the order of their beginning
 * @param healedAtMicros from here on nothing is wrong: every node is up, no link is cut
 */
public record FaultPlan(List<Fault> faults, long healedAtMicros) {
  private static final ObjectMapper JSON = new ObjectMapper();

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
    Set<String> names = new TreeSet<>();
    for (Fault fault : faults) {
      JsonNode fields = JSON.valueToTree(fault);
      for (String field : List.of("node", "from", "to")) {
        JsonNode named = fields.path(field);
        (named.isArray() ? named : List.of(named)).forEach(name -> names.add(name.asText()));
      }
    }
    names.removeAll(List.of("", "*"));
    return names;
  }

  /** Reads {@link #toJson}'s format. */
  public static FaultPlan fromJson(String json) throws JsonProcessingException {
    return JSON.readValue(json, new TypeReference<FaultPlan>() {});
  }
}
