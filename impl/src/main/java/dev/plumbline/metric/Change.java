package dev.plumbline.metric;

import java.util.List;

/** A row that a transaction left so: what a write trigger captures. An empty row is deleted. */
public record Change(String table, String row, List<Long> value) {

  public Change {
    value = List.copyOf(value);
  }
}
