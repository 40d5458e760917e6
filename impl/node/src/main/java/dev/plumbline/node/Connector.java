package dev.plumbline.node;

import dev.plumbline.protocol.Protocols;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Makes clients' connections to nodes. Thread-safe; a connection is for one thread. */
// Netty reports what fails to the pipeline as well.
@SuppressWarnings("FutureReturnValueIgnored")
public final class Connector implements AutoCloseable {
  private static final int CONNECT_MILLIS = 1_000;

  /** Longer than anybody waits; what is counted from now on in nanoseconds stays a number. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  /** Stands for the end of a connection among its answers. */
  private static final Frame END = new Frame(Frame.Type.HELLO, -1, new byte[0]);

  private final EventLoopGroup loops;
  private final NodeConfig config;
  private final String name;
  private final Tls tls;
  private final Wire.Types responses;

  /**
   * @param name the client's, as in its certificate
   * @throws IOException if the certificate cannot be read
   */
  public Connector(NodeConfig config, String name) throws IOException {
    this.config = config;
    this.name = name;
    tls = config.tls() == null ? null : Tls.of(Path.of(config.tls()), name);
    Set<Class<?>> taken = new HashSet<>(Protocols.named(config.protocol()).responses());
    taken.add(Wire.TooLong.class);
    responses = new Wire.Types(taken);
    loops = new NioEventLoopGroup(1);
  }

  /** The {@link System#nanoTime} at which so much patience ends. */
  public static long deadline(Duration patience) {
    Duration kept = patience.compareTo(LONGEST) > 0 ? LONGEST : patience;
    return System.nanoTime() + (kept.isNegative() ? 0 : kept.toNanos());
  }

  /**
   * Connects to a node.
   *
   * @param deadline {@link System#nanoTime} after which this is given up
   * @throws IOException if the node cannot be reached, or is not who it should be
   */
  public Connection connect(String node, long deadline) throws IOException {
    Answers answers = new Answers();
    NodeConfig.Address to = config.nodes().get(node);
    var connecting =
        new Bootstrap()
            .group(loops)
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
                    channel
                        .pipeline()
                        .addLast(new Frame.Decoder(false), new Frame.Encoder(), answers);
                  }
                })
            .connect(to.host(), to.port());
    Channel channel = connecting.channel();
    try {
      await(connecting, deadline);
      if (tls != null) {
        await(channel.pipeline().get(SslHandler.class).handshakeFuture(), deadline);
        String certified = Tls.commonName(channel);
        if (!node.equals(certified)) {
          throw new IOException(certified + " answers where " + node + " is expected");
        }
      }
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    Wire.Hello hello = new Wire.Hello(name, UUID.randomUUID().toString());
    channel.writeAndFlush(new Frame(Frame.Type.HELLO, 0, Wire.hello(hello)), channel.voidPromise());
    return new Connection(node, channel, answers, responses);
  }

  private static void await(Future<?> future, long deadline) throws IOException {
    try {
      if (!future.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        throw new IOException("no connection in time");
      } else if (!future.isSuccess()) {
        throw new IOException(future.cause());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void close() {
    loops.shutdownGracefully(0, 500, TimeUnit.MILLISECONDS);
  }

  /**
   * Takes a connection's answers: one to each request, while it is awaited. Later ones are dropped;
   * anything else ends the connection.
   */
  private static final class Answers extends SimpleChannelInboundHandler<Frame> {
    private final BlockingQueue<Frame> answers = new LinkedBlockingQueue<>();
    private long asked;
    private boolean awaited;

    /** Numbers grow. */
    synchronized void await(long number) {
      asked = number;
      awaited = true;
    }

    /** The next one, END if there are no more, null if none comes in time. */
    Frame poll(long deadline) throws InterruptedException {
      return answers.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    protected synchronized void channelRead0(ChannelHandlerContext context, Frame frame) {
      if (frame.type() != Frame.Type.REPLY || frame.number() > asked) {
        context.close();
      } else if (awaited && frame.number() == asked) {
        awaited = false;
        answers.add(frame);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      answers.add(END);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  /** A request is longer than a node takes; nothing was sent. */
  public static final class TooLong extends IOException {
    private static final long serialVersionUID = 1L;

    TooLong(String message) {
      super(message);
    }
  }

  /** What was asked was done, and the answer is longer than a node may give. */
  public static final class AnswerTooLong extends IOException {
    private static final long serialVersionUID = 1L;

    AnswerTooLong(String message) {
      super(message);
    }
  }

  /** A connection to one node. */
  public static final class Connection implements AutoCloseable {
    private final String node;
    private final Channel channel;
    private final Answers answers;
    private final Wire.Types responses;

    private Connection(String node, Channel channel, Answers answers, Wire.Types responses) {
      this.node = node;
      this.channel = channel;
      this.answers = answers;
      this.responses = responses;
    }

    /** Whether it has not broken, as far as this end knows. */
    public boolean isOpen() {
      return channel.isActive();
    }

    /** The node's name. */
    public String node() {
      return node;
    }

    /**
     * Asks for something and waits for the answer.
     *
     * @param number of the request, larger than any on this connection before
     * @param deadline {@link System#nanoTime} after which this is given up
     * @throws TooLong if the request is longer than a node takes; nothing is sent
     * @throws AnswerTooLong if the answer is longer than a node may give, however often it is asked
     * @throws IOException if there is no answer in time, the connection broke, or the answer is no
     *     response of the protocol, which ends the connection
     */
    public Record ask(long number, Record request, long deadline) throws IOException {
      Frame asked = new Frame(Frame.Type.REQUEST, number, Wire.record(request));
      if (asked.length() > Frame.LARGEST_REQUEST) {
        throw new TooLong(
            "a request of "
                + asked.length()
                + " bytes is too long: a node takes "
                + Frame.LARGEST_REQUEST
                + " at most");
      }
      answers.await(number);
      channel.writeAndFlush(asked, channel.voidPromise());
      try {
        while (true) {
          Frame frame = answers.poll(deadline);
          if (frame == null) {
            throw new IOException("no answer in time");
          } else if (frame.type() != Frame.Type.REPLY) {
            throw new IOException("the connection broke");
          } else if (frame.number() == number) {
            return given(Wire.record(frame.body(), responses));
          }
        }
      } catch (RefusedFrame e) {
        channel.close();
        throw new IOException("an answer that makes no sense", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }

    private static Record given(Record answer) throws AnswerTooLong {
      if (answer instanceof Wire.TooLong tooLong) {
        throw new AnswerTooLong(
            "the answer has "
                + tooLong.bytes()
                + " bytes and is too long: a node gives "
                + Frame.LARGEST
                + " at most");
      }
      return answer;
    }

    @Override
    public void close() {
      channel.close();
    }
  }
}
