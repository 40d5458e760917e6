package dev.plumbline.node;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.nio.channels.ClosedChannelException;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One accepted connection: lets in what an authenticated sender may send. The first thing that is
 * refused is counted and closes the connection.
 */
// Netty reports what fails to the pipeline as well.
@SuppressWarnings("FutureReturnValueIgnored")
final class Inbound extends SimpleChannelInboundHandler<Frame> implements Receiver.Replies {
  static final String REFUSED = "plumb_frames_refused_total";
  private static final Logger LOG = LoggerFactory.getLogger(Inbound.class);
  private static final long HELLO_SECONDS = 10;

  private final Set<String> nodes;
  private final Sessions sessions;
  private final Receiver receiver;
  private final Metrics metrics;
  private Channel channel;
  private String name;
  private boolean refused;

  /**
   * @param nodes names that belong to nodes; all others are clients
   */
  Inbound(Set<String> nodes, Sessions sessions, Receiver receiver, Metrics metrics) {
    this.nodes = nodes;
    this.sessions = sessions;
    this.receiver = receiver;
    this.metrics = metrics;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    channel = context.channel();
    metrics.counter("plumb_connections_accepted_total").increment();
    context
        .executor()
        .schedule(
            () -> {
              if (name == null && channel.isActive()) {
                refuse(Refusal.UNAUTHENTICATED, "no HELLO in time");
              }
            },
            HELLO_SECONDS,
            TimeUnit.SECONDS);
    context.fireChannelActive();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, Frame frame) {
    if (refused) {
      return;
    }
    if (name == null) {
      greet(frame);
    } else if (frame.type() == Frame.Type.MESSAGE && nodes.contains(name)) {
      receiver.message(name, frame.number(), Wire.message(frame.body()));
    } else if (frame.type() == Frame.Type.REQUEST && !nodes.contains(name)) {
      receiver.request(frame.number(), Wire.record(frame.body()), this);
    } else {
      refuse(Refusal.MALFORMED, "a " + frame.type() + " from " + name);
    }
  }

  private void greet(Frame frame) {
    if (frame.type() != Frame.Type.HELLO) {
      refuse(Refusal.UNAUTHENTICATED, "a " + frame.type() + " before HELLO");
      return;
    }
    Wire.Hello hello = Wire.hello(frame.body());
    try {
      String certified = Tls.commonName(channel);
      if (certified != null && !certified.equals(hello.name())) {
        refuse(Refusal.UNAUTHENTICATED, certified + " calls itself " + hello.name());
      } else if (!sessions.open(hello.session())) {
        refuse(Refusal.REPLAYED, "session " + hello.session() + " of " + hello.name());
      } else {
        name = hello.name();
      }
    } catch (SSLPeerUnverifiedException e) {
      refuse(Refusal.UNAUTHENTICATED, e.getMessage());
    }
  }

  private void refuse(Refusal reason, String why) {
    if (!refused) {
      refused = true;
      metrics.counter(REFUSED, "reason", reason.label()).increment();
      LOG.warn(
          "refused {} from {} ({}): {}",
          reason.label(),
          name == null ? "somebody" : name,
          channel.remoteAddress(),
          why);
    }
    channel.close();
  }

  @Override
  public void answer(long number, Record response) {
    if (channel.isWritable()) {
      channel.writeAndFlush(
          new Frame(Frame.Type.REPLY, number, Wire.record(response)), channel.voidPromise());
    } else {
      metrics.counter("plumb_dropped_total", "queue", "replies").increment();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof SslHandshakeCompletionEvent done
        && !done.isSuccess()
        && !(done.cause() instanceof ClosedChannelException)) {
      refuse(Refusal.UNAUTHENTICATED, String.valueOf(done.cause().getMessage()));
    }
    context.fireUserEventTriggered(event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof RefusedFrame frame) {
      refuse(frame.reason(), frame.getMessage());
    } else if (cause.getCause() instanceof SSLException || cause instanceof SSLException) {
      refuse(Refusal.UNAUTHENTICATED, String.valueOf(cause.getMessage()));
    } else {
      LOG.debug("a connection broke", cause);
      context.close();
    }
  }
}
