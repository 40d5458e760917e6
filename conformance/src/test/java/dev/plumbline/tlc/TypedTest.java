package dev.plumbline.tlc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TypedTest {
  @Test
  void aLineNamesTheProjectAsAShellReadsIt() {
    assertThat(Typed.line("", "check toy/one")).isEqualTo("./plumb check toy/one");
    assertThat(Typed.line("../my-protocol", "check toy/one"))
        .isEqualTo("./plumb --project ../my-protocol check toy/one");
    assertThat(Typed.line("it's mine", "bugs toy"))
        .isEqualTo("./plumb --project 'it'\\''s mine' bugs toy");
  }
}
