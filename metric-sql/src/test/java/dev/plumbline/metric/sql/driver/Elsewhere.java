package dev.plumbline.metric.sql.driver;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;

/** A program in another time zone: it tells what it reads in row 1, and writes row 2. */
final class Elsewhere {
  static final String NOON = "2024-01-01T12:00:00Z";

  private Elsewhere() {}

  public static void main(String[] arguments) throws SQLException {
    try (Connection c = DriverManager.getConnection(arguments[0]);
        Statement s = c.createStatement();
        ResultSet rows = s.executeQuery("select instant, local from zoned where id = 1")) {
      rows.next();
      System.out.println(
          "read "
              + rows.getTimestamp(1).toInstant()
              + " "
              + rows.getTimestamp(2).toLocalDateTime());
      try (PreparedStatement p = c.prepareStatement("insert into zoned values (2, ?, ?)")) {
        p.setTimestamp(1, Timestamp.from(Instant.parse(NOON)));
        p.setTimestamp(2, Timestamp.valueOf("2024-01-01 12:00:00"));
        p.executeUpdate();
      }
    }
  }
}
