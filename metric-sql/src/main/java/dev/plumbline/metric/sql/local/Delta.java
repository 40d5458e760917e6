package dev.plumbline.metric.sql.local;

import dev.plumbline.metric.sql.log.RedoEntry.Change;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The net effect of changes: which rows go and which come, as multisets. A trigger that changes a
 * row again is told before the change that fired it, and a sum does not mind the order.
 */
final class Delta {
  private final Map<String, Map<String, Integer>> rows = new TreeMap<>();

  void add(Change change) {
    Map<String, Integer> table = rows.computeIfAbsent(change.table(), t -> new LinkedHashMap<>());
    if (change.before() != null) {
      table.merge(change.before(), -1, Integer::sum);
    }
    if (change.after() != null) {
      table.merge(change.after(), 1, Integer::sum);
    }
  }

  void go(Connection c, Dialect dialect) throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    dialect.quiet(c);
    for (Map.Entry<String, Map<String, Integer>> table : rows.entrySet()) {
      List<String> go = new ArrayList<>();
      List<String> come = new ArrayList<>();
      table
          .getValue()
          .forEach(
              (row, n) -> {
                for (int i = 0; i < Math.abs(n); i++) {
                  (n < 0 ? go : come).add(row);
                }
              });
      if (!go.isEmpty()) {
        dialect.delete(c, table.getKey(), go);
      }
      if (!come.isEmpty()) {
        dialect.insert(c, table.getKey(), come);
      }
    }
    dialect.loud(c);
  }
}
