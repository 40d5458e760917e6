package dev.plumbline.metric.binding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who has which reference, by what a log says of grants. */
class GrantsTest {
  private static final String SYNCHRONIZED =
      "{\"n\":1,\"node\":\"m1\",\"at\":1,\"local\":1,\"action\":\"EntryConsistency.FinishSync\","
          + "\"args\":{\"c\":\"m1\",\"key\":\"table T1\",\"ref\":2},\"by\":\"store\"}\n";
  private static final String GRANTED =
      "{\"n\":1,\"node\":\"locks\",\"at\":1,\"local\":1,\"action\":\"EntryConsistency.AcquireLock\","
          + "\"args\":{\"c\":\"m1\",\"key\":\"table T1\",\"ref\":2},\"by\":\"\","
          + "\"state\":{\"forced\":true}}\n";
  private static final String HAS =
      "{\"n\":1,\"node\":\"m2\",\"at\":2,\"local\":2,\"action\":\"Ownership.AddDone\","
          + "\"args\":{\"p\":2,\"key\":\"entry 5.2\",\"ref\":1},\"by\":\"store\"}\n";

  @TempDir Path folder;

  private boolean denied(String before) throws IOException {
    Files.writeString(folder.resolve("m1.ndjson"), before);
    Files.writeString(folder.resolve("m2.ndjson"), HAS);
    List<TraceEvent> events =
        MergedLog.read(List.of(folder)).entries().stream().map(MergedLog.Entry::event).toList();
    Grants grants = new Grants(true);
    events.forEach(grants::scan);
    return grants.denied(events.get(1), "m2").isPresent();
  }

  /** Cassandra grants without a word in any log; who synchronizes says so. */
  @Test
  void aLogOfAStoreThatSaysNothingOfGrantsDeniesNothing() throws IOException {
    assertThat(denied(SYNCHRONIZED)).isFalse();
  }

  @Test
  void whereGrantsAreLoggedWhatWasNotGrantedIsDenied() throws IOException {
    assertThat(denied(GRANTED)).isTrue();
  }
}
