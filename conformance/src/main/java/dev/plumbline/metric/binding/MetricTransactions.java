package dev.plumbline.metric.binding;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.graph.LoggedTransactions;
import dev.plumbline.history.History;
import dev.plumbline.history.Op;
import dev.plumbline.trace.TraceEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The transactions of Metric's logs. A process works on one request at a time, from its {@code
 * ReceiveCall} to its end: its events between are about that request, and so is what its messages
 * bring about at the lock service and at the store's replicas.
 */
final class MetricTransactions implements LoggedTransactions {
  private static final Set<String> ENDS = Set.of("RedoLog.ReplyOk", "RedoLog.Nack");

  /** Where a transaction takes its place: one that wrote, and one that only read. */
  private static final Set<String> PLACES = Set.of("RedoLog.LocalCommit", "RedoLog.Execute");

  private final List<Set<String>> names = new ArrayList<>();

  /** The request under way at each process. */
  private final Map<String, String> requests = new HashMap<>();

  /** What each message is about. */
  private final Map<String, Set<String>> messages = new HashMap<>();

  /** Whose place in the serial order a process chose when; the process first, then the time. */
  private final Map<Long, NavigableMap<Long, String>> places = new HashMap<>();

  MetricTransactions(List<TraceEvent> log) {
    log.forEach(this::add);
  }

  private void add(TraceEvent e) {
    if (e.action().equals("RedoLog.ReceiveCall")) {
      requests.put(e.node(), e.arg("req").asText());
    }
    String request = requests.get(e.node());
    Set<String> about = request == null ? elsewhere(e) : here(e, request);
    names.add(about);
    e.sent().forEach(m -> messages.put(m, about));
    if (request != null && PLACES.contains(e.action())) {
      places.computeIfAbsent(e.arg("p").asLong(), p -> new TreeMap<>()).put(e.at(), request);
    }
    if (ENDS.contains(e.action()) || e.ends()) {
      requests.remove(e.node());
    }
  }

  /** At the process that works on a request. Late answers and idle timers are left out. */
  private Set<String> here(TraceEvent e, String request) {
    boolean idle = e.action().equals(TraceEvent.STUTTER) && e.sent().isEmpty();
    boolean earlier = e.recv().map(messages::get).filter(of -> !of.contains(request)).isPresent();
    return idle || earlier ? Set.of() : Set.of(request);
  }

  /** At the lock service and the replicas, and at processes between two requests. */
  private Set<String> elsewhere(TraceEvent e) {
    Set<String> about = new TreeSet<>(e.recv().map(messages::get).orElse(Set.of()));
    JsonNode client = e.arg("c");
    if (e.action().equals("EntryConsistency.AcquireLock")
        && requests.containsKey(client.asText())) {
      // Another one's release may be what let it have the lock.
      about.add(requests.get(client.asText()));
    }
    return about;
  }

  @Override
  public Set<String> of(int event) {
    return names.get(event);
  }

  /** A place is when the process chose it, by the reference clock, and the process. */
  @Override
  public Set<String> of(History history, Op end) {
    if (end.ts() == null) {
      return Set.of();
    }
    List<Long> place = end.ts().parts();
    Map.Entry<Long, String> chosen =
        places.getOrDefault(place.get(1), new TreeMap<>()).floorEntry(place.get(0));
    return chosen == null ? Set.of() : Set.of(chosen.getValue());
  }

  @Override
  public String needs() {
    return "name an operation whose end has :ts, its place in the serial order; what a site leads"
        + " has none, nor what its SQL side does";
  }
}
