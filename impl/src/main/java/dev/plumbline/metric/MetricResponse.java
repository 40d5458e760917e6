package dev.plumbline.metric;

import java.util.List;

/** What a Metric process answers. */
public sealed interface MetricResponse {

  /**
   * The transaction is committed.
   *
   * @param results the row after each statement
   * @param place among all transactions, compared element by element
   */
  record Done(List<List<Long>> results, List<Long> place) implements MetricResponse {}

  /** This attempt has no effect, now or later. */
  record Failed(String why) implements MetricResponse {}

  /** This attempt may have an effect (repair {@code unknown}). */
  record Unknown(String why) implements MetricResponse {}

  /** What was asked makes no sense; no attempt at it has an effect. */
  record Refused(String why) implements MetricResponse {}
}
