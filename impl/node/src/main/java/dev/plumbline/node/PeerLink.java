package dev.plumbline.node;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.ArrayDeque;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends to one node, in order. Connects when there is something to send, and again with growing
 * pauses when that fails. What waits is bounded, in bytes: the oldest goes first, and is counted.
 * What a broken connection swallows is lost, as the machines expect of a network.
 */
// Netty reports what fails to the pipeline as well.
@SuppressWarnings("FutureReturnValueIgnored")
final class PeerLink {
  private static final Logger LOG = LoggerFactory.getLogger(PeerLink.class);

  /** Bytes that wait at most, unless one frame alone has more. */
  static final long QUEUE = 2 << 20;

  private static final int CONNECT_MILLIS = 1_000;
  private static final long FIRST_PAUSE_MILLIS = 10;
  private static final long LONGEST_PAUSE_MILLIS = 500;

  /** A frame, and when it was handed over ({@link System#nanoTime}). */
  private record Waiting(Frame frame, long since) {}

  private final String from;
  private final String to;
  private final NodeConfig.Address address;
  private final Tls tls;
  private final EventLoop loop;
  private final Metrics metrics;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private long bytes;
  private volatile int length;
  private volatile long lastDelayNanos;
  private Channel ready;
  private boolean connecting;
  private boolean closed;
  private long pause = FIRST_PAUSE_MILLIS;

  PeerLink(
      String from,
      String to,
      NodeConfig.Address address,
      Tls tls,
      EventLoop loop,
      Metrics metrics) {
    this.from = from;
    this.to = to;
    this.address = address;
    this.tls = tls;
    this.loop = loop;
    this.metrics = metrics;
    metrics.gauge("plumb_queue_length{queue=\"" + to + "\"}", () -> length);
    metrics.counter("plumb_dropped_total", "queue", to);
  }

  /**
   * How long the frame written last had waited, microseconds; 0 if none was since it was forgotten.
   */
  long lastDelayMicros() {
    return lastDelayNanos / 1000;
  }

  void forgetDelay() {
    lastDelayNanos = 0;
  }

  /** Sends a frame that was due at {@code since}; from any thread. */
  void send(Frame frame, long since) {
    if (loop.inEventLoop()) {
      add(new Waiting(frame, since));
    } else {
      loop.execute(() -> add(new Waiting(frame, since)));
    }
  }

  private void add(Waiting next) {
    while (bytes + next.frame.length() > QUEUE && !waiting.isEmpty()) {
      poll();
      metrics.counter("plumb_dropped_total", "queue", to).increment();
    }
    waiting.add(next);
    bytes += next.frame.length();
    drain();
  }

  private Waiting poll() {
    Waiting first = waiting.poll();
    bytes -= first.frame.length();
    return first;
  }

  /** Ends the connection and makes no other; from any thread. */
  void close() {
    loop.execute(
        () -> {
          closed = true;
          if (ready != null) {
            ready.close();
          }
        });
  }

  private void drain() {
    if (ready == null) {
      connect();
    } else {
      while (ready.isWritable() && !waiting.isEmpty()) {
        Waiting next = poll();
        ready.write(next.frame, ready.voidPromise());
        lastDelayNanos = System.nanoTime() - next.since;
      }
      ready.flush();
    }
    length = waiting.size();
  }

  private void connect() {
    if (connecting || closed) {
      return;
    }
    connecting = true;
    new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                if (tls != null) {
                  channel.pipeline().addLast(tls.client().newHandler(channel.alloc()));
                }
                channel.pipeline().addLast(new Frame.Encoder(), new Outbound());
              }
            })
        .connect(address.host(), address.port())
        .addListener(
            connected -> {
              if (!connected.isSuccess()) {
                lost();
              }
            });
  }

  private void greet(Channel channel) throws SSLPeerUnverifiedException {
    String certified = Tls.commonName(channel);
    if (certified != null && !certified.equals(to)) {
      LOG.warn("{} answers where {} is expected", certified, to);
      metrics.counter(Refusals.COUNTER, "reason", Refusal.UNAUTHENTICATED.label()).increment();
      channel.close();
      return;
    }
    Wire.Hello hello = new Wire.Hello(from, UUID.randomUUID().toString());
    channel.writeAndFlush(new Frame(Frame.Type.HELLO, 0, Wire.hello(hello)), channel.voidPromise());
    metrics.counter("plumb_connections_made_total").increment();
    ready = channel;
    pause = FIRST_PAUSE_MILLIS;
    drain();
  }

  /** The connection is gone, or there is none to be had: tries again after a pause. */
  private void lost() {
    ready = null;
    loop.schedule(
        () -> {
          connecting = false;
          if (!waiting.isEmpty()) {
            connect();
          }
        },
        pause,
        TimeUnit.MILLISECONDS);
    pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
  }

  /** Watches the connection; nothing comes back on it. */
  private final class Outbound extends ChannelInboundHandlerAdapter {
    private boolean active;

    @Override
    public void channelActive(ChannelHandlerContext context) throws Exception {
      active = true;
      if (tls == null) {
        greet(context.channel());
      }
      context.fireChannelActive();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
      if (event instanceof SslHandshakeCompletionEvent done) {
        if (done.isSuccess()) {
          greet(context.channel());
        } else {
          LOG.warn("no TLS with {}: {}", to, String.valueOf(done.cause()));
          context.close();
        }
      }
      context.fireUserEventTriggered(event);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      if (ready == context.channel()) {
        drain();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (active) {
        lost();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      LOG.debug("the connection to {} broke", to, cause);
      context.close();
    }
  }
}
