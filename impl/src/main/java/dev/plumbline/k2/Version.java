package dev.plumbline.k2;

import java.util.List;

/**
 * A version of a key in its write stream (K2, section 5.1).
 *
 * @param writer who wrote it
 * @param first the first key that the writer wrote: where its recorder is
 * @param committed whether it is a version rather than an intent
 * @param epoch the node's epoch when the intent was created
 * @param commitEpoch the commit epoch, 0 for an intent
 * @param value what was written
 */
public record Version(
    Txn writer, long first, boolean committed, long epoch, long commitEpoch, List<Long> value) {

  /** What every key holds before the first write. */
  public static final Version INITIAL = new Version(Txn.NONE, 0, true, 0, 0, List.of());

  static Version intent(K2Record.Intent intent) {
    return new Version(intent.txn(), intent.first(), false, intent.epoch(), 0, intent.value());
  }

  Version commit(long newCommitEpoch) {
    return new Version(writer, first, true, epoch, newCommitEpoch, value);
  }
}
