package dev.plumbline.metric;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a Metric process answers. */
public sealed interface MetricResponse {

  /**
   * The transaction is committed.
   *
   * @param results the row after each statement
   * @param place among all transactions, compared element by element
   */
  record Done(List<List<Long>> results, List<Long> place) implements MetricResponse {}

  /** It is done as a site's leader has asked. */
  record Ok() implements MetricResponse {}

  /** A transaction that a site led is committed; its tables are at this position then. */
  record Appended(Position at) implements MetricResponse {}

  /**
   * What some tables lack of the redo log, oldest first.
   *
   * @param more whether there is more than fits an answer
   */
  record Lacking(List<Missing> records, boolean more) implements MetricResponse {

    public Lacking {
      records = List.copyOf(records);
    }
  }

  /**
   * A record that tables lack.
   *
   * @param tables those that lack it, and where they are with it
   * @param redo what the transaction left; empty where only positions move
   */
  record Missing(SortedMap<String, Position> tables, String redo) {

    public Missing {
      tables = Collections.unmodifiableSortedMap(new TreeMap<>(tables));
    }
  }

  /** This attempt has no effect, now or later. */
  record Failed(String why) implements MetricResponse {}

  /** This attempt may have an effect (repair {@code unknown}). */
  record Unknown(String why) implements MetricResponse {}

  /** What was asked makes no sense; no attempt at it has an effect. */
  record Refused(String why) implements MetricResponse {}
}
