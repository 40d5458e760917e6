package dev.plumbline.attack;

import dev.plumbline.node.Frame;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.node.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** A connection that says whatever one likes. */
final class Line implements AutoCloseable {
  private static final int CONNECT_MILLIS = 30_000;
  private static final int HANDSHAKE_MILLIS = 10_000;
  private static final Map<String, SSLSocketFactory> FACTORIES = new HashMap<>();

  private final Socket socket;
  private final EmbeddedChannel encoder = new EmbeddedChannel(new Frame.Encoder());

  private Line(Socket socket) {
    this.socket = socket;
  }

  /** Without TLS. */
  static Line plain(NodeConfig.Address to, int port) throws IOException {
    Socket socket = new Socket();
    socket.connect(new InetSocketAddress(to.host(), port), CONNECT_MILLIS);
    return new Line(socket);
  }

  /**
   * With TLS.
   *
   * @param identity folder of the certificate that is shown; null for none
   */
  static Line secured(NodeConfig config, String node, Path identity, String name)
      throws IOException {
    NodeConfig.Address to = config.nodes().get(node);
    Socket plain = plain(to, to.port()).socket;
    plain.setSoTimeout(HANDSHAKE_MILLIS);
    return new Line(
        factory(Path.of(config.tls()), identity, name)
            .createSocket(plain, to.host(), to.port(), true));
  }

  private static synchronized SSLSocketFactory factory(Path authority, Path identity, String name)
      throws IOException {
    String key = authority + " " + identity + " " + name;
    if (!FACTORIES.containsKey(key)) {
      FACTORIES.put(key, make(authority, identity, name));
    }
    return FACTORIES.get(key);
  }

  private static SSLSocketFactory make(Path authority, Path identity, String name)
      throws IOException {
    try {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry("ca", certificate(authority.resolve("ca.pem")));
      TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(trusted);
      KeyStore own = KeyStore.getInstance("PKCS12");
      own.load(null, null);
      if (identity != null) {
        String base64 =
            Files.readString(identity.resolve(name + ".key"), StandardCharsets.US_ASCII)
                .replaceAll("-----[^-]*-----", "")
                .replaceAll("\\s", "");
        own.setKeyEntry(
            name,
            KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64))),
            new char[0],
            new Certificate[] {certificate(identity.resolve(name + ".pem"))});
      }
      KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
      keys.init(own, new char[0]);
      SSLContext context = SSLContext.getInstance("TLSv1.3");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return context.getSocketFactory();
    } catch (GeneralSecurityException e) {
      throw new IOException("TLS as " + name + ": " + e.getMessage(), e);
    }
  }

  private static Certificate certificate(Path file) throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(file)) {
      return CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  static Frame hello(String name) {
    return hello(name, UUID.randomUUID().toString());
  }

  static Frame hello(String name, String session) {
    return new Frame(Frame.Type.HELLO, 0, Wire.hello(new Wire.Hello(name, session)));
  }

  /** A frame's bytes, with the next sequence number of this connection. */
  byte[] bytes(Frame frame) {
    encoder.writeOutbound(frame);
    ByteBuf out = encoder.readOutbound();
    byte[] bytes = ByteBufUtil.getBytes(out);
    out.release();
    return bytes;
  }

  /** Sends; false if the connection is broken by now. */
  boolean send(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  boolean send(Frame frame) {
    return send(bytes(frame));
  }

  /** Whether the other end closes the connection within this time; what it says is passed over. */
  boolean closed(int millis) {
    long end = System.nanoTime() + millis * 1_000_000L;
    byte[] buffer = new byte[4096];
    try {
      while (true) {
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          return false;
        }
        socket.setSoTimeout((int) left);
        if (socket.getInputStream().read(buffer) < 0) {
          return true;
        }
      }
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public void close() {
    encoder.close();
    try {
      socket.close();
    } catch (IOException e) {
      // It was gone already.
      return;
    }
  }
}
