package dev.plumbline.engage.client;

import java.io.IOException;

/** What was asked for makes no sense: nothing was or will be done. The message says what helps. */
public final class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  RefusedException(String why) {
    super(why);
  }
}
