package dev.plumbline.cluster;

import dev.plumbline.protocol.ProtocolSystem;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * Numbers as rows of two tables, for an application that knows a JDBC driver alone. They are
 * written at one region and read at another. The driver comes from a folder of jars, with no class
 * of this project on its class path.
 */
final class SqlNumbers implements Acknowledged.Place {
  private static final int TABLES = 2;
  private static final String ANSWER_MILLIS = "20000";

  /** What an application connects with. */
  record Access(Driver driver, ProtocolSystem.SqlSide side) {
    /**
     * The driver's own class path.
     *
     * @param root the repository
     * @throws IOException if it is not built
     */
    static Access of(Path root, ProtocolSystem.SqlSide side) throws IOException {
      List<URL> jars = new ArrayList<>();
      try (Stream<Path> all = Files.list(root.resolve(side.module()).resolve("target/shell"))) {
        for (Path jar : all.toList()) {
          jars.add(jar.toUri().toURL());
        }
      }
      try {
        URLClassLoader loader =
            new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        return new Access(
            (Driver) loader.loadClass(side.driver()).getDeclaredConstructor().newInstance(), side);
      } catch (ReflectiveOperationException e) {
        throw new IOException("no driver " + side.driver() + " in " + jars, e);
      }
    }

    private Connection connect(String url, String user) throws SQLException {
      Properties properties = new Properties();
      properties.setProperty("http_response_timeout", ANSWER_MILLIS);
      properties.setProperty("user", user);
      properties.setProperty("password", "");
      return driver.connect(SqlServers.client(side, url), properties);
    }

    /** Makes the tables. */
    void make(String url) throws SQLException {
      try (Connection c = connect(url, side.owner());
          Statement s = c.createStatement()) {
        for (int i = 0; i < TABLES; i++) {
          s.execute("create table kept" + i + " (n bigint primary key, k bigint)");
        }
        if (!side.made().isEmpty()) {
          s.execute(side.made());
        }
      }
    }
  }

  @FunctionalInterface
  private interface Work<T> {
    T in(Connection connection) throws SQLException;
  }

  private final Access access;
  private final String writing;
  private final String reading;
  private final KeptNumbers numbers;
  private Connection connection;

  SqlNumbers(Access access, String writing, String reading, KeptNumbers numbers) {
    this.access = access;
    this.writing = writing;
    this.reading = reading;
    this.numbers = numbers;
  }

  private static String table(long key) {
    return "kept" + key % TABLES;
  }

  @Override
  public boolean write(long number) {
    long key = numbers.key(number);
    String sql = "insert into " + table(key) + " (n, k) values (?, ?)";
    return committed(
            writing,
            c -> {
              try (PreparedStatement s = c.prepareStatement(sql)) {
                s.setLong(1, number);
                s.setLong(2, key);
                return s.executeUpdate();
              }
            })
        .isPresent();
  }

  @Override
  public Optional<Object> read(long key) {
    String sql = "select n from " + table(key) + " where k = ?";
    return committed(
        reading,
        c -> {
          try (PreparedStatement s = c.prepareStatement(sql)) {
            s.setLong(1, key);
            List<Long> found = new ArrayList<>();
            try (ResultSet rows = s.executeQuery()) {
              while (rows.next()) {
                found.add(rows.getLong(1));
              }
            }
            return found;
          }
        });
  }

  /** What a transaction came to; empty if its commit was not acknowledged. */
  private <T> Optional<T> committed(String url, Work<? extends T> work) {
    try {
      if (connection == null) {
        connection = access.connect(url, "");
        connection.setAutoCommit(false);
      }
      T done = work.in(connection);
      connection.commit();
      return Optional.of(done);
    } catch (SQLException | RuntimeException e) {
      // Avatica's driver also says by exceptions of its own that nobody answers.
      close();
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    Connection old = connection;
    connection = null;
    if (old != null) {
      try {
        old.close();
      } catch (SQLException | RuntimeException e) {
        return;
      }
    }
  }
}
