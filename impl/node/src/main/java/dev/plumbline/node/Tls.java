package dev.plumbline.node;

import io.netty.channel.Channel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManagerFactory;

/**
 * Mutual TLS 1.3 among those who have a certificate of the cluster's own authority. The common name
 * of a certificate is the name of the node or client.
 *
 * @param server for connections that are accepted
 * @param reader for connections that are accepted of anybody, without a certificate
 * @param client for connections that are made
 */
record Tls(SslContext server, SslContext reader, SslContext client) {
  private static final String PROTOCOL = "TLSv1.3";

  /** BoringSSL where there is a build of it; the JDK's needs seconds of a starting node's time. */
  private static final SslProvider PROVIDER =
      OpenSsl.isAvailable() && SslProvider.isTlsv13Supported(SslProvider.OPENSSL)
          ? SslProvider.OPENSSL
          : SslProvider.JDK;

  /**
   * @param folder with ca.pem, NAME.pem and NAME.key
   */
  static Tls of(Path folder, String name) throws IOException {
    try {
      KeyManagerFactory own = KeyManagerFactory.getInstance("SunX509");
      KeyStore store = KeyStores.own(folder, name);
      demandOwn(folder, name, store);
      own.init(store, KeyStores.PASSWORD.toCharArray());
      TrustManagerFactory trusted = TrustManagerFactory.getInstance("PKIX");
      trusted.init(KeyStores.authority(folder));
      return new Tls(
          SslContextBuilder.forServer(own)
              .sslProvider(PROVIDER)
              .trustManager(trusted)
              .clientAuth(ClientAuth.REQUIRE)
              .protocols(PROTOCOL)
              .build(),
          SslContextBuilder.forServer(own).sslProvider(PROVIDER).protocols(PROTOCOL).build(),
          SslContextBuilder.forClient()
              .sslProvider(PROVIDER)
              .keyManager(own)
              .trustManager(trusted)
              .protocols(PROTOCOL)
              .build());
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw KeyStores.wrong(folder, e);
    }
  }

  /** Nobody else would take it for this name's. */
  private static void demandOwn(Path folder, String name, KeyStore store)
      throws IOException, GeneralSecurityException {
    X509Certificate certificate = (X509Certificate) store.getCertificate(name);
    String certified = commonName(certificate);
    if (!certified.equals(name)) {
      throw new IOException(
          folder.resolve(name + ".pem")
              + " is the certificate of "
              + certified
              + ", not of "
              + name
              + "\n  remedy: put the certificate and the key of "
              + name
              + " there");
    }
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign((PrivateKey) store.getKey(name, KeyStores.PASSWORD.toCharArray()));
    byte[] signed = signature.sign();
    signature.initVerify(certificate);
    if (!signature.verify(signed)) {
      throw new IOException(
          folder.resolve(name + ".key")
              + " is not the key of the certificate beside it\n  remedy: put both of "
              + name
              + " there");
    }
  }

  /** The common name of the other end's certificate; null where there is no TLS. */
  static String commonName(Channel channel) throws SSLPeerUnverifiedException {
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls == null) {
      return null;
    }
    return commonName((X509Certificate) tls.engine().getSession().getPeerCertificates()[0]);
  }

  private static String commonName(X509Certificate certificate) throws SSLPeerUnverifiedException {
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
