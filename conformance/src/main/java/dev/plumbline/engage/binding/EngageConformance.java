package dev.plumbline.engage.binding;

import dev.plumbline.bind.BoundProtocol;
import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.system.EngageSystem;
import dev.plumbline.graph.LoggedTransactions;
import dev.plumbline.protocol.Settings;
import dev.plumbline.trace.TraceEvent;
import java.util.List;
import java.util.Optional;

/** ENGAGE's side of conformance. */
public final class EngageConformance extends BoundProtocol {
  public EngageConformance() {
    super(
        new EngageSystem(),
        BrokerCausalityBinding::new,
        SessionGuaranteesBinding::new,
        FlushClockBinding::new);
  }

  @Override
  public LoggedTransactions transactions(List<TraceEvent> log) {
    return new EngageTransactions(log);
  }

  @Override
  public Optional<String> silent(String module, Settings settings) {
    if (settings.parameter("mesh", 0) != 0) {
      return Optional.of("without brokers");
    }
    if (settings.parameter("lostBroker", 0) != 0) {
      return Optional.of("new trees are BrokerLoss's, which has no trace model");
    }
    return settings.asPublished(EngageConfig.RESEND)
        ? Optional.of("without resend the log does not say what is lost")
        : Optional.empty();
  }
}
