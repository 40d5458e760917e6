package dev.plumbline.parts;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Memory;
import dev.plumbline.check.Workspace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Seeds that failed, by the stage that ran them, until they pass: the next run of the stage runs
 * them first. A run that machines share leaves the list to the merge.
 */
public final class KeptSeeds {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path file;
  private final ObjectNode stages;

  /**
   * A seed and what is known of it.
   *
   * @param passes whether it has passed since; then it is no longer kept
   * @param replay the command that replays its shrunk plan, or empty
   * @param plan that plan, or empty
   */
  public record Kept(long seed, boolean passes, String judges, String replay, String plan) {
    private static final String PART = "kept seed ";

    /** What a run calls it that runs it again. */
    public String part() {
      return PART + seed;
    }

    static boolean isPart(String name) {
      return name.startsWith(PART);
    }
  }

  private KeptSeeds(Path file, ObjectNode stages) {
    this.file = file;
    this.stages = stages;
  }

  public static KeptSeeds of(Workspace workspace) {
    return in(workspace.cache());
  }

  static KeptSeeds in(Path cache) {
    Path file = cache.resolve("seeds.json");
    String known = Memory.read(file);
    try {
      return new KeptSeeds(
          file, known == null ? JSON.createObjectNode() : (ObjectNode) JSON.readTree(known));
    } catch (JsonProcessingException e) {
      return new KeptSeeds(file, JSON.createObjectNode());
    }
  }

  /** Seeds of a stage that failed when they were run last. */
  public List<Kept> of(String stage) {
    List<Kept> all = new ArrayList<>();
    Iterator<Map.Entry<String, com.fasterxml.jackson.databind.JsonNode>> fields =
        stages.path(stage).fields();
    while (fields.hasNext()) {
      all.add(JSON.convertValue(fields.next().getValue(), Kept.class));
    }
    return all;
  }

  /** Takes over how seeds ended; a failing one that is known keeps what was shrunk before. */
  public void update(String stage, List<Kept> ended) {
    ObjectNode of = stages.withObjectProperty(stage);
    for (Kept k : ended) {
      String name = Long.toString(k.seed());
      if (k.passes()) {
        of.remove(name);
      } else if (!k.replay().isEmpty() || !of.has(name)) {
        of.set(name, JSON.valueToTree(k));
      }
    }
    Memory.write(file, stages.toPrettyString());
  }
}
