package dev.plumbline.parts;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Memory;
import dev.plumbline.check.Workspace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What each part took the last time, in milliseconds. Only a merge writes it, so that machines
 * which restore one cache split their work alike.
 */
public final class Costs {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** In place of a stage: how many parts of each a machine does at a time, in hundredths. */
  private static final String AT_ONCE = "at once";

  private static final double HUNDREDTHS = 100;

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

  /** How many parts of a stage a machine does at a time; 1 where nobody knows. */
  public double atOnce(String stage) {
    return stages.path(AT_ONCE).path(stage).asLong((long) HUNDREDTHS) / HUNDREDTHS;
  }

  /**
   * What parts are expected to take: what is known, else the median of what is known of those that
   * are alike.
   *
   * @param timed by part; less than 1 where nobody knows
   * @param kind equal for parts that are alike
   * @return by part, in the same order; 0 for those that are like no timed one
   */
  public static Map<String, Long> expected(Map<String, Long> timed, Function<String, String> kind) {
    Map<String, List<Long>> known = new HashMap<>();
    timed.forEach(
        (part, millis) -> {
          if (millis > 0) {
            known.computeIfAbsent(kind.apply(part), k -> new ArrayList<>()).add(millis);
          }
        });
    known.values().forEach(all -> all.sort(null));
    Map<String, Long> expected = new LinkedHashMap<>();
    timed.forEach(
        (part, millis) -> {
          List<Long> all = known.getOrDefault(kind.apply(part), List.of(0L));
          expected.put(part, millis > 0 ? millis : all.get(all.size() / 2));
        });
    return expected;
  }

  /** There is such a part, which nobody did this time. */
  void planned(String stage, String part) {
    if (!stages.path(stage).has(part)) {
      stages.withObjectProperty(stage).put(part, 0);
    }
  }

  /** All machines together took so long for a stage, whose parts took that one by one. */
  void ran(String stage, long elapsed, long parts) {
    stages.withObjectProperty(AT_ONCE).put(stage, Math.round(HUNDREDTHS * parts / elapsed));
  }

  /** A part whose outcome was remembered may take no time: then what is known fades only. */
  void took(String stage, String part, long millis) {
    long fading = millis(stage, part) / 2;
    stages.withObjectProperty(stage).put(part, Math.max(millis, fading));
  }

  void write() {
    Memory.write(file, stages.toPrettyString());
  }
}
