package dev.plumbline.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.history.Judgement.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Our judges against the verdicts that real Elle gave on the same histories, recorded in {@code
 * histories/verdicts.json}. What must hold:
 *
 * <ul>
 *   <li>the validator refuses the histories marked broken, and no other;
 *   <li>adya's verdict is Elle's, under each of nine models;
 *   <li>the witness checker says valid only where Elle does: strictly, on the history without its
 *       snapshot reads, and serializably on the whole;
 *   <li>the witness checker says invalid only where no order that agrees with the claimed one
 *       explains the history, by brute force;
 *   <li>the witness checker says exactly what is recorded for it;
 *   <li>for lists, Elle's verdict is that of brute force over all orders.
 * </ul>
 */
class FixtureHistoriesTest {
  private static final Path FOLDER = Path.of("src/test/resources/histories");
  private static final JsonNode VERDICTS = verdicts();

  private static JsonNode verdicts() {
    try {
      return new ObjectMapper().readTree(FOLDER.resolve("verdicts.json").toFile());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static Stream<String> names(boolean broken) {
    Iterable<String> all = () -> VERDICTS.get("histories").fieldNames();
    return StreamSupport.stream(all.spliterator(), false)
        .filter(name -> entry(name).has("broken") == broken);
  }

  static Stream<String> sound() {
    return names(false);
  }

  static Stream<String> broken() {
    return names(true);
  }

  private static JsonNode entry(String name) {
    return VERDICTS.get("histories").get(name);
  }

  private static DataModel workload(String name) {
    return entry(name).get("workload").asText().equals("rw-register")
        ? DataModel.RW_REGISTER
        : DataModel.LIST_APPEND;
  }

  private static History read(String name) throws Exception {
    History history = HistoryFiles.read(FOLDER.resolve(name + ".edn"));
    HistoryValidator.validate(history, workload(name));
    return history;
  }

  /** Elle's verdict; strict ones without snapshot reads, for which the model is not meant. */
  private static boolean elle(String name, Model model) {
    boolean timeless = !model.realTime() && !model.sessions();
    String part =
        timeless || !entry(name).has("elleWithoutSnapshotReads")
            ? "elle"
            : "elleWithoutSnapshotReads";
    String valid = entry(name).get(part).get(model.word()).get("valid").asText();
    assertThat(valid).isIn("true", "false");
    return valid.equals("true");
  }

  @Test
  void everyFileHasVerdictsAndTheOtherWayAround() throws Exception {
    try (Stream<Path> files = Files.list(FOLDER)) {
      List<String> names =
          files
              .map(file -> file.getFileName().toString())
              .filter(file -> file.endsWith(".edn"))
              .map(file -> file.substring(0, file.length() - ".edn".length()))
              .toList();
      assertThat(names)
          .hasSizeGreaterThan(60)
          .containsExactlyInAnyOrderElementsOf(Stream.concat(sound(), broken()).toList());
    }
  }

  @ParameterizedTest
  @MethodSource("broken")
  void validatorRefuses(String name) {
    assertThatThrownBy(() -> read(name))
        .isInstanceOf(HistoryException.class)
        .hasMessageContaining(name + ".edn:")
        .hasMessageContaining(entry(name).get("broken").asText());
  }

  @ParameterizedTest
  @MethodSource("sound")
  void witnessCheckerFitsElle(String name) throws Exception {
    History history = read(name);
    for (Model model : List.of(Model.STRICT_SERIALIZABLE, Model.SERIALIZABLE)) {
      Judgement judgement = WitnessChecker.check(history, workload(name), model);
      assertThat(judgement.outcome().word())
          .as("%s", judgement)
          .isEqualTo(entry(name).get("witness").get(model.word()).asText());
      if (judgement.outcome() == Outcome.VALID) {
        assertThat(elle(name, model)).isTrue();
        assertThat(elle(name, Model.SERIALIZABLE)).isTrue();
      }
      boolean twoWritersAtOnePlace = name.equals("la-good-shared-place");
      if (judgement.outcome() == Outcome.INVALID && !twoWritersAtOnePlace) {
        assertThat(BruteForce.explains(history, true, model)).isFalse();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("sound")
  void bruteForceFitsElle(String name) throws Exception {
    History history = read(name);
    boolean strict =
        BruteForce.explains(history.withoutSnapshotReads(), false, Model.STRICT_SERIALIZABLE);
    boolean serializable = BruteForce.explains(history, false, Model.SERIALIZABLE);
    if (workload(name) == DataModel.LIST_APPEND) {
      assertThat(elle(name, Model.STRICT_SERIALIZABLE)).isEqualTo(strict);
      assertThat(elle(name, Model.SERIALIZABLE)).isEqualTo(serializable);
    } else {
      assertThat(elle(name, Model.STRICT_SERIALIZABLE) || !strict).isTrue();
      assertThat(elle(name, Model.SERIALIZABLE) || !serializable).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("sound")
  void adyaFitsElle(String name) throws Exception {
    Adya adya = Adya.in(Path.of("../.plumb"));
    assumeTrue(adya != null, "adya is not installed; ./plumb history FILE installs it with cargo");
    History history = read(name);
    for (Model model : Model.values()) {
      if (model != Model.SNAPSHOT_READS && !model.ofOperations()) {
        Judgement judgement = adya.check(history, workload(name), model).get(0);
        Outcome expected = elle(name, model) ? Outcome.VALID : Outcome.INVALID;
        assertThat(judgement.outcome()).as("%s", judgement).isEqualTo(expected);
      }
    }
  }
}
