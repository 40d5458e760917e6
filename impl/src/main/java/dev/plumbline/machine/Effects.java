package dev.plumbline.machine;

import java.util.Map;

/** Where a {@link Machine} puts what one step does. The order of calls is the order of effects. */
public interface Effects {

  /**
   * Sends a message to a role; it may be lost, duplicated, delayed or reordered. The sender's own
   * role is allowed.
   */
  void send(String to, Message message);

  /**
   * Arms a timer that fires once at least {@code delayMicros} of this node's interval clock have
   * passed since the step's reading. Setting an equal timer again replaces it.
   */
  void setTimer(Timer timer, long delayMicros);

  /** Disarms a timer; nothing happens if it is not armed. */
  void cancelTimer(Timer timer);

  /**
   * Answers a client request that this instance received, once. In the simulator another answer is
   * a failure of the machine; processes drop it.
   */
  void reply(long requestId, Record response);

  /** Appends a record to the role's log, durable before anything of this step is released. */
  void persist(Record record);

  /**
   * Whether {@link #trace} has a listener; a machine may skip building its arguments when not. The
   * answer must change nothing else.
   */
  boolean tracing();

  /**
   * Logs the action of the specification that this step was. A step that is one action in each of
   * several modules calls this once for each; every such event carries all that the step received
   * and sent. A step that never calls this is logged as {@code Stutter}.
   *
   * @param action the action's name in the specification
   * @param args its parameters, named as in the specification; values are strings, numbers,
   *     booleans, enums, or lists, sets and string-keyed maps of these
   * @param state the part of this participant's state that the specification projects and the log
   *     shall show, by variable, after the step; same types
   */
  void trace(String action, Map<String, ?> args, Map<String, ?> state);

  /** Logs an action without state. */
  default void trace(String action, Map<String, ?> args) {
    trace(action, args, Map.of());
  }
}
