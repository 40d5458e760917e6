package dev.plumbline.dastconf;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.dast.Layout;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import java.util.List;

/** A log's times, counted from just below its earliest, since TLC's integers have 32 bits. */
final class LoggedTimes {
  private static final String VIEWS = "Failover.";

  private final MergedLog log;
  private long earliest = Long.MAX_VALUE;

  LoggedTimes(MergedLog log) {
    this.log = log;
  }

  /** Takes note of a time. */
  void see(long time) {
    earliest = Math.min(earliest, time);
  }

  /** Takes note of a timestamp's time. */
  void see(JsonNode timestamp) {
    if (timestamp.isArray()) {
      see(timestamp.path(0).longValue());
    }
  }

  Term time(int index, long time) {
    return number(index, time - earliest + 1);
  }

  /** The logged time of a number of the specification. */
  long micros(int time) {
    return time + earliest - 1;
  }

  /** A logged timestamp as the specification has it: time, nid, frac. */
  Term timestamp(int index, String name) {
    return timestamp(index, log.entries().get(index).event().field(name), name);
  }

  Term timestamp(int index, JsonNode parts, String name) {
    if (parts.size() != 3) {
      throw error(index, "no timestamp " + name, "log the machines' timestamps");
    }
    return Term.sequence(
        List.of(
            time(index, parts.get(0).longValue()),
            number(index, parts.get(2).longValue()),
            number(index, parts.get(1).longValue())));
  }

  Term number(int index, long value) {
    if (value != (int) value) {
      throw error(index, value + " exceeds 32 bits", "validate shorter runs");
    }
    return Term.of((int) value);
  }

  InputError error(int index, String problem, String remedy) {
    MergedLog.Entry entry = log.entries().get(index);
    return new InputError(
        entry.file(), entry.line(), entry.event().action() + ": " + problem, remedy);
  }

  /** Whether the log is of processes that are replaced when they fail. */
  static boolean hasViews(MergedLog log) {
    return log.entries().stream().anyMatch(e -> e.event().action().startsWith(VIEWS));
  }

  /**
   * The number of events before a view changes, or a process goes on that lost its state: modules
   * without views judge no more. Where nodes are replaced, one that starts again does nothing
   * before it has a view.
   */
  static int beforeViewChange(MergedLog log, Layout layout) {
    boolean views = hasViews(log);
    for (int i = 0; i < log.entries().size(); i++) {
      TraceEvent e = log.entries().get(i).event();
      boolean goesOn =
          e.action().equals(TraceEvent.RESTART)
              && (!views || layout.managers().contains(e.field("role").asText()));
      if (goesOn || e.action().equals(VIEWS + "DecideView")) {
        return i;
      }
    }
    return log.entries().size();
  }
}
