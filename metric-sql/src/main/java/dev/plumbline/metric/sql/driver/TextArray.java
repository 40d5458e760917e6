package dev.plumbline.metric.sql.driver;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** An array of one dimension, whose elements are the database's texts. */
final class TextArray implements Array {
  private final String type;
  private final String text;
  private final List<String> elements;

  private TextArray(String type, String text, List<String> elements) {
    this.type = type;
    this.text = text;
    this.elements = elements;
  }

  /** An array that was read; {@code type} is the database's name of its elements' type. */
  static TextArray read(String type, String text) throws SQLException {
    return new TextArray(type, text, parsed(type, text));
  }

  /** An array to send. */
  static TextArray of(String type, Object[] values) throws SQLException {
    List<String> elements = new ArrayList<>();
    for (Object value : values) {
      elements.add(Parameters.element(value));
    }
    StringBuilder text = new StringBuilder();
    for (String e : elements) {
      text.append(text.isEmpty() ? "" : ",")
          .append(e == null ? "NULL" : '"' + e.replace("\\", "\\\\").replace("\"", "\\\"") + '"');
    }
    return new TextArray(type, "{" + text + "}", elements);
  }

  List<String> elements() {
    return elements;
  }

  private static List<String> parsed(String type, String text) throws SQLException {
    int at = text.indexOf('{') + 1;
    int end = text.length() - 1;
    if (text.startsWith("{", at) || type.equals("box")) {
      throw Client.unsupported(
          "an array of " + type + " with more than one dimension is read by getString");
    }
    List<String> elements = new ArrayList<>();
    while (at < end) {
      StringBuilder element = new StringBuilder();
      boolean quoted = text.charAt(at) == '"';
      at += quoted ? 1 : 0;
      while (at < end && text.charAt(at) != (quoted ? '"' : ',')) {
        at += text.charAt(at) == '\\' ? 1 : 0;
        element.append(text.charAt(at++));
      }
      at += quoted ? 2 : 1;
      elements.add(!quoted && element.toString().equals("NULL") ? null : element.toString());
    }
    return elements;
  }

  @Override
  public String getBaseTypeName() {
    return type;
  }

  @Override
  public int getBaseType() {
    return SqlValues.type(type);
  }

  @Override
  public Object getArray() throws SQLException {
    Object[] values =
        (Object[]) java.lang.reflect.Array.newInstance(SqlValues.element(type), elements.size());
    for (int i = 0; i < values.length; i++) {
      values[i] = SqlValues.element(type, elements.get(i));
    }
    return values;
  }

  @Override
  public Object getArray(long index, int count) throws SQLException {
    if (index < 1 || count < 0 || index - 1 + count > elements.size()) {
      throw new SQLDataException("the array has " + elements.size() + " elements", "2202E");
    }
    return Arrays.copyOfRange((Object[]) getArray(), (int) index - 1, (int) index - 1 + count);
  }

  @Override
  public Object getArray(Map<String, Class<?>> map) throws SQLException {
    return getArray();
  }

  @Override
  public Object getArray(long index, int count, Map<String, Class<?>> map) throws SQLException {
    return getArray(index, count);
  }

  private static ResultSet noRows() throws SQLException {
    throw Client.unsupported("an array is read by getArray, not as a ResultSet");
  }

  @Override
  public ResultSet getResultSet() throws SQLException {
    return noRows();
  }

  @Override
  public ResultSet getResultSet(Map<String, Class<?>> map) throws SQLException {
    return noRows();
  }

  @Override
  public ResultSet getResultSet(long index, int count) throws SQLException {
    return noRows();
  }

  @Override
  public ResultSet getResultSet(long index, int count, Map<String, Class<?>> map)
      throws SQLException {
    return noRows();
  }

  @Override
  public void free() {}

  @Override
  public String toString() {
    return text;
  }
}
