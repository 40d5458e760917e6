package dev.plumbline.validate;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.trace.TraceEvent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Events of a log that differ from a real one in a few parts. */
public final class Altered {
  private Altered() {}

  /** Another number at its node. */
  public static TraceEvent numbered(TraceEvent e, long n) {
    return event(
        e,
        n,
        e.at(),
        e.local(),
        e.action(),
        e.args(),
        e.recv(),
        e.by(),
        e.sent(),
        e.persisted(),
        e.state());
  }

  /** Other clocks. */
  public static TraceEvent at(TraceEvent e, long at, long local) {
    return event(
        e,
        e.n(),
        at,
        local,
        e.action(),
        e.args(),
        e.recv(),
        e.by(),
        e.sent(),
        e.persisted(),
        e.state());
  }

  /** What else it began with, and what else it sent. */
  public static TraceEvent step(TraceEvent e, Optional<String> recv, String by, List<String> sent) {
    return event(
        e,
        e.n(),
        e.at(),
        e.local(),
        e.action(),
        e.args(),
        recv,
        by,
        sent,
        e.persisted(),
        e.state());
  }

  /** How many records it appended instead. */
  public static TraceEvent persisted(TraceEvent e, long records) {
    return event(
        e,
        e.n(),
        e.at(),
        e.local(),
        e.action(),
        e.args(),
        e.recv(),
        e.by(),
        e.sent(),
        records,
        e.state());
  }

  /** What else was done. */
  public static TraceEvent says(
      TraceEvent e, String action, Map<String, JsonNode> args, Map<String, JsonNode> state) {
    return event(
        e,
        e.n(),
        e.at(),
        e.local(),
        action,
        args,
        e.recv(),
        e.by(),
        e.sent(),
        e.persisted(),
        state);
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

  private static TraceEvent event(
      TraceEvent e,
      long n,
      long at,
      long local,
      String action,
      Map<String, JsonNode> args,
      Optional<String> recv,
      String by,
      List<String> sent,
      long persisted,
      Map<String, JsonNode> state) {
    return new TraceEvent(
        n, e.node(), e.role(), at, local, action, args, recv, by, sent, persisted, state);
  }
}
