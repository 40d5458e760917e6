package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.cluster.AdminPort;
import dev.plumbline.cluster.Certificates;
import dev.plumbline.cluster.FreePorts;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The admin port of a running node. */
class AdminTest {
  private static final String NODE = "o-SH";
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir Path folder;
  private NodeConfig config;
  private Host host;

  private void start(boolean tls) throws IOException {
    Path certificates = tls ? folder.resolve("tls") : null;
    config = FreePorts.config("k2", null, folder, certificates);
    if (tls) {
      Certificates.make(certificates, config.nodes().keySet());
      Path file = folder.resolve("all.yaml");
      config.write(file);
      Files.writeString(file, Files.readString(file).replace("adminTls: false", "adminTls: true"));
      config = NodeConfig.read(file);
    }
    host = new Host(List.of(config.as(NODE, folder.resolve("data").toString(), Map.of())));
    Thread running =
        new Thread(
            () -> {
              try {
                host.run();
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    running.setDaemon(true);
    running.start();
  }

  @AfterEach
  void stop() {
    host.close();
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + config.nodes().get(NODE).admin() + path);
  }

  private int status(HttpRequest.Builder request) throws Exception {
    return HTTP.send(
            request.timeout(Duration.ofSeconds(3)).build(), HttpResponse.BodyHandlers.ofString())
        .statusCode();
  }

  private int post(String authorization, String type, String body) throws Exception {
    return status(
        HttpRequest.newBuilder(uri("/faults"))
            .header("Authorization", authorization)
            .header("Content-Type", type)
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private String token() throws IOException {
    return "Bearer " + Files.readString(Path.of(config.faults())).strip();
  }

  @Test
  void halfSentRequestsBlockNobodyAndEnd() throws Exception {
    start(false);
    List<Socket> half = new ArrayList<>();
    for (int i = 0; i < 2 * Admin.CONNECTIONS; i++) {
      Socket socket = new Socket("127.0.0.1", config.nodes().get(NODE).admin());
      socket.getOutputStream().write("GET /hea".getBytes(StandardCharsets.US_ASCII));
      half.add(socket);
    }
    for (int i = 0; i < 5; i++) {
      long start = System.nanoTime();
      assertThat(AdminPort.health(config, NODE).path("node").asText()).isEqualTo(NODE);
      assertThat(System.nanoTime() - start).isLessThan(2_000_000_000L);
    }
    Socket last = half.get(half.size() - 1);
    last.setSoTimeout((int) (Admin.SECONDS + 5) * 1000);
    assertThat(last.getInputStream().read()).as("a half-sent request is given up").isEqualTo(-1);
    String ended = AdminPort.metrics(config, NODE);
    assertThat(count(ended, "plumb_admin_connections_refused_total{reason=\"crowded\"}"))
        .as("the oldest gave way")
        .isGreaterThanOrEqualTo(Admin.CONNECTIONS);
    assertThat(count(ended, "plumb_admin_connections_refused_total{reason=\"slow\"}")).isPositive();
    for (Socket socket : half) {
      socket.close();
    }
  }

  @Test
  void faultsWantTheTokenTheTypeAndOneOfTheirCommands() throws Exception {
    start(false);
    String json = "application/json";
    String slow = "{\"slow\":7}";
    assertThat(post("Bearer wrong", json, slow)).isEqualTo(403);
    assertThat(post("x", json, slow)).isEqualTo(403);
    assertThat(post(token(), "text/plain", slow)).isEqualTo(415);
    for (String bad :
        List.of(
            "",
            "null",
            "[]",
            "{",
            "{\"slow\":\"7\"}",
            "{\"slow\":7.5}",
            "{\"slow\":-1}",
            "{\"slow\":7} x",
            "{\"fast\":7}",
            "{\"loss\":2}",
            "{\"half\":1}",
            "{\"cut\":[null]}",
            "{\"probe\":[null]}",
            "{\"drift\":99999999999}")) {
      assertThat(post(token(), json, bad)).as(bad).isEqualTo(400);
    }
    assertThat(post(token(), json, slow)).isEqualTo(200);
    assertThat(post(token(), json, "{\"probe\":[\"nobody\",\"" + NODE + "\"]}")).isEqualTo(200);
    assertThat(post(token(), json, "x".repeat(1 << 17))).isEqualTo(413);
    assertThat(status(HttpRequest.newBuilder(uri("/faults")))).isEqualTo(405);
    assertThat(status(HttpRequest.newBuilder(uri("/elsewhere")))).isEqualTo(404);
    assertThat(AdminPort.metrics(config, NODE))
        .contains("plumb_admin_requests_total{status=\"403\"} 2\n")
        .contains("plumb_admin_requests_total{status=\"413\"} 1\n")
        .contains("plumb_admin_connections_refused_total{reason=\"crowded\"} 0\n")
        .contains("plumb_admin_connections_refused_total{reason=\"slow\"} 0\n");
    assertThat(AdminPort.faults(config, NODE, Map.of("loss", 0.0)).path("node").asText())
        .isEqualTo(NODE);
  }

  /** However its size is told, and whether its sender waits to be told to go on or does not. */
  @Test
  void whatIsTooLargeIsCounted() throws Exception {
    start(false);
    String large = "POST /faults HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n";
    assertThat(answer(large + "\r\n")).contains(" 413 ");
    assertThat(answer(large + "Expect: 100-continue\r\n\r\n")).contains(" 413 ");
    assertThat(answer(large + "Expect: 200-ok\r\n\r\n")).contains(" 417 ");
    assertThat(answer("GET /" + "x".repeat(1 << 15) + " HTTP/1.1\r\n\r\n")).contains(" 400 ");
    assertThat(AdminPort.metrics(config, NODE))
        .contains("plumb_admin_requests_total{status=\"400\"} 1\n")
        .contains("plumb_admin_requests_total{status=\"413\"} 2\n")
        .contains("plumb_admin_requests_total{status=\"417\"} 1\n");
  }

  /** The first line of what is answered. */
  private String answer(String request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", config.nodes().get(NODE).admin())) {
      socket.setSoTimeout(5_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      byte[] line = socket.getInputStream().readNBytes(20);
      return new String(line, StandardCharsets.US_ASCII);
    }
  }

  private static long count(String metrics, String series) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void withTlsItIsReadWithTheClustersAuthority() throws Exception {
    start(true);
    assertThat(AdminPort.health(config, NODE).path("node").asText()).isEqualTo(NODE);
    try (Socket plain = new Socket("127.0.0.1", config.nodes().get(NODE).admin())) {
      plain.setSoTimeout(5_000);
      plain
          .getOutputStream()
          .write("GET /health HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      byte[] answer = plain.getInputStream().readNBytes(5);
      assertThat(new String(answer, StandardCharsets.ISO_8859_1)).isNotEqualTo("HTTP/");
    }
    assertThat(AdminPort.metrics(config, NODE))
        .contains("plumb_admin_connections_refused_total{reason=\"malformed\"} 1\n");
  }

  @Test
  void keysAndTokensAreTheirOwnersAlone() throws Exception {
    start(true);
    try (var files = Files.list(folder.resolve("tls"))) {
      for (Path file : files.filter(f -> f.toString().matches(".*[.](key|secret)")).toList()) {
        assertThat(
                java.nio.file.attribute.PosixFilePermissions.toString(
                    Files.getPosixFilePermissions(file)))
            .isEqualTo("rw-------");
      }
    }
    assertThat(
            java.nio.file.attribute.PosixFilePermissions.toString(
                Files.getPosixFilePermissions(Path.of(config.faults()))))
        .isEqualTo("rw-------");
  }
}
