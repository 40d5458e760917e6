package dev.plumbline.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * HTTP on the admin port: {@code GET /health} (how things stand, JSON), {@code GET /metrics}
 * (Prometheus' text format), and in test clusters {@code POST /faults}.
 */
final class Admin implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int LARGEST = 1 << 16;

  private final HttpServer server;
  private final NodeRuntime node;
  private final Metrics metrics;

  Admin(NodeConfig config, NodeRuntime node, Metrics metrics) throws IOException {
    this.node = node;
    this.metrics = metrics;
    NodeConfig.Address own = config.nodes().get(config.node());
    try {
      server = HttpServer.create(new InetSocketAddress(own.host(), own.admin()), 0);
    } catch (IOException e) {
      throw new IOException(
          own.host() + ":" + own.admin() + " cannot be had: " + e.getMessage(), e);
    }
    server.createContext("/health", this::health);
    server.createContext("/metrics", this::metrics);
    if (config.faults()) {
      server.createContext("/faults", this::faults);
    }
    server.start();
  }

  private void health(HttpExchange exchange) throws IOException {
    answer(exchange, 200, "application/json", JSON.writeValueAsString(node.report()));
  }

  private void metrics(HttpExchange exchange) throws IOException {
    answer(exchange, 200, "text/plain; version=0.0.4", metrics.text());
  }

  private void faults(HttpExchange exchange) throws IOException {
    try {
      JsonNode command = JSON.readTree(exchange.getRequestBody().readNBytes(LARGEST));
      node.inflict(command);
      health(exchange);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      answer(exchange, 400, "text/plain", e.getOriginalMessage());
    }
  }

  private static void answer(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
