package dev.plumbline.validate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.tlc.Spec;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What validating a log against one module gave.
 *
 * @param events events of the merged log
 * @param matched events that were steps of this module
 * @param taken how often each action of the core module was matched
 * @param widest the largest number of possible states at any time
 * @param covered how many of the log's parts were read, in words; empty where the whole log was
 * @param seconds stepping time, without reading and loading
 */
public record LogVerdict(
    String module,
    int events,
    int matched,
    Map<String, Integer> taken,
    int widest,
    String covered,
    double seconds,
    Optional<Rejection> rejection) {

  public boolean accepted() {
    return rejection.isEmpty();
  }

  /**
   * The first event that no behaviour explains.
   *
   * @param index of the event in the merged log, from 0
   * @param call the action with its arguments as the specification sees them
   * @param why a sentence: not enabled, or which invariant is violated
   * @param names what the log's names in the event are called in the states
   * @param after whether {@code candidates} are the states after the action, which differ from what
   *     was logged, and not those before it
   * @param candidates the states that the specification could have been in, at most a few
   * @param candidateCount how many there were
   * @param guards conjuncts of the action's guard in the first candidate
   * @param enabled actions that were enabled in the first candidate, with parameters
   */
  public record Rejection(
      int index,
      MergedLog.Entry entry,
      String call,
      String why,
      boolean after,
      Map<String, String> names,
      List<ObjectNode> candidates,
      int candidateCount,
      List<Spec.Conjunct> guards,
      List<String> enabled) {}
}
