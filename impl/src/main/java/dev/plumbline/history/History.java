package dev.plumbline.history;

import java.util.List;

/**
 * A history in memory.
 *
 * @param source the file it came from, for messages
 * @param ops its lines
 * @param lines the line of the file on which each operation starts, or null if there is no file
 */
public record History(String source, List<Op> ops, int[] lines) {

  /** A history that was not read from a file. */
  public static History of(List<Op> ops) {
    return new History("history", List.copyOf(ops), null);
  }

  /** Where the operation at a position stands, as {@code FILE:LINE}. */
  public String where(int position) {
    return lines == null
        ? source + ", operation " + ops.get(position).index()
        : source + ":" + lines[position];
  }

  /** The same without snapshot reads, which promise no real-time order. */
  public History withoutSnapshotReads() {
    return without(ObservedTransaction::snapshot);
  }

  private History without(java.util.function.Predicate<ObservedTransaction> unwanted) {
    var dropped = new java.util.HashSet<Long>();
    for (ObservedTransaction transaction : ObservedTransaction.of(this)) {
      if (unwanted.test(transaction)) {
        dropped.add(transaction.invoke().index());
        dropped.add(transaction.completion().index());
      }
    }
    return of(ops.stream().filter(op -> !dropped.contains(op.index())).toList());
  }
}
