package dev.plumbline.metric.sql.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.cluster.Certificates;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.node.KeyStores;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who gets in where a site speaks TLS. A client that is not answered would ask for ever. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsTest {
  private static final String TRUST = "truststore=%s&truststore_password=" + KeyStores.PASSWORD;
  private static final String SHOW =
      "keystore=%s&keystore_password=" + KeyStores.PASSWORD + "&key_password=" + KeyStores.PASSWORD;

  @TempDir private static Path folder;

  private static TestSites one;
  private static MetricServer server;
  private static Path client;
  private static Path stranger;

  @BeforeAll
  static void serve() throws IOException, SQLException {
    Path own = folder.resolve("own");
    Certificates.make(own, List.of("server", "client"));
    client = Certificates.store(own, "client");
    Certificates.make(folder.resolve("other"), List.of("client"));
    stranger = Certificates.store(folder.resolve("other"), "client");
    one = new TestSites(1).with("create table t (id int)");
    server =
        new MetricServer(
            one.site(0),
            new InetSocketAddress("127.0.0.1", 0),
            new MetricServer.Keys(
                KeyStores.own(own, "server"), KeyStores.PASSWORD, KeyStores.authority(own)));
  }

  @AfterAll
  static void end() throws SQLException {
    server.close();
    one.close();
  }

  private static String url(String properties) {
    return "jdbc:metric://127.0.0.1:" + server.port() + properties;
  }

  private static AbstractThrowableAssert<?, ?> refused(String url) {
    return assertThatThrownBy(() -> DriverManager.getConnection(url))
        .isInstanceOf(SQLException.class)
        .hasFieldOrPropertyWithValue("SQLState", "08001");
  }

  @Test
  void whoHasACertificateOfTheAuthorityGetsIn() throws SQLException {
    String all = "?" + TRUST.formatted(client) + "&" + SHOW.formatted(client);
    try (Connection c = DriverManager.getConnection(url(all))) {
      assertThat(Sql.strings(c, "select count(*) from t")).containsExactly("0");
    }
    String plain =
        "jdbc:avatica:remote:url=https://localhost:%d;serialization=protobuf;"
            .formatted(server.port());
    try (Connection c = DriverManager.getConnection(plain + all.substring(1).replace('&', ';'))) {
      assertThat(Sql.strings(c, "select count(*) from t")).containsExactly("0");
    }
  }

  @Test
  void nobodyElseDoes() {
    refused(url("")).hasMessageContaining("it speaks TLS: name a truststore and a keystore");
    refused(url("?" + TRUST.formatted(client)))
        .hasMessageContaining("clients show a certificate: name a keystore");
    refused(url("?truststore=missing.p12&truststore_password=x"))
        .hasMessageContaining("the truststore missing.p12 cannot be read");
    refused(url("?" + TRUST.formatted(client) + "&" + SHOW.formatted(stranger)));
    refused(url("?" + TRUST.formatted(stranger) + "&" + SHOW.formatted(client)));
  }

  @Test
  void withoutTlsItListensOnLoopbackAlone() {
    assertThatThrownBy(
            () -> new MetricServer(one.site(0), new InetSocketAddress("0.0.0.0", 0), null))
        .hasMessage("0.0.0.0 is not on loopback, and there would be no TLS: name certificates");
  }
}
