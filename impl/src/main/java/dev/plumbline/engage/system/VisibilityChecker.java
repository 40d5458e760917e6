package dev.plumbline.engage.system;

import dev.plumbline.history.History;
import dev.plumbline.history.Judgement;
import dev.plumbline.history.SessionChecker;
import dev.plumbline.protocol.HistoryChecker;
import dev.plumbline.protocol.Settings;

/**
 * Updates become visible at other replicas in an order that does not violate causality, whatever
 * their clients asked for (section III-B).
 */
final class VisibilityChecker implements HistoryChecker {
  @Override
  public String name() {
    return "visibility";
  }

  @Override
  public Judgement check(History history, Settings settings) {
    return SessionChecker.visible(history);
  }
}
