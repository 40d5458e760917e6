package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class YamlNodeTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "checks.yaml, checks-file",
    "mutants.yaml, mutants-file",
    "handmade.yaml, mutants-file",
    "coverage.yaml, bindings",
    "claims.yaml, audit"
  })
  void aFileWithoutEntriesNamesItsOwnDocument(String name, String document) throws IOException {
    Path file = folder.resolve(name);
    for (String text : new String[] {"", "- a list\n"}) {
      Files.writeString(file, text);
      assertThatThrownBy(() -> YamlNode.read(file).entries())
          .isInstanceOfSatisfying(
              InputError.class,
              e -> assertThat(e.remedy()).isEqualTo("see docs/" + document + ".md"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"x: &a {b: *a}", "x: &a [1, [*a]]", "x: &a {b: {c: [*a]}}"})
  void aValueThatHoldsItselfIsRefused(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("checks.yaml"), "k: v\n" + text + "\n");
    assertThatThrownBy(() -> YamlNode.read(file))
        .isInstanceOfSatisfying(InputError.class, e -> assertThat(e.line()).isEqualTo(2))
        .hasMessage("this value holds itself");
    Files.writeString(file, "k: &a [1, 2]\nl: [*a, *a]\n");
    assertThat(YamlNode.read(file).get("l").items()).hasSize(2);
  }
}
