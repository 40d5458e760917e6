package dev.plumbline.k2.binding;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.bind.BoundProtocol;
import dev.plumbline.k2.system.K2System;
import dev.plumbline.trace.TraceEvent;
import java.util.List;
import java.util.Optional;

/** K2's side of conformance. */
public final class K2Conformance extends BoundProtocol {
  public K2Conformance() {
    super(
        new K2System(),
        TimestampBatchingBinding::new,
        EpochCutBinding::new,
        MvtoBinding::new,
        EpochVisibilityBinding::new);
  }

  /** The step that gives a transaction its timestamp logs all parts of it. */
  @Override
  public Optional<String> transactionAt(List<Long> place, TraceEvent event) {
    for (int i = 0; i < K2Times.PARTS.size(); i++) {
      JsonNode part = event.args().get(K2Times.PARTS.get(i));
      if (part == null || part.asLong() != place.get(i)) {
        return Optional.empty();
      }
    }
    return transactions(event).stream().findFirst();
  }

  @Override
  public String mainModule() {
    return "Mvto";
  }
}
