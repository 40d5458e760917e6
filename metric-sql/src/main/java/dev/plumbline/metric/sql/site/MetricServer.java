package dev.plumbline.metric.sql.site;

import dev.plumbline.metric.sql.driver.Wire;
import dev.plumbline.metric.sql.tables.Lexer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.ZoneId;
import java.util.Properties;
import org.apache.calcite.avatica.AvaticaSeverity;
import org.apache.calcite.avatica.NoSuchConnectionException;
import org.apache.calcite.avatica.jdbc.JdbcMeta;
import org.apache.calcite.avatica.remote.AvaticaRuntimeException;
import org.apache.calcite.avatica.remote.Driver.Serialization;
import org.apache.calcite.avatica.remote.LocalService;
import org.apache.calcite.avatica.remote.ProtobufMeta;
import org.apache.calcite.avatica.remote.Service.ErrorResponse;
import org.apache.calcite.avatica.server.HttpServer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Serves a site by Avatica: its own driver, or ours, is the client. On loopback alone. */
public final class MetricServer implements AutoCloseable {
  private static final String INITIALIZATION = "initialization";
  private static final String MANY = Integer.toString(1 << 20);

  private final HttpServer server;
  private boolean closed;

  /** On a port, or on a free one for 0. */
  public MetricServer(Site site, int port) throws SQLException {
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
            Connection c =
                Boolean.parseBoolean(info.getProperty(INITIALIZATION))
                        || INITIALIZATION.equals(info.getProperty("user"))
                    ? site.initialize()
                    : site.connect();
            return zone == null ? c : Texts.connection(c, postgres);
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
            .withPort(port)
            .withHandler(new LocalService(told), Serialization.PROTOBUF)
            .withServerCustomizers(
                java.util.List.of(
                    s -> {
                      for (var connector : s.getConnectors()) {
                        ((ServerConnector) connector)
                            .setHost(InetAddress.getLoopbackAddress().getHostAddress());
                      }
                    }),
                Server.class)
            .build();
    server.start();
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

  /** Errors keep their SQLSTATE on the way. */
  private static Throwable told(Throwable e) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t instanceof SQLException sql) {
        String state = sql.getSQLState() == null ? "HY000" : sql.getSQLState();
        return new AvaticaRuntimeException(
            sql.getMessage(), sql.getErrorCode(), state, AvaticaSeverity.ERROR);
      }
      if (t instanceof NoSuchConnectionException) {
        return new AvaticaRuntimeException(
            "the site does not know this connection; what it had not committed was rolled back. Connect again",
            // Where a connection is missing some clients connect again in silence, and take the
            // rest of a transaction for all of it.
            ErrorResponse.UNKNOWN_ERROR_CODE,
            "08003",
            AvaticaSeverity.ERROR);
      }
    }
    return e;
  }

  public int port() {
    return server.getPort();
  }

  /** The URL for Avatica's own driver. */
  public String avaticaUrl() {
    return "jdbc:avatica:remote:url=http://127.0.0.1:" + port() + ";serialization=protobuf";
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      server.stop();
    }
  }
}
