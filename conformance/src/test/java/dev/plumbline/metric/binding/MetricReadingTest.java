package dev.plumbline.metric.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.bind.Binding;
import dev.plumbline.bind.LogReading;
import dev.plumbline.metric.system.MetricSystem;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.InputError;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel;
import dev.plumbline.validate.Validator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events that are read before their place in the log. */
class MetricReadingTest {
  @TempDir Path folder;

  private void event(String node, int at, String action, String args) throws IOException {
    String line =
        "{\"n\":%d,\"node\":\"%s\",\"at\":%d,\"local\":%d,\"action\":\"%s\",\"args\":{%s},\"by\":\"timer\"}%n";
    Path file = folder.resolve(node + ".ndjson");
    long n = Files.exists(file) ? Files.lines(file).count() : 0;
    Files.writeString(
        file,
        line.formatted(n + 1, node, at, at, action, args),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /** In its place TLC would be given what may be equal by chance, as "" is to no elements. */
  @ParameterizedTest
  @CsvSource({"RedoLog.Execute, red, read", "EntryConsistency.StartPut, stam, stamp"})
  void aWordThatAnEventLacksIsNamed(String action, String has, String lacks) throws IOException {
    String all = "\"p\":1,\"c\":\"m1\",\"key\":\"k\",\"ref\":1,\"%s\":[]";
    event("m1", 1, action, all.formatted(has));
    Settings settings = Settings.repaired(new MetricSystem().clockBounds());
    Binding binding =
        (Binding)
            new MetricConformance()
                .traceModels(settings).stream()
                    .filter(m -> action.startsWith(m.module() + "."))
                    .findFirst()
                    .orElseThrow();
    LogReading reading = binding.read(MergedLog.read(List.of(folder)), 1_000);
    new Validator(Path.of("..").toAbsolutePath().normalize()).load(binding, reading);
    assertThatThrownBy(() -> reading.steps(0, "k"))
        .isInstanceOfSatisfying(
            InputError.class,
            e ->
                assertThat(e.describe())
                    .contains("m1.ndjson:1: " + action, "no argument " + lacks)
                    .contains("is " + has + " meant for it?"));
  }

  /**
   * Process 2 got a lock, process 3 got it after, and 2 says so late: its end is read before 3's.
   * Request c1.1 was executed before that, comes again after, and is over when 2 says what it had.
   */
  @Test
  void aRequestThatComesAgainIsNotForgottenByAnEventThatTheLogHasLate() throws IOException {
    String request = "\"p\":1,\"req\":\"c1.1\",\"reads\":[\"T1\"],\"writes\":[\"T1\"]";
    event("m1", 1, "RedoLog.ReceiveCall", request);
    event("m1", 2, "RedoLog.ReplyOk", "\"p\":1");
    event("m2", 3, "Ownership.CreateEntry", "\"p\":2");
    event("m2", 4, "Ownership.LockFound", "\"p\":2,\"key\":\"k\",\"ref\":1");
    event("m3", 5, "Ownership.CreateEntry", "\"p\":3");
    event("m3", 6, "Ownership.LockFound", "\"p\":3,\"key\":\"k\",\"ref\":2");
    event("m3", 7, "RedoLog.Own", "\"p\":3,\"key\":\"k\",\"ref\":2,\"owned\":[\"T1\"]");
    event("m1", 8, "RedoLog.ReceiveCall", request);
    event("m1", 9, "RedoLog.ReplyOk", "\"p\":1");
    event("m2", 10, "RedoLog.Own", "\"p\":2,\"key\":\"k\",\"ref\":1,\"owned\":[\"T1\"]");
    RedoLogBinding binding =
        new RedoLogBinding(Settings.repaired(new MetricSystem().clockBounds()));
    LogReading reading = binding.read(MergedLog.read(List.of(folder)), 1_000);
    new Validator(Path.of("..").toAbsolutePath().normalize()).load(binding, reading);
    List<TraceModel.Step> there = reading.steps(6);
    assertThat(there).filteredOn(step -> step.operator().equals("Trim")).hasSize(2);
    assertThat(there)
        .filteredOn(step -> step.operator().equals("Trim"))
        .allSatisfy(step -> assertThat(step.arguments()).hasToString("[{1}]"));
    assertThat(reading.steps(9)).as("read before").isEmpty();
  }
}
