package dev.plumbline.metric.sql.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A digest is compared with older ones too, as logs have them already. */
class DigestTest {
  private static final String HERE = "a 1\nb 2\ndefined index i x\n";

  @Test
  void anOlderDigestSaysNothingOfDefinitions() {
    assertThat(Initialization.like("a 1\nb 2\n", HERE)).isEqualTo("a 1\nb 2\n");
    assertThat(Initialization.like("a 1\ndefined index i y\n", HERE)).isEqualTo(HERE);
    assertThat(Initialization.like("", "")).isEmpty();
  }
}
