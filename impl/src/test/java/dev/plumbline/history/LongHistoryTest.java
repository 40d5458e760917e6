package dev.plumbline.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.history.Judgement.Outcome;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A hundred thousand operations from file to verdict. */
class LongHistoryTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"long.edn", "long.jsonl"})
  @Timeout(180)
  void judgesAHundredThousandOperations(String name) throws Exception {
    History recorded =
        Executions.strictlySerializable(
            new Random(1), DataModel.LIST_APPEND, 50_000, 5_000, true, true);
    Path file = directory.resolve(name);
    HistoryFiles.write(file, recorded.ops());
    History history = HistoryFiles.read(file);
    HistoryValidator.validate(history, DataModel.LIST_APPEND);
    Judgement judgement =
        WitnessChecker.check(history, DataModel.LIST_APPEND, Model.STRICT_SERIALIZABLE);
    assertThat(history.ops()).hasSize(100_000);
    assertThat(judgement.outcome()).as("%s", judgement).isEqualTo(Outcome.VALID);
  }
}
