package dev.plumbline.parts;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Memory;
import dev.plumbline.check.Workspace;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What each part took the last time, in milliseconds. Only a merge writes it, so that machines
 * which restore one cache split their work alike.
 */
public final class Costs {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path file;
  private final ObjectNode stages;

  private Costs(Path file, ObjectNode stages) {
    this.file = file;
    this.stages = stages;
  }

  public static Costs of(Workspace workspace) {
    return in(workspace.cache());
  }

  static Costs in(Path cache) {
    Path file = cache.resolve("costs.json");
    String known = Memory.read(file);
    try {
      return new Costs(
          file, known == null ? JSON.createObjectNode() : (ObjectNode) JSON.readTree(known));
    } catch (JsonProcessingException e) {
      return new Costs(file, JSON.createObjectNode());
    }
  }

  /** 0 where nobody knows. */
  public long millis(String stage, String part) {
    return stages.path(stage).path(part).asLong(0);
  }

  /** Those parts of a stage that a merge has seen, with what each took. */
  public Map<String, Long> parts(String stage) {
    Map<String, Long> parts = new LinkedHashMap<>();
    stages.path(stage).properties().forEach(p -> parts.put(p.getKey(), p.getValue().asLong(0)));
    return parts;
  }

  /** A part whose outcome was remembered takes no time: then what is known fades only. */
  void took(String stage, String part, long millis) {
    long fading = millis(stage, part) / 2;
    stages.withObjectProperty(stage).put(part, Math.max(millis, fading));
  }

  void write() {
    Memory.write(file, stages.toPrettyString());
  }
}
