package dev.plumbline.graph;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Set;

/**
 * Runs the machines of one specification module: one action of the specification at a time, with
 * the network in the adapter's hands.
 */
public interface SpecAdapter {

  /** The variables that machines keep or make, in the order of {@link #project}. */
  String[] variables();

  /**
   * The specification's other variables: those of the environment, and of claims alone. They are
   * taken from the model, and never compared.
   */
  default Set<String> given() {
    return Set.of();
  }

  /** Puts the machines into the initial state that has these values. */
  void reset(ObjectNode initial);

  /**
   * Makes the machines do what the action says: delivers a message, fires a timer, passes on a
   * client's request, restarts a participant. The machines decide what comes of it.
   *
   * @param before the specification's state that the step starts from; an adapter looks at {@link
   *     #given} variables of it alone
   * @throws IllegalArgumentException when the adapter does not know the action
   */
  void apply(String action, ObjectNode parameters, ObjectNode before);

  /**
   * A variable's value in the encoding of {@code dev.plumbline.tlc.Json}; the same object as before
   * if it did not change.
   *
   * @param variable index in {@link #variables}
   */
  JsonNode project(int variable);

  /**
   * Variables, or fields of them ({@code variable.field}), that no machine keeps and that the
   * adapter works out from the actions, each with the reason. Comparing them shows nothing about
   * the machines.
   */
  Map<String, String> ghosts();
}
