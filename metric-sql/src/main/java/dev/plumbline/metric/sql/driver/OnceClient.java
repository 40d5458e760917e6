package dev.plumbline.metric.sql.driver;

import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.calcite.avatica.ConnectionConfig;
import org.apache.calcite.avatica.remote.AvaticaHttpClient;
import org.apache.calcite.avatica.remote.AvaticaHttpClientFactory;
import org.apache.calcite.avatica.remote.HostnameVerificationConfigurable.HostnameVerification;
import org.apache.calcite.avatica.remote.KerberosConnection;

/**
 * Sends a request once. Avatica's own clients send it again where a connection ends without an
 * answer, or where a proxy says that the site is not available: the site may have heard it, and
 * would do the same thing twice. Nor do they ask a site more than 25 things at a time, and the next
 * one waits, be it the commit that all the others wait for. How many connections there may be is
 * the site's to say.
 */
public final class OnceClient implements AvaticaHttpClientFactory {
  /** One for all connections that trust and show the same: each has a thread of its own. */
  private static final Map<Terms, HttpClient> CLIENTS = new ConcurrentHashMap<>();

  /** A file with keys or certificates, as it was when it was read; null where there is none. */
  private record Store(File file, long changed, String password) {
    static Store of(File file, String password) {
      return file == null ? null : new Store(file, file.lastModified(), password);
    }

    KeyStore read() throws IOException, GeneralSecurityException {
      return KeyStore.getInstance(file, chars(password));
    }
  }

  /** What a client trusts, shows, and waits for. */
  private record Terms(Store trusted, Store own, String keyPassword, long connectMillis) {}

  /** How long this thread waits for an answer. */
  private static final ThreadLocal<Duration> WITHIN = new ThreadLocal<>();

  /** What a thread asks meanwhile is answered in time, or fails. */
  interface Limit extends AutoCloseable {
    @Override
    void close();
  }

  /** For so many milliseconds; 0 for as long as it takes. */
  static Limit within(int millis) {
    Duration before = WITHIN.get();
    WITHIN.set(millis == 0 ? null : Duration.ofMillis(millis));
    return () -> WITHIN.set(before);
  }

  @Override
  public AvaticaHttpClient getClient(URL url, ConnectionConfig c, KerberosConnection kerberos) {
    if (c.hostnameVerification() == HostnameVerification.NONE) {
      throw new IllegalArgumentException(
          "hostname_verification is NONE, and a site's name is compared always; leave it out");
    }
    Terms terms =
        new Terms(
            Store.of(c.truststore(), c.truststorePassword()),
            Store.of(c.keystore(), c.keystorePassword()),
            c.keyPassword(),
            c.getHttpConnectionTimeout());
    HttpClient client = CLIENTS.computeIfAbsent(terms, OnceClient::client);
    HttpRequest.Builder to =
        HttpRequest.newBuilder(uri(url)).header("Content-Type", "application/octet-stream");
    if (c.getHttpResponseTimeout() > 0) {
      to.timeout(Duration.ofMillis(c.getHttpResponseTimeout()));
    }
    return request -> {
      HttpRequest.Builder now = to.copy().POST(BodyPublishers.ofByteArray(request));
      if (WITHIN.get() != null) {
        now.timeout(WITHIN.get());
      }
      return send(client, now.build());
    };
  }

  private static URI uri(URL url) {
    try {
      return url.toURI();
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static byte[] send(HttpClient client, HttpRequest request) {
    HttpResponse<byte[]> response;
    try {
      // An interrupted thread waits, too: the site does what it was asked all the same.
      response = client.sendAsync(request, BodyHandlers.ofByteArray()).join();
    } catch (CompletionException e) {
      throw new IllegalStateException(
          e.getCause() instanceof ConnectException c && c.getMessage() == null
              ? new ConnectException("cannot connect")
              : e.getCause());
    }
    int code = response.statusCode();
    if (code != 200 && code != 500) {
      throw new IllegalStateException("Failed to execute HTTP Request, got HTTP/" + code);
    }
    return response.body();
  }

  private static HttpClient client(Terms terms) {
    HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
    if (terms.connectMillis > 0) {
      builder.connectTimeout(Duration.ofMillis(terms.connectMillis));
    }
    try {
      return (terms.trusted == null && terms.own == null ? builder : builder.sslContext(tls(terms)))
          .build();
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static SSLContext tls(Terms terms) throws IOException, GeneralSecurityException {
    KeyManager[] own = null;
    if (terms.own != null) {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      String password = terms.keyPassword == null ? terms.own.password : terms.keyPassword;
      keys.init(terms.own.read(), chars(password));
      own = keys.getKeyManagers();
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(terms.trusted == null ? null : terms.trusted.read());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own, trust.getTrustManagers(), new SecureRandom());
    return context;
  }

  private static char[] chars(String password) {
    return password == null ? new char[0] : password.toCharArray();
  }
}
