package dev.plumbline.dast.binding;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.LogReading;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.dast.Layout;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import java.util.List;

/**
 * Reads logs for modules without views. Processes are their nids, and times are counted from just
 * below the log's earliest, since TLC's integers have 32 bits.
 */
abstract class DastReading extends LogReading {
  static final Sort PROCESS = Sort.own("process", null);

  /** Microseconds, or a timestamp; -1 for none. */
  static final Sort TIME = Sort.own("time", null);

  private static final String VIEWS = "Failover.";

  final Layout layout;

  /** The number of events that are read. */
  final int end;

  private long earliest = Long.MAX_VALUE;

  DastReading(Binding binding, MergedLog log, int room, Layout layout, Settings settings) {
    super(binding, log, room);
    this.layout = layout;
    demandViews(settings);
    end = beforeViewChange(log, layout);
  }

  /** These modules read such a log up to a change of the view: Failover has to be asked as well. */
  private void demandViews(Settings settings) {
    for (int i = 0; i < events && settings.parameter("suspectMicros", 0) == 0; i++) {
      if (event(i).action().startsWith(VIEWS)) {
        throw wrong(
            i,
            "without suspectMicros no node is replaced",
            "say with --set suspectMicros=N what the run had; a simulated one with crashes has"
                + " 1000000 unless told otherwise");
      }
    }
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

  @Override
  protected boolean concerns(int i) {
    return i < end && super.concerns(i);
  }

  @Override
  protected void mention(int i, Sort sort, Object word) {
    Long time = Shape.number(word);
    if (sort == TIME && word instanceof JsonNode parts && parts.isArray()) {
      earliest = Math.min(earliest, parts.path(0).longValue());
    } else if (sort == TIME && time != null && time != -1) {
      earliest = Math.min(earliest, time);
    }
  }

  @Override
  protected Term term(int i, Sort sort, Object word) {
    if (sort == PROCESS) {
      return number(i, nid(i, word));
    } else if (sort != TIME) {
      return super.term(i, sort, word);
    }
    Long time = Shape.number(word);
    return time == null ? timestamp(i, (JsonNode) word) : time == -1 ? Term.of(-1) : time(i, time);
  }

  private Term time(int i, long time) {
    return number(i, time - earliest + 1);
  }

  /** The logged time of a number of the specification. */
  final long micros(int time) {
    return time + earliest - 1;
  }

  /** A logged timestamp as the specification has it: time, nid, frac. */
  private Term timestamp(int i, JsonNode parts) {
    if (parts.size() != 3) {
      throw wrong(i, "no timestamp", "log the machines' timestamps");
    }
    return Term.sequence(
        List.of(
            time(i, parts.get(0).longValue()),
            number(i, parts.get(2).longValue()),
            number(i, parts.get(1).longValue())));
  }

  final InputError wrong(int i, String problem, String remedy) {
    return error(i, event(i).action() + ": " + problem, remedy);
  }

  private long nid(int i, Object process) {
    try {
      return layout.nid(Shape.text(process));
    } catch (NullPointerException e) {
      throw wrong(
          i, "no process " + Shape.text(process), "name the deployment's parameters with --set");
    }
  }
}
