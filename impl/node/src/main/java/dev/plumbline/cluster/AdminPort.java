package dev.plumbline.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.Map;

/** Talks to nodes' admin ports. */
public final class AdminPort {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CONNECT_MILLIS = 1_000;
  private static final int ANSWER_MILLIS = 5_000;

  private AdminPort() {}

  /** How things stand at a node. */
  public static JsonNode health(NodeConfig.Address node) throws IOException {
    return answer(open(node, "/health"));
  }

  /** Brings faults about, or ends them; how things stand then. */
  public static JsonNode faults(NodeConfig.Address node, Map<String, ?> command)
      throws IOException {
    HttpURLConnection connection = open(node, "/faults");
    connection.setDoOutput(true);
    connection.getOutputStream().write(JSON.writeValueAsBytes(command));
    return answer(connection);
  }

  private static HttpURLConnection open(NodeConfig.Address node, String path) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection)
            URI.create("http://" + node.host() + ":" + node.admin() + path)
                .toURL()
                .openConnection();
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout(ANSWER_MILLIS);
    return connection;
  }

  private static JsonNode answer(HttpURLConnection connection) throws IOException {
    try (InputStream in = connection.getInputStream()) {
      return JSON.readTree(in);
    }
  }
}
