package dev.plumbline.graph;

import dev.plumbline.history.History;
import dev.plumbline.history.Op;
import dev.plumbline.trace.TraceEvent;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Transactions that events name, found by their places in the serial order. */
public final class PlacedTransactions implements LoggedTransactions {
  private final Conformance conformance;
  private final List<TraceEvent> log;
  private final Map<List<Long>, Set<String>> known = new HashMap<>();

  PlacedTransactions(Conformance conformance, List<TraceEvent> log) {
    this.conformance = conformance;
    this.log = log;
  }

  @Override
  public Set<String> of(int event) {
    return conformance.transactions(log.get(event));
  }

  @Override
  public Set<String> of(History history, Op end) {
    return end.ts() == null ? Set.of() : known.computeIfAbsent(end.ts().parts(), this::at);
  }

  private Set<String> at(List<Long> place) {
    for (TraceEvent event : log) {
      Optional<String> name = conformance.transactionAt(place, event);
      if (name.isPresent()) {
        return Set.of(name.get());
      }
    }
    return Set.of();
  }

  @Override
  public String needs() {
    return "name an operation whose end has :ts, its place in the serial order";
  }

  /** Few events are about the names, and only those can tell the place. */
  @Override
  public Optional<Op> operation(History history, Set<String> names) {
    Map<List<Long>, Op> ends = new HashMap<>();
    history.ops().stream()
        .filter(o -> o.ts() != null && o.type() != Op.Type.INVOKE)
        .forEach(o -> ends.put(o.ts().parts(), o));
    for (TraceEvent event : log) {
      if (conformance.transactions(event).stream().anyMatch(names::contains)) {
        for (Map.Entry<List<Long>, Op> end : ends.entrySet()) {
          Optional<String> name = conformance.transactionAt(end.getKey(), event);
          if (name.filter(names::contains).isPresent()) {
            return Optional.of(end.getValue());
          }
        }
      }
    }
    return Optional.empty();
  }
}
