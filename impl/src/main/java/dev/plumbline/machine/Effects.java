package dev.plumbline.machine;

import java.util.Map;

/** Where a {@link Machine} puts what one step does. The order of calls is the order of effects. */
public interface Effects {

  /** Sends a message; it may be lost, duplicated, delayed or reordered. */
  void send(String to, Message message);

  /** Arms a timer that fires {@code delayMicros} of this node's interval clock from now. */
  void setTimer(Timer timer, long delayMicros);

  /** Disarms a timer; nothing happens if it is not armed. */
  void cancelTimer(Timer timer);

  /** Answers a client request of this node. */
  void reply(long requestId, Record response);

  /** Makes a record durable before anything else of this step is released. */
  void persist(Record record);

  /**
   * Logs the specification's action that this step was.
   *
   * @param action the action's name in the specification
   * @param args its parameters, named as in the specification; values are strings, numbers,
   *     booleans, lists or maps
   */
  void trace(String action, Map<String, ?> args);
}
