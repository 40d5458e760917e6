package dev.plumbline.node;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counters and gauges by their Prometheus series, such as {@code a_total{reason="b"}}. */
public final class Metrics {
  private final Map<String, LongAdder> counters = new ConcurrentSkipListMap<>();
  private final Map<String, LongSupplier> gauges = new ConcurrentSkipListMap<>();

  /** A counter, at 0 if it is new. */
  LongAdder counter(String series) {
    return counters.computeIfAbsent(series, s -> new LongAdder());
  }

  /** A counter with one label. */
  LongAdder counter(String name, String label, String value) {
    return counter(name + '{' + label + "=\"" + value + "\"}");
  }

  void gauge(String series, LongSupplier value) {
    gauges.put(series, value);
  }

  /** A counter's value, 0 if there is none. */
  long count(String series) {
    LongAdder counter = counters.get(series);
    return counter == null ? 0 : counter.sum();
  }

  /** Prometheus' text format. */
  String text() {
    StringBuilder text = new StringBuilder();
    Map<String, Long> values = new ConcurrentSkipListMap<>();
    counters.forEach((series, value) -> values.put(series, value.sum()));
    write(text, values, "counter");
    values.clear();
    gauges.forEach((series, value) -> values.put(series, value.getAsLong()));
    write(text, values, "gauge");
    return text.toString();
  }

  private static void write(StringBuilder text, Map<String, Long> values, String type) {
    String last = "";
    for (Map.Entry<String, Long> entry : values.entrySet()) {
      int brace = entry.getKey().indexOf('{');
      String name = brace < 0 ? entry.getKey() : entry.getKey().substring(0, brace);
      if (!name.equals(last)) {
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        last = name;
      }
      text.append(entry.getKey()).append(' ').append(entry.getValue()).append('\n');
    }
  }
}
