package dev.plumbline.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.tlc.Checker.Outcome;
import java.nio.file.Path;

/** What came out of checks, remembered by the content that it depends on. */
final class Outcomes {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Path cache;

  Outcomes(Workspace workspace) {
    cache = workspace.cache();
  }

  /** An outcome and what it depended on besides its input. */
  record Known(Outcome outcome, ObjectNode manifest) {}

  private Path file(Plan p) {
    return cache.resolve("check").resolve(p.hash + ".json");
  }

  private Path last(Checks.Check check) {
    return cache.resolve("last").resolve(check.protocol()).resolve(check.id() + ".json");
  }

  /** What came out of this very input, or null. */
  Known known(Plan p) {
    String text = Memory.read(file(p));
    if (text == null) {
      return null;
    }
    try {
      JsonNode entry = MAPPER.readTree(text);
      return new Known(
          MAPPER.treeToValue(entry.get("outcome"), Outcome.class),
          (ObjectNode) entry.get("manifest"));
    } catch (JsonProcessingException | RuntimeException e) {
      return null;
    }
  }

  /**
   * Keeps an outcome that says something about the model, not about this machine or its patience.
   */
  void keep(Plan p, Outcome o, ObjectNode manifest) {
    if (!o.outcome().equals("error") && !o.outcome().equals("limit")) {
      ObjectNode entry = MAPPER.createObjectNode();
      entry.set("outcome", MAPPER.valueToTree(o));
      entry.set("manifest", manifest);
      Memory.write(file(p), Driver.json(entry));
    }
  }

  /** Notes how many distinct states a run that met its expectation took. */
  void met(Plan p, Outcome o) {
    Memory.write(
        last(p.check),
        Driver.json(
            MAPPER.createObjectNode().put("distinct", o.distinct()).put("millis", o.millis())));
  }

  /** Distinct states of the last run that met its expectation; -1 where there was none. */
  long lastDistinct(Plan p) {
    return last(p.check, "distinct");
  }

  /** What that run took, whatever its input was; -1 where there was none. */
  long lastMillis(Checks.Check check) {
    return last(check, "millis");
  }

  private long last(Checks.Check check, String field) {
    String text = Memory.read(last(check));
    try {
      return text == null ? -1 : MAPPER.readTree(text).path(field).asLong(-1);
    } catch (JsonProcessingException e) {
      return -1;
    }
  }
}
