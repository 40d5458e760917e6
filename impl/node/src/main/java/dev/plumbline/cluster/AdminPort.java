package dev.plumbline.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Map;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Talks to nodes' admin ports. */
public final class AdminPort {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CONNECT_MILLIS = 1_000;
  private static final int ANSWER_MILLIS = 5_000;

  private AdminPort() {}

  /** How things stand at a node. */
  public static JsonNode health(NodeConfig cluster, String node) throws IOException {
    return JSON.readTree(answer(open(cluster, node, "/health")));
  }

  /** A node's metrics, in Prometheus' text format. */
  public static String metrics(NodeConfig cluster, String node) throws IOException {
    return new String(answer(open(cluster, node, "/metrics")), StandardCharsets.UTF_8);
  }

  /**
   * Brings faults about, or ends them, with the token of the file that the configuration names; how
   * things stand then.
   */
  public static JsonNode faults(NodeConfig cluster, String node, Map<String, ?> command)
      throws IOException {
    HttpURLConnection connection = open(cluster, node, "/faults");
    String token = Files.readString(Path.of(cluster.faults())).strip();
    connection.setDoOutput(true);
    connection.setRequestProperty("Authorization", "Bearer " + token);
    connection.setRequestProperty("Content-Type", "application/json");
    connection.getOutputStream().write(JSON.writeValueAsBytes(command));
    return JSON.readTree(answer(connection));
  }

  private static HttpURLConnection open(NodeConfig cluster, String node, String path)
      throws IOException {
    NodeConfig.Address at = cluster.nodes().get(node);
    HttpURLConnection connection =
        (HttpURLConnection)
            URI.create(
                    (cluster.adminTls() ? "https://" : "http://")
                        + at.host()
                        + ":"
                        + at.admin()
                        + path)
                .toURL()
                .openConnection();
    if (connection instanceof HttpsURLConnection https) {
      https.setSSLSocketFactory(trusting(Path.of(cluster.tls(), "ca.pem")).getSocketFactory());
      // Certificates of a cluster name nodes, not addresses.
      https.setHostnameVerifier(
          (host, session) -> {
            try {
              return session.getPeerPrincipal().getName().equals("CN=" + node);
            } catch (IOException e) {
              return false;
            }
          });
    }
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout(ANSWER_MILLIS);
    return connection;
  }

  private static SSLContext trusting(Path authority) throws IOException {
    try (InputStream in = Files.newInputStream(authority)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setCertificateEntry(
          "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
      TrustManagerFactory trusted = TrustManagerFactory.getInstance("PKIX");
      trusted.init(store);
      SSLContext context = SSLContext.getInstance("TLSv1.3");
      context.init(null, trusted.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("TLS with " + authority + ": " + e.getMessage(), e);
    }
  }

  private static byte[] answer(HttpURLConnection connection) throws IOException {
    try (InputStream in = connection.getInputStream()) {
      return in.readAllBytes();
    }
  }
}
