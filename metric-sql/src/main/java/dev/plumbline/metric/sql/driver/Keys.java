package dev.plumbline.metric.sql.driver;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.rowset.RowSetMetaDataImpl;

/** Generated keys, as they came from the site: the statement may run again before they are read. */
final class Keys {
  private final ResultSetMetaData described;
  private final List<Object[]> rows;

  private Keys(ResultSetMetaData described, List<Object[]> rows) {
    this.described = described;
    this.rows = rows;
  }

  static Keys none() {
    return new Keys(new RowSetMetaDataImpl(), List.of());
  }

  /** All rows of a result of Avatica's client. */
  static Keys of(ResultSet found) throws SQLException {
    ResultSetMetaData described = found.getMetaData();
    List<Object[]> rows = new ArrayList<>();
    while (found.next()) {
      Object[] row = new Object[described.getColumnCount()];
      for (int i = 0; i < row.length; i++) {
        row[i] = found.getObject(i + 1);
      }
      rows.add(row);
    }
    return new Keys(described, rows);
  }

  int count() {
    return rows.size();
  }

  Keys and(Keys more) {
    if (rows.isEmpty()) {
      return more;
    }
    List<Object[]> all = new ArrayList<>(rows);
    all.addAll(more.rows);
    return new Keys(described, all);
  }

  /** Of MariaDB's keys the counter's alone, as its own driver has it; none if there is none. */
  Keys counter() throws SQLException {
    int counter = described.getColumnCount();
    while (counter > 0 && !described.isAutoIncrement(counter)) {
      counter--;
    }
    if (counter == 0) {
      return none();
    }
    Object[] there = {counter};
    ResultSetMetaData one =
        Client.proxy(
            ResultSetMetaData.class,
            (self, method, arguments) ->
                method.getName().equals("getColumnCount")
                    ? (Object) 1
                    : Client.call(described, method, there));
    int at = counter - 1;
    return new Keys(one, rows.stream().map(row -> new Object[] {row[at]}).toList());
  }

  /** To be read once, forward, by {@link Rows}. */
  ResultSet read() {
    int[] at = {-1};
    boolean[] closed = {false};
    return Client.proxy(
        ResultSet.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "next" -> open(closed[0]) && ++at[0] < rows.size();
              case "getObject" -> {
                open(closed[0]);
                int column = (Integer) arguments[0];
                if (column < 1 || column > described.getColumnCount()) {
                  throw new SQLDataException("there is no column " + column, "42703");
                }
                yield rows.get(at[0])[column - 1];
              }
              case "findColumn" -> column((String) arguments[0]);
              case "getMetaData" -> described;
              case "getType" -> ResultSet.TYPE_FORWARD_ONLY;
              case "getConcurrency" -> ResultSet.CONCUR_READ_ONLY;
              case "getHoldability" -> ResultSet.HOLD_CURSORS_OVER_COMMIT;
              case "getFetchDirection" -> ResultSet.FETCH_FORWARD;
              case "getFetchSize" -> 0;
              case "isClosed" -> closed[0];
              case "close" -> {
                closed[0] = true;
                yield null;
              }
              case "getWarnings", "clearWarnings", "setFetchSize" -> null;
              default -> throw Client.unsupported("generated keys have no " + method.getName());
            });
  }

  private static boolean open(boolean closed) throws SQLException {
    if (closed) {
      throw new SQLException("the ResultSet is closed", "24000");
    }
    return true;
  }

  private int column(String label) throws SQLException {
    for (int i = 1; i <= described.getColumnCount(); i++) {
      if (described.getColumnLabel(i).equalsIgnoreCase(label)) {
        return i;
      }
    }
    throw new SQLDataException("there is no column " + label, "42703");
  }
}
