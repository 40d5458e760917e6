package dev.plumbline.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumbline.history.Judgement.Outcome;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ElleTest {
  private static Outcome ask(Elle elle, String name) throws Exception {
    History history = HistoryFiles.read(Path.of("src/test/resources/histories", name + ".edn"));
    return elle.check(history, Workload.of(history), Model.STRICT_SERIALIZABLE).get(0).outcome();
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

  @Test
  void breakingDownIsNoVerdict() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    assertThat(ask(new Elle("no-such-folder", java), "la-good-serial")).isEqualTo(Outcome.UNKNOWN);
  }
}
