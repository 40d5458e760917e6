package dev.plumbline.node;

import dev.plumbline.machine.Message;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node's connections: accepts those of nodes and clients, and sends to nodes. */
// Netty reports what fails to the pipeline as well.
@SuppressWarnings("FutureReturnValueIgnored")
final class Transport implements AutoCloseable {
  /** Connections that the kernel holds until they are accepted. */
  private static final int BACKLOG = 1_024;

  /** After which silence the kernel asks whether the other end is still there. */
  private static final int IDLE_SECONDS = 30;

  private static final int ASK_SECONDS = 10;
  private static final int ASK_TIMES = 3;

  private static final Logger LOG = LoggerFactory.getLogger(Transport.class);

  private final String node;

  /** To whom a message was too long. */
  private final Set<String> tooLong = ConcurrentHashMap.newKeySet();

  private final Map<String, PeerLink> links = new HashMap<>();
  private final ChannelGroup accepted = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Map<String, Receiver> together;
  private final LongAdder inProcess;
  private final Shaper shaper;
  private final Metrics metrics;

  /**
   * @param tls null for plain connections
   * @param taken what is taken from whom
   * @param loops run all connections
   * @param together the nodes of this process, which get their messages without a connection
   * @throws IOException if the address cannot be had
   */
  Transport(
      NodeConfig config,
      TakenTypes taken,
      Tls tls,
      EventLoopGroup loops,
      Map<String, Receiver> together,
      Receiver receiver,
      Metrics metrics)
      throws IOException {
    this.node = config.node();
    this.together = together;
    this.metrics = metrics;
    inProcess = metrics.counter("plumb_messages_in_process_total");
    Inbound.Shared shared =
        new Inbound.Shared(
            taken, new Sessions(), new Crowd(), new Refusals(metrics), receiver, metrics);
    shaper =
        new Shaper(config.delayMicros(), config.upMbps(), config.downMbps(), loops.next(), metrics);
    config
        .nodes()
        .forEach(
            (id, address) -> {
              if (!id.equals(config.node())) {
                links.put(id, new PeerLink(config.node(), id, address, tls, loops.next(), metrics));
              }
            });
    AtomicLong open = new AtomicLong();
    metrics.gauge("plumb_connections_open", open::get);
    NodeConfig.Address own = config.nodes().get(config.node());
    ServerBootstrap server =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), IDLE_SECONDS)
            .childOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), ASK_SECONDS)
            .childOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), ASK_TIMES)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    open.incrementAndGet();
                    accepted.add(channel);
                    channel.closeFuture().addListener(closed -> open.decrementAndGet());
                    if (tls != null) {
                      channel.pipeline().addLast(tls.server().newHandler(channel.alloc()));
                    }
                    channel
                        .pipeline()
                        .addLast(new Frame.Decoder(true), new Frame.Encoder(), new Inbound(shared));
                  }
                });
    var bound = server.bind(own.host(), own.port()).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      close();
      throw new IOException(
          own.host() + ":" + own.port() + " cannot be had: " + bound.cause().getMessage(),
          bound.cause());
    }
    accepted.add(bound.channel());
  }

  /** Sends a message; it may be lost. */
  void send(String to, long number, Message message) {
    byte[] body = Wire.message(message);
    Frame frame = new Frame(Frame.Type.MESSAGE, number, body);
    Receiver here = together.get(to);
    if (!frame.fits()) {
      metrics.counter("plumb_dropped_total", "queue", "oversized").increment();
      if (tooLong.add(to)) {
        LOG.warn(
            "{}: a message of {} bytes for {} is longer than any may be, and dropped, as later ones are",
            node,
            frame.length(),
            to);
      }
    } else if (here != null) {
      // Made anew of its bytes: no two machines ever share an object.
      Message received = Wire.message(body);
      inProcess.increment();
      shaper.send(to, frame.length(), own -> here.message(node, number, received, frame.length()));
    } else {
      send(links.get(to), to, frame);
    }
  }

  private void send(PeerLink link, String to, Frame frame) {
    long since = System.nanoTime();
    shaper.send(to, frame.length(), own -> link.send(frame, since + 1_000 * own));
  }

  /** Sends a {@link Frame.Type#PROBE} as messages are sent; to nodes that there are not, none. */
  void probe(String to) {
    Frame frame = new Frame(Frame.Type.PROBE, 0, new byte[0]);
    Receiver here = together.get(to);
    if (here != null) {
      shaper.send(to, frame.length(), own -> here.probe(node));
    } else if (links.containsKey(to)) {
      send(links.get(to), to, frame);
    }
  }

  /** Makes all that is sent slower by this much. */
  void slow(long micros) {
    shaper.slow(micros);
    links.values().forEach(PeerLink::forgetDelay);
  }

  /**
   * The longest that a link's last frame since the last change had waited beyond what its link
   * takes, microseconds.
   */
  long lastDelayMicros() {
    return links.values().stream().mapToLong(PeerLink::lastDelayMicros).max().orElse(0);
  }

  @Override
  public void close() {
    links.values().forEach(PeerLink::close);
    accepted.close().awaitUninterruptibly(1_000);
  }
}
