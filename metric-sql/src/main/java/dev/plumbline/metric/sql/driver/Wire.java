package dev.plumbline.metric.sql.driver;

import java.lang.reflect.Method;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.RowSetMetaData;
import javax.sql.rowset.CachedRowSet;
import javax.sql.rowset.RowSetMetaDataImpl;
import javax.sql.rowset.RowSetProvider;

/** What our driver and the server say to each other beside what Avatica carries by itself. */
public final class Wire {
  /** The property of a connection that names the client's time zone: our driver alone sends it. */
  public static final String ZONE = "zone";

  /** Stands before the update counts of a batch in the message of its failure. */
  public static final String COUNTS = "; update counts: ";

  /**
   * The first element of an array that is sent as a parameter: the other ones are a text and what
   * the database does not need to read it, and the text has no type.
   */
  public static final String UNTYPED = "untyped";

  /** The first element of an array that is sent as a parameter: it is null, of a type of JDBC's. */
  public static final String NOTHING = "null";

  /** The first element of an array that is sent as a parameter: a type and elements follow. */
  public static final String ARRAY = "array";

  /**
   * Begins a question for what a database says of itself, which no statement does: a method of
   * {@code DatabaseMetaData} and its arguments follow.
   */
  private static final String DESCRIBE = "\u0000describe\u0000";

  /** Names a client's information of a connection: after how many seconds a statement ends. */
  public static final String TIMEOUT = "\u0000timeout\u0000";

  /** The catalog of whose tables our driver asks the server to end what a connection runs. */
  public static final String CANCEL = "\u0000cancel\u0000";

  /** Asks what the connection's last statement was warned of. */
  public static final String WARNINGS = "\u0000warnings\u0000";

  private static final int MOST_WARNINGS = 1_000;

  /** What a statement says that ran longer than it may. */
  public static final String TOO_LONG = "the statement ran longer than its timeout of ";

  private static final String NEXT = "\u0000";
  private static final String ELEMENT = "\u0001";
  private static final String NULL = "-";
  private static final String GIVEN = "+";

  /** What is told of rows where a count was asked for. */
  public static final String ROWS = "the statement returns rows: use executeQuery() or execute()";

  public static final String ROWS_STATE = "0100E";

  private Wire() {}

  /** The question for all that a database says of itself in a word, with no arguments. */
  static String words() {
    return DESCRIBE;
  }

  /** The question that a method of {@code DatabaseMetaData} is, with arguments or null. */
  static String describe(String method, Object[] arguments) {
    StringBuilder question = new StringBuilder(DESCRIBE).append(method);
    for (Object a : arguments == null ? new Object[0] : arguments) {
      question.append(NEXT).append(a == null ? NULL : GIVEN + text(a));
    }
    return question.toString();
  }

  private static String text(Object argument) {
    return argument instanceof String[] words
        ? String.join(ELEMENT, words)
        : argument instanceof int[] numbers
            ? Arrays.stream(numbers).mapToObj(String::valueOf).collect(Collectors.joining(ELEMENT))
            : argument.toString();
  }

  /** How our driver says after how many seconds the connection's statements end; 0 for never. */
  static String timeout(int seconds) {
    return TIMEOUT + seconds;
  }

  /** The seconds that {@link #timeout} names; null for another text. */
  public static String seconds(Object text) {
    return text instanceof String s && s.startsWith(TIMEOUT) ? s.substring(TIMEOUT.length()) : null;
  }

  /** Whether a text is a question for what a database says of itself, and no statement. */
  public static boolean asks(Object text) {
    return text instanceof String question && question.startsWith(DESCRIBE);
  }

  /**
   * What is asked for by {@link #describe}, or by {@link #words} in rows of a method's name and its
   * word.
   *
   * @throws SQLException the database is not asked this way for what the text names
   */
  public static ResultSet described(String text, DatabaseMetaData database) throws SQLException {
    if (text.equals(DESCRIBE)) {
      return words(database);
    }
    String[] parts = text.substring(DESCRIBE.length()).split(NEXT, -1);
    for (Method m : DatabaseMetaData.class.getMethods()) {
      if (m.getName().equals(parts[0])
          && m.getReturnType() == ResultSet.class
          && m.getParameterCount() == parts.length - 1) {
        Object[] arguments = new Object[parts.length - 1];
        for (int i = 0; i < arguments.length; i++) {
          arguments[i] = argument(parts[i + 1], m.getParameterTypes()[i]);
        }
        return (ResultSet) Client.call(database, m, arguments);
      }
    }
    throw Client.unsupported("a database is not asked for " + parts[0]);
  }

  /** No rows. */
  public static ResultSet nothing() throws SQLException {
    return table(List.of(), "nothing");
  }

  /** What a statement was warned of. */
  public static ResultSet warnings(SQLWarning first) throws SQLException {
    List<String[]> rows = new ArrayList<>();
    for (SQLWarning w = first; w != null && rows.size() < MOST_WARNINGS; w = w.getNextWarning()) {
      String code = Integer.toString(Math.max(0, w.getErrorCode()));
      rows.add(new String[] {w.getMessage(), w.getSQLState(), code});
    }
    return table(rows, "message", "state", "code");
  }

  private static ResultSet words(DatabaseMetaData database) throws SQLException {
    List<String[]> rows = new ArrayList<>();
    for (Method m : DatabaseMetaData.class.getMethods()) {
      if (isWord(m)) {
        Object word = Client.call(database, m, null);
        rows.add(new String[] {m.getName(), word == null ? null : word.toString()});
      }
    }
    return table(rows, "method", "word");
  }

  private static ResultSet table(List<String[]> rows, String... names) throws SQLException {
    RowSetMetaData columns = new RowSetMetaDataImpl();
    columns.setColumnCount(names.length);
    for (int i = 1; i <= names.length; i++) {
      columns.setColumnType(i, Types.VARCHAR);
      columns.setColumnTypeName(i, "varchar");
      columns.setColumnName(i, names[i - 1]);
      columns.setColumnLabel(i, names[i - 1]);
    }
    CachedRowSet table = RowSetProvider.newFactory().createCachedRowSet();
    table.setMetaData(columns);
    for (String[] row : rows) {
      table.moveToInsertRow();
      for (int i = 1; i <= names.length; i++) {
        table.updateString(i, row[i - 1]);
      }
      table.insertRow();
      table.moveToCurrentRow();
      // The next one comes behind it.
      table.last();
    }
    table.beforeFirst();
    return table;
  }

  /** Whether a method of {@code DatabaseMetaData} has a word for an answer, or a number. */
  static boolean isWord(Method m) {
    return m.getParameterCount() == 0
        && (m.getReturnType() == String.class
            || m.getReturnType() == boolean.class
            || m.getReturnType() == int.class
            || m.getReturnType() == long.class);
  }

  private static Object argument(String part, Class<?> type) {
    if (part.equals(NULL)) {
      return null;
    }
    String text = part.substring(GIVEN.length());
    String[] elements = text.isEmpty() ? new String[0] : text.split(ELEMENT, -1);
    return type == int.class
        ? (Object) Integer.valueOf(text)
        : type == boolean.class
            ? (Object) Boolean.valueOf(text)
            : type == String[].class
                ? elements
                : type == int[].class
                    ? Arrays.stream(elements).mapToInt(Integer::parseInt).toArray()
                    : text;
  }
}
