package dev.plumbline.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.check.Config;
import dev.plumbline.tlc.InputError;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class DefinitionsTest {
  private static final Path FOLDER = Path.of("specs/k2");

  private static Map<String, JsonNode> of(String constant, String text) {
    Path config = Path.of("../specs/k2/corpus-TimestampBatching.cfg");
    Map<String, String> constants = new TreeMap<>(Config.read(config).values());
    constants.put(constant, text);
    return Definitions.of(FOLDER, "TimestampBatching", constants);
  }

  @Test
  void whatReplacesAConstantIsAsTlcEvaluatesIt() {
    Map<String, JsonNode> all = of("Repairs", "<- AllRepairs");
    assertThat(all.get("Repairs").isArray()).isTrue();
    assertThat(all.get("Repairs")).isNotEmpty().allMatch(JsonNode::isTextual);
    assertThat(of("Repairs", "{}")).doesNotContainKey("Repairs");
  }

  @Test
  void aDefinitionThatThereIsNotIsNamed() {
    assertThatThrownBy(() -> of("Repairs", "<- NoSuchRepairs"))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("NoSuchRepairs");
  }
}
