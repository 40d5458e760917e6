package dev.plumbline.node;

import io.netty.handler.codec.DecoderException;

/** A frame that closes its connection. */
public final class RefusedFrame extends DecoderException {
  private static final long serialVersionUID = 1L;

  private final Refusal reason;

  RefusedFrame(Refusal reason, String message) {
    super(message);
    this.reason = reason;
  }

  public Refusal reason() {
    return reason;
  }
}
