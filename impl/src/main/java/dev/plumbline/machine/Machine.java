package dev.plumbline.machine;

/**
 * A protocol participant as a pure deterministic state machine.
 *
 * <p>A machine has no thread, does no I/O and reads no clock: everything it learns arrives through
 * {@link #handle}, everything it does leaves through {@link Effects}. Two machines given the same
 * inputs in the same order produce the same effects. An input that the machine rejects (stale,
 * duplicate, malformed) leaves its state unchanged.
 *
 * <p>The runtime must make the records of {@link Effects#persist} durable before it releases the
 * messages, replies and timers of the same step, and must not deliver another input in between. A
 * crash before that point loses the step.
 */
public interface Machine {

  /**
   * Handles one input to completion.
   *
   * @param input the message, timer or request
   * @param localMicros this node's interval clock, in microseconds; it drifts and its origin means
   *     nothing
   * @param effects where the step's messages, timers, replies and durable records go
   */
  void handle(Input input, long localMicros, Effects effects);
}
