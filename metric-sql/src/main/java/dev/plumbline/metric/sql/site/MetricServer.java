package dev.plumbline.metric.sql.site;

import dev.plumbline.metric.sql.driver.Wire;
import dev.plumbline.metric.sql.tables.Lexer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.calcite.avatica.AvaticaSeverity;
import org.apache.calcite.avatica.AvaticaStatement;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.MissingResultsException;
import org.apache.calcite.avatica.NoSuchConnectionException;
import org.apache.calcite.avatica.NoSuchStatementException;
import org.apache.calcite.avatica.jdbc.JdbcMeta;
import org.apache.calcite.avatica.jdbc.StatementInfo;
import org.apache.calcite.avatica.remote.AvaticaRuntimeException;
import org.apache.calcite.avatica.remote.LocalService;
import org.apache.calcite.avatica.remote.ProtobufMeta;
import org.apache.calcite.avatica.remote.Service.ErrorResponse;
import org.apache.calcite.avatica.remote.TypedValue;
import org.apache.calcite.avatica.server.HttpServer;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.SizeLimitHandler;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** Serves a site by Avatica: its own driver, or ours, is the client. */
public final class MetricServer implements AutoCloseable {
  private static final long IDLE_MILLIS = 60_000;

  /** A longer one is refused (413), not read: a request is kept in memory. */
  private static final long REQUEST_BYTES = 32L << 20;

  /** A client is given fewer rows at a time than it asks for, if they are longer. */
  private static final long FRAME_BYTES = 4L << 20;

  private static final int LONGEST_FRAME = 100_000;

  private static final String INITIALIZATION = "initialization";
  private static final Meta.Signature NO_COLUMNS =
      Meta.Signature.create(
          List.of(), "", List.of(), Meta.CursorFactory.ARRAY, Meta.StatementType.UPDATE);
  private static final String MANY = Integer.toString(1 << 20);

  /**
   * TLS 1.3 for clients who have a certificate of the authority; nobody else is heard.
   *
   * @param own the server's key and certificate, which says its host's name
   * @param password of the key
   * @param authority whose certificates are taken
   */
  public record Keys(KeyStore own, String password, KeyStore authority) {}

  /** Runs a statement, with so many rows at first. */
  @FunctionalInterface
  private interface Run {
    Meta.ExecuteResult with(int rows) throws NoSuchStatementException;
  }

  private final HttpServer server;
  private ServerConnector connector;
  private boolean closed;

  /** On a port of loopback, without TLS, or on a free one for 0. */
  public MetricServer(Site site, int port) throws SQLException {
    this(site, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), null);
  }

  /**
   * @param at where to listen; port 0 is a free one
   * @param keys null for no TLS, which only loopback may do without
   */
  public MetricServer(Site site, InetSocketAddress at, Keys keys) throws SQLException {
    if (keys == null && !at.getAddress().isLoopbackAddress()) {
      throw new IllegalArgumentException(
          at.getHostString() + " is not on loopback, and there would be no TLS: name certificates");
    }
    Properties settings = new Properties();
    // Connections end when they are closed, or after an hour in which nothing is heard of them.
    settings.setProperty("avatica.connectioncache.maxcapacity", MANY);
    settings.setProperty("avatica.connectioncache.expiryduration", "60");
    settings.setProperty("avatica.statementcache.maxcapacity", MANY);
    settings.setProperty("avatica.statementcache.expiryduration", "60");
    JdbcMeta meta =
        new JdbcMeta("jdbc:metric:", settings) {
          @Override
          protected Connection createConnection(String url, Properties info) throws SQLException {
            String zone = info.getProperty(Wire.ZONE);
            boolean postgres = site.local().dialect().rules() == Lexer.Rules.POSTGRESQL;
            if (zone != null && !postgres) {
              demandOwn(zone);
            }
            // A plain client of Avatica's sends no properties that stand in its URL.
            boolean initialization =
                Boolean.parseBoolean(info.getProperty(INITIALIZATION))
                    || INITIALIZATION.equals(info.getProperty("user"));
            return zone == null
                ? site.serve(initialization, rows -> rows)
                : Texts.connection(site.serve(initialization, Texts::rows), postgres);
          }

          @Override
          public Frame fetch(StatementHandle h, long offset, int most)
              throws NoSuchStatementException, MissingResultsException {
            StatementInfo info = getStatementCache().getIfPresent(h.id);
            ResultSet rows = info == null ? null : info.getResultSet();
            try {
              // A frame is in memory.
              int fit =
                  rows != null && rows.isWrapperFor(Kept.class)
                      ? rows.unwrap(Kept.class).rowsIn(FRAME_BYTES, LONGEST_FRAME)
                      : LONGEST_FRAME;
              int asked = most > 0 ? most : AvaticaStatement.DEFAULT_FETCH_SIZE;
              return super.fetch(h, offset, Math.min(asked, fit));
            } catch (SQLException e) {
              throw new IllegalStateException(e);
            }
          }

          @Override
          public ExecuteResult prepareAndExecute(
              StatementHandle h, String sql, long all, int most, PrepareCallback callback)
              throws NoSuchStatementException {
            return filled(h, most, n -> super.prepareAndExecute(h, sql, all, n, callback));
          }

          /**
           * What comes with the answer: as many rows as a client asks for, which to JDBC is 0 for
           * any number and to Avatica for none; fewer if they are long. Avatica's own driver is
           * told the type of arrays by them.
           */
          private ExecuteResult filled(StatementHandle h, int most, Run run)
              throws NoSuchStatementException {
            int asked =
                most > 0
                    ? Math.min(most, AvaticaStatement.DEFAULT_FETCH_SIZE)
                    : AvaticaStatement.DEFAULT_FETCH_SIZE;
            try {
              if (!Texts.serves(getConnection(h.connectionId))) {
                return run.with(asked);
              }
              ExecuteResult some = run.with(Math.min(asked, Kept.ROWS));
              MetaResultSet rows = some.resultSets.get(0);
              if (rows.firstFrame == null || rows.firstFrame.done || asked <= Kept.ROWS) {
                return some;
              }
              List<Object> all = new ArrayList<>();
              rows.firstFrame.rows.forEach(all::add);
              Frame more = fetch(h, all.size(), asked - all.size());
              more.rows.forEach(all::add);
              return new ExecuteResult(
                  List.of(
                      MetaResultSet.create(
                          rows.connectionId,
                          rows.statementId,
                          rows.ownStatement,
                          rows.signature,
                          new Frame(0, more.done, all))));
            } catch (SQLException | MissingResultsException e) {
              throw new IllegalStateException(e);
            }
          }

          @Override
          public MetaResultSet getTables(
              ConnectionHandle ch, String catalog, Pat schemas, Pat names, List<String> types) {
            if (!Wire.CANCEL.equals(catalog)) {
              return super.getTables(ch, catalog, schemas, names, types);
            }
            try {
              getConnection(ch.id).setClientInfo(Wire.CANCEL, "");
              return MetaResultSet.create(ch.id, 0, false, NO_COLUMNS, Frame.EMPTY);
            } catch (SQLException e) {
              throw new IllegalStateException(e);
            }
          }

          @Override
          public ExecuteResult execute(StatementHandle h, List<TypedValue> values, int most)
              throws NoSuchStatementException {
            // executeUpdate() of what is prepared sends no columns, without which rows fail.
            boolean update = h.signature == null;
            h.signature = update ? NO_COLUMNS : h.signature;
            ExecuteResult result = filled(h, most, n -> super.execute(h, values, n));
            if (update && result.resultSets.get(0).updateCount < 0) {
              throw new IllegalStateException(
                  new SQLException(Wire.ROWS + "; it was run", Wire.ROWS_STATE));
            }
            return result;
          }
        };
    ProtobufMeta told =
        (ProtobufMeta)
            Proxy.newProxyInstance(
                MetricServer.class.getClassLoader(),
                new Class<?>[] {ProtobufMeta.class},
                (self, method, arguments) -> {
                  try {
                    return method.invoke(meta, arguments);
                  } catch (InvocationTargetException e) {
                    throw told(e.getCause());
                  }
                });
    server =
        new HttpServer.Builder<Server>()
            .withPort(at.getPort())
            .withHandler(new Requests(new LocalService(told)))
            .withServerCustomizers(
                List.of(
                    s -> {
                      s.setConnectors(new Connector[] {listening(s, at, keys)});
                      s.insertHandler(new SizeLimitHandler(REQUEST_BYTES, -1));
                    }),
                Server.class)
            .build();
    server.start();
  }

  private Connector listening(Server server, InetSocketAddress at, Keys keys) {
    if (keys == null) {
      connector = new ServerConnector(server);
    } else {
      SslContextFactory.Server tls = new SslContextFactory.Server();
      tls.setKeyStore(keys.own());
      tls.setKeyManagerPassword(keys.password());
      tls.setTrustStore(keys.authority());
      tls.setNeedClientAuth(true);
      tls.setIncludeProtocols("TLSv1.3");
      connector =
          new ServerConnector(
              server,
              new OnlyTls(new SslConnectionFactory(tls, HttpVersion.HTTP_1_1.asString())),
              new HttpConnectionFactory());
    }
    connector.setIdleTimeout(IDLE_MILLIS);
    connector.setHost(at.getAddress().getHostAddress());
    connector.setPort(at.getPort());
    return connector;
  }

  /** Avatica's client asks for ever where a connection ends without an answer: it gets one. */
  private static final class OnlyTls extends DetectorConnectionFactory {
    private static final String ANSWER =
        "HTTP/1.1 400 this port speaks TLS\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

    OnlyTls(SslConnectionFactory tls) {
      super(tls);
    }

    @Override
    protected void nextProtocol(Connector connector, EndPoint plain, ByteBuffer read) {
      BufferUtil.clear(read);
      plain.write(
          Callback.from(plain::close, e -> plain.close()),
          ByteBuffer.wrap(ANSWER.getBytes(StandardCharsets.US_ASCII)));
    }
  }

  /** MariaDB's texts do not say their zone. */
  static void demandOwn(String zone) throws SQLException {
    ZoneId here = ZoneId.systemDefault();
    if (!ZoneId.of(zone).getRules().equals(here.getRules())) {
      throw new SQLNonTransientConnectionException(
          "the site's time zone is "
              + here
              + " and this client's is "
              + zone
              + ", and MariaDB's timestamps would be shifted; start the client with -Duser.timezone="
              + here,
          "08004");
    }
  }

  /**
   * What Avatica sends of the server's stack is the message: its client shows no other for some.
   */
  private static final class Told extends AvaticaRuntimeException {
    private static final long serialVersionUID = 1;

    Told(String message, int code, String state) {
      super(message, code, state, AvaticaSeverity.ERROR);
      setStackTrace(new StackTraceElement[0]);
    }

    @Override
    public String toString() {
      return getErrorMessage();
    }
  }

  /** Errors keep their SQLSTATE on the way. */
  private static Throwable told(Throwable e) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t instanceof SQLException sql) {
        String state = sql.getSQLState() == null ? "HY000" : sql.getSQLState();
        return new Told(sql.getMessage(), sql.getErrorCode(), state);
      }
      if (t instanceof NoSuchConnectionException) {
        return new Told(
            "the site does not know this connection; what it had not committed was rolled back. Connect again",
            // Where a connection is missing some clients connect again in silence, and take the
            // rest of a transaction for all of it.
            ErrorResponse.UNKNOWN_ERROR_CODE,
            "08003");
      }
    }
    return e;
  }

  public int port() {
    return connector.getLocalPort();
  }

  /** The URL for Avatica's own driver, where there is no TLS. */
  public String avaticaUrl() {
    return "jdbc:avatica:remote:url=http://127.0.0.1:" + port() + ";serialization=protobuf";
  }

  /** Returns once it is closed. */
  public void join() throws InterruptedException {
    server.join();
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      server.stop();
    }
  }
}
