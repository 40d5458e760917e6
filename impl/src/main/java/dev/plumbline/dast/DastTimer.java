package dev.plumbline.dast;

import dev.plumbline.machine.Timer;

/** What processes wake up for. */
public sealed interface DastTimer extends Timer {

  /** Tell the region one's clock. */
  record Tell() implements DastTimer {}

  /** Execute one transaction if it is due; only where steps are asked for one by one. */
  record Execute() implements DastTimer {}

  /** Repeat what was not answered. */
  record Resend() implements DastTimer {}
}
