package dev.plumbline.metric.sql.site;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.calcite.avatica.metrics.noop.NoopMetricsSystem;
import org.apache.calcite.avatica.remote.Handler.HandlerResponse;
import org.apache.calcite.avatica.remote.ProtobufHandler;
import org.apache.calcite.avatica.remote.ProtobufTranslation;
import org.apache.calcite.avatica.remote.ProtobufTranslationImpl;
import org.apache.calcite.avatica.remote.Service;
import org.apache.calcite.avatica.server.AvaticaHandler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.AbstractHandler;

/**
 * Avatica's requests over HTTP, in protobuf. What is none is told so in one line; Avatica's own
 * handler answers with its stack.
 */
final class Requests extends AbstractHandler implements AvaticaHandler {
  private final ProtobufTranslation translation = new ProtobufTranslationImpl();
  private final ProtobufHandler handler;

  Requests(Service service) {
    handler = new ProtobufHandler(service, translation, NoopMetricsSystem.getInstance());
  }

  @Override
  public void handle(
      String target, Request base, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    base.setHandled(true);
    if (!request.getMethod().equals("POST")) {
      say(response, HttpServletResponse.SC_METHOD_NOT_ALLOWED, "only POST is answered here");
      return;
    }
    byte[] body = request.getInputStream().readAllBytes();
    if (!readable(body)) {
      say(
          response,
          HttpServletResponse.SC_BAD_REQUEST,
          "this is no request of Avatica's in protobuf");
      return;
    }
    HandlerResponse<byte[]> answer = handler.apply(body);
    response.setContentType("application/octet-stream;charset=utf-8");
    response.setStatus(answer.getStatusCode());
    response.getOutputStream().write(answer.getResponse());
  }

  private boolean readable(byte[] body) {
    try {
      translation.parseRequest(body);
      return true;
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }

  private static void say(HttpServletResponse response, int status, String line)
      throws IOException {
    response.setContentType("text/plain;charset=utf-8");
    response.setStatus(status);
    response.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void setServerRpcMetadata(Service.RpcMetadataResponse metadata) {
    handler.setRpcMetadata(metadata);
  }
}
