package dev.plumbline.metric.sql.site;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.RandomAccessFile;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Types;
import java.util.ArrayDeque;
import java.util.Calendar;
import java.util.Deque;
import org.apache.calcite.avatica.util.DateTimeUtils;

/**
 * The rows of a result as Avatica's server reads them. They are read to their end while the
 * statement runs, so they need no transaction afterwards. What is more than a little waits in a
 * file.
 */
final class Kept implements InvocationHandler, Closeable {
  /** How many rows the database is asked for at a time, before it is known how long they are. */
  static final int ROWS = 10;

  /** How many there are at a time at most. */
  private static final int MOST = 1000;

  /** So much of a result is in memory, before or behind the file. */
  private static final long BYTES = 1 << 20;

  /** What a value takes beside its contents, about. */
  private static final int VALUE_BYTES = 32;

  private final ResultSetMetaData described;
  private final Deque<Object[]> first = new ArrayDeque<>();
  private RandomAccessFile file;
  private ObjectInputStream rest;
  private long count;
  private long bytes;

  /** How many of them there were when the file's writer forgot what it had written. */
  private long kept;

  private long left;
  private Object[] row;
  private boolean wasNull;
  private boolean closed;

  /**
   * @param rows what the database has, read as it is
   * @param seen the same rows as Avatica sees them
   */
  Kept(ResultSet rows, ResultSet seen) throws SQLException {
    described = rows.getMetaData();
    try {
      read(rows, seen);
      left = count;
    } catch (SQLException e) {
      close();
      try {
        rows.close();
      } catch (SQLException again) {
        e.addSuppressed(again);
      }
      throw e;
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
    rows.close();
  }

  private void read(ResultSet rows, ResultSet seen) throws SQLException {
    ResultSetMetaData as = seen.getMetaData();
    int[] types = new int[as.getColumnCount()];
    boolean arrays = false;
    for (int i = 0; i < types.length; i++) {
      types[i] = as.getColumnType(i + 1);
      arrays |= types[i] == Types.ARRAY;
    }
    Calendar calendar = DateTimeUtils.calendar();
    ObjectOutputStream out = null;
    while (seen.next()) {
      Object[] values = new Object[types.length];
      bytes += VALUE_BYTES;
      for (int i = 0; i < types.length; i++) {
        Object value = value(seen, types[i], i + 1, calendar);
        values[i] = seen.wasNull() ? null : value;
        bytes += VALUE_BYTES + contents(value);
      }
      count++;
      if (out == null && bytes > BYTES && !arrays) {
        out = open();
      }
      if (out == null) {
        first.add(values);
      } else {
        write(out, values);
      }
      if (count % ROWS == 0) {
        rows.setFetchSize(rowsIn(BYTES, MOST));
      }
    }
    if (out != null) {
      turn(out);
    }
  }

  /** As Avatica reads a value of a type. */
  private static Object value(ResultSet seen, int type, int column, Calendar calendar)
      throws SQLException {
    return switch (type) {
      case Types.BIGINT -> seen.getLong(column);
      case Types.INTEGER -> seen.getInt(column);
      case Types.SMALLINT -> seen.getShort(column);
      case Types.TINYINT -> seen.getByte(column);
      case Types.DOUBLE, Types.FLOAT -> seen.getDouble(column);
      case Types.REAL -> seen.getFloat(column);
      case Types.DATE -> seen.getDate(column, calendar);
      case Types.TIME -> seen.getTime(column, calendar);
      case Types.TIMESTAMP -> seen.getTimestamp(column, calendar);
      case Types.ARRAY -> seen.getArray(column);
      default -> seen.getObject(column);
    };
  }

  private static long contents(Object value) {
    return value instanceof String s ? 2L * s.length() : value instanceof byte[] b ? b.length : 0;
  }

  /** How many rows have so many bytes, about; one at least. */
  int rowsIn(long some, int most) {
    return (int) Math.max(1, Math.min(most, count == 0 ? most : some * count / bytes));
  }

  /** The file has no name any more: it goes when it is closed. */
  private ObjectOutputStream open() throws SQLException {
    try {
      File made = File.createTempFile("plumb-rows", null);
      file = new RandomAccessFile(made, "rw");
      if (!made.delete()) {
        made.deleteOnExit();
      }
      return new ObjectOutputStream(
          new BufferedOutputStream(new FileOutputStream(file.getFD()), 1 << 16));
    } catch (IOException e) {
      throw full(e);
    }
  }

  private void write(ObjectOutputStream out, Object[] values) throws SQLException {
    try {
      out.writeObject(values);
      if (bytes - kept > BYTES / 4) {
        // It, and who reads it, would keep all that was written.
        out.reset();
        kept = bytes;
      }
    } catch (IOException e) {
      throw full(e);
    }
  }

  private void turn(ObjectOutputStream out) throws SQLException {
    try {
      out.flush();
      file.seek(0);
      rest =
          new ObjectInputStream(
              new BufferedInputStream(new FileInputStream(file.getFD()), 1 << 16));
    } catch (IOException e) {
      throw full(e);
    }
  }

  /** The database has run the statement, so nothing but the transaction's end undoes it. */
  private static SQLException full(IOException e) {
    return new SQLTransactionRollbackException(
        "the site cannot keep the rows in " + System.getProperty("java.io.tmpdir") + ": " + e,
        "53100",
        e);
  }

  @Override
  public Object invoke(Object self, Method method, Object[] arguments) throws SQLException {
    if (arguments != null && arguments[0] == Kept.class) {
      return method.getName().equals("unwrap") ? this : (Object) true;
    }
    Object own = Wrapped.own(self, method, arguments);
    if (own != null) {
      return own;
    }
    return switch (method.getName()) {
      case "next" -> next();
      case "wasNull" -> wasNull;
      case "getMetaData" -> described;
      case "isClosed" -> closed;
      case "close" -> {
        close();
        yield null;
      }
      default -> {
        if (!method.getName().startsWith("get")
            || arguments == null
            || !(arguments[0] instanceof Integer column)) {
          throw new SQLFeatureNotSupportedException(method.getName(), "0A000");
        }
        yield value(column, method.getReturnType());
      }
    };
  }

  private synchronized boolean next() throws SQLException {
    if (closed) {
      throw new SQLException("the ResultSet is closed", "24000");
    }
    row = null;
    if (left == 0) {
      return false;
    }
    left--;
    try {
      row = first.isEmpty() ? (Object[]) rest.readObject() : first.remove();
    } catch (IOException | ClassNotFoundException e) {
      throw new SQLException("the site cannot read the rows that it has kept: " + e, "58030", e);
    }
    return true;
  }

  private synchronized Object value(int column, Class<?> type) throws SQLException {
    if (row == null) {
      throw new SQLException("the ResultSet is at no row", "24000");
    }
    Object value = row[column - 1];
    wasNull = value == null;
    return wasNull && type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : value;
  }

  @Override
  public synchronized void close() {
    closed = true;
    row = null;
    first.clear();
    if (file != null) {
      try {
        file.close();
      } catch (IOException e) {
        // Nothing of it is needed.
      }
    }
  }
}
