package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of processes that end without a word, a node answers for those that nobody else ended. */
class UnexplainedEndTest {
  @ParameterizedTest
  @ValueSource(ints = {137, 143})
  void whomSomebodyElseEndedIsNotToBlame(int code) {
    assertThatThrownBy(() -> DamageSuite.unexplained("east", code))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("east was ended from outside");
  }

  @Test
  void aCrashIsTheNodes() throws IOException {
    assertThat(DamageSuite.unexplained("east", 139)).isEqualTo("east ended with 139 and no reason");
    assertThat(DamageSuite.unexplained("east", 1)).isEqualTo("east ended with 1 and no reason");
  }
}
