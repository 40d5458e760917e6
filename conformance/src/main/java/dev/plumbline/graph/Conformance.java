package dev.plumbline.graph;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.protocol.Near;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Services;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.TraceModel;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What ties a protocol's specification to its machines, one implementation a protocol; listed in
 * {@code META-INF/services/dev.plumbline.graph.Conformance}.
 */
public interface Conformance {

  /** The name on the command line. */
  String protocol();

  /**
   * How logs are read, one for each module.
   *
   * @param settings what the machines ran with
   */
  List<TraceModel> traceModels(Settings settings);

  /** Modules that logs are not checked against, having no trace model. */
  default List<String> untracedModules() {
    return List.of();
  }

  /**
   * How many events of a simulated run's log are validated against a module, from its start; {@code
   * ./plumb trace} takes whole logs.
   */
  default int judgedEvents(String module) {
    return Integer.MAX_VALUE;
  }

  /** How many simulated runs the quick lane judges. */
  default int quickSeeds() {
    return 20;
  }

  /** Why a module's trace model says nothing of runs with these settings; empty where it does. */
  default Optional<String> silent(String module, Settings settings) {
    return Optional.empty();
  }

  /** The names of the transactions that a logged event is about. */
  default Set<String> transactions(TraceEvent event) {
    Set<String> names = new TreeSet<>();
    event
        .args()
        .forEach(
            (name, value) -> {
              JsonNode t = name.equals("t") ? value : value.path("t");
              if (t.isTextual()) {
                names.add(t.asText());
              }
            });
    return names;
  }

  /**
   * The name that logs have for the transaction at a place of the serial order, if the event tells.
   *
   * @param place what histories have as {@code :ts}
   */
  default Optional<String> transactionAt(List<Long> place, TraceEvent event) {
    return Optional.empty();
  }

  /** Which transactions the events of a log are about, all nodes' events in one order. */
  default LoggedTransactions transactions(List<TraceEvent> log) {
    return new PlacedTransactions(this, log);
  }

  /** Transactions of a simulated run for coverage, if the caller names none. */
  default int coverageTransactions() {
    return 200;
  }

  /** The module whose validation speed has a budget. */
  String mainModule();

  /**
   * Corpora, each with what machines have to refuse: {@code MODULE}, and {@code MODULE-NAME} for
   * further ones of a module.
   */
  Map<String, StateGraph.Probes> corpusModules();

  /**
   * Machines that can be run by a module's actions; empty where a module has none.
   *
   * @param constants of the model, as TLA+ text; the machines are configured by them
   * @param bug a seeded bug to run with
   */
  Optional<SpecAdapter> adapter(
      String module, Map<String, String> constants, Optional<SeededBug> bug);

  /** All protocols, by name. */
  static List<Conformance> all() {
    return Services.all(Conformance.class).stream()
        .sorted((a, b) -> a.protocol().compareTo(b.protocol()))
        .toList();
  }

  /**
   * The protocol of that name.
   *
   * @throws InputError if there is none
   */
  static Conformance named(String name) {
    return all().stream()
        .filter(c -> c.protocol().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new InputError(
                    "",
                    0,
                    "no protocol \"" + name + "\" has conformance checks",
                    Protocols.all().stream().anyMatch(p -> p.name().equals(name))
                        ? "list the class that ties its specification to its machines in "
                            + Services.file(Conformance.class)
                        : Near.remedy(name, names(), "name one of " + String.join(", ", names()))));
  }

  private static List<String> names() {
    return all().stream().map(Conformance::protocol).toList();
  }

  /** The protocols of these names, all if there are none. */
  static List<Conformance> named(List<String> names) {
    return names.isEmpty() ? all() : names.stream().map(Conformance::named).toList();
  }
}
