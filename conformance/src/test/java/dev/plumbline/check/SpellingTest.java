package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpellingTest {
  /** Every command asks once for each repair of each check; the text of all modules is long. */
  @Test
  void modulesAreReadOnceForEachKindOfName(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("M.tla"), "Next == \"repair\" \\in Repairs \\* \"not this\"\n");
    Spelling spelling = new Spelling(folder);
    for (Spelling.Kind kind : Spelling.Kind.values()) {
      assertThat(spelling.known(kind)).isSameAs(spelling.known(kind));
    }
    assertThat(spelling.known(Spelling.Kind.STRING)).containsExactly("repair");
    assertThat(spelling.known(Spelling.Kind.OPERATOR)).containsExactly("Next");
  }
}
