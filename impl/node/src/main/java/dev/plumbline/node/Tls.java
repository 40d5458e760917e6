package dev.plumbline.node;

import io.netty.channel.Channel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * Mutual TLS 1.3 among those who have a certificate of the cluster's own authority. The common name
 * of a certificate is the name of the node or client.
 *
 * @param server for connections that are accepted
 * @param client for connections that are made
 */
record Tls(SslContext server, SslContext client) {
  private static final String PROTOCOL = "TLSv1.3";

  /**
   * @param folder with ca.pem, NAME.pem and NAME.key
   */
  static Tls of(Path folder, String name) throws IOException {
    File ca = readable(folder.resolve("ca.pem"));
    File certificate = readable(folder.resolve(name + ".pem"));
    File key = readable(folder.resolve(name + ".key"));
    try {
      return new Tls(
          SslContextBuilder.forServer(certificate, key)
              .sslProvider(SslProvider.JDK)
              .trustManager(ca)
              .clientAuth(ClientAuth.REQUIRE)
              .protocols(PROTOCOL)
              .build(),
          SslContextBuilder.forClient()
              .sslProvider(SslProvider.JDK)
              .keyManager(certificate, key)
              .trustManager(ca)
              .protocols(PROTOCOL)
              .build());
    } catch (IllegalArgumentException e) {
      throw new IOException("certificates in " + folder + ": " + e.getMessage(), e);
    }
  }

  private static File readable(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException("no file " + file + ", which TLS needs");
    }
    return file.toFile();
  }

  /** The common name of the other end's certificate; null where there is no TLS. */
  static String commonName(Channel channel) throws SSLPeerUnverifiedException {
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls == null) {
      return null;
    }
    X509Certificate certificate =
        (X509Certificate) tls.engine().getSession().getPeerCertificates()[0];
    try {
      for (Rdn rdn : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
        if (rdn.getType().equalsIgnoreCase("CN")) {
          return String.valueOf(rdn.getValue());
        }
      }
    } catch (InvalidNameException e) {
      throw (SSLPeerUnverifiedException)
          new SSLPeerUnverifiedException("a subject that is no name").initCause(e);
    }
    throw new SSLPeerUnverifiedException("a certificate without a common name");
  }
}
