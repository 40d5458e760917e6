package dev.plumbline.metric.sql.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.protocol.RttTable;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Puts load on the SQL servers of a cluster, and on databases of its own that it starts beside
 * them. It reads a JSON object a line from its input, and answers each by one a line. It ends with
 * its input.
 *
 * <p>{@code {"store": "METRIC" | "SINGLE" | "SYNCHRONOUS", "shared": false, "clients": 1, "rows":
 * 10, "warmMillis": 1000, "millis": 10000}} is answered by {@code {"latencies": {"SITE":
 * [microseconds, …]}, "nacks": 0}}. {@code {"takeover": 100, "rows": 10}} has so many transactions
 * at the first site before one at the second, and is answered by {@code {"millis": 0.0}} of that.
 */
public final class BenchMain {
  private static final ObjectMapper JSON = new ObjectMapper();

  private BenchMain() {}

  /**
   * Serves until its input ends.
   *
   * @param arguments the cluster's folder, a folder for databases, and {@code SITE=URL} for each
   *     site, whose tables are not made yet
   */
  public static void main(String... arguments) throws Exception {
    if (arguments.length < 3) {
      System.err.println("usage: BenchMain CLUSTER FOLDER SITE=URL...");
      System.exit(2);
    }
    NodeConfig config = NodeConfig.read(Path.of(arguments[0]).resolve("conf/client.yaml"));
    RttTable rtt = config.topology().network();
    Map<String, String> urls = new LinkedHashMap<>();
    for (int i = 2; i < arguments.length; i++) {
      urls.put(arguments[i].replaceFirst("=.*", ""), arguments[i].replaceFirst("[^=]*=", ""));
    }
    try (Connection c =
        DriverManager.getConnection(urls.get(rtt.regions().get(0)) + "?initialization=true")) {
      Sql.run(c, Load.schema(rtt.regions()).toArray(String[]::new));
      Sql.run(c, "end initialization");
    }
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (Databases databases =
        new Databases(Path.of(arguments[1]), rtt, Load.schema(rtt.regions()))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        System.out.println(answer(JSON.readTree(line), rtt, urls, databases));
        System.out.flush();
      }
    }
    System.exit(0);
  }

  private static ObjectNode answer(
      JsonNode asked, RttTable rtt, Map<String, String> urls, Databases databases)
      throws Exception {
    if (asked.has("takeover")) {
      String first = urls.get(rtt.regions().get(0));
      String second = urls.get(rtt.regions().get(1));
      return JSON.createObjectNode()
          .put(
              "millis",
              Load.takeover(
                  first, second, asked.path("takeover").asInt(), asked.path("rows").asInt()));
    }
    String store = asked.path("store").asText();
    Load.Seen seen =
        Load.run(
            store.equals("METRIC") ? urls : databases.urls(store.equals("SYNCHRONOUS")),
            asked.path("shared").asBoolean(),
            asked.path("clients").asInt(),
            asked.path("rows").asInt(),
            TimeUnit.MILLISECONDS.toNanos(asked.path("warmMillis").asLong()),
            TimeUnit.MILLISECONDS.toNanos(asked.path("millis").asLong()));
    ObjectNode answer = JSON.createObjectNode().put("nacks", seen.nacks());
    answer.set("latencies", JSON.valueToTree(seen.latencies()));
    return answer;
  }
}
