package dev.plumbline.protocol;

import dev.plumbline.history.History;
import dev.plumbline.history.Judgement;

/** Checks a well-formed history for what only one protocol promises its clients. */
public interface HistoryChecker {

  /** The name in tables. */
  String name();

  /**
   * Checks a history of the simulator or of a cluster.
   *
   * @param settings what the machines ran with
   */
  Judgement check(History history, Settings settings);
}
