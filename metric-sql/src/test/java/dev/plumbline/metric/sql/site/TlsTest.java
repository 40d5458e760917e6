package dev.plumbline.metric.sql.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.cluster.Certificates;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.node.KeyStores;
import java.io.OutputStream;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
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
  static void serve() throws Exception {
    Path own = folder.resolve("own");
    Certificates.make(own, List.of("server", "client"));
    client = Certificates.store(own, "client");
    Certificates.make(folder.resolve("other"), List.of("client"));
    stranger = Certificates.store(folder.resolve("other"), "client");
    one = new TestSites(1).with("create table t (id int)");
    server = serve("127.0.0.1");
  }

  private static MetricServer serve(String host) throws Exception {
    Path own = folder.resolve("own");
    return new MetricServer(
        one.site(0),
        new InetSocketAddress(host, 0),
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
  void nobodyElseDoes() throws Exception {
    refused(url("")).hasMessageContaining("it speaks TLS: name a truststore and a keystore");
    refused(url("?" + TRUST.formatted(client)))
        .hasMessageContaining("clients show a certificate: name a keystore");
    refused(url("?truststore=missing.p12&truststore_password=x"))
        .hasMessageContaining("the truststore missing.p12 cannot be read");
    String all = "?" + TRUST.formatted(client) + "&" + SHOW.formatted(client);
    try (MetricServer other = serve("127.0.0.2")) {
      refused("jdbc:metric://127.0.0.2:" + other.port() + all)
          .hasMessageContaining("matching IP address 127.0.0.2 found");
    }
    refused(url(all + "&hostname_verification=NONE"))
        .hasMessageContaining("a site's name is compared always");
    refused(url("?" + TRUST.formatted(client) + "&" + SHOW.formatted(stranger)));
    refused(url("?" + TRUST.formatted(stranger) + "&" + SHOW.formatted(client)));
  }

  /** One day, from that many days ahead of now. */
  private static X509Certificate certificate(
      String subject, KeyPair authority, KeyPair own, int days, boolean isAuthority)
      throws Exception {
    Instant from = Instant.now().plus(Duration.ofDays(days)).minus(Duration.ofHours(1));
    X509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
                new X500Name("CN=authority"),
                BigInteger.valueOf(System.nanoTime()),
                Date.from(from),
                Date.from(from.plus(Duration.ofDays(1))),
                new X500Name("CN=" + subject),
                own.getPublic())
            .addExtension(Extension.basicConstraints, true, new BasicConstraints(isAuthority))
            .addExtension(
                Extension.subjectAlternativeName,
                false,
                new GeneralNames(new GeneralName(GeneralName.iPAddress, "127.0.0.1")));
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(
                new JcaContentSignerBuilder("SHA256withECDSA").build(authority.getPrivate())));
  }

  private static KeyStore store(X509Certificate authority, KeyPair own, X509Certificate shown)
      throws Exception {
    char[] password = KeyStores.PASSWORD.toCharArray();
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setCertificateEntry("ca", authority);
    store.setKeyEntry("own", own.getPrivate(), password, new Certificate[] {shown, authority});
    return store;
  }

  private static String file(String name, KeyStore store) throws Exception {
    Path file = folder.resolve(name + ".p12");
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, KeyStores.PASSWORD.toCharArray());
    }
    return "?" + TRUST.formatted(file) + "&" + SHOW.formatted(file);
  }

  /** By the same authority as what is valid. */
  @Test
  void whatIsExpiredOrNotYetValidGetsNobodyIn() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    KeyPair root = generator.generateKeyPair();
    KeyPair own = generator.generateKeyPair();
    X509Certificate authority = certificate("authority", root, root, 0, true);
    KeyStore now = store(authority, own, certificate("now", root, own, 0, false));
    KeyStore past = store(authority, own, certificate("past", root, own, -2, false));
    KeyStore future = store(authority, own, certificate("future", root, own, 2, false));
    InetSocketAddress free = new InetSocketAddress("127.0.0.1", 0);
    String valid = file("now", now);
    try (MetricServer strict =
        new MetricServer(one.site(0), free, new MetricServer.Keys(now, KeyStores.PASSWORD, now))) {
      String at = "jdbc:metric://127.0.0.1:" + strict.port();
      try (Connection c = DriverManager.getConnection(at + valid)) {
        assertThat(Sql.strings(c, "select count(*) from t")).containsExactly("0");
      }
      refused(at + file("past", past))
          .hasMessageContaining("client's certificate is not valid now: NotAfter");
      refused(at + file("future", future))
          .hasMessageContaining("client's certificate is not valid now: NotBefore");
    }
    for (KeyStore shown : List.of(past, future)) {
      try (MetricServer late =
          new MetricServer(
              one.site(0), free, new MetricServer.Keys(shown, KeyStores.PASSWORD, now))) {
        refused("jdbc:metric://127.0.0.1:" + late.port() + valid)
            .hasMessageContaining("the site's certificate is not valid now");
      }
    }
    X509Certificate gone = certificate("authority", root, root, -2, true);
    KeyStore after = store(gone, own, certificate("now", root, own, 0, false));
    try (MetricServer old =
        new MetricServer(
            one.site(0), free, new MetricServer.Keys(after, KeyStores.PASSWORD, after))) {
      // Java trusts what it is told to trust, and asks no more of it.
      String at = "jdbc:metric://127.0.0.1:" + old.port() + file("after", after);
      try (Connection c = DriverManager.getConnection(at)) {
        assertThat(Sql.strings(c, "select count(*) from t")).containsExactly("0");
      }
    }
  }

  @Test
  void withoutTlsItListensOnLoopbackAlone() {
    assertThatThrownBy(
            () -> new MetricServer(one.site(0), new InetSocketAddress("0.0.0.0", 0), null))
        .hasMessage("0.0.0.0 is not on loopback, and there would be no TLS: name certificates");
  }
}
