package dev.plumbline.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumbline.history.Judgement.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ElleTest {
  private static Outcome ask(Elle elle, String name) throws Exception {
    History history = HistoryFiles.read(Path.of("src/test/resources/histories", name + ".edn"));
    return elle.check(history, DataModel.of(history), Model.STRICT_SERIALIZABLE).get(0).outcome();
  }

  @Test
  void judges() throws Exception {
    String classPath = System.getenv("PLUMB_ELLE");
    assumeTrue(classPath != null, "PLUMB_ELLE holds no class path with Elle");
    var elle = new Elle(classPath, System.getenv().getOrDefault("PLUMB_ELLE_JAVA", "java"));
    assertThat(ask(elle, "la-good-serial")).isEqualTo(Outcome.VALID);
    assertThat(ask(elle, "la-g-single")).isEqualTo(Outcome.INVALID);
    assertThat(ask(elle, "rw-good")).isEqualTo(Outcome.VALID);
    assertThat(ask(elle, "rw-g1c")).isEqualTo(Outcome.INVALID);
  }

  /** With it, Elle calls a valid history of registers cyclic-versions. */
  @Test
  void keysAreNotTakenForLinearizable(@TempDir Path folder) throws Exception {
    Path java = folder.resolve("java");
    Path asked = folder.resolve("asked");
    Files.writeString(java, "#!/bin/sh\necho \"$@\" > '" + asked + "'\necho 'plumb-elle true '\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    assertThat(ask(new Elle("none", java.toString()), "rw-good")).isEqualTo(Outcome.VALID);
    assertThat(Files.readString(asked)).contains(":wfr-keys?").doesNotContain("linearizable-keys");
  }

  @Test
  void breakingDownIsNoVerdict() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    assertThat(ask(new Elle("no-such-folder", java), "la-good-serial")).isEqualTo(Outcome.UNKNOWN);
  }
}
