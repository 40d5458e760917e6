package dev.plumbline.metric.sql.driver;

import java.io.File;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Accepts {@code jdbc:metric://host:port[,host:port…][?name=value&…]}. The sites are tried in this
 * order when a connection is made; a connection stays with its site. With {@code truststore} sites
 * are asked over TLS; what the client shows of itself is in {@code keystore}.
 */
public final class MetricDriver implements Driver {
  private static final String PREFIX = "jdbc:metric:";
  private static final Pattern URL =
      Pattern.compile(
          "jdbc:metric://([A-Za-z0-9.\\-]+:\\d{1,5}(?:,[A-Za-z0-9.\\-]+:\\d{1,5})*)/?(?:\\?(.*))?");

  /** What Avatica's client calls them. */
  private static final Map<String, String> TLS =
      new TreeMap<>(
          Map.of(
              "truststore", "file (PKCS #12 or JKS) with the authority of the sites' certificates",
              "truststore_password", "its password",
              "keystore", "file (PKCS #12 or JKS) with the client's own key and certificate",
              "keystore_password", "its password",
              "key_password", "the key's"));

  static {
    try {
      DriverManager.registerDriver(new MetricDriver());
    } catch (SQLException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @Override
  public boolean acceptsURL(String url) {
    return url != null && url.startsWith(PREFIX);
  }

  @Override
  public Connection connect(String url, Properties info) throws SQLException {
    if (!acceptsURL(url)) {
      return null;
    }
    Matcher m = URL.matcher(url);
    if (!m.matches()) {
      throw new SQLNonTransientConnectionException(
          "the URL "
              + url
              + " is not of the form jdbc:metric://host:port[,host:port…][?name=value&…]",
          "08001");
    }
    Properties all = new Properties();
    if (info != null) {
      all.putAll(info);
    }
    all.setProperty("serialization", "protobuf");
    all.setProperty("httpclient_factory", OnceClient.class.getName());
    all.setProperty(Wire.ZONE, ZoneId.systemDefault().getId());
    if (m.group(2) != null) {
      for (String pair : m.group(2).split("&", -1)) {
        int equals = pair.indexOf('=');
        if (equals < 1) {
          throw new SQLNonTransientConnectionException(
              "in the URL " + url + " stands " + pair + " where name=value belongs", "08001");
        }
        all.setProperty(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
      }
    }
    for (String store : List.of("truststore", "keystore")) {
      if (all.containsKey(store) && !new File(all.getProperty(store)).canRead()) {
        throw new SQLNonTransientConnectionException(
            "the " + store + " " + all.getProperty(store) + " cannot be read: name a file",
            "08001");
      }
    }
    SQLException last = null;
    for (String site : m.group(1).split(",", -1)) {
      try {
        all.setProperty("url", (all.containsKey("truststore") ? "https://" : "http://") + site);
        Connection c =
            new org.apache.calcite.avatica.remote.Driver().connect("jdbc:avatica:remote:", all);
        return new Client(c, url).connection();
      } catch (SQLException | RuntimeException e) {
        SQLException now =
            new SQLNonTransientConnectionException(
                "no answer from the site at " + site + ": " + Client.reason(e) + hint(all, e),
                "08001",
                e);
        if (last != null) {
          now.addSuppressed(last);
        }
        last = now;
      }
    }
    throw last;
  }

  /** What a client should name that is not trusted, or does not trust. */
  private static String hint(Properties given, Exception e) {
    if (!given.containsKey("truststore")) {
      return Client.reason(e).endsWith(" HTTP/400")
          ? "; it speaks TLS: name a truststore and a keystore"
          : "";
    }
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t instanceof CertificateExpiredException
          || t instanceof CertificateNotYetValidException) {
        return "; the site's certificate is not valid now";
      }
    }
    return given.containsKey("keystore")
        ? invalid(given)
        : "; clients show a certificate: name a keystore";
  }

  /** A site ends the connection of a client whose certificate it does not take, often unheard. */
  private static String invalid(Properties given) {
    try {
      KeyStore store =
          KeyStore.getInstance(
              new File(given.getProperty("keystore")),
              given.getProperty("keystore_password", "").toCharArray());
      for (String alias : Collections.list(store.aliases())) {
        if (store.isKeyEntry(alias) && store.getCertificate(alias) instanceof X509Certificate own) {
          own.checkValidity();
        }
      }
      return "";
    } catch (CertificateExpiredException | CertificateNotYetValidException e) {
      return "; the client's certificate is not valid now: " + e.getMessage();
    } catch (IOException | GeneralSecurityException e) {
      return "";
    }
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
    DriverPropertyInfo initialization = new DriverPropertyInfo("initialization", "false");
    initialization.description =
        "true on a connection that makes the schema and its first rows for all sites";
    initialization.choices = new String[] {"true", "false"};
    List<DriverPropertyInfo> all = new ArrayList<>(List.of(initialization));
    TLS.forEach(
        (name, what) -> {
          DriverPropertyInfo property = new DriverPropertyInfo(name, null);
          property.description = what;
          all.add(property);
        });
    return all.toArray(DriverPropertyInfo[]::new);
  }

  @Override
  public int getMajorVersion() {
    return 0;
  }

  @Override
  public int getMinorVersion() {
    return 1;
  }

  @Override
  public boolean jdbcCompliant() {
    return false;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("this driver writes no log", "0A000");
  }
}
