package dev.plumbline.dast.binding;

import dev.plumbline.bind.BoundProtocol;
import dev.plumbline.dast.system.DastSystem;
import dev.plumbline.protocol.Settings;
import dev.plumbline.trace.TraceEvent;
import java.util.List;
import java.util.Optional;

/** DAST's side of conformance. */
public final class DastConformance extends BoundProtocol {
  private static final int MOST_EVENTS = 40_000;
  private static final int COVERAGE_TRANSACTIONS = 40;

  public DastConformance() {
    super(
        new DastSystem(),
        StretchableClockBinding::new,
        TwoPhaseAnticipationBinding::new,
        FailoverBinding::new,
        ParticipantFailoverBinding::new);
  }

  /** The last part of a place is the number that the client gave to the transaction. */
  @Override
  public Optional<String> transactionAt(List<Long> place, TraceEvent event) {
    String number = place.get(place.size() - 1).toString();
    return transactions(event).stream()
        .filter(id -> DastSystem.clientsNumber(id).equals(number))
        .findFirst();
  }

  @Override
  public String mainModule() {
    return "TwoPhaseAnticipation";
  }

  /**
   * Every node tells its region its clock all the time: some three seconds of a log. Failover looks
   * at few of these messages, and its failures come late.
   */
  @Override
  public int judgedEvents(String module) {
    return module.equals("Failover") ? Integer.MAX_VALUE : MOST_EVENTS;
  }

  /** A run costs two or three seconds, logs read and judged. */
  @Override
  public int quickSeeds() {
    return 5;
  }

  /**
   * Sections 4.4 and 4.5 want anticipated timestamps monotonic across failovers. Algorithm 2 (lines
   * 10 to 12) does not make them so: they go back as the estimate of a round trip shrinks. Machines
   * that may be replaced add a floor, the others do as published.
   */
  @Override
  public Optional<String> silent(String module, Settings settings) {
    return module.equals("Failover") && settings.parameter("suspectMicros", 0) == 0
        ? Optional.of("without suspectMicros no node is replaced")
        : Optional.empty();
  }

  /** More would come after {@link #judgedEvents(String)}. */
  @Override
  public int coverageTransactions() {
    return COVERAGE_TRANSACTIONS;
  }
}
