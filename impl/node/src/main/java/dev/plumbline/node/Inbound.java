package dev.plumbline.node;

import dev.plumbline.machine.Message;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
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
  private static final Logger LOG = LoggerFactory.getLogger(Inbound.class);
  private static final long HELLO_SECONDS = 10;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /** What all connections of a node share. */
  record Shared(
      TakenTypes taken,
      Sessions sessions,
      Crowd crowd,
      Refusals refusals,
      Receiver receiver,
      Metrics metrics) {}

  private final Shared shared;

  /** None once it is closed: whoever still has an answer to give is not to keep it. */
  private volatile Channel channel;

  private String name;
  private String session;
  private Wire.Types messages;
  private boolean refused;

  Inbound(Shared shared) {
    this.shared = shared;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    Channel accepted = context.channel();
    channel = accepted;
    shared.metrics.counter("plumb_connections_accepted_total").increment();
    accepted.closeFuture().addListener(closed -> shared.crowd.leave(accepted));
    makeRoom(shared.crowd.enter(accepted));
    context
        .executor()
        .schedule(
            () -> {
              if (name == null && accepted.isActive()) {
                refuse(Refusal.UNAUTHENTICATED, "no HELLO in time");
              }
            },
            HELLO_SECONDS,
            TimeUnit.SECONDS);
    context.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    channel = null;
    context.fireChannelInactive();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, Frame frame) {
    if (refused) {
      return;
    }
    if (name == null) {
      greet(context, frame);
    } else if (frame.type() == Frame.Type.MESSAGE && messages != null) {
      Message message = (Message) Wire.record(frame.body(), messages);
      shared.receiver.message(name, frame.number(), message, frame.length());
    } else if (frame.type() == Frame.Type.PROBE && messages != null && frame.body().length == 0) {
      shared.receiver.probe(name);
    } else if (frame.type() == Frame.Type.REQUEST && messages == null) {
      Record request = Wire.record(frame.body(), shared.taken.requests());
      shared.receiver.request(frame.number(), request, frame.length(), session, this);
    } else {
      refuse(Refusal.MALFORMED, "a " + frame.type() + " from " + name);
    }
  }

  private void makeRoom(Channel leaving) {
    if (leaving != null) {
      leaving.pipeline().get(Inbound.class).refuse(Refusal.CROWDED, "too many connections");
    }
  }

  private void greet(ChannelHandlerContext context, Frame frame) {
    if (frame.type() != Frame.Type.HELLO) {
      refuse(Refusal.UNAUTHENTICATED, "a " + frame.type() + " before HELLO");
      return;
    }
    Wire.Hello hello = Wire.hello(frame.body());
    if (!NAME.matcher(hello.name()).matches() || !Sessions.isSession(hello.session())) {
      refuse(Refusal.MALFORMED, "a name or a session that is none");
      return;
    }
    try {
      String certified = Tls.commonName(context.channel());
      if (certified != null && !certified.equals(hello.name())) {
        refuse(Refusal.UNAUTHENTICATED, certified + " calls itself " + hello.name());
      } else if (!shared.sessions.open(hello.session())) {
        refuse(Refusal.REPLAYED, "session " + hello.session() + " of " + hello.name());
      } else {
        name = hello.name();
        session = hello.session();
        messages = shared.taken.messages().get(name);
        if (messages == null) {
          context.pipeline().get(Frame.Decoder.class).limit(Frame.LARGEST_REQUEST);
        }
        makeRoom(shared.crowd.greet(context.channel(), name, messages != null));
      }
    } catch (SSLPeerUnverifiedException e) {
      refuse(Refusal.UNAUTHENTICATED, e.getMessage());
    }
  }

  private void refuse(Refusal reason, String why) {
    Channel open = channel;
    if (!refused) {
      refused = true;
      String where = open == null ? "gone" : String.valueOf(open.remoteAddress());
      shared.refusals.refused(reason, (name == null ? "somebody" : name) + " (" + where + ")", why);
    }
    if (open != null) {
      open.close();
    }
  }

  @Override
  public void answer(long number, Record response) {
    Channel open = channel;
    if (open != null && open.isWritable()) {
      Frame reply = new Frame(Frame.Type.REPLY, number, Wire.record(response));
      if (!reply.fits()) {
        shared.metrics.counter("plumb_dropped_total", "queue", "oversized").increment();
        reply = new Frame(Frame.Type.REPLY, number, Wire.record(new Wire.TooLong(reply.length())));
      }
      open.writeAndFlush(reply, open.voidPromise());
    } else {
      shared.metrics.counter("plumb_dropped_total", "queue", "replies").increment();
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
    } else if (cause instanceof IOException) {
      LOG.debug("a connection broke", cause);
      context.close();
    } else {
      refuse(Refusal.MALFORMED, String.valueOf(cause));
    }
  }
}
