package dev.plumbline.trace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One logged step of a node.
 *
 * @param n counts the node's events from 1
 * @param node the node's id
 * @param role the role it plays
 * @param at reference clock when the step started, microseconds since the start of the run
 * @param local the node's interval clock then, microseconds
 * @param action the specification's action, {@code Stutter}, or an environment event
 * @param args the action's parameters by name
 * @param recv the identity of the message handled
 * @param by what a step without one began with: start, timer or request; empty for what no step did
 * @param sent the identities of the messages sent, in order
 * @param persisted records appended to the role's log; a step with several events says it in the
 *     first of them
 * @param state variables of the specification after the step, by name
 */
public record TraceEvent(
    long n,
    String node,
    String role,
    long at,
    long local,
    String action,
    Map<String, JsonNode> args,
    Optional<String> recv,
    String by,
    List<String> sent,
    long persisted,
    Map<String, JsonNode> state) {

  /** The action of a step that is no action of the specification. */
  public static final String STUTTER = "Stutter";

  /** Environment event: the node lost its volatile state. */
  public static final String CRASH = "Crash";

  /** Environment event: an instance opened its role's log again; args role, epoch, records. */
  public static final String RESTART = "Restart";

  /** Environment event: an append was refused and the instance stopped; args role, epoch. */
  public static final String FENCED = "Fenced";

  /** Environment event, on the sender: no copy of a message arrived; args message, to. */
  public static final String LOSE = "Lose";

  /** An argument; missing if there is none of that name. */
  public JsonNode arg(String name) {
    return args.getOrDefault(name, MissingNode.getInstance());
  }

  /** An argument, or else a part of the state; missing if there is neither of that name. */
  public JsonNode field(String name) {
    return args.containsKey(name) ? arg(name) : state.getOrDefault(name, MissingNode.getInstance());
  }

  /** The action without its module. */
  public String actionName() {
    return action.substring(action.indexOf('.') + 1);
  }

  /** The node that sent the message handled. */
  public Optional<String> sender() {
    return recv.map(id -> id.substring(0, Math.max(0, id.lastIndexOf(':'))));
  }

  /** Whether an instance ends here, with its volatile state. */
  public boolean ends() {
    return action.equals(CRASH) || action.equals(FENCED);
  }
}
