package dev.plumbline.metric.sql.site;

import static dev.plumbline.metric.sql.local.States.state;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.metric.sql.driver.Wire;
import dev.plumbline.metric.sql.local.Sql;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.sql.Types;
import java.time.ZoneId;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What Avatica asks of every prepared statement is answered, whatever the database's driver can.
 */
class WrappedTest {
  private static ParameterMetaData of(SQLException type) {
    Object real =
        Proxy.newProxyInstance(
            WrappedTest.class.getClassLoader(),
            new Class<?>[] {ParameterMetaData.class},
            (self, method, arguments) -> {
              if (method.getName().equals("getParameterCount")) {
                return 1;
              }
              throw type;
            });
    return (ParameterMetaData) Wrapped.parameters(real);
  }

  @Test
  void aDriverThatTellsNoTypesOfParametersWillDo() throws SQLException {
    ParameterMetaData told = of(new SQLFeatureNotSupportedException("not supported", "0A000"));
    assertThat(told.getParameterCount()).isEqualTo(1);
    assertThat(told.getParameterType(1)).isEqualTo(Types.VARCHAR);
    assertThat(told.getParameterTypeName(1)).isEqualTo("VARCHAR");
    assertThat(told.getParameterClassName(1)).isEqualTo("java.lang.String");
    assertThat(told.getParameterMode(1)).isEqualTo(ParameterMetaData.parameterModeIn);
    assertThat(told.isNullable(1)).isEqualTo(ParameterMetaData.parameterNullableUnknown);
    assertThat(told.isSigned(1)).isFalse();
    assertThat(told.getPrecision(1) + told.getScale(1)).isZero();
  }

  @Test
  void anErrorOfTheDatabaseIsItsOwn() {
    assertThatThrownBy(() -> of(new SQLException("gone", "08006")).getParameterType(1))
        .isInstanceOf(SQLException.class)
        .hasMessage("gone");
  }

  /** The lock of a session is held by the statement that is to be cancelled. */
  @Test
  void cancelDoesNotWaitForItsStatement() throws Exception {
    try (TestSites one = new TestSites(1).with("create table t (id int)");
        Connection c = one.connect(0);
        Statement s = c.createStatement()) {
      Thread other =
          new Thread(
              () -> {
                try (Connection plain = one.database(0)) {
                  while (Sql.strings(
                          plain,
                          "select 1 from pg_stat_activity where query like 'select pg_sleep%' and"
                              + " state = 'active'")
                      .isEmpty()) {
                    Thread.sleep(20);
                  }
                  s.cancel();
                } catch (SQLException | InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
      other.start();
      state(() -> s.execute("select pg_sleep(20)"), "57014");
      other.join();
    }
  }

  /** Its tables are looked for as long as it is long. */
  @Test
  void whatIsCancelledBeforeTheDatabaseHasItDoesNotGetThere() throws Exception {
    String slow = "select pg_sleep(5) where 1 in (" + "1, ".repeat(10_000) + "1)";
    try (TestSites one = new TestSites(1).with("create table t (id int)");
        Connection c = one.connect(0);
        Statement s = c.createStatement()) {
      Thread asking = Thread.currentThread();
      Thread other =
          new Thread(
              () -> {
                try {
                  while (!plans(asking)) {
                    Thread.sleep(1);
                  }
                  c.setClientInfo(Wire.CANCEL, "");
                } catch (SQLException | InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
      other.start();
      state(() -> s.execute(slow), "57014");
      other.join();
      assertThat(s.executeQuery("select 1").next()).isTrue();
    }
  }

  private static boolean plans(Thread thread) {
    return Stream.of(thread.getStackTrace())
        .anyMatch(
            f -> f.getClassName().equals(Site.class.getName()) && f.getMethodName().equals("plan"));
  }

  @Test
  void mariaDbServesClientsOfItsOwnTimeZone() throws SQLException {
    ZoneId here = ZoneId.systemDefault();
    MetricServer.demandOwn(here.getId());
    for (String name : ZoneId.getAvailableZoneIds()) {
      if (ZoneId.of(name).getRules().equals(here.getRules())) {
        MetricServer.demandOwn(name);
      }
    }
    state(
        () -> {
          MetricServer.demandOwn("Antarctica/Troll");
          return null;
        },
        "08004");
  }
}
