package dev.plumbline.protocol;

import dev.plumbline.history.History;
import dev.plumbline.history.Judgement;

/** Judges a well-formed history by what only one protocol promises its clients. */
public interface HistoryJudge {

  /** The name in tables. */
  String name();

  /**
   * Judges a history of the simulator or of a cluster.
   *
   * @param settings what the machines ran with
   */
  Judgement judge(History history, Settings settings);
}
