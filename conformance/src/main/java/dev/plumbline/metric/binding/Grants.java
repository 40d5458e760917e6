package dev.plumbline.metric.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.TraceModel.Step;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which references the lock service has granted to whom: of a key one reference is one client's,
 * and nobody has it before. A lock that was taken from its last holder is had once its next one has
 * synchronized.
 */
final class Grants {
  private static final String PREFIX = "EntryConsistency.";
  private static final String GRANT = PREFIX + "AcquireLock";

  private static final String SYNCHRONIZED = PREFIX + "FinishSync";

  private final boolean synchronizes;

  /** By key and client. */
  private final Map<String, SortedSet<Long>> granted = new HashMap<>();

  private boolean logged;

  /**
   * @param synchronizes whether a lock that needs it is had after that alone
   */
  Grants(boolean synchronizes) {
    this.synchronizes = synchronizes;
  }

  /** Events are scanned in the log's order. */
  void scan(TraceEvent e) {
    boolean grant = e.action().equals(GRANT);
    if (!grant && !(synchronizes && e.action().equals(SYNCHRONIZED))) {
      return;
    }
    logged |= grant;
    SortedSet<Long> its =
        granted.computeIfAbsent(of(e, e.args().get("c").asText()), k -> new TreeSet<>());
    JsonNode forced = e.state().getOrDefault("forced", BooleanNode.FALSE);
    if (!grant || !synchronizes || !forced.asBoolean()) {
      its.add(reference(e));
    }
  }

  /**
   * The step that no state has, where a client does not have the reference that an event says it
   * has. A log in which nobody grants anything is one of another store.
   */
  Optional<Step> denied(TraceEvent e, String client) {
    SortedSet<Long> its = granted.getOrDefault(of(e, client), new TreeSet<>());
    if (!logged || its.contains(reference(e))) {
      return Optional.empty();
    }
    return Optional.of(agrees(term(reference(e)), its.stream().map(Grants::term).toList()));
  }

  /** What was said is among what may have been. */
  static Step agrees(Term says, List<Term> others) {
    return new Step("", "Agrees", List.of(says, Term.set(others)), false);
  }

  /** References are compared alone: as text they may be of any size. */
  static Term term(long reference) {
    return Term.string(String.valueOf(reference));
  }

  private static long reference(TraceEvent e) {
    return e.args().get("ref").asLong();
  }

  private static String of(TraceEvent e, String client) {
    return e.args().get("key").asText() + " " + client;
  }
}
