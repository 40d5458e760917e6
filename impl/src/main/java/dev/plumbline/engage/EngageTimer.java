package dev.plumbline.engage;

import dev.plumbline.machine.Timer;

/** The machines' timers. */
public sealed interface EngageTimer extends Timer {

  /** A flush has waited long enough (III-F). */
  record FlushDue(String neighbour) implements EngageTimer {}

  /** Something sent to a neighbour may be lost. */
  record Resend(String neighbour) implements EngageTimer {}

  /** The next message of a neighbour has come before it was its turn. */
  record Next(String neighbour) implements EngageTimer {}

  /** What is missing of a neighbour's messages is taken for lost. */
  record Skip(String neighbour) implements EngageTimer {}

  /** A waiting update may be executed. */
  record Execute(String source, long number) implements EngageTimer {}

  /** A held request may be served. */
  record Serve(long requestId) implements EngageTimer {}
}
