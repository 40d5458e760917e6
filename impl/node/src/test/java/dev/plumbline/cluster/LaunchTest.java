package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.node.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LaunchTest {
  @Test
  void theHeapIsWhatTheEnvironmentSays() {
    assertThat(Launch.heap(null)).isEqualTo(256);
    assertThat(Launch.heap("1024")).isEqualTo(1024);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-1", "512m", "9999999"})
  void whatIsNoNumberOfMegabytesIsRefused(String given) {
    assertThatThrownBy(() -> Launch.heap(given))
        .isInstanceOf(ConfigException.class)
        .hasMessage("\"" + given + "\" is no number of megabytes");
  }
}
