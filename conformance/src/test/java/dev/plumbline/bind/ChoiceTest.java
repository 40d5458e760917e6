package dev.plumbline.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Constants;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.InputError;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Constants that choose between a behaviour of the paper and its repair. */
class ChoiceTest {
  @Test
  void machinesDoWhatAModelChoosesAndAThirdValueIsRefused() {
    Binding b =
        Conformance.all().stream()
            .flatMap(
                c ->
                    c
                        .traceModels(Settings.repaired(Protocols.named(c.protocol()).clockBounds()))
                        .stream())
            .filter(Binding.class::isInstance)
            .map(Binding.class::cast)
            .filter(binding -> !binding.choices.isEmpty())
            .findFirst()
            .orElseThrow();
    Map<String, String> model = new TreeMap<>(Map.of("Repairs", "{}"));
    b.choices.forEach((constant, choice) -> model.put(constant, choice.repaired()));
    b.choices.forEach(
        (constant, choice) -> {
          Map<String, String> other = new TreeMap<>(model);
          assertThat(b.asPublished(new Constants(other))).doesNotContain(choice.behaviour());
          other.put(constant, choice.published());
          assertThat(b.asPublished(new Constants(other))).contains(choice.behaviour());
          other.put(constant, "\"neither\"");
          assertThatThrownBy(() -> b.asPublished(new Constants(other)))
              .isInstanceOf(InputError.class)
              .hasMessageContaining("no machines have " + constant + " = \"neither\"");
        });
  }
}
