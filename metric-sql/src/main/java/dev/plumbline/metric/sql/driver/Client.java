package dev.plumbline.metric.sql.driver;

import dev.plumbline.metric.sql.tables.Lexer;
import dev.plumbline.metric.sql.tables.Lexer.Token;
import java.io.InputStream;
import java.io.Reader;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.BatchUpdateException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLWarning;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.calcite.avatica.AvaticaClientRuntimeException;
import org.apache.calcite.avatica.AvaticaSqlException;

/** A connection of Avatica's client, and what we put around it. */
final class Client {
  /** Words with which the part of a statement begins that says what it does. */
  private static final Set<String> VERBS =
      Set.of("select", "values", "table", "insert", "update", "delete", "merge", "replace");

  /** The first version of PostgreSQL whose MERGE returns rows. */
  private static final int MERGE_RETURNS = 17;

  private static final String TOLD = "Remote driver error: ";

  /** With these words of its own Avatica's client keeps the server's for its stack alone. */
  private static final String PREPARING = "while preparing SQL: ";

  /** What Avatica's client says of a statement that was run and has no rows. */
  private static final String NO_ROWS = "Statement did not return a result set";

  private static final String COUNT =
      "the statement returns no rows: use executeUpdate() or execute(); it was run";

  private static final MetricDriver DRIVER = new MetricDriver();

  private static final String RETURNING = "\nreturning ";
  private static final String ALL = RETURNING + "*";

  /** A call of a stored procedure, as JDBC writes it and as databases do. */
  private static final Pattern CALL = Pattern.compile("\\s*(\\{|\\?|(?i:call)\\b)");

  private final Connection real;
  private final String url;
  private final Connection connection;
  private int savepoints;
  private Map<String, String> words;
  private boolean autoCommit = true;

  /** How many milliseconds an answer of the site's is waited for; 0 for as long as it takes. */
  private int networkTimeout;

  private final Properties info = new Properties();

  /** The timeout of statements that the site was told last. */
  private int told;

  /** The statement that ran last, and what it was warned of, once that was asked. */
  private Object ran;

  private SQLWarning warnings;
  private boolean asked;

  /** Whether the site was silent, or does not know the connection: what was open there is gone. */
  private boolean lost;

  /** Whether the site has said that it rolled back what was open, and has done nothing since. */
  private boolean rolledBack;

  Client(Connection real, String url) {
    this.real = real;
    this.url = url;
    connection = proxy(Connection.class, watched(this::connection));
  }

  /**
   * Avatica's client sends again what a server that ended has not answered. Who hears nothing of a
   * commit, or hears that the connection is not known, does not know whether it was made.
   */
  private InvocationHandler watched(InvocationHandler handler) {
    return (self, method, arguments) -> {
      boolean ends =
          switch (method.getName()) {
            case "commit" -> true;
            case "setAutoCommit" -> !autoCommit && (Boolean) arguments[0];
            case "execute",
                "executeQuery",
                "executeUpdate",
                "executeLargeUpdate",
                "executeBatch",
                "executeLargeBatch" ->
                autoCommit;
            default -> false;
          };
      if (lost && ends) {
        throw new SQLNonTransientConnectionException(
            "the connection to the site is lost, and its transaction was rolled back; connect again",
            "08003");
      }
      try (OnceClient.Limit limit = OnceClient.within(networkTimeout)) {
        assert limit != null;
        Object result = handler.invoke(self, method, arguments);
        if (method.getName().equals("setAutoCommit")) {
          autoCommit = (Boolean) arguments[0];
        }
        rolledBack &= !ends && !method.getName().matches("execute.*|rollback");
        return result;
      } catch (SQLException e) {
        boolean silent = "08003".equals(e.getSQLState()) || unanswered(e);
        lost |= silent;
        boolean known = rolledBack && !unanswered(e);
        rolledBack |= "08006".equals(e.getSQLState()) && !silent;
        throw silent && ends && !known
            ? new SQLNonTransientConnectionException(
                "it is not known whether the transaction was committed: " + e.getMessage(),
                "08007",
                e)
            : e;
      }
    };
  }

  /** Tells the site how long what is run may take, and what asks that something runs. */
  private InvocationHandler running(
      int[] timeout, AtomicBoolean runs, InvocationHandler statement) {
    InvocationHandler watched = watched(statement);
    return (self, method, arguments) -> {
      if (!method.getName().startsWith("execute")) {
        return watched.invoke(self, method, arguments);
      }
      if (timeout[0] != told) {
        execute(Wire.timeout(timeout[0]));
        told = timeout[0];
      }
      ran = self;
      warnings = null;
      asked = false;
      runs.set(true);
      try {
        return watched.invoke(self, method, arguments);
      } finally {
        runs.set(false);
      }
    };
  }

  /**
   * Ends what runs on the connection. Avatica's client has no other word that waits for nothing.
   */
  private void cancel() throws SQLException {
    try (ResultSet none = real.getMetaData().getTables(Wire.CANCEL, null, null, null)) {
      assert none != null;
    } catch (SQLException | RuntimeException e) {
      throw typed(e);
    }
  }

  /** Of the statement that ran last the site knows them, and of others nobody does. */
  private SQLWarning warnings(Object statement) throws SQLException {
    if (ran == statement && !asked) {
      asked = true;
      try (Statement s = real.createStatement();
          ResultSet rows = s.executeQuery(Wire.WARNINGS)) {
        while (rows.next()) {
          int code = Integer.parseInt(rows.getString(3));
          SQLWarning next = new SQLWarning(rows.getString(1), rows.getString(2), code);
          if (warnings == null) {
            warnings = next;
          } else {
            warnings.setNextWarning(next);
          }
        }
      } catch (SQLException | RuntimeException e) {
        throw typed(e);
      }
    }
    return ran == statement ? warnings : null;
  }

  private static boolean unanswered(Throwable e) {
    return e != null && (silent(e) || unanswered(e.getCause()));
  }

  /** Nobody answered, or it was not the site that did. */
  private static boolean silent(Throwable e) {
    return e instanceof java.io.IOException
        || String.valueOf(e.getMessage()).startsWith("Failed to execute HTTP Request")
            && !tooLong(e);
  }

  /** The site did not read the request. */
  private static boolean tooLong(Throwable e) {
    return String.valueOf(e.getMessage()).endsWith(" HTTP/413");
  }

  Connection connection() {
    return connection;
  }

  static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(Client.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  static Object call(Object target, Method method, Object[] arguments) throws SQLException {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw typed(e.getCause());
    } catch (IllegalAccessException e) {
      throw new SQLException(e.getMessage(), "HY000", e);
    }
  }

  /** The innermost message that says something. */
  static String reason(Throwable e) {
    String reason = String.valueOf(e.getMessage());
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t.getMessage() != null) {
        reason = t.getMessage();
      }
    }
    return reason;
  }

  /** An SQL error of the class that its SQLSTATE says. */
  private static SQLException typed(Throwable e) {
    String state = null;
    int code = 0;
    String message = reason(e);
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t instanceof AvaticaSqlException kept
          && kept.getErrorMessage().startsWith(PREPARING)
          && !kept.getStackTraces().isEmpty()) {
        message = kept.getStackTraces().get(0).strip();
      }
      if (t instanceof AvaticaClientRuntimeException told) {
        state = told.getSqlState();
        code = Math.max(0, told.getErrorCode());
        message = told.getMessage();
      } else if (t instanceof SQLFeatureNotSupportedException no && no.getSQLState() == null) {
        return new SQLFeatureNotSupportedException(
            "Avatica's client does not support this", "0A000", t);
      } else if (t instanceof UnsupportedOperationException) {
        return new SQLFeatureNotSupportedException(
            "Avatica's client does not support this: " + t.getMessage(), "0A000", t);
      } else if (tooLong(t)) {
        state = "54000";
        message = "a statement with its values, or a batch, has 32 MiB at most; it was not run";
      } else if ("Connection closed".equals(t.getMessage())) {
        state = "08003";
      } else if (NO_ROWS.equals(t.getMessage())) {
        state = "02000";
        message = COUNT;
      } else if (silent(t)) {
        state = "08006";
        message =
            "the site does not answer: "
                + t.getMessage()
                + "; what was not committed is rolled back there";
      } else if (t instanceof SQLException sql && state == null && sql.getSQLState() != null) {
        state = sql.getSQLState();
        code = Math.max(0, sql.getErrorCode());
      }
    }
    int told = message.lastIndexOf(TOLD);
    message = told < 0 ? message : message.substring(told + TOLD.length());
    if (state == null || state.equals("00000")) {
      // What Avatica's client fails at by itself is no failure of the site.
      state = e instanceof SQLException ? "HY000" : "0A000";
    }
    int counts = message.lastIndexOf(Wire.COUNTS);
    if (counts >= 0) {
      int[] each =
          Arrays.stream(message.substring(counts + Wire.COUNTS.length()).split("[^0-9-]+", -1))
              .filter(n -> !n.isEmpty())
              .mapToInt(Integer::parseInt)
              .toArray();
      return new BatchUpdateException(message.substring(0, counts), state, code, each, e);
    }
    return switch (state.substring(0, 2)) {
      case "08" -> new SQLNonTransientConnectionException(message, state, code, e);
      case "0A" -> new SQLFeatureNotSupportedException(message, state, code, e);
      case "22" -> new SQLDataException(message, state, code, e);
      case "23" -> new SQLIntegrityConstraintViolationException(message, state, code, e);
      case "25" ->
          state.equals("25P03")
              ? new SQLTransactionRollbackException(message, state, code, e)
              : new SQLException(message, state, code, e);
      case "40" -> new SQLTransactionRollbackException(message, state, code, e);
      case "42" -> new SQLSyntaxErrorException(message, state, code, e);
      default ->
          message.startsWith(Wire.TOO_LONG)
              ? new SQLTimeoutException(message, state, code, e)
              : new SQLException(message, state, code, e);
    };
  }

  static SQLException unsupported(String what) {
    return new SQLFeatureNotSupportedException(what, "0A000");
  }

  static Object own(Object self, Method method, Object[] arguments) throws SQLException {
    return switch (method.getName()) {
      case "equals" -> self == arguments[0];
      case "hashCode" -> System.identityHashCode(self);
      case "toString" -> "Metric " + self.getClass().getInterfaces()[0].getSimpleName();
      case "isWrapperFor" -> ((Class<?>) arguments[0]).isInstance(self);
      case "unwrap" -> {
        if (((Class<?>) arguments[0]).isInstance(self)) {
          yield self;
        }
        throw unsupported("there is no " + ((Class<?>) arguments[0]).getName() + " behind this");
      }
      default -> null;
    };
  }

  private Object connection(Object self, Method method, Object[] arguments) throws SQLException {
    Object own = own(self, method, arguments);
    if (own != null) {
      return own;
    }
    switch (method.getName()) {
      case "createStatement" -> {
        cursors(arguments, 0);
        return statement(statement(), Statement.class, null, null);
      }
      case "prepareStatement" -> {
        String sql = (String) arguments[0];
        if (arguments.length == 2) {
          String keyed = returning(sql, arguments[1]);
          return keyed == null
              ? prepared(sql, PreparedStatement.class, null)
              : prepared(keyed, PreparedStatement.class, "");
        }
        cursors(arguments, 1);
        return prepared(sql, PreparedStatement.class, null);
      }
      case "setAutoCommit", "setReadOnly", "setTransactionIsolation", "setCatalog", "setSchema" -> {
        if (method.getName().equals("setTransactionIsolation")
            && arguments[0].equals(Connection.TRANSACTION_NONE)) {
          // Avatica's client takes it for none that is set.
          throw unsupported("every transaction is serializable; there is no level 0");
        }
        return run(() -> set(method, arguments));
      }
      case "getAutoCommit" -> {
        return real.isClosed() ? call(real, method, arguments) : (Object) autoCommit;
      }
      case "setSavepoint" -> {
        return savepoint(arguments == null ? null : (String) arguments[0]);
      }
      case "rollback" -> {
        if (arguments != null) {
          execute("rollback to savepoint " + ((Named) arguments[0]).quoted());
          return null;
        }
        return call(real, method, null);
      }
      case "releaseSavepoint" -> {
        Named savepoint = (Named) arguments[0];
        execute("release savepoint " + savepoint.quoted());
        savepoint.released = true;
        return null;
      }
      case "isValid" -> {
        return valid((Integer) arguments[0]);
      }
      case "abort" -> {
        real.close();
        return null;
      }
      case "getMetaData" -> {
        Object metaData = call(real, method, arguments);
        return proxy(DatabaseMetaData.class, (me, m, a) -> metaData(metaData, me, m, a));
      }
      case "getNetworkTimeout" -> {
        return networkTimeout;
      }
      case "setNetworkTimeout" -> {
        if ((Integer) arguments[1] < 0) {
          throw new SQLException("a timeout is 0 milliseconds or more", "22023");
        }
        networkTimeout = (Integer) arguments[1];
        return null;
      }
      case "setClientInfo" -> {
        // Nobody at the site asks for it.
        if (arguments.length == 1) {
          info.clear();
          info.putAll((Properties) arguments[0]);
        } else if (arguments[1] == null) {
          info.remove(arguments[0]);
        } else {
          info.setProperty((String) arguments[0], (String) arguments[1]);
        }
        return null;
      }
      case "getClientInfo" -> {
        return arguments == null ? info.clone() : info.getProperty((String) arguments[0]);
      }
      case "getTypeMap" -> {
        return Map.of();
      }
      case "createArrayOf" -> {
        return TextArray.of((String) arguments[0], (Object[]) arguments[1]);
      }
      case "prepareCall" -> {
        String sql = (String) arguments[0];
        if (CALL.matcher(sql).lookingAt()) {
          throw unsupported("the tables of a stored procedure cannot be determined");
        }
        cursors(arguments, 1);
        return prepared(sql, CallableStatement.class, null);
      }
      default -> {
        return call(real, method, arguments);
      }
    }
  }

  private Object metaData(Object metaData, Object self, Method method, Object[] arguments)
      throws SQLException {
    Object own = own(self, method, arguments);
    if (own != null) {
      return own;
    }
    return switch (method.getName()) {
      case "getConnection" -> connection;
      case "getURL" -> url;
      case "getDriverName" -> "Metric JDBC Driver";
      case "getDriverVersion" -> DRIVER.getMajorVersion() + "." + DRIVER.getMinorVersion();
      case "getDriverMajorVersion" -> DRIVER.getMajorVersion();
      case "getDriverMinorVersion" -> DRIVER.getMinorVersion();
      case "getDefaultTransactionIsolation" -> Connection.TRANSACTION_SERIALIZABLE;
      case "supportsSavepoints",
          "supportsGetGeneratedKeys",
          "supportsBatchUpdates",
          "supportsTransactions",
          "supportsDataManipulationTransactionsOnly" ->
          true;
      case "supportsStoredProcedures",
          "supportsMultipleResultSets",
          "supportsMultipleOpenResults",
          "supportsStatementPooling",
          "supportsNamedParameters",
          "supportsRefCursors",
          "supportsDataDefinitionAndDataManipulationTransactions",
          "generatedKeyAlwaysReturned" ->
          false;
      // These are of the site, which has no limit of its own.
      case "getMaxConnections", "getMaxStatements" -> 0;
      case "supportsResultSetType" -> (Integer) arguments[0] == ResultSet.TYPE_FORWARD_ONLY;
      default ->
          method.getReturnType() == ResultSet.class
              ? described(method, arguments)
              : Wire.isWord(method)
                  ? word(words().get(method.getName()), method.getReturnType())
                  : call(metaData, method, arguments);
    };
  }

  private static Object word(String word, Class<?> type) {
    return type == boolean.class
        ? (Object) Boolean.valueOf(word)
        : type == int.class
            ? (Object) Integer.valueOf(word)
            : type == long.class ? (Object) Long.valueOf(word) : word;
  }

  /**
   * The database's own answer: Avatica's client would say of keys and indexes that there are none.
   */
  private Object described(Method method, Object[] arguments) throws SQLException {
    return run(
        () -> {
          Statement s = real.createStatement();
          s.closeOnCompletion();
          return result(s.executeQuery(Wire.describe(method.getName(), arguments)), null, 0);
        });
  }

  private static void cursors(Object[] arguments, int from) throws SQLException {
    if (arguments != null && arguments.length >= from + 2) {
      if ((Integer) arguments[from] != ResultSet.TYPE_FORWARD_ONLY) {
        throw unsupported("a ResultSet is read forward only");
      }
      if ((Integer) arguments[from + 1] != ResultSet.CONCUR_READ_ONLY) {
        throw unsupported("rows are updated by statements, not by a ResultSet");
      }
    }
  }

  private Statement statement() throws SQLException {
    try {
      return real.createStatement();
    } catch (SQLException | RuntimeException e) {
      throw typed(e);
    }
  }

  private Statement prepared(String sql, Class<? extends Statement> type, String keyed)
      throws SQLException {
    try {
      return statement(real.prepareStatement(sql), type, sql, keyed);
    } catch (SQLException | RuntimeException e) {
      throw typed(e);
    }
  }

  private boolean valid(int seconds) throws SQLException {
    if (seconds < 0) {
      throw new SQLException("a timeout is 0 seconds or more", "22023");
    }
    if (real.isClosed()) {
      return false;
    }
    int millis = (int) Math.min(Integer.MAX_VALUE, seconds * 1_000L);
    try (OnceClient.Limit limit = OnceClient.within(millis == 0 ? networkTimeout : millis);
        Statement s = real.createStatement();
        ResultSet rows = s.executeQuery(Wire.describe("getCatalogs", null))) {
      assert limit != null;
      // A statement in its place would begin a transaction.
      return true;
    } catch (SQLException | RuntimeException failed) {
      SQLException e = typed(failed);
      // A transaction that failed is open on a connection that serves.
      return !e.getSQLState().startsWith("08");
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement s = real.createStatement()) {
      s.execute(sql);
    } catch (SQLException | RuntimeException e) {
      throw typed(e);
    }
  }

  /**
   * Avatica's client keeps what is set to itself until a statement is made, and then tells it again
   * if the site has refused it. Who asks it for something has it told at once.
   */
  private Object set(Method method, Object[] arguments) throws SQLException {
    Object before =
        switch (method.getName()) {
          case "setAutoCommit" -> real.getAutoCommit();
          case "setReadOnly" -> real.isReadOnly();
          case "setTransactionIsolation" -> real.getTransactionIsolation();
          case "setCatalog" -> real.getCatalog();
          default -> real.getSchema();
        };
    call(real, method, arguments);
    try {
      real.getAutoCommit();
    } catch (SQLException | RuntimeException e) {
      if (before != null) {
        call(real, method, new Object[] {before});
      }
      throw e;
    }
    return null;
  }

  // Savepoints are statements.

  private static final class Named implements Savepoint {
    private final int id;
    private final String name;
    private final Lexer.Rules rules;
    private boolean released;

    Named(int id, String name, Lexer.Rules rules) {
      this.id = id;
      this.name = name;
      this.rules = rules;
    }

    @Override
    public int getSavepointId() throws SQLException {
      if (name != null) {
        throw new SQLException("the savepoint has a name", "3B001");
      }
      return id;
    }

    @Override
    public String getSavepointName() throws SQLException {
      if (name == null) {
        throw new SQLException("the savepoint has no name", "3B001");
      }
      return name;
    }

    /** To ask the site for one that is gone would end the transaction. */
    private String quoted() throws SQLException {
      if (released) {
        throw new SQLException("the savepoint was released", "3B000");
      }
      return rules.quoted(name == null ? "plumb_" + id : name);
    }
  }

  private Savepoint savepoint(String name) throws SQLException {
    if (real.getAutoCommit()) {
      throw new SQLException("a savepoint needs autocommit off", "25P01");
    }
    Named savepoint = new Named(++savepoints, name, rules());
    execute("savepoint " + savepoint.quoted());
    return savepoint;
  }

  /** What the local databases say of themselves; Avatica's client would say Avatica. */
  private Map<String, String> words() throws SQLException {
    if (words == null) {
      try (Statement s = real.createStatement();
          ResultSet rows = s.executeQuery(Wire.words())) {
        Map<String, String> said = new HashMap<>();
        while (rows.next()) {
          said.put(rows.getString(1), rows.getString(2));
        }
        words = said;
      } catch (SQLException | RuntimeException e) {
        throw typed(e);
      }
    }
    return words;
  }

  private Lexer.Rules rules() throws SQLException {
    return words().get("getDatabaseProductName").equals("PostgreSQL")
        ? Lexer.Rules.POSTGRESQL
        : Lexer.Rules.MARIADB;
  }

  // Generated keys are what RETURNING returns.

  /** The statement with its keys, or null if none are asked for or there are none. */
  private String returning(String sql, Object asked) throws SQLException {
    String columns;
    if (asked instanceof Integer flag) {
      if (flag != Statement.RETURN_GENERATED_KEYS) {
        return null;
      }
      columns = "*";
    } else if (asked instanceof String[] names && names.length > 0) {
      Lexer.Rules r = rules();
      columns =
          Arrays.stream(names)
              .map(n -> n.equals(n.toLowerCase(Locale.ROOT)) ? r.quoted(n) : n)
              .collect(Collectors.joining(", "));
    } else if (asked instanceof int[] numbers && numbers.length > 0) {
      throw unsupported("generated keys are asked for by their columns' names");
    } else {
      return null;
    }
    List<Token> tokens = Lexer.statement(rules(), sql);
    if (!returns(verb(tokens)) || tokens.stream().anyMatch(t -> t.is("returning"))) {
      return null;
    }
    String bare = sql.stripTrailing();
    while (bare.endsWith(";")) {
      bare = bare.substring(0, bare.length() - 1).stripTrailing();
    }
    // On a line of its own, for a comment may come last.
    return bare + RETURNING + columns;
  }

  /** What a statement does: the word after the queries of its WITH, if it has one. */
  private static String verb(List<Token> tokens) {
    int depth = 0;
    for (Token t : tokens) {
      depth += t.mark('(') ? 1 : t.mark(')') ? -1 : 0;
      String word = t.text().toLowerCase(Locale.ROOT);
      if (depth == 0 && t.kind() == Lexer.Kind.WORD && VERBS.contains(word)) {
        return word;
      }
      if (!tokens.get(0).is("with")) {
        break;
      }
    }
    return "";
  }

  /** Whether a statement of the database can return rows that it changes. */
  private boolean returns(String verb) throws SQLException {
    return switch (verb) {
      case "insert" -> true;
      case "replace" -> rules() == Lexer.Rules.MARIADB;
      case "update", "delete" -> rules() == Lexer.Rules.POSTGRESQL;
      case "merge" -> Integer.parseInt(words().get("getDatabaseMajorVersion")) >= MERGE_RETURNS;
      default -> false;
    };
  }

  private Statement statement(
      Statement statement, Class<? extends Statement> type, String prepared, String keyed) {
    Keys[] keys = new Keys[1];
    int[] count = {-1};
    int[] timeout = {0};
    int[] longest = {0};
    AtomicBoolean runs = new AtomicBoolean();
    Keyed batch = keyed == null ? null : new Keyed((PreparedStatement) statement);
    return proxy(
        type,
        running(
            timeout,
            runs,
            (self, method, arguments) -> {
              Object own = own(self, method, arguments);
              if (own != null) {
                return own;
              }
              if (method.getDeclaringClass() == CallableStatement.class) {
                throw unsupported("a statement that is no call has no parameters of that kind");
              }
              if (method.getDeclaringClass() == PreparedStatement.class
                  && method.getName().startsWith("set")) {
                return run(
                    () -> {
                      if (batch != null) {
                        batch.set(method, arguments);
                      }
                      Parameters.set((PreparedStatement) statement, method, arguments);
                      return null;
                    });
              }
              switch (method.getName()) {
                case "getConnection" -> {
                  return connection;
                }
                case "getGeneratedKeys" -> {
                  Keys found = keys[0] == null ? Keys.none() : keys[0];
                  keys[0] = null;
                  return result(found.read(), (Statement) self, longest[0]);
                }
                case "execute", "executeUpdate", "executeLargeUpdate" -> {
                  String sql =
                      keyed != null
                          ? prepared
                          : arguments != null && arguments.length == 2
                              ? returning((String) arguments[0], arguments[1])
                              : null;
                  if (keyed == null && prepared != null && !method.getName().equals("execute")) {
                    ResultSetMetaData described = ((PreparedStatement) statement).getMetaData();
                    if (described != null && described.getColumnCount() > 0) {
                      throw new SQLException(Wire.ROWS, Wire.ROWS_STATE);
                    }
                  }
                  if (keyed == null && sql == null) {
                    keys[0] = null;
                    count[0] = -1;
                    if (arguments != null && arguments.length == 2) {
                      return switch (method.getName()) {
                        case "execute" -> run(() -> statement.execute((String) arguments[0]));
                        default ->
                            counted(run(() -> statement.executeUpdate((String) arguments[0])));
                      };
                    }
                    return counted(call(statement, method, arguments));
                  }
                  keys[0] = keys(statement, keyed == null ? sql : null);
                  count[0] = keys[0].count();
                  if (rules() == Lexer.Rules.MARIADB
                      && (keyed == null ? sql : prepared).endsWith(ALL)) {
                    keys[0] = keys[0].counter();
                  }
                  return switch (method.getName()) {
                    case "execute" -> (Object) false;
                    case "executeUpdate" -> count[0];
                    default -> (long) count[0];
                  };
                }
                case "executeQuery" -> {
                  ResultSet rows = (ResultSet) call(statement, method, arguments);
                  if (rows == null) {
                    throw new SQLException(COUNT, "02000");
                  }
                  return rows(rows, (Statement) self, longest[0]);
                }
                case "getResultSet" -> {
                  // Avatica's client goes on to give one that is closed.
                  ResultSet open = (ResultSet) call(statement, method, arguments);
                  return open == null || open.isClosed()
                      ? null
                      : rows(open, (Statement) self, longest[0]);
                }
                case "getUpdateCount", "getLargeUpdateCount" -> {
                  if (count[0] >= 0) {
                    int n = count[0];
                    count[0] = -1;
                    return method.getReturnType() == int.class ? (Object) n : (Object) (long) n;
                  }
                  return call(statement, method, arguments);
                }
                case "addBatch" -> {
                  if (batch != null) {
                    batch.add();
                    return null;
                  }
                  return call(statement, method, arguments);
                }
                case "clearBatch" -> {
                  if (batch != null) {
                    batch.clear();
                    return null;
                  }
                  return call(statement, method, arguments);
                }
                case "executeBatch", "executeLargeBatch" -> {
                  if (batch == null) {
                    return call(statement, method, arguments);
                  }
                  int[] counts = batch(batch, prepared, keys);
                  count[0] = -1;
                  return method.getName().equals("executeBatch")
                      ? counts
                      : Arrays.stream(counts).asLongStream().toArray();
                }
                case "cancel" -> {
                  if (runs.get()) {
                    cancel();
                  }
                  return null;
                }
                case "setQueryTimeout" -> {
                  if ((Integer) arguments[0] < 0) {
                    throw new SQLException("a timeout is 0 seconds or more", "22023");
                  }
                  timeout[0] = (Integer) arguments[0];
                  return null;
                }
                case "getMetaData" -> {
                  ResultSetMetaData described = (ResultSetMetaData) call(statement, method, null);
                  // A statement without rows has none.
                  return described == null || described.getColumnCount() == 0
                      ? null
                      : Rows.metaData(described);
                }
                case "getQueryTimeout" -> {
                  return timeout[0];
                }
                case "setMaxFieldSize" -> {
                  if ((Integer) arguments[0] < 0) {
                    throw new SQLException("a value has 0 bytes or more", "22023");
                  }
                  longest[0] = (Integer) arguments[0];
                  return null;
                }
                case "getMaxFieldSize" -> {
                  return longest[0];
                }
                case "enquoteLiteral", "enquoteNCharLiteral", "enquoteIdentifier" -> {
                  return rules() == Lexer.Rules.MARIADB
                      ? Quotes.mariaDb(method.getName(), arguments)
                      : call(statement, method, arguments);
                }
                case "getWarnings" -> {
                  return warnings(self);
                }
                case "clearWarnings" -> {
                  asked |= ran == self;
                  warnings = ran == self ? null : warnings;
                  return null;
                }
                case "isPoolable" -> {
                  return false;
                }
                case "setPoolable", "setEscapeProcessing" -> {
                  return null;
                }
                default -> {
                  return result(call(statement, method, arguments), (Statement) self, longest[0]);
                }
              }
            }));
  }

  /**
   * A batch of a statement whose keys are asked for: the values of each of its parts. A batch of
   * Avatica's client has counts alone.
   */
  private static final class Keyed {
    private final PreparedStatement statement;
    private final Map<Integer, Object[]> values = new TreeMap<>();
    private final List<Map<Integer, Object[]>> parts = new ArrayList<>();

    Keyed(PreparedStatement statement) {
      this.statement = statement;
    }

    void set(Method method, Object[] arguments) {
      values.put((Integer) arguments[0], new Object[] {method, arguments.clone()});
    }

    void add() throws SQLException {
      for (Object[] value : values.values()) {
        Object given = ((Object[]) value[1])[1];
        if (given instanceof InputStream || given instanceof Reader) {
          throw unsupported("a stream in a batch whose generated keys are asked for");
        }
      }
      parts.add(new TreeMap<>(values));
    }

    void clear() {
      parts.clear();
    }

    void give(Map<Integer, Object[]> part) throws SQLException {
      for (Object[] value : part.values()) {
        Parameters.set(statement, (Method) value[0], (Object[]) value[1]);
      }
    }
  }

  /** Runs its parts one by one, all or nothing of them under autocommit. */
  private int[] batch(Keyed batch, String sql, Keys[] keys) throws SQLException {
    List<Map<Integer, Object[]>> parts = List.copyOf(batch.parts);
    batch.clear();
    keys[0] = null;
    boolean whole = autoCommit;
    int[] counts = new int[parts.size()];
    int done = 0;
    if (whole) {
      connection.setAutoCommit(false);
    }
    try {
      for (Map<Integer, Object[]> part : parts) {
        batch.give(part);
        Keys found = keys(batch.statement, null);
        counts[done] = found.count();
        done++;
        boolean counter = rules() == Lexer.Rules.MARIADB && sql.endsWith(ALL);
        Keys more = counter ? found.counter() : found;
        keys[0] = keys[0] == null ? more : keys[0].and(more);
      }
      if (whole) {
        connection.setAutoCommit(true);
      }
      return counts;
    } catch (SQLException e) {
      keys[0] = null;
      if (whole) {
        Arrays.fill(counts, Statement.EXECUTE_FAILED);
        try {
          connection.rollback();
          connection.setAutoCommit(true);
        } catch (SQLException gone) {
          e.addSuppressed(gone);
        }
      }
      throw new BatchUpdateException(
          e.getMessage(),
          e.getSQLState(),
          e.getErrorCode(),
          whole ? counts : Arrays.copyOf(counts, done),
          e);
    }
  }

  @FunctionalInterface
  interface Work {
    Object run() throws SQLException;
  }

  static Object run(Work work) throws SQLException {
    try {
      return work.run();
    } catch (SQLException | RuntimeException e) {
      throw typed(e);
    }
  }

  /** Avatica's client counts -1 where there are rows. */
  private static Object counted(Object result) throws SQLException {
    if (result instanceof Number n && n.longValue() < 0) {
      throw new SQLException(Wire.ROWS + "; it was run", Wire.ROWS_STATE);
    }
    return result;
  }

  private static Keys keys(Statement statement, String sql) throws SQLException {
    try {
      boolean rows =
          sql == null ? ((PreparedStatement) statement).execute() : statement.execute(sql);
      if (!rows) {
        return Keys.none();
      }
      try (ResultSet found = statement.getResultSet()) {
        return Keys.of(found);
      }
    } catch (SQLException | RuntimeException e) {
      throw typed(e);
    }
  }

  /** Of what was prepared, Avatica's client has all rows, however many were asked for. */
  private static ResultSet rows(ResultSet rows, Statement statement, int longest)
      throws SQLException {
    return proxy(ResultSet.class, new Rows(rows, statement, statement.getMaxRows(), longest));
  }

  private static Object result(Object result, Statement statement, int longest) {
    return result instanceof ResultSet rows
        ? proxy(ResultSet.class, new Rows(rows, statement, 0, longest))
        : result instanceof ResultSetMetaData described ? Rows.metaData(described) : result;
  }
}
