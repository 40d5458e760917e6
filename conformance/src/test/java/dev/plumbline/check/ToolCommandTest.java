package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ToolCommandTest {
  @Test
  void aLineNamesTheProjectAsAShellReadsIt() {
    assertThat(ToolCommand.line("", "check toy/one")).isEqualTo("./plumb check toy/one");
    assertThat(ToolCommand.line("../my-protocol", "check toy/one"))
        .isEqualTo("./plumb --project ../my-protocol check toy/one");
    assertThat(ToolCommand.line("it's mine", "bugs toy"))
        .isEqualTo("./plumb --project 'it'\\''s mine' bugs toy");
  }
}
