package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.check.Child.ChildFailed;
import dev.plumbline.tlc.Checker.Job;
import dev.plumbline.tlc.Checker.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A heap that a model does not fit into says nothing of the model. */
class MemoryOfTlcTest {
  @TempDir Path root;

  private Job job(int most) throws IOException {
    Path module =
        Files.writeString(
            root.resolve("Large.tla"),
            """
            ---- MODULE Large ----
            EXTENDS Naturals, FiniteSets
            CONSTANT Most
            VARIABLE x
            Init == x = {}
            Next == x' = {<<i, i + 1>> : i \\in 1..Most}
            SmallInv == Cardinality(x) >= 0
            ====
            """);
    Path config =
        Files.writeString(
            root.resolve("Large.cfg"),
            "INIT Init\nNEXT Next\nINVARIANT SmallInv\nCONSTANT Most = " + most + "\n");
    return new Job(
        "large",
        module.toString(),
        config.toString(),
        List.of(),
        root.resolve("log").toString(),
        root.resolve("meta").toString(),
        1,
        false,
        null,
        0);
  }

  @Test
  @Timeout(120)
  void tooLittleMemoryIsTheMachines() throws Exception {
    try (Child child = new Child(root.resolve("err"), 48)) {
      assertThatThrownBy(() -> child.run(job(3_000_000), Child.Span.SHARED, p -> {}))
          .isInstanceOfSatisfying(
              ChildFailed.class, e -> assertThat(e.environment()).as(e.toString()).isTrue())
          .hasMessageContaining("PLUMB_TLC_HEAP_MB");
      Outcome after = child.run(job(3), Child.Span.SHARED, p -> {});
      assertThat(after.outcome()).isEqualTo("ok");
      assertThat(after.distinct()).isEqualTo(2);
    }
  }
}
