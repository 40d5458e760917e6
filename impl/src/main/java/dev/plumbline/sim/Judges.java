package dev.plumbline.sim;

import dev.plumbline.history.Model;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Services;
import java.util.ArrayList;
import java.util.List;

/**
 * The judges of every simulated run: the simulator's own, the history's, and those on the class
 * path.
 */
public final class Judges {
  private Judges() {}

  /** The simulator's own and the history's first, the others as {@link Services} finds them. */
  public static List<Judge> all() {
    List<Judge> judges = new ArrayList<>();
    judges.add(new OwnJudge());
    judges.addAll(HistoryJudges.all());
    judges.addAll(Services.all(Judge.class));
    return judges;
  }

  /** The same, and what judges only this protocol's promises. */
  public static List<Judge> all(ProtocolSystem protocol) {
    List<Judge> judges = all();
    if (protocol.model() != Model.STRICT_SERIALIZABLE) {
      judges.addAll(HistoryJudges.of(protocol.model()));
    }
    protocol.judges().forEach(judge -> judges.add(HistoryJudges.of(judge)));
    return judges;
  }
}
