package dev.plumbline.metric.figures;

/**
 * Metric's performance in real time: a cluster of processes whose regions serve SQL, each with a
 * PostgreSQL, beside a PostgreSQL at the first site, alone and with synchronous standbys.
 */
public final class MetricProcessFigures extends MetricFigures {
  public MetricProcessFigures() {
    super(new ProcessMeasuring(), true);
  }
}
