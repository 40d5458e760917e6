package dev.plumbline.validate;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.trace.TraceEvent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Events of a log that differ from a real one in a few parts. */
public final class Altered {
  private Altered() {}

  /** Another number at its node. */
  public static TraceEvent numbered(TraceEvent e, long n) {
    return new Copy(e, c -> c.n = n).event();
  }

  /** Other clocks. */
  public static TraceEvent at(TraceEvent e, long at, long local) {
    return new Copy(
            e,
            c -> {
              c.at = at;
              c.local = local;
            })
        .event();
  }

  /** What else it began with, and what else it sent. */
  public static TraceEvent step(TraceEvent e, Optional<String> recv, String by, List<String> sent) {
    return new Copy(
            e,
            c -> {
              c.recv = recv;
              c.by = by;
              c.sent = sent;
            })
        .event();
  }

  /** How many records it appended instead. */
  public static TraceEvent persisted(TraceEvent e, long records) {
    return new Copy(e, c -> c.persisted = records).event();
  }

  /** What else was done. */
  public static TraceEvent says(
      TraceEvent e, String action, Map<String, JsonNode> args, Map<String, JsonNode> state) {
    return new Copy(
            e,
            c -> {
              c.action = action;
              c.args = args;
              c.state = state;
            })
        .event();
  }

  /** The logs of a run whose instances were fenced where those of this one crashed. */
  public static Map<String, List<TraceEvent>> fencedForCrashed(Map<String, List<TraceEvent>> logs) {
    Map<String, List<TraceEvent>> altered = new LinkedHashMap<>(logs);
    altered.replaceAll(
        (node, events) ->
            events.stream()
                .map(
                    e ->
                        e.action().equals(TraceEvent.CRASH)
                            ? says(e, TraceEvent.FENCED, e.args(), e.state())
                            : e)
                .toList());
    return altered;
  }

  /** An event's parts, to be changed. */
  private static final class Copy {
    private final TraceEvent of;
    private long n;
    private long at;
    private long local;
    private String action;
    private Map<String, JsonNode> args;
    private Optional<String> recv;
    private String by;
    private List<String> sent;
    private long persisted;
    private Map<String, JsonNode> state;

    Copy(TraceEvent e, Consumer<Copy> change) {
      of = e;
      n = e.n();
      at = e.at();
      local = e.local();
      action = e.action();
      args = e.args();
      recv = e.recv();
      by = e.by();
      sent = e.sent();
      persisted = e.persisted();
      state = e.state();
      change.accept(this);
    }

    TraceEvent event() {
      return new TraceEvent(
          n, of.node(), of.role(), at, local, action, args, recv, by, sent, persisted, state);
    }
  }
}
