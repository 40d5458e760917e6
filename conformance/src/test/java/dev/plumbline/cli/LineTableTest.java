package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines are counted by protocol and part. */
class LineTableTest {
  @TempDir Path root;

  private void lines(String file, int n) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, "x\n".repeat(n));
  }

  @Test
  void eachPartHasItsOwnFiles() throws IOException {
    String impl = "impl/src/main/java/dev/plumbline/p/";
    String conformance = "conformance/src/main/java/dev/plumbline/";
    lines(impl + "A.java", 30);
    lines(impl + "sub/B.java", 10);
    lines(impl + "system/PSystem.java", 1000);
    lines(conformance + "p/binding/MBinding.java", 7);
    lines(conformance + "p/binding/MReading.java", 2);
    lines(conformance + "p/binding/MWorld.java", 4);
    lines(conformance + "p/binding/PWorld.java", 3);
    lines(conformance + "p/figures/PFigures.java", 1000);
    lines(conformance + "bind/Shared.java", 5);
    lines("specs/p/TraceM.tla", 4);
    lines("specs/p/corpus-M.cfg", 2);
    lines("specs/p/M.tla", 1000);
    lines("specs/q/M.tla", 1000);
    assertThat(LineTable.of(root))
        .containsPattern("\np +40 +16 +0\\.40 +6\n")
        .containsPattern("\np/M +13 +7\n")
        .containsPattern("\nshared +5\n")
        .doesNotContain("\nq");
  }
}
