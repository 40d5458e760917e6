package dev.plumbline.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumbline.history.Judgement.Outcome;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class KnossosTest {
  private static History history(Object read) {
    var recorder = new HistoryRecorder();
    recorder.invoke(0, 0, List.of(new ObservedMicroOp.Write(1L, 7L)));
    recorder.ok(0, 1, List.of(new ObservedMicroOp.Write(1L, 7L)), null);
    recorder.invoke(1, 2, List.of(new ObservedMicroOp.Read(1L, null)));
    recorder.ok(1, 3, List.of(new ObservedMicroOp.Read(1L, read)), null);
    return recorder.history();
  }

  private static Outcome ask(String classPath, String java, Object read) throws Exception {
    return new Knossos(classPath, java)
        .check(history(read), DataModel.RW_REGISTER, Model.STRICT_SERIALIZABLE)
        .get(0)
        .outcome();
  }

  @Test
  void judges() throws Exception {
    String classPath = System.getenv("PLUMB_ELLE");
    assumeTrue(classPath != null, "PLUMB_ELLE holds no class path with Knossos");
    String java = System.getenv().getOrDefault("PLUMB_ELLE_JAVA", "java");
    assertThat(ask(classPath, java, 7L)).isEqualTo(Outcome.VALID);
    assertThat(ask(classPath, java, null)).as("a stale read").isEqualTo(Outcome.INVALID);
  }

  @Test
  void breakingDownIsNoVerdict() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    assertThat(ask("no-such-folder", java, 7L)).isEqualTo(Outcome.UNKNOWN);
  }

  @Test
  void refusesWhatItCannotJudge() {
    assertThat(Knossos.refusal(history(7L), DataModel.RW_REGISTER, Model.STRICT_SERIALIZABLE))
        .isNull();
    assertThat(Knossos.refusal(history(7L), DataModel.RW_REGISTER, Model.SERIALIZABLE)).isNotNull();
    assertThat(Knossos.refusal(history(7L), DataModel.BANK, Model.STRICT_SERIALIZABLE)).isNotNull();
    var two = new HistoryRecorder();
    two.invoke(
        0, 0, List.of(new ObservedMicroOp.Read(1L, null), new ObservedMicroOp.Read(2L, null)));
    assertThat(Knossos.refusal(two.history(), DataModel.RW_REGISTER, Model.STRICT_SERIALIZABLE))
        .isNotNull();
  }
}
