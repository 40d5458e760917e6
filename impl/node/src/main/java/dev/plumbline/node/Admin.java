package dev.plumbline.node;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * HTTP on the admin port, one request a connection: {@code GET /health} (how things stand, JSON),
 * {@code GET /metrics} (Prometheus' text format), and in test clusters {@code POST /faults}, for
 * those who know the token.
 */
// Netty reports what fails to the pipeline as well.
@SuppressWarnings("FutureReturnValueIgnored")
final class Admin implements AutoCloseable {
  /** In which a request has to be there whole, and its answer taken. */
  static final long SECONDS = 5;

  /** Connections at once; the oldest gives way to one more. */
  static final int CONNECTIONS = 64;

  private static final String SERIES = "plumb_admin_requests_total";
  private static final String CONNECTIONS_REFUSED = "plumb_admin_connections_refused_total";
  private static final int LARGEST = 1 << 16;
  private static final String JSON_TYPE = "application/json";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectMapper STRICT =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .build();

  private final Set<Channel> open = new LinkedHashSet<>();
  private final Channel server;
  private final NodeRuntime node;
  private final Metrics metrics;
  private final byte[] token;

  /**
   * @param tls null for plain HTTP
   */
  Admin(NodeConfig config, Tls tls, EventLoopGroup loops, NodeRuntime node, Metrics metrics)
      throws IOException {
    this.node = node;
    this.metrics = metrics;
    for (Refusal reason : List.of(Refusal.CROWDED, Refusal.SLOW, Refusal.MALFORMED)) {
      metrics.counter(CONNECTIONS_REFUSED, "reason", reason.label());
    }
    token = config.faults() == null ? null : token(Path.of(config.faults()));
    NodeConfig.Address own = config.nodes().get(config.node());
    var bound =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    admit(channel);
                    if (config.adminTls()) {
                      channel.pipeline().addLast(tls.reader().newHandler(channel.alloc()));
                    }
                    channel.pipeline().addLast(new HttpServerCodec(), new Whole(), new Requests());
                  }
                })
            .bind(own.host(), own.admin())
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          own.host() + ":" + own.admin() + " cannot be had: " + bound.cause().getMessage(),
          bound.cause());
    }
    server = bound.channel();
  }

  private static byte[] token(Path file) throws IOException {
    byte[] token;
    try {
      token = Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IOException(file + " cannot be read, and is to hold the token for faults: " + e, e);
    }
    if (token.length == 0) {
      throw new IOException(file + " is empty, and is to hold the token for faults");
    }
    return token;
  }

  private void admit(Channel channel) {
    synchronized (open) {
      if (open.size() >= CONNECTIONS) {
        Channel oldest = open.iterator().next();
        open.remove(oldest);
        refuse(oldest, Refusal.CROWDED);
      }
      open.add(channel);
    }
    channel
        .closeFuture()
        .addListener(
            closed -> {
              synchronized (open) {
                open.remove(channel);
              }
            });
    channel.eventLoop().schedule(() -> refuse(channel, Refusal.SLOW), SECONDS, TimeUnit.SECONDS);
  }

  /** Ends a connection, unless it has ended. */
  private void refuse(Channel channel, Refusal reason) {
    if (channel.isOpen()) {
      count(reason);
      channel.close();
    }
  }

  private void count(Refusal reason) {
    metrics.counter(CONNECTIONS_REFUSED, "reason", reason.label()).increment();
  }

  private void count(HttpResponseStatus status) {
    metrics.counter(SERIES, "status", "" + status.code()).increment();
  }

  /** Gathers a request, and counts what it answers by itself: nobody else sees that. */
  private final class Whole extends HttpObjectAggregator {
    Whole() {
      super(LARGEST, true);
    }

    @Override
    protected Object newContinueResponse(HttpMessage start, int most, ChannelPipeline pipeline) {
      Object answer = super.newContinueResponse(start, most, pipeline);
      if (answer instanceof HttpResponse refusal
          && !refusal.status().equals(HttpResponseStatus.CONTINUE)) {
        count(refusal.status());
      }
      return answer;
    }

    @Override
    protected void handleOversizedMessage(ChannelHandlerContext context, HttpMessage oversized)
        throws Exception {
      count(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
      super.handleOversizedMessage(context, oversized);
    }
  }

  private record Answer(HttpResponseStatus status, String type, String text) {
    static Answer refused(HttpResponseStatus status, String why) {
      return new Answer(status, "text/plain", why);
    }
  }

  private final class Requests extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request)
        throws IOException {
      Answer answer =
          request.decoderResult().isSuccess()
              ? answer(request)
              : Answer.refused(HttpResponseStatus.BAD_REQUEST, "no HTTP");
      count(answer.status);
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              answer.status,
              Unpooled.copiedBuffer(answer.text, StandardCharsets.UTF_8));
      response
          .headers()
          .set(HttpHeaderNames.CONTENT_TYPE, answer.type)
          .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes())
          .set(HttpHeaderNames.CONNECTION, "close");
      context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (cause instanceof DecoderException) {
        count(Refusal.MALFORMED);
      }
      context.close();
    }
  }

  private Answer answer(FullHttpRequest request) throws IOException {
    HttpMethod wanted = request.uri().equals("/faults") ? HttpMethod.POST : HttpMethod.GET;
    boolean known =
        switch (request.uri()) {
          case "/health", "/metrics" -> true;
          case "/faults" -> token != null;
          default -> false;
        };
    if (!known) {
      return Answer.refused(HttpResponseStatus.NOT_FOUND, "there is /health and /metrics");
    } else if (!request.method().equals(wanted)) {
      return Answer.refused(HttpResponseStatus.METHOD_NOT_ALLOWED, "only " + wanted);
    } else if (request.uri().equals("/metrics")) {
      return new Answer(HttpResponseStatus.OK, "text/plain; version=0.0.4", metrics.text());
    }
    return request.uri().equals("/faults") ? faults(request) : health();
  }

  private Answer health() throws IOException {
    return new Answer(HttpResponseStatus.OK, JSON_TYPE, JSON.writeValueAsString(node.report()));
  }

  private Answer faults(FullHttpRequest request) throws IOException {
    String shown = request.headers().get(HttpHeaderNames.AUTHORIZATION, "");
    byte[] expected =
        ("Bearer " + new String(token, StandardCharsets.US_ASCII).strip())
            .getBytes(StandardCharsets.US_ASCII);
    if (!MessageDigest.isEqual(expected, shown.getBytes(StandardCharsets.US_ASCII))) {
      return Answer.refused(HttpResponseStatus.FORBIDDEN, "the token is missing or another");
    } else if (!JSON_TYPE.equals(request.headers().get(HttpHeaderNames.CONTENT_TYPE))) {
      return Answer.refused(HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE, "only " + JSON_TYPE);
    }
    try {
      Faults.Command command =
          STRICT.readValue(ByteBufUtil.getBytes(request.content()), Faults.Command.class);
      if (command == null) {
        return Answer.refused(HttpResponseStatus.BAD_REQUEST, "no command");
      }
      node.inflict(command);
      return health();
    } catch (JsonProcessingException e) {
      return Answer.refused(HttpResponseStatus.BAD_REQUEST, e.getOriginalMessage());
    }
  }

  @Override
  public void close() {
    server.close();
    synchronized (open) {
      Set.copyOf(open).forEach(Channel::close);
    }
  }
}
