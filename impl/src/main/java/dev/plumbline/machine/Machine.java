package dev.plumbline.machine;

/**
 * A protocol participant as a pure deterministic state machine.
 *
 * <p>A machine has no thread, does no I/O and reads no clock: everything it learns arrives through
 * {@link #handle}, everything it does leaves through {@link Effects}. Two machines given the same
 * inputs in the same order produce the same effects. An input that the machine rejects (stale,
 * duplicate, malformed) leaves its state unchanged.
 *
 * <p>The runtime makes the records of {@link Effects#persist} durable before it releases the
 * messages, replies and timers of the same step, and delivers no other input in between. A crash
 * before the release leaves all of the step's records durable, or none, and releases nothing.
 */
public interface Machine {

  /**
   * Handles one input to completion.
   *
   * @param input what happened; the first input is {@link Input.Start}
   * @param clock this node's clocks as the step starts
   * @param effects where the step's messages, timers, replies and durable records go; not to be
   *     kept beyond the step
   */
  void handle(Input input, ClockReading clock, Effects effects);
}
