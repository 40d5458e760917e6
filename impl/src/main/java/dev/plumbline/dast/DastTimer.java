package dev.plumbline.dast;

import dev.plumbline.machine.Timer;

/** What processes wake up for. */
public sealed interface DastTimer extends Timer {

  /** Tell the region one's clock. */
  record Tell() implements DastTimer {}

  /** Repeat what was not answered. */
  record Resend() implements DastTimer {}
}
