package dev.plumbline.validate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.trace.TraceEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** How many ticks a microsecond has when logs are read against EpochVisibility. */
class EpochTicksTest {
  private static final long LATE = 100_000_000;
  private static final long EPOCH_END = 1_000_000;

  private final List<TraceEvent> events = new ArrayList<>();

  private void begin(String action, String name, String id, long micros, long coordinator) {
    Map<String, JsonNode> args = new TreeMap<>();
    args.put(name, TextNode.valueOf(id));
    args.put("n", LongNode.valueOf(micros));
    args.put("oracle", LongNode.valueOf(0));
    args.put("coordinator", LongNode.valueOf(coordinator));
    args.put("incarnation", LongNode.valueOf(0));
    events.add(
        new TraceEvent(
            events.size() + 1L,
            "c-SH",
            "c-SH",
            LATE,
            LATE,
            "EpochVisibility." + action,
            args,
            Optional.empty(),
            action.equals("BeginSnapshot") ? "request" : "timer",
            List.of(),
            0,
            Map.of()));
  }

  private void snapshots(int count, long micros) {
    for (int i = 0; i < count; i++) {
      begin("BeginSnapshot", "r", "c-SH-1." + events.size(), micros, 0);
    }
  }

  private String scale() {
    return TamperedLogTest.model("EpochVisibility")
        .read(MergedLog.of(Map.of("c-SH.ndjson", events)), 1)
        .configuration()
        .stream()
        .filter(line -> line.startsWith("Scale = "))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void snapshotsOfOneInstantNeedNoMoreWhereNothingFollowsSoon() {
    snapshots(40, 1);
    begin("Begin", "t", "c-SH-1.999", 50, 1);
    assertThat(scale()).isEqualTo("Scale = 1");
  }

  @Test
  void snapshotsStayBelowTheNextTimestamp() {
    snapshots(40, 1);
    begin("Begin", "t", "c-SH-1.999", 20, 1);
    assertThat(scale()).as("40 and one more before 20 is over").isEqualTo("Scale = 3");
  }

  @Test
  void snapshotsStayInTheirEpoch() {
    snapshots(40, EPOCH_END);
    assertThat(scale()).isEqualTo("Scale = 40");
  }

  @Test
  void timestampsThatAreGivenStayInTheirMicrosecond() {
    begin("Begin", "t", "c-SH-1.1", 7, 1);
    begin("Begin", "t", "c-BJ-1.1", 7, 2);
    assertThat(scale()).isEqualTo("Scale = 2");
  }
}
