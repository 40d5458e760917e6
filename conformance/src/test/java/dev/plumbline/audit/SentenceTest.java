package dev.plumbline.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.Records;
import dev.plumbline.check.Records.Known;
import dev.plumbline.check.Workspace;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a claim's sentence says of checks that show nothing. */
class SentenceTest {
  private static final Workspace WORKSPACE =
      new Workspace(Path.of("").toAbsolutePath().getParent());

  private static String of(String... verdicts) {
    List<Known> known = new Records(WORKSPACE).of(WORKSPACE.protocols().get(0));
    return Sentence.of(
        IntStream.range(0, verdicts.length)
            .mapToObj(i -> with(known.get(i), verdicts[i]))
            .toList());
  }

  private static Known with(Known k, String verdict) {
    return new Known(
        k.check(), k.judged(), k.bounds(), k.inputs(), k.input(), verdict, "", k.result());
  }

  @Test
  void whatFailedIsToldFromWhatHasNoResult() {
    assertThat(of("FAILED", Records.STALE, Records.MISSING, "environment"))
        .endsWith(
            "1 of its 4 checks did not end as expected; 3 of its 4 checks have no result of"
                + " today's input.");
    assertThat(of(Records.MISSING)).doesNotContain("expected");
    assertThat(of("FAILED")).doesNotContain("no result");
  }
}
