package dev.plumbline.metric.sql.use;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.quartz.utils.ConnectionProvider;

/** Gives Quartz connections of the driver, without a pool. */
public final class Connections implements ConnectionProvider {
  private String url;

  public void setUrl(String url) {
    this.url = url;
  }

  @Override
  public Connection getConnection() throws SQLException {
    return DriverManager.getConnection(url);
  }

  @Override
  public void shutdown() {
    // Nothing is kept.
  }

  @Override
  public void initialize() {
    // Nothing is kept.
  }
}
