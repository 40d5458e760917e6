package dev.plumbline.node;

import java.util.Locale;

/** Why a frame is refused; each closes the connection and is counted. */
public enum Refusal {
  /** Not in the format of this version, or not what this sender may send. */
  MALFORMED,
  OVERSIZED,
  /** A sequence number or a session that was used before. */
  REPLAYED,
  /** A frame that was begun and not ended in time. */
  SLOW,
  /** One connection more than there may be of its kind. */
  CROWDED,
  /** No certificate of the cluster, another name than the certificate's, or no HELLO. */
  UNAUTHENTICATED;

  /** The value of the metric's label. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
