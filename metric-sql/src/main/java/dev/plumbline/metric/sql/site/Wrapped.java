package dev.plumbline.metric.sql.site;

import dev.plumbline.metric.sql.driver.Wire;
import dev.plumbline.metric.sql.tables.Lexer;
import dev.plumbline.metric.sql.tables.Refused;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Blob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * JDBC's objects as an application sees them: the local database's own, with Metric before what
 * runs or ends.
 */
final class Wrapped {
  private Wrapped() {}

  static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(Wrapped.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  static Object call(Object target, Method method, Object[] arguments) throws SQLException {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof SQLException sql) {
        throw sql;
      }
      throw new SQLException(e.getCause().getMessage(), "HY000", e.getCause());
    } catch (IllegalAccessException e) {
      throw new SQLException(e.getMessage(), "HY000", e);
    }
  }

  /** What any wrapped object answers itself; null for what it does not. */
  static Object own(Object self, Method method, Object[] arguments) throws SQLException {
    return switch (method.getName()) {
      case "equals" -> self == arguments[0];
      case "hashCode" -> System.identityHashCode(self);
      case "toString" -> "Metric " + method.getDeclaringClass().getSimpleName();
      case "isWrapperFor" -> ((Class<?>) arguments[0]).isInstance(self);
      case "unwrap" -> {
        if (((Class<?>) arguments[0]).isInstance(self)) {
          yield self;
        }
        throw Session.unsupported(
            "the local database's own "
                + ((Class<?>) arguments[0]).getName()
                + " is not for applications");
      }
      default -> null;
    };
  }

  static Connection connection(Session session) {
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          Object own = own(self, method, arguments);
          if (own != null) {
            return own;
          }
          if (method.getName().equals("close") || method.getName().equals("abort")) {
            session.end();
            return null;
          }
          if (method.getName().equals("setClientInfo") && Wire.CANCEL.equals(arguments[0])) {
            // What is to be ended runs now.
            session.cancel();
            return null;
          }
          return session.alone(() -> connection(session, (Connection) self, method, arguments));
        });
  }

  private static Object connection(
      Session session, Connection self, Method method, Object[] arguments) throws SQLException {
    switch (method.getName()) {
      case "isClosed" -> {
        return session.closed();
      }
      case "isValid" -> {
        return session.valid((Integer) arguments[0]);
      }
      case "commit" -> {
        session.real();
        manual(session);
        session.commit();
      }
      case "rollback" -> {
        session.real();
        manual(session);
        if (arguments == null) {
          session.rollback();
        } else {
          session.savepoints();
          session.rollback((Savepoint) arguments[0]);
        }
      }
      case "setSavepoint", "releaseSavepoint" -> {
        session.savepoints();
        return call(session.real(), method, arguments);
      }
      case "setAutoCommit" -> session.autoCommit((Boolean) arguments[0]);
      case "getAutoCommit" -> {
        session.real();
        return session.autoCommit();
      }
      case "setReadOnly" -> session.readOnly((Boolean) arguments[0]);
      case "isReadOnly" -> {
        return session.readOnly();
      }
      case "setTransactionIsolation" -> session.isolation((Integer) arguments[0]);
      case "getTransactionIsolation" -> {
        return Connection.TRANSACTION_SERIALIZABLE;
      }
      case "getMetaData" -> {
        session.real();
        return proxy(
            DatabaseMetaData.class,
            (it, asked, with) ->
                asked.getName().equals("getDefaultTransactionIsolation")
                    ? (Object) Connection.TRANSACTION_SERIALIZABLE
                    : result(session.schema(c -> call(c.getMetaData(), asked, with)), true));
      }
      case "setClientInfo" -> {
        if (!Wire.TIMEOUT.equals(arguments[0])) {
          return call(session.real(), method, arguments);
        }
        session.timeout(Integer.parseInt((String) arguments[1]));
      }
      case "getWarnings" -> {
        return session.warnings(null);
      }
      case "clearWarnings" -> session.clearWarnings(null);
      case "setHoldability" -> {
        if ((Integer) arguments[0] != ResultSet.HOLD_CURSORS_OVER_COMMIT) {
          throw Session.unsupported("a ResultSet stays open over a commit");
        }
      }
      case "getHoldability" -> {
        return ResultSet.HOLD_CURSORS_OVER_COMMIT;
      }
      // To MariaDB the one moves the names of tables, to PostgreSQL the other.
      case "setSchema" -> {
        // Avatica's client tells it again with all else that is set, and PostgreSQL's path may have
        // more schemas behind the one that it tells.
        if (!Objects.equals(session.real().getSchema(), arguments[0])) {
          session.moveTo(c -> call(c, method, arguments));
        }
      }
      case "setCatalog" -> session.place(c -> call(c, method, arguments));
      case "prepareCall" ->
          throw Session.unsupported("the tables of a stored procedure cannot be determined");
      case "createStatement" -> {
        concurrency(arguments, 0);
        return statement(
            session,
            self,
            session.made((Statement) call(session.real(), method, arguments)),
            null,
            Set.of());
      }
      case "prepareStatement" -> {
        arguments[0] = text(arguments[0]);
        Set<List<String>> paths = new HashSet<>();
        session.prepare((String) arguments[0], paths);
        if (arguments.length > 2) {
          concurrency(arguments, 1);
        }
        return statement(
            session,
            self,
            session.made((Statement) call(session.real(), method, arguments)),
            (String) arguments[0],
            paths);
      }
      default -> {
        return call(session.real(), method, arguments);
      }
    }
    return null;
  }

  /** Protobuf has Avatica take an empty statement for none. */
  private static String text(Object sql) {
    return sql == null ? "" : (String) sql;
  }

  private static void manual(Session session) throws SQLException {
    if (session.autoCommit()) {
      throw new SQLException("commit and rollback need autocommit off", "25P01");
    }
  }

  private static void concurrency(Object[] arguments, int from) throws SQLException {
    if (arguments != null && arguments.length >= from + 2) {
      Session.plain((Integer) arguments[from + 1]);
    }
  }

  private static Statement statement(
      Session session,
      Connection connection,
      Statement real,
      String prepared,
      Set<List<String>> paths) {
    List<String> batch = new ArrayList<>();
    boolean[] ran = {true};
    ResultSet[] kept = {null};
    Class<? extends Statement> type = prepared == null ? Statement.class : PreparedStatement.class;
    return proxy(
        type,
        (self, method, arguments) -> {
          Object own = own(self, method, arguments);
          if (own != null) {
            return own;
          }
          // It is asked for while the statement runs.
          return method.getName().equals("cancel")
              ? call(real, method, arguments)
              : session.alone(
                  () ->
                      statement(
                          session,
                          connection,
                          real,
                          prepared,
                          prepared == null ? new HashSet<>() : paths,
                          batch,
                          ran,
                          kept,
                          method,
                          arguments));
        });
  }

  private static Object statement(
      Session session,
      Connection connection,
      Statement real,
      String prepared,
      Set<List<String>> paths,
      List<String> batch,
      boolean[] ran,
      ResultSet[] kept,
      Method method,
      Object[] arguments)
      throws SQLException {
    if (method.getName().startsWith("execute") || method.getName().equals("close")) {
      session.drop(kept[0]);
      kept[0] = null;
    }
    switch (method.getName()) {
      case "execute", "executeQuery", "executeUpdate", "executeLargeUpdate" -> {
        String sql = arguments == null ? prepared : text(arguments[0]);
        Object nothing =
            switch (method.getName()) {
              case "execute" -> false;
              case "executeQuery" -> null;
              case "executeUpdate" -> 0;
              default -> 0L;
            };
        ran[0] = false;
        Object result =
            session.run(
                List.of(sql),
                paths,
                nothing,
                session.stoppable(
                    real,
                    () -> {
                      ran[0] = true;
                      Object made = call(real, method, arguments);
                      kept[0] = session.keep(real);
                      session.warned(real);
                      return made;
                    }));
        return kept[0] != null && result instanceof ResultSet ? kept[0] : result(result);
      }
      case "getResultSet" -> {
        return kept[0] != null ? kept[0] : ran[0] ? result(call(real, method, arguments)) : null;
      }
      case "getUpdateCount", "getLargeUpdateCount" -> {
        if (ran[0]) {
          return call(real, method, arguments);
        }
        return method.getName().equals("getUpdateCount") ? (Object) 0 : (Object) 0L;
      }
      case "addBatch" -> {
        batch.add(arguments == null ? prepared : (String) arguments[0]);
        return call(real, method, arguments);
      }
      case "clearBatch" -> {
        batch.clear();
        return call(real, method, arguments);
      }
      case "executeBatch", "executeLargeBatch" -> {
        List<String> statements = batch.stream().distinct().toList();
        int size = batch.size();
        batch.clear();
        if (statements.isEmpty()) {
          return call(real, method, arguments);
        }
        ran[0] = false;
        Object nothing = method.getName().equals("executeBatch") ? new int[size] : new long[size];
        try {
          return session.run(
              statements,
              paths,
              nothing,
              session.stoppable(
                  real,
                  () -> {
                    ran[0] = true;
                    Object counts = call(real, method, arguments);
                    session.warned(real);
                    return counts;
                  }));
        } finally {
          if (!ran[0] && !real.isClosed()) {
            // The database's driver would run it with the next one.
            real.clearBatch();
          }
        }
      }
      case "getConnection" -> {
        return connection;
      }
      case "getWarnings" -> {
        return session.warnings(real);
      }
      case "clearWarnings" -> {
        session.clearWarnings(real);
        return null;
      }
      case "setFetchSize", "setCursorName" -> {
        // Rows are read to their end: they are the answer of a transaction that may have ended.
        return null;
      }
      case "getMetaData" -> {
        ResultSetMetaData described =
            (ResultSetMetaData) described(session, real, prepared, method, arguments);
        boolean unknown = described == null || described.getColumnCount() == 0;
        // MariaDB tells the columns of RETURNING with its rows.
        ResultSet rows =
            !unknown ? null : kept[0] != null ? kept[0] : ran[0] ? real.getResultSet() : null;
        return metaData(rows == null ? described : rows.getMetaData(), false);
      }
      case "getParameterMetaData" -> {
        Object described = described(session, real, prepared, method, arguments);
        return described == null
            ? parameters(Lexer.parameters(session.rules(), prepared))
            : parameters(described);
      }
      default -> {
        return result(call(real, method, arguments));
      }
    }
  }

  /**
   * What the database says of a statement; null where it cannot before it has the parameters, by
   * whose types it finds out what the statement means.
   */
  private static Object described(
      Session session, Statement real, String prepared, Method method, Object[] arguments)
      throws SQLException {
    try {
      return session.tried(() -> call(real, method, arguments));
    } catch (SQLException e) {
      boolean typed =
          String.valueOf(e.getSQLState()).matches("42(P18|725|804|883|809|846|P38)|22.*");
      if (!typed || Lexer.parameters(session.rules(), prepared) == 0) {
        throw session.failing(e);
      }
      return null;
    }
  }

  /** So many parameters, of which nothing is known. */
  private static Object parameters(int count) {
    Object unknown =
        proxy(
            ParameterMetaData.class,
            (self, method, arguments) -> {
              if (method.getName().equals("getParameterCount")) {
                return count;
              }
              throw new SQLFeatureNotSupportedException("not known", Refused.UNSUPPORTED);
            });
    return parameters(unknown);
  }

  /** What a database does not tell of a parameter is said to be text: MariaDB's tells no types. */
  static Object parameters(Object real) {
    return proxy(
        ParameterMetaData.class,
        (self, method, arguments) -> {
          try {
            return call(real, method, arguments);
          } catch (SQLFeatureNotSupportedException e) {
            return switch (method.getName()) {
              case "getParameterType" -> Types.VARCHAR;
              case "getParameterTypeName" -> "VARCHAR";
              case "getParameterClassName" -> String.class.getName();
              case "getParameterMode" -> ParameterMetaData.parameterModeIn;
              case "isNullable" -> ParameterMetaData.parameterNullableUnknown;
              case "isSigned" -> false;
              case "getPrecision", "getScale" -> 0;
              default -> throw e;
            };
          }
        });
  }

  static Object result(Object result) {
    return result(result, false);
  }

  /**
   * A ResultSet whose values travel: what is of the database's own classes is text. Avatica closes
   * the statement of one that describes the database.
   */
  private static Object result(Object result, boolean describes) {
    if (!(result instanceof ResultSet rows)) {
      return result;
    }
    return proxy(
        ResultSet.class,
        (self, method, arguments) -> {
          Object own = own(self, method, arguments);
          if (own != null) {
            return own;
          }
          Object value = call(rows, method, arguments);
          return switch (method.getName()) {
            case "getMetaData" -> metaData(value, describes);
            case "getObject" ->
                arguments.length == 1 && value instanceof Blob blob
                    ? blob.getBytes(1, (int) blob.length())
                    : value == null
                            || arguments.length > 1
                            || value.getClass().getName().startsWith("java.lang")
                            || value instanceof java.math.BigDecimal
                            || value instanceof java.util.Date
                            || value instanceof byte[]
                            || value instanceof java.sql.Array
                        ? value
                        : rows.getString(
                            arguments[0] instanceof Integer i
                                ? i
                                : rows.findColumn((String) arguments[0]));
            case "getStatement" -> {
              if (!describes) {
                throw Session.unsupported("a ResultSet does not give its statement");
              }
              yield value;
            }
            default -> value;
          };
        });
  }

  /** To Avatica's driver a number without a sign that is null is an error. */
  private static Object metaData(Object metaData, boolean describes) {
    if (metaData == null) {
      return null;
    }
    return proxy(
        ResultSetMetaData.class,
        (self, method, arguments) -> {
          Object value = call(metaData, method, arguments);
          return switch (method.getName()) {
            case "getColumnType" -> carried((Integer) value);
            case "isSigned" -> describes || (Boolean) value;
            default -> value;
          };
        });
  }

  /**
   * The type under which Avatica's driver reads a column of a type. It fills up a CHAR with blanks,
   * also one of an expression that has no length, or of a text that the database keeps without.
   */
  private static int carried(int type) {
    return switch (type) {
      case Types.OTHER,
          Types.SQLXML,
          Types.DISTINCT,
          Types.STRUCT,
          Types.CHAR,
          Types.LONGVARCHAR,
          Types.LONGNVARCHAR,
          Types.NCHAR,
          Types.CLOB,
          Types.NCLOB ->
          Types.VARCHAR;
      case Types.LONGVARBINARY, Types.BLOB -> Types.VARBINARY;
      default -> type;
    };
  }
}
